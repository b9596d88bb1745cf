/* SPDX-License-Identifier: LGPL-2.1-only */
/* Stacks of an open cdict: STAK blocks are read on opening, a STEV block when the stack of
 * one of its events is needed. */
#include <errno.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/memory/array.h"
#include "base/memory/stringset.h"
#include "format/file/reader.h"
#include "format/file/stacks.h"

struct stack_block {
	size_t block;    /* event block */
	uint64_t offset; /* of its STEV block */
	bool bad;        /* damaged, and noted */
};

struct stack_table {
	struct stringset texts;
	ARRAY(const char *) text_at;
	ARRAY(struct cdict_frame) frames;
	ARRAY(size_t) stack_at;           /* end of each stack in numbers */
	ARRAY(uint32_t) numbers;          /* frames of all stacks */
	ARRAY(struct stack_block) blocks; /* ascending */
};

void stack_table_free(struct stack_table *t)
{
	if (!t)
		return;
	stringset_fini(&t->texts);
	array_fini(&t->text_at);
	array_fini(&t->frames);
	array_fini(&t->stack_at);
	array_fini(&t->numbers);
	array_fini(&t->blocks);
	free(t);
}

static bool have_table(struct stack_table **t)
{
	if (!*t)
		*t = calloc(1, sizeof(**t));
	return *t;
}

/* Takes room for @bytes; false when there is not enough. */
static bool spend(uint64_t *room, size_t bytes)
{
	if (*room < bytes)
		return false;
	*room -= bytes;
	return true;
}

static int read_texts(struct stack_table *t, struct cursor *c, uint64_t *room)
{
	uint64_t n = cursor_varint(c);

	if (n > FORMAT_MAX_FRAMES - t->text_at.n)
		return CDICT_ECORRUPT;
	while (n-- && cursor_ok(c)) {
		uint64_t len = cursor_varint(c);
		const uint8_t *p = len <= FORMAT_STACK_TEXT ? cursor_take(c, (size_t)len) : NULL;
		const char **text;

		if (!p)
			return CDICT_ECORRUPT;
		/* with its slot in the set and a share of spare slots */
		if (!spend(room, sizeof(*text) + 64 + (size_t)len))
			return CDICT_ELIMIT;
		text = array_add(&t->text_at);
		if (!text)
			return -ENOMEM;
		*text = stringset_add(&t->texts, (const char *)p, (size_t)len);
		if (!*text) {
			t->text_at.n--;
			return -ENOMEM;
		}
	}
	return cursor_ok(c) ? 0 : CDICT_ECORRUPT;
}

/* Text @i - 1, "" for 0, NULL if there is none. */
static const char *text_at(const struct stack_table *t, uint64_t i)
{
	if (!i)
		return "";
	return i <= t->text_at.n ? t->text_at.at[i - 1] : NULL;
}

static int read_frames(struct stack_table *t, struct cursor *c, uint64_t *room)
{
	uint64_t n = cursor_varint(c), address = 0;

	if (n > FORMAT_MAX_FRAMES - t->frames.n)
		return CDICT_ECORRUPT;
	while (n-- && cursor_ok(c)) {
		struct cdict_frame f = { .mode = cursor_u8(c) }, *to;

		address += (uint64_t)cursor_svarint(c);
		f.address = address;
		f.symbol = text_at(t, cursor_varint(c));
		f.offset = cursor_varint(c);
		f.object = text_at(t, cursor_varint(c));
		if (!cursor_ok(c) || !f.symbol || !f.object)
			return CDICT_ECORRUPT;
		if (!spend(room, sizeof(*to)))
			return CDICT_ELIMIT;
		to = array_add(&t->frames);
		if (!to)
			return -ENOMEM;
		*to = f;
	}
	return cursor_ok(c) ? 0 : CDICT_ECORRUPT;
}

static int read_stack(struct stack_table *t, struct cursor *c, uint64_t *room)
{
	uint64_t n = cursor_varint(c);
	size_t before = t->numbers.n, *end;

	if (n > FORMAT_STACK_DEPTH)
		return CDICT_ECORRUPT;
	if (!spend(room, sizeof(*end) + (size_t)n * sizeof(uint32_t)))
		return CDICT_ELIMIT;
	while (n--) {
		uint64_t frame = cursor_varint(c);
		uint32_t *to;

		if (!cursor_ok(c) || frame >= t->frames.n ||
		    t->numbers.n == FORMAT_MAX_STACK_FRAMES) {
			t->numbers.n = before;
			return CDICT_ECORRUPT;
		}
		to = array_add(&t->numbers);
		if (!to)
			return -ENOMEM;
		*to = (uint32_t)frame;
	}
	end = array_add(&t->stack_at);
	if (!end)
		return -ENOMEM;
	*end = t->numbers.n;
	return 0;
}

int stack_table_read(struct stack_table **out, const void *data, size_t size, uint64_t *room)
{
	struct cursor c = cursor_init(data, size, false);
	struct stack_table *t;
	uint64_t n;
	int ret;

	if (!have_table(out))
		return -ENOMEM;
	t = *out;
	/* Numbers count over all blocks: after a lost block the rest is meaningless. */
	if (cursor_varint(&c) != t->text_at.n || cursor_varint(&c) != t->frames.n ||
	    cursor_varint(&c) != t->stack_at.n)
		return CDICT_ECORRUPT;
	ret = read_texts(t, &c, room);
	if (!ret)
		ret = read_frames(t, &c, room);
	n = cursor_varint(&c);
	if (!ret && (!cursor_ok(&c) || n > FORMAT_MAX_STACKS - t->stack_at.n))
		ret = CDICT_ECORRUPT;
	while (!ret && n--)
		ret = read_stack(t, &c, room);
	return ret;
}

int stack_table_note(struct stack_table **out, const void *data, size_t size, uint64_t offset,
		     const uint32_t *ordinals, size_t n)
{
	struct cursor c = cursor_init(data, size, false);
	uint64_t ordinal = cursor_varint(&c);
	struct stack_block *b;
	struct stack_table *t;
	size_t i = 0;

	if (!cursor_ok(&c) || !have_table(out))
		return cursor_ok(&c) ? -ENOMEM : CDICT_ECORRUPT;
	t = *out;
	while (i < n) {
		size_t mid = i + (n - i) / 2;

		if (ordinals[mid] <= ordinal)
			i = mid + 1;
		else
			n = mid;
	}
	/* Its events may be lost: then their stacks are not needed. */
	if (!i || ordinals[i - 1] != ordinal)
		return 0;
	b = t->blocks.n ? &t->blocks.at[t->blocks.n - 1] : NULL;
	if (b && b->block >= i - 1)
		return CDICT_ECORRUPT;
	b = array_add(&t->blocks);
	if (!b)
		return -ENOMEM;
	*b = (struct stack_block){ i - 1, offset, false };
	return 0;
}

static struct stack_block *find_block(const struct stack_table *t, size_t block)
{
	struct stack_block *list = t->blocks.at;
	size_t lo = 0, hi = t->blocks.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (list[mid].block < block)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->blocks.n && list[lo].block == block ? &list[lo] : NULL;
}

static int read_numbers(const struct stack_table *t, const struct buf *raw, uint32_t events,
			uint32_t *stacks)
{
	struct cursor c = cursor_init(raw->data, raw->len, false);

	cursor_varint(&c); /* ordinal */
	if (cursor_varint(&c) != events)
		return CDICT_ECORRUPT;
	for (uint32_t i = 0; i < events; i++) {
		uint64_t v = cursor_varint(&c);

		if (v > t->stack_at.n)
			return CDICT_ECORRUPT;
		stacks[i] = v ? (uint32_t)(v - 1) : CDICT_NO_STACK;
	}
	return cursor_ok(&c) ? 1 : CDICT_ECORRUPT;
}

int stack_table_block(const struct cdict_reader *r, size_t block, uint32_t **stacks,
		      uint64_t *offset)
{
	const struct stack_block *b = r->stacks ? find_block(r->stacks, block) : NULL;
	struct container_header h;
	struct codec *codec;
	struct buf raw = { 0 };
	uint32_t events;
	int ret;

	*stacks = NULL;
	if (!b)
		return 0;
	*offset = b->offset;
	events = r->blocks.at[block].events;
	if (!events || events > FORMAT_BLOCK_EVENTS)
		return CDICT_ECORRUPT;
	codec = codec_new();
	*stacks = malloc(events * sizeof(**stacks));
	ret = codec && *stacks ? 0 : -ENOMEM;
	/* Its CRC was checked when the file was opened. */
	container_header_read(r->data + b->offset, &h);
	if (!ret)
		ret = container_unpack(codec, r->data + b->offset + FORMAT_BLOCK_HEADER_SIZE,
				       h.size, r->size, &raw);
	if (!ret)
		ret = read_numbers(r->stacks, &raw, events, *stacks);
	buf_fini(&raw);
	codec_free(codec);
	if (ret < 0) {
		free(*stacks);
		*stacks = NULL;
	}
	return ret;
}

bool stack_table_bad(const struct cdict_reader *r, size_t block)
{
	struct stack_block *b = find_block(r->stacks, block);
	bool first = !b->bad;

	b->bad = true;
	return first;
}

size_t cdict_reader_frame_count(const struct cdict_reader *r)
{
	return r->stacks ? r->stacks->frames.n : 0;
}

const struct cdict_frame *cdict_reader_frame_at(const struct cdict_reader *r, size_t i)
{
	return &r->stacks->frames.at[i];
}

size_t cdict_reader_stack_count(const struct cdict_reader *r)
{
	return r->stacks ? r->stacks->stack_at.n : 0;
}

size_t cdict_reader_stack_at(const struct cdict_reader *r, size_t i, const uint32_t **frames)
{
	const size_t *end = r->stacks->stack_at.at;
	size_t from = i ? end[i - 1] : 0;

	*frames = r->stacks->numbers.at + from;
	return end[i] - from;
}

/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reading the blocks of a cdict that hold no events. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/file/guests.h"
#include "format/file/reader.h"
#include "format/labels/labels.h"

/* Takes room for a row or text of @bytes; false when there is not enough. */
static bool spend(struct cdict_reader *r, size_t bytes)
{
	if (r->room < bytes) {
		r->no_room = true;
		return false;
	}
	r->room -= bytes;
	return true;
}

/* Adds @row to @rows; false without room or memory. */
#define keep_row(r, rows, row)                                                                     \
	(spend(r, sizeof(*(rows)->at)) && !((r)->no_memory |= array_push(rows, row) != 0))

/* A slot of the set, with its share of spare slots. */
#define TEXT_BYTES 64u

/* A NUL-terminated copy that lives as long as the reader; equal texts share one. */
static const char *keep_bytes(struct cdict_reader *r, const void *data, size_t len)
{
	size_t before = r->texts.n;
	const char *s;

	if (r->room < len + TEXT_BYTES) {
		r->no_room = true;
		return NULL;
	}
	s = stringset_add(&r->texts, data, len);
	r->no_memory |= !s;
	if (r->texts.n > before)
		r->room -= len + TEXT_BYTES;
	return s;
}

static const uint8_t *take_string(struct cursor *c, size_t *len)
{
	uint64_t n = cursor_varint(c);
	const uint8_t *p = n <= c->left ? cursor_take(c, (size_t)n) : NULL;

	if (!p || !cursor_ok(c)) {
		c->failed = true;
		return NULL;
	}
	*len = strnlen((const char *)p, (size_t)n);
	return p;
}

static const char *keep_string(struct cdict_reader *r, struct cursor *c)
{
	size_t len;
	const uint8_t *p = take_string(c, &len);

	return p ? keep_bytes(r, p, len) : NULL;
}

/* A later value of a key replaces the earlier one. */
static int set_info(struct cdict_reader *r, const uint8_t *key, size_t key_len,
		    const uint8_t *value, size_t value_len)
{
	struct reader_pair new;
	size_t i;

	for (i = 0; i < r->info.n && (strncmp(r->info.at[i].key, (const char *)key, key_len) ||
				      r->info.at[i].key[key_len]);
	     i++)
		;
	if (i == FORMAT_MAX_KEYS)
		return CDICT_ECORRUPT;
	if (!spend(r, sizeof(new) + key_len + value_len))
		return CDICT_ELIMIT;
	new.key = malloc(key_len + value_len + 2);
	if (!new.key)
		return -ENOMEM;
	new.value = new.key + key_len + 1;
	memcpy(new.key, key, key_len);
	new.key[key_len] = 0;
	memcpy(new.value, value, value_len);
	new.value[value_len] = 0;
	if (i == r->info.n) {
		if (!array_push(&r->info, new))
			return 0;
		free(new.key);
		return -ENOMEM;
	}
	r->room += sizeof(new) + key_len + strlen(r->info.at[i].value);
	free(r->info.at[i].key);
	r->info.at[i] = new;
	return 0;
}

static int read_info(struct cdict_reader *r, const struct buf *raw)
{
	struct cursor c = cursor_init(raw->data, raw->len, false);

	while (c.left) {
		size_t key_len, value_len;
		const uint8_t *key = take_string(&c, &key_len),
			      *value = take_string(&c, &value_len);
		int ret;

		if (!cursor_ok(&c))
			return CDICT_ECORRUPT;
		/* Keys are searched linearly, so rows are limited: each key a few times. */
		if (r->info_rows++ == 4 * FORMAT_MAX_KEYS)
			return CDICT_ELIMIT;
		ret = set_info(r, key, key_len, value, value_len);
		if (ret)
			return ret;
	}
	return 0;
}

static const char *keep_text(void *ctx, const void *data, size_t len)
{
	return keep_bytes(ctx, data, len);
}

static bool add_task(void *ctx, const struct cdict_task_event *ev)
{
	struct cdict_reader *r = ctx;

	return keep_row(r, &r->tasks, *ev);
}

static bool add_label(void *ctx, const struct cdict_label *label)
{
	struct cdict_reader *r = ctx;

	return r->labels.n < FORMAT_MAX_LABELS && keep_row(r, &r->labels, *label);
}

static int read_losses(struct cdict_reader *r, const struct buf *raw)
{
	struct cursor c = cursor_init(raw->data, raw->len, false);

	while (c.left) {
		struct cdict_loss loss;
		bool kept;

		if (!loss_row_read(&c, &loss))
			return CDICT_ECORRUPT;
		if (loss.cpu != CDICT_CPU_UNKNOWN && loss.cpu >= FORMAT_MAX_CPUS)
			return CDICT_ELIMIT;
		if ((unsigned)loss.what == FORMAT_LOSS_LATE)
			kept = keep_row(
				r, &r->late,
				((struct cdict_late){ loss.cpu, loss.from_ns, loss.to_ns }));
		else
			kept = keep_row(r, &r->losses, loss);
		if (!kept)
			return CDICT_ELIMIT;
		if ((unsigned)loss.what != FORMAT_LOSS_LATE && loss.what != CDICT_LOSS_DISORDER &&
		    loss.to_ns != UINT64_MAX && loss.to_ns > r->lost_ns)
			r->lost_ns = loss.to_ns;
	}
	return 0;
}

static int read_unstored(struct cdict_reader *r, const struct buf *raw)
{
	struct cursor c = cursor_init(raw->data, raw->len, false);

	while (c.left) {
		const char *name = keep_string(r, &c);
		uint64_t count = cursor_varint(&c);

		if (!cursor_ok(&c))
			return CDICT_ECORRUPT;
		if (!name || !keep_row(r, &r->unstored, ((struct cdict_unstored){ name, count })))
			return CDICT_ELIMIT;
	}
	return 0;
}

static const char *block_name(uint32_t type, char out[5])
{
	for (int i = 0; i < 4; i++) {
		char c = (char)(type >> 8 * i);

		out[i] = c >= 'A' && c <= 'Z' ? c : '?';
	}
	out[4] = 0;
	return out;
}

int reader_small_block(struct cdict_reader *r, struct codec *codec, uint64_t at,
		       const struct container_header *h, struct cdict_error *err)
{
	const uint8_t *payload = r->data + at + FORMAT_BLOCK_HEADER_SIZE;
	struct buf raw = { 0 };
	char name[5];
	size_t labels;
	int ret = 0;

	bool known = h->type == FORMAT_INFO || h->type == FORMAT_SCHEMA ||
		     h->type == FORMAT_TASKS || h->type == FORMAT_LOSSES ||
		     h->type == FORMAT_LABELS || h->type == FORMAT_UNSTORED ||
		     h->type == FORMAT_STACKS || h->type == FORMAT_STACK_EVENTS ||
		     h->type == FORMAT_GUEST;

	if (codec_crc(payload, h->size) != h->payload_crc)
		ret = CDICT_ECORRUPT;
	/* Others are of a later minor version, or are not read here. */
	if (!ret && known)
		ret = container_unpack(codec, payload, h->size, r->size, &raw);
	if (!ret && h->type == FORMAT_DIGEST && array_push(&r->digests, at))
		ret = -ENOMEM;
	if (!ret && h->type == FORMAT_GUEST_PART)
		ret = reader_guest_part(r, at, payload, h->size);
	if (!ret && known) {
		switch (h->type) {
		case FORMAT_INFO:
			ret = read_info(r, &raw);
			break;
		case FORMAT_SCHEMA:
			ret = format_schema_read(&r->schema, raw.data, raw.len, NULL);
			break;
		case FORMAT_TASKS:
			ret = task_rows_read(raw.data, raw.len, keep_text, add_task, r);
			break;
		case FORMAT_LOSSES:
			ret = read_losses(r, &raw);
			break;
		case FORMAT_LABELS:
			labels = r->labels.n;
			ret = label_rows_read(raw.data, raw.len, keep_text, add_label, r);
			/* Rows of a block that is too large are not indexed: their names would need the
			 * memory that its texts have used up. */
			if (r->no_room)
				r->labels.n = labels;
			break;
		case FORMAT_GUEST:
			ret = reader_guest_head(r, raw.data, raw.len);
			break;
		case FORMAT_STACKS:
			ret = stack_table_read(&r->stacks, raw.data, raw.len, &r->room);
			break;
		case FORMAT_STACK_EVENTS:
			ret = stack_table_note(&r->stacks, raw.data, raw.len, at, r->ordinals.at,
					       r->blocks.n);
			break;
		default:
			ret = read_unstored(r, &raw);
			break;
		}
	}
	buf_fini(&raw);
	if (ret == -ENOMEM || r->no_memory)
		return cdict_fail_nomem(err);
	if (ret) {
		r->damage.blocks++;
		if (ret == CDICT_ELIMIT || r->no_room)
			reader_note(r, at,
				    "block %s at byte %" PRIu64
				    " exceeds the limit for a file of this size",
				    block_name(h->type, name), at);
		else
			reader_note(r, at, "block %s at byte %" PRIu64 " is damaged%s",
				    block_name(h->type, name), at,
				    h->type == FORMAT_SCHEMA ? ": its event types cannot be read"
							     : "");
		r->no_room = false;
	}
	return 0;
}

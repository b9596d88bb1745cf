/* SPDX-License-Identifier: LGPL-2.1-only */
/* Opening a cdict: finding its blocks and reading the small ones. */
#include "format/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "format/decode.h"
#include "format/labels.h"

static int no_memory(struct cdict_error *err)
{
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

static void note(struct cdict_reader *r, uint64_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Keeps the first sentence of damage; it is about the byte @at. */
static void note(struct cdict_reader *r, uint64_t at, const char *fmt, ...)
{
	va_list ap;

	if (r->damage.first[0])
		return;
	va_start(ap, fmt);
	vsnprintf(r->damage.first, sizeof(r->damage.first), fmt, ap);
	va_end(ap);
	r->first_at = at;
}

/* An event block that cannot be read: what it held, by the index or its own head. */
static void note_events(struct cdict_reader *r, const struct cdict_block_info *b, const char *why)
{
	if (!r->damage.events) {
		r->damage.cpu = b->cpu;
		r->damage.first_ns = b->first_ns;
		r->damage.last_ns = b->last_ns;
	}
	r->damage.events += b->events;
	/* What was said of this place before said less. */
	if (r->damage.first[0] && r->first_at >= b->offset && r->first_at < b->offset + b->size)
		r->damage.first[0] = 0;
	note(r, b->offset,
	     "event block of CPU %" PRId64 " at byte %" PRIu64 " is damaged (%s): %u events from "
	     "%" PRIu64 ".%09" PRIu64 " to %" PRIu64 ".%09" PRIu64 " s are lost",
	     b->cpu == CDICT_CPU_UNKNOWN ? -1 : (int64_t)b->cpu, b->offset, why, b->events,
	     b->first_ns / 1000000000, b->first_ns % 1000000000, b->last_ns / 1000000000,
	     b->last_ns % 1000000000);
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

static bool grow(void **p, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap ? *cap : 16;
	void *q;

	if (n <= *cap)
		return true;
	while (want < n)
		want *= 2;
	q = realloc(*p, want * size);
	if (!q)
		return false;
	*p = q;
	*cap = want;
	return true;
}

/* A NUL-terminated copy that lives as long as the reader. */
static const char *keep(struct cdict_reader *r, const void *data, size_t len)
{
	char *s;

	if (!grow((void **)&r->texts, &r->cap_texts, r->n_texts + 1, sizeof(*r->texts)))
		return NULL;
	s = malloc(len + 1);
	if (!s)
		return NULL;
	memcpy(s, data, len);
	s[len] = 0;
	r->texts[r->n_texts++] = s;
	return s;
}

static const char *keep_string(struct cdict_reader *r, struct cursor *c)
{
	uint64_t n = cursor_varint(c);
	const uint8_t *p = n <= c->left ? cursor_take(c, (size_t)n) : NULL;

	if (!p || !cursor_ok(c)) {
		c->failed = true;
		return NULL;
	}
	return keep(r, p, (size_t)n);
}

static int read_info(struct cdict_reader *r, const struct buf *raw)
{
	struct cursor c = cursor_init(raw->data, raw->len, false);

	while (c.left) {
		const char *key = keep_string(r, &c), *value = keep_string(r, &c);
		struct reader_pair *info;
		size_t i;

		if (!cursor_ok(&c))
			return CDICT_ECORRUPT;
		if (!key || !value)
			return -ENOMEM;
		for (i = 0; i < r->n_info && strcmp(r->info[i].key, key); i++)
			;
		if (i == FORMAT_MAX_KEYS)
			return CDICT_ECORRUPT;
		if (i == r->n_info) {
			info = realloc(r->info, (i + 1) * sizeof(*info));
			if (!info)
				return -ENOMEM;
			r->info = info;
			r->info[r->n_info++].key = key;
		}
		r->info[i].value = value;
	}
	return 0;
}

static const char *keep_text(void *ctx, const void *data, size_t len)
{
	return keep(ctx, data, len);
}

static bool add_task(void *ctx, const struct cdict_task_event *ev)
{
	struct cdict_reader *r = ctx;

	if (!grow((void **)&r->tasks, &r->cap_tasks, r->n_tasks + 1, sizeof(*r->tasks)))
		return false;
	r->tasks[r->n_tasks++] = *ev;
	return true;
}

static bool add_label(void *ctx, const struct cdict_label *label)
{
	struct cdict_reader *r = ctx;

	if (r->n_labels == FORMAT_MAX_LABELS ||
	    !grow((void **)&r->labels, &r->cap_labels, r->n_labels + 1, sizeof(*r->labels)))
		return false;
	r->labels[r->n_labels++] = *label;
	return true;
}

static int read_losses(struct cdict_reader *r, const struct buf *raw)
{
	struct cursor c = cursor_init(raw->data, raw->len, false);

	while (c.left) {
		struct cdict_loss loss;

		if (!loss_row_read(&c, &loss))
			return CDICT_ECORRUPT;
		if ((unsigned)loss.what == FORMAT_LOSS_LATE) {
			if (!grow((void **)&r->late, &r->cap_late, r->n_late + 1, sizeof(*r->late)))
				return -ENOMEM;
			r->late[r->n_late++] =
				(struct cdict_late){ loss.cpu, loss.from_ns, loss.to_ns };
			continue;
		}
		if (!grow((void **)&r->losses, &r->cap_losses, r->n_losses + 1, sizeof(*r->losses)))
			return -ENOMEM;
		r->losses[r->n_losses++] = loss;
	}
	return 0;
}

static int read_unstored(struct cdict_reader *r, const struct buf *raw)
{
	struct cursor c = cursor_init(raw->data, raw->len, false);

	while (c.left) {
		const char *name = keep_string(r, &c);
		uint64_t count = cursor_varint(&c);
		struct cdict_unstored *rows;

		if (!cursor_ok(&c))
			return CDICT_ECORRUPT;
		rows = realloc(r->unstored, (r->n_unstored + 1) * sizeof(*rows));
		if (!rows || !name) {
			if (rows)
				r->unstored = rows;
			return -ENOMEM;
		}
		r->unstored = rows;
		rows[r->n_unstored++] = (struct cdict_unstored){ name, count };
	}
	return 0;
}

/* A block that holds no events. */
static int read_small(struct cdict_reader *r, struct codec *codec, uint64_t at,
		      const struct container_header *h, struct cdict_error *err)
{
	const uint8_t *payload = r->data + at + FORMAT_BLOCK_HEADER_SIZE;
	struct buf raw = { 0 };
	char name[5];
	int ret = 0;

	bool known = h->type == FORMAT_INFO || h->type == FORMAT_SCHEMA ||
		     h->type == FORMAT_TASKS || h->type == FORMAT_LOSSES ||
		     h->type == FORMAT_LABELS || h->type == FORMAT_UNSTORED ||
		     h->type == FORMAT_STACKS || h->type == FORMAT_STACK_EVENTS;

	if (codec_crc(payload, h->size) != h->payload_crc)
		ret = CDICT_ECORRUPT;
	/* Others are of a later minor version, or not ours to read here. */
	if (!ret && known)
		ret = container_unpack(codec, payload, h->size, &raw);
	if (!ret && known) {
		switch (h->type) {
		case FORMAT_INFO:
			ret = read_info(r, &raw);
			break;
		case FORMAT_SCHEMA:
			ret = format_schema_read(&r->schema, raw.data, raw.len, NULL);
			break;
		case FORMAT_TASKS:
			if (!task_rows_read(raw.data, raw.len, keep_text, add_task, r))
				ret = CDICT_ECORRUPT;
			break;
		case FORMAT_LOSSES:
			ret = read_losses(r, &raw);
			break;
		case FORMAT_LABELS:
			if (!label_rows_read(raw.data, raw.len, keep_text, add_label, r))
				ret = CDICT_ECORRUPT;
			break;
		case FORMAT_STACKS:
			ret = stack_table_read(&r->stacks, raw.data, raw.len);
			break;
		case FORMAT_STACK_EVENTS:
			ret = stack_table_note(&r->stacks, raw.data, raw.len, at, r->ordinals,
					       r->n_blocks);
			break;
		default:
			ret = read_unstored(r, &raw);
			break;
		}
	}
	buf_fini(&raw);
	if (ret == -ENOMEM)
		return no_memory(err);
	if (ret) {
		r->damage.blocks++;
		note(r, at, "block %s at byte %" PRIu64 " is damaged%s", block_name(h->type, name),
		     at, h->type == FORMAT_SCHEMA ? ": its event types cannot be read" : "");
	}
	return 0;
}

static int add_block(struct cdict_reader *r, uint64_t at, const struct container_header *h,
		     struct cdict_error *err)
{
	struct format_block info;
	struct cdict_block_info *b;

	/* The head of the payload is believed for now; its CRC is tested on reading. */
	if (format_block_peek(r->data + at + FORMAT_BLOCK_HEADER_SIZE, h->size, &info,
			      r->type_events, FORMAT_MAX_TYPES, NULL) < 0) {
		r->damage.blocks++;
		note(r, at, "event block at byte %" PRIu64 " is damaged", at);
		return 0;
	}
	if (!grow((void **)&r->blocks, &r->cap_blocks, r->n_blocks + 1, sizeof(*r->blocks)) ||
	    !grow((void **)&r->ordinals, &r->cap_ordinals, r->n_blocks + 1, sizeof(*r->ordinals)))
		return no_memory(err);
	r->ordinals[r->n_blocks] = h->ordinal;
	b = &r->blocks[r->n_blocks++];
	*b = (struct cdict_block_info){ at,
					h->size + FORMAT_BLOCK_HEADER_SIZE,
					info.cpu,
					info.events,
					info.first_ns,
					info.last_ns };
	return 0;
}

/* Walks the blocks from the front. *index_at: where the index block was, or 0. */
static int scan(struct cdict_reader *r, struct codec *codec, uint64_t *index_at,
		struct cdict_error *err)
{
	uint64_t at = FORMAT_HEADER_SIZE;
	uint32_t ordinal = 0;
	int ret;

	*index_at = 0;
	r->damage.cut_at = at;
	while (at < r->size) {
		struct container_header h;
		uint64_t left = r->size - at;

		if (*index_at && left == FORMAT_TRAILER_SIZE)
			return 0;
		if (left < FORMAT_BLOCK_HEADER_SIZE || !container_header_read(r->data + at, &h)) {
			uint64_t next = left < FORMAT_BLOCK_HEADER_SIZE
						? r->size
						: container_resync(r->data, r->size, at + 1);

			r->damage.skipped_bytes += next - at;
			note(r, at, "%" PRIu64 " bytes at byte %" PRIu64 " are no block", next - at,
			     at);
			at = next;
			continue;
		}
		if (h.size > left - FORMAT_BLOCK_HEADER_SIZE) {
			note(r, at,
			     "block at byte %" PRIu64 " needs %u bytes, %" PRIu64 " are left", at,
			     h.size, left - FORMAT_BLOCK_HEADER_SIZE);
			return 0;
		}
		if (h.ordinal != ordinal) {
			r->damage.blocks += h.ordinal > ordinal ? h.ordinal - ordinal : 1;
			note(r, at, "block %u is missing before byte %" PRIu64, ordinal, at);
		}
		ordinal = h.ordinal + 1;
		if (h.type == FORMAT_EVENTS)
			ret = add_block(r, at, &h, err);
		else
			ret = read_small(r, codec, at, &h, err);
		if (ret)
			return ret;
		if (h.type == FORMAT_INDEX &&
		    codec_crc(r->data + at + FORMAT_BLOCK_HEADER_SIZE, h.size) == h.payload_crc)
			*index_at = at;
		at += FORMAT_BLOCK_HEADER_SIZE + h.size;
		r->damage.cut_at = at;
	}
	return 0;
}

/* The index's rows against what the walk found: a block that says something else of
 * itself than the index does is damaged, and one that is missing is known. */
static int check_index(struct cdict_reader *r, struct codec *codec, uint64_t index_at,
		       struct cdict_error *err)
{
	const uint8_t *p = r->data + index_at;
	struct container_header h;
	struct buf raw = { 0 };
	struct cursor c;
	uint64_t at = FORMAT_HEADER_SIZE, last_ns = 0;
	size_t i = 0;
	int ret = 0;

	container_header_read(p, &h);
	ret = container_unpack(codec, p + FORMAT_BLOCK_HEADER_SIZE, h.size, &raw);
	if (ret == -ENOMEM) {
		buf_fini(&raw);
		return no_memory(err);
	}
	c = cursor_init(raw.data, raw.len, false);
	while (!ret && c.left) {
		struct index_row row;

		if (!index_row_read(&c, &row, &last_ns)) {
			ret = CDICT_ECORRUPT;
			break;
		}
		if (row.type == FORMAT_EVENTS) {
			struct cdict_block_info *b;

			while (i < r->n_blocks && r->blocks[i].offset < at)
				i++;
			b = i < r->n_blocks && r->blocks[i].offset == at ? &r->blocks[i] : NULL;
			if (!b) {
				struct cdict_block_info gone = { at,
								 row.size,
								 row.events.cpu,
								 row.events.events,
								 row.events.first_ns,
								 row.events.last_ns };

				note_events(r, &gone, "its head cannot be read");
			} else {
				/* The index passed its CRC, the payload was not tested yet. */
				b->cpu = row.events.cpu;
				b->events = row.events.events;
				b->first_ns = row.events.first_ns;
				b->last_ns = row.events.last_ns;
			}
		}
		at += row.size;
	}
	if (!ret && at != index_at && !r->damage.first[0])
		ret = CDICT_ECORRUPT;
	if (ret)
		note(r, index_at, "index at byte %" PRIu64 " is damaged", index_at);
	if (ret)
		r->damage.blocks++;
	buf_fini(&raw);
	return 0;
}

static void sum_up(struct cdict_reader *r)
{
	const char *topology = cdict_reader_info(r, "topology.core");

	r->first_ns = UINT64_MAX;
	for (size_t i = 0; i < r->n_blocks; i++) {
		const struct cdict_block_info *b = &r->blocks[i];

		r->events += b->events;
		if (b->first_ns < r->first_ns)
			r->first_ns = b->first_ns;
		if (b->last_ns > r->last_ns)
			r->last_ns = b->last_ns;
		if (b->cpu != CDICT_CPU_UNKNOWN && b->cpu >= r->cpus)
			r->cpus = b->cpu + 1;
	}
	if (topology) {
		uint32_t n = 1;

		for (; *topology; topology++)
			n += *topology == ',';
		if (n > r->cpus)
			r->cpus = n;
	}
	r->damage.input_damaged = cdict_reader_info(r, "input.damage") != NULL;
}

static int open_data(struct cdict_reader *r, struct cdict_error *err)
{
	struct codec *codec;
	uint64_t index_at;
	const uint8_t *end = r->data + r->size;
	int ret;

	if (r->size < FORMAT_HEADER_SIZE || memcmp(r->data, FORMAT_MAGIC, FORMAT_MAGIC_SIZE))
		return cdict_fail(err, CDICT_EFORMAT, 0,
				  "is no cdict file: its first bytes are not "
				  "the cdict magic%s",
				  r->size >= 8 && (!memcmp(r->data, "PERFILE2", 8) ||
						   !memcmp(r->data, "2ELIFREP", 8))
					  ? " but perf's: convert it with 'cdict convert'"
					  : "");
	if (codec_crc(r->data, 12) != le32(r->data + 12))
		return cdict_fail(err, CDICT_ECORRUPT, 8, "file header is damaged");
	if ((le32(r->data + 8) & 0xffff) != FORMAT_MAJOR)
		return cdict_fail(err, CDICT_EVERSION, 8,
				  "is of format version %u.%u, this reader knows %u.x",
				  le32(r->data + 8) & 0xffff, le32(r->data + 8) >> 16,
				  FORMAT_MAJOR);
	codec = codec_new();
	r->type_events = calloc(FORMAT_MAX_TYPES, sizeof(*r->type_events));
	if (!codec || !r->type_events) {
		codec_free(codec);
		return no_memory(err);
	}
	ret = scan(r, codec, &index_at, err);
	if (!ret && index_at)
		ret = check_index(r, codec, index_at, err);
	codec_free(codec);
	if (ret)
		return ret;
	if (!index_at || r->size < FORMAT_TRAILER_SIZE || le32(end - 4) != FORMAT_END ||
	    le32(end - 8) != codec_crc(end - 16, 8) || le64(end - 16) != index_at) {
		r->damage.cut = true;
		note(r, r->size, "is cut at byte %" PRIu64 ": its end is missing",
		     (uint64_t)r->size);
	}
	if (!r->schema) {
		r->schema = cdict_schema_new(false, 8, 4096);
		if (!r->schema)
			return no_memory(err);
	}
	r->block_bad = calloc(r->n_blocks ? r->n_blocks : 1, 1);
	if (!r->block_bad)
		return no_memory(err);
	sum_up(r);
	return 0;
}

static struct cdict_reader *reader_new(void)
{
	struct cdict_reader *r = calloc(1, sizeof(*r));

	if (r)
		pthread_mutex_init(&r->lock, NULL);
	return r;
}

static int finish_open(struct cdict_reader **out, struct cdict_reader *r, int ret,
		       struct cdict_error *err)
{
	if (!ret)
		ret = open_data(r, err);
	if (ret) {
		cdict_reader_close(r);
		return ret;
	}
	*out = r;
	return 0;
}

int cdict_reader_parse(struct cdict_reader **out, const void *data, size_t size,
		       struct cdict_error *err)
{
	struct cdict_reader *r = reader_new();

	*out = NULL;
	if (!r)
		return no_memory(err);
	r->data = data;
	r->size = size;
	return finish_open(out, r, 0, err);
}

/* A pipe, or anything that cannot be mapped. */
static int read_all(struct cdict_reader *r, int fd, struct cdict_error *err)
{
	struct buf b = { 0 };
	ssize_t n = 0;

	do {
		uint8_t *room = buf_room(&b, 1 << 20);

		if (!room)
			break;
		n = read(fd, room, 1 << 20);
		if (n > 0)
			b.len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	r->owned = b.data;
	r->data = b.data;
	r->size = b.len;
	if (b.failed)
		return no_memory(err);
	return n < 0 ? cdict_fail_errno(err, "cannot be read") : 0;
}

int cdict_reader_open(struct cdict_reader **out, const char *path, struct cdict_error *err)
{
	struct cdict_reader *r = reader_new();
	int fd = STDIN_FILENO, ret = 0;
	struct stat st;

	*out = NULL;
	if (!r)
		return no_memory(err);
	if (strcmp(path, "-"))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		ret = cdict_fail_errno(err, "cannot be opened");
	} else if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		ret = cdict_fail_errno(err, "cannot be opened");
	} else if (S_ISREG(st.st_mode) && st.st_size > 0) {
		r->mapped = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (r->mapped == MAP_FAILED) {
			r->mapped = NULL;
			ret = read_all(r, fd, err);
		} else {
			r->data = r->mapped;
			r->size = (size_t)st.st_size;
		}
	} else {
		ret = read_all(r, fd, err);
	}
	if (fd > STDIN_FILENO)
		close(fd);
	return finish_open(out, r, ret, err);
}

void cdict_reader_close(struct cdict_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n_texts; i++)
		free(r->texts[i]);
	free(r->texts);
	free(r->info);
	free(r->tasks);
	free(r->losses);
	free(r->late);
	free(r->labels);
	free(r->unstored);
	free(r->blocks);
	free(r->block_bad);
	free(r->ordinals);
	stack_table_free(r->stacks);
	free(r->type_events);
	cdict_schema_free(r->schema);
	if (r->mapped)
		munmap(r->mapped, r->size);
	free(r->owned);
	pthread_mutex_destroy(&r->lock);
	free(r);
}

void reader_block_bad(struct cdict_reader *r, size_t i, const char *why)
{
	const struct cdict_block_info *b = &r->blocks[i];

	pthread_mutex_lock(&r->lock);
	if (!r->block_bad[i]) {
		r->block_bad[i] = 1;
		r->damage.blocks++;
		note_events(r, b, why);
	}
	pthread_mutex_unlock(&r->lock);
}

int reader_block(struct cdict_reader *r, size_t i, const uint8_t **payload, size_t *size,
		 struct cdict_error *err)
{
	const struct cdict_block_info *b = &r->blocks[i];
	struct container_header h;

	container_header_read(r->data + b->offset, &h);
	*payload = r->data + b->offset + FORMAT_BLOCK_HEADER_SIZE;
	*size = h.size;
	if (codec_crc(*payload, *size) == h.payload_crc)
		return 0;
	reader_block_bad(r, i, "its check sum is wrong");
	return cdict_fail(err, CDICT_ECORRUPT, b->offset, "event block is damaged");
}

int reader_stacks(struct cdict_reader *r, size_t i, uint32_t **stacks)
{
	uint64_t at;
	int ret = stack_table_block(r, i, stacks, &at);

	if (ret == -ENOMEM)
		return ret;
	if (ret < 0) {
		pthread_mutex_lock(&r->lock);
		r->damage.blocks += stack_table_bad(r, i);
		note(r, at, "block STEV at byte %" PRIu64 " is damaged: stacks are lost", at);
		pthread_mutex_unlock(&r->lock);
		return 0;
	}
	return ret ? (int)r->blocks[i].events : 0;
}

int cdict_reader_verify(struct cdict_reader *r, struct cdict_error *err)
{
	struct format_decoder *dec = format_decoder_new(r->schema);
	struct cdict_error why = { 0 };
	struct cdict_event ev;
	uint32_t order;

	if (!dec)
		return no_memory(err);
	for (size_t i = 0; i < r->n_blocks; i++) {
		const uint8_t *payload;
		uint32_t *stacks;
		size_t size;
		int ret;

		if (reader_block(r, i, &payload, &size, &why) < 0)
			continue;
		ret = reader_stacks(r, i, &stacks);
		free(stacks);
		if (ret >= 0)
			ret = format_decoder_open(dec, payload, size, &why);
		if (!ret)
			do
				ret = format_decoder_next(dec, &ev, &order, &why);
			while (ret > 0);
		if (ret == -ENOMEM) {
			format_decoder_free(dec);
			return no_memory(err);
		}
		if (ret < 0)
			reader_block_bad(r, i, why.text);
	}
	format_decoder_free(dec);
	if (r->damage.first[0])
		return cdict_fail(err, r->damage.cut ? CDICT_ETRUNCATED : CDICT_ECORRUPT,
				  CDICT_NO_OFFSET, "%s", r->damage.first);
	return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-only */
/* The blocks of a cdict that hold no events: what a reader keeps of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/labels.h"
#include "format/reader.h"

/* A NUL-terminated copy that lives as long as the reader. */
static const char *keep(struct cdict_reader *r, const void *data, size_t len)
{
	char *s = malloc(len + 1);

	if (!s || array_push(&r->texts, s)) {
		free(s);
		r->no_memory = true;
		return NULL;
	}
	memcpy(s, data, len);
	s[len] = 0;
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
		size_t i;

		if (!cursor_ok(&c))
			return CDICT_ECORRUPT;
		if (!key || !value)
			return -ENOMEM;
		for (i = 0; i < r->info.n && strcmp(r->info.at[i].key, key); i++)
			;
		if (i == FORMAT_MAX_KEYS)
			return CDICT_ECORRUPT;
		if (i == r->info.n && array_push(&r->info, (struct reader_pair){ key, value }))
			return -ENOMEM;
		r->info.at[i].value = value;
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

	r->no_memory |= array_push(&r->tasks, *ev) != 0;
	return !r->no_memory;
}

static bool add_label(void *ctx, const struct cdict_label *label)
{
	struct cdict_reader *r = ctx;

	if (r->labels.n == FORMAT_MAX_LABELS)
		return false;
	r->no_memory |= array_push(&r->labels, *label) != 0;
	return !r->no_memory;
}

static int read_losses(struct cdict_reader *r, const struct buf *raw)
{
	struct cursor c = cursor_init(raw->data, raw->len, false);

	while (c.left) {
		struct cdict_loss loss;

		if (!loss_row_read(&c, &loss))
			return CDICT_ECORRUPT;
		if ((unsigned)loss.what == FORMAT_LOSS_LATE) {
			if (array_push(&r->late,
				       (struct cdict_late){ loss.cpu, loss.from_ns, loss.to_ns }))
				return -ENOMEM;
		} else if (array_push(&r->losses, loss)) {
			return -ENOMEM;
		} else if (loss.what != CDICT_LOSS_DISORDER && loss.to_ns != UINT64_MAX &&
			   loss.to_ns > r->lost_ns) {
			r->lost_ns = loss.to_ns;
		}
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
		if (!name || array_push(&r->unstored, (struct cdict_unstored){ name, count }))
			return -ENOMEM;
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
	if (!ret && h->type == FORMAT_DIGEST && array_push(&r->digests, at))
		ret = -ENOMEM;
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
			ret = label_rows_read(raw.data, raw.len, keep_text, add_label, r);
			break;
		case FORMAT_STACKS:
			ret = stack_table_read(&r->stacks, raw.data, raw.len);
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
		reader_note(r, at, "block %s at byte %" PRIu64 " is damaged%s",
			    block_name(h->type, name), at,
			    h->type == FORMAT_SCHEMA ? ": its event types cannot be read" : "");
	}
	return 0;
}

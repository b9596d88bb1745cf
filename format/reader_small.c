/* SPDX-License-Identifier: LGPL-2.1-only */
/* The blocks of a cdict that hold no events: what a reader keeps of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/labels.h"
#include "format/reader.h"

bool reader_grow(void **p, size_t *cap, size_t n, size_t size)
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

	if (!reader_grow((void **)&r->texts, &r->cap_texts, r->n_texts + 1, sizeof(*r->texts)))
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

	if (!reader_grow((void **)&r->tasks, &r->cap_tasks, r->n_tasks + 1, sizeof(*r->tasks)))
		return false;
	r->tasks[r->n_tasks++] = *ev;
	return true;
}

static bool add_label(void *ctx, const struct cdict_label *label)
{
	struct cdict_reader *r = ctx;

	if (r->n_labels == FORMAT_MAX_LABELS ||
	    !reader_grow((void **)&r->labels, &r->cap_labels, r->n_labels + 1, sizeof(*r->labels)))
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
			if (!reader_grow((void **)&r->late, &r->cap_late, r->n_late + 1,
					 sizeof(*r->late)))
				return -ENOMEM;
			r->late[r->n_late++] =
				(struct cdict_late){ loss.cpu, loss.from_ns, loss.to_ns };
			continue;
		}
		if (!reader_grow((void **)&r->losses, &r->cap_losses, r->n_losses + 1,
				 sizeof(*r->losses)))
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
		return cdict_fail_nomem(err);
	if (ret) {
		r->damage.blocks++;
		reader_note(r, at, "block %s at byte %" PRIu64 " is damaged%s",
			    block_name(h->type, name), at,
			    h->type == FORMAT_SCHEMA ? ": its event types cannot be read" : "");
	}
	return 0;
}

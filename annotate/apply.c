// SPDX-License-Identifier: GPL-2.0-only
/* A file with other labels: its blocks are copied, the index is made anew. */
#include "annotate/apply.h"

#include <errno.h>

#include "base/fail.h"
#include "format/container.h"
#include "format/labels.h"
#include "format/reader.h"

struct copy {
	const uint8_t *data;
	size_t size;
	const struct mapping *labels;
	bool clear;
	cdict_write_fn fn;
	void *ctx;
	uint64_t written;
	struct codec *codec;
	struct cdict_error *err;

	/* How the file is built: before @labels_at all stays, from @resume_at on the rest;
	 * between them are the blocks of labels that go. */
	uint64_t labels_at, resume_at;
	uint32_t next_ordinal; /* of a block at labels_at */
	bool has_index;        /* at resume_at */
	struct buf old_index;  /* its content */
	struct buf emptied;    /* u64 offsets of blocks of labels that stay, without any */
	struct buf rows;       /* of the new blocks of labels: struct index_row */
};

/* Other blocks may name a block by its number: one of labels that has others behind it
 * cannot go, it is emptied. */
static const uint8_t nothing[] = { FORMAT_STORED, 0 };

static int put(struct copy *c, const void *data, size_t size)
{
	int rc = size ? c->fn(c->ctx, data, size) : 0;

	c->written += size;
	return rc < 0 ? cdict_fail(c->err, rc, CDICT_NO_OFFSET, "%s", cdict_strerror(rc)) : 0;
}

/* A piece of the file: a whole block, or bytes that are none. */
struct piece {
	uint64_t at, size;
	bool block;
	struct container_header h;
};

static bool next_piece(const struct copy *c, uint64_t at, struct piece *p)
{
	uint64_t left = c->size - at;

	*p = (struct piece){ .at = at, .size = left };
	if (at >= c->size)
		return false;
	if (left < FORMAT_BLOCK_HEADER_SIZE)
		return true;
	if (!container_header_read(c->data + at, &p->h)) {
		p->size = container_resync(c->data, c->size, at + 1) - at;
		return true;
	}
	if (p->h.size > left - FORMAT_BLOCK_HEADER_SIZE)
		return true;
	p->block = true;
	p->size = FORMAT_BLOCK_HEADER_SIZE + (uint64_t)p->h.size;
	return true;
}

static bool payload_good(const struct copy *c, const struct piece *p)
{
	return codec_crc(c->data + p->at + FORMAT_BLOCK_HEADER_SIZE, p->h.size) == p->h.payload_crc;
}

static bool goes(const struct copy *c, const struct piece *p)
{
	return p->block && p->h.type == FORMAT_LABELS && (c->clear || payload_good(c, p));
}

/* The index's content when it can be read to its end: 1, else 0, or -ENOMEM. */
static int read_index(struct copy *c, const struct piece *p)
{
	struct index_row row;
	uint64_t last_ns = 0;
	struct cursor rows;

	int rc;

	c->old_index.len = 0;
	if (!payload_good(c, p))
		return 0;
	rc = container_unpack(c->codec, c->data + p->at + FORMAT_BLOCK_HEADER_SIZE, p->h.size,
			      &c->old_index);
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	rows = cursor_init(c->old_index.data, c->old_index.len, false);
	while (rows.left) {
		if (!index_row_read(&rows, &row, &last_ns))
			return 0;
	}
	return 1;
}

/* First pass: where the labels go. 0 or -ENOMEM. */
static int plan(struct copy *c)
{
	bool any_gone = false; /* blocks of labels end at resume_at */
	struct piece p;
	int index;

	c->labels_at = c->resume_at = FORMAT_HEADER_SIZE;
	for (uint64_t at = FORMAT_HEADER_SIZE; next_piece(c, at, &p); at += p.size) {
		bool behind = p.at != c->resume_at; /* something that is no block */

		if (!p.block)
			continue;
		index = p.h.type == FORMAT_INDEX ? read_index(c, &p) : 0;
		if (index < 0)
			return index;
		c->has_index = index;
		if (!c->has_index && !goes(c, &p)) {
			c->labels_at = p.at + p.size;
			c->next_ordinal = p.h.ordinal + 1;
			any_gone = false;
		} else if (behind || !any_gone) {
			c->labels_at = p.at;
			c->next_ordinal = p.h.ordinal;
			any_gone = true;
		}
		c->resume_at = c->has_index ? p.at : p.at + p.size;
		if (c->has_index)
			break;
	}
	return 0;
}

static int put_block(struct copy *c, const struct container_header *h, const uint8_t *payload)
{
	uint8_t header[FORMAT_BLOCK_HEADER_SIZE];
	int rc;

	container_header_write(header, h);
	rc = put(c, header, sizeof(header));
	return rc ? rc : put(c, payload, h->size);
}

static int put_packed(struct copy *c, uint32_t type, const struct buf *payload)
{
	struct container_header h = { type, (uint32_t)payload->len, c->next_ordinal++, 0 };

	if (payload->failed)
		return cdict_fail_nomem(c->err);
	if (payload->len > FORMAT_BLOCK_MAX)
		return cdict_fail(c->err, CDICT_ELIMIT, CDICT_NO_OFFSET, "block is too large");
	h.payload_crc = codec_crc(payload->data, payload->len);
	return put_block(c, &h, payload->data);
}

static int put_labels(struct copy *c)
{
	const struct mapping *labels = c->labels;
	struct label_rows pending = { 0 };
	struct buf payload = { 0 };
	int rc = 0;

	if (labels->n > FORMAT_MAX_LABELS)
		return cdict_fail(c->err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "%zu labels, a file can hold %u", labels->n, FORMAT_MAX_LABELS);
	for (size_t i = 0; i < labels->n && !rc; i++) {
		struct index_row row = { .type = FORMAT_LABELS };

		label_rows_add(&pending, &labels->labels[i]);
		if (!label_rows_full(&pending) && i + 1 < labels->n)
			continue;
		payload.len = 0;
		payload.failed |= pending.out.failed;
		container_pack(c->codec, &pending.out, &payload);
		label_rows_reset(&pending);
		row.size = payload.len + FORMAT_BLOCK_HEADER_SIZE;
		buf_add(&c->rows, &row, sizeof(row));
		rc = put_packed(c, FORMAT_LABELS, &payload);
	}
	label_rows_fini(&pending);
	buf_fini(&payload);
	return rc;
}

/* What stands before the labels. */
static int copy_front(struct copy *c)
{
	struct piece p;
	int rc = put(c, c->data, FORMAT_HEADER_SIZE);

	for (uint64_t at = FORMAT_HEADER_SIZE; !rc && at < c->labels_at; at += p.size) {
		struct container_header empty;

		next_piece(c, at, &p);
		if (!goes(c, &p)) {
			rc = put(c, c->data + at, p.size);
			continue;
		}
		empty = p.h;
		empty.size = sizeof(nothing);
		empty.payload_crc = codec_crc(nothing, sizeof(nothing));
		buf_le64(&c->emptied, at);
		rc = c->emptied.failed ? cdict_fail_nomem(c->err) : put_block(c, &empty, nothing);
	}
	return rc;
}

static bool was_emptied(const struct copy *c, uint64_t at)
{
	for (size_t i = 0; i < c->emptied.len; i += 8) {
		if (le64(c->emptied.data + i) == at)
			return true;
	}
	return false;
}

/* The old rows but those of the labels that went, and those of the new. */
static int new_index(struct copy *c, struct buf *out)
{
	struct cursor rows = cursor_init(c->old_index.data, c->old_index.len, false);
	uint64_t last_ns = 0, new_ns = 0, at = FORMAT_HEADER_SIZE, size;
	struct index_row row;

	while (rows.left && index_row_read(&rows, &row, &last_ns)) {
		size = row.size;
		if (row.type == FORMAT_LABELS && was_emptied(c, at))
			row.size = FORMAT_BLOCK_HEADER_SIZE + sizeof(nothing);
		/* Rows may tell of blocks that are missing: their places are no longer true. */
		if (row.type != FORMAT_LABELS || at < c->labels_at)
			index_row_write(out, &row, &new_ns);
		at += size;
	}
	for (size_t i = 0; i < c->rows.len; i += sizeof(row)) {
		memcpy(&row, c->rows.data + i, sizeof(row));
		index_row_write(out, &row, &new_ns);
	}
	return out->failed || c->rows.failed ? cdict_fail_nomem(c->err) : 0;
}

/* The index, and the trailer where there was a good one. */
static int put_end(struct copy *c)
{
	const uint8_t *old = c->data + c->size - FORMAT_TRAILER_SIZE;
	struct buf index = { 0 }, payload = { 0 };
	uint8_t trailer[FORMAT_TRAILER_SIZE];
	struct piece p;
	size_t left;
	bool whole;
	int rc = new_index(c, &index);

	next_piece(c, c->resume_at, &p);
	left = c->size - (c->resume_at + p.size);
	whole = left == FORMAT_TRAILER_SIZE && le32(old + 12) == FORMAT_END &&
		le32(old + 8) == codec_crc(old, 8) && le64(old) == c->resume_at;
	container_trailer(trailer, c->written);
	container_pack(c->codec, &index, &payload);
	if (!rc)
		rc = put_packed(c, FORMAT_INDEX, &payload);
	if (!rc)
		rc = put(c, whole ? trailer : c->data + c->size - left, left);
	buf_fini(&index);
	buf_fini(&payload);
	return rc;
}

static int run(struct copy *c)
{
	int rc = plan(c);

	if (rc)
		return cdict_fail_nomem(c->err);
	/* The reader opened the file, so its header is there. */
	rc = copy_front(c);
	if (!rc)
		rc = put_labels(c);
	if (rc)
		return rc;
	if (c->has_index)
		return put_end(c);
	/* Behind a cut file's last whole block is nothing that anybody can read. */
	return put(c, c->data + c->resume_at, c->size - c->resume_at);
}

int apply_labels(const struct cdict_reader *r, const struct mapping *labels, bool clear,
		 cdict_write_fn fn, void *ctx, struct cdict_error *err)
{
	struct copy c = { .data = r->data,
			  .size = r->size,
			  .labels = labels,
			  .clear = clear,
			  .fn = fn,
			  .ctx = ctx,
			  .codec = codec_new(),
			  .err = err };
	int rc = c.codec ? run(&c) : cdict_fail_nomem(err);

	codec_free(c.codec);
	buf_fini(&c.old_index);
	buf_fini(&c.emptied);
	buf_fini(&c.rows);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-only
/* Replaces labels or adds guests: copies blocks, rewrites the index. */
#include "annotate/apply.h"

#include <errno.h>

#include "base/fail.h"
#include "format/file/container.h"
#include "format/file/guests.h"
#include "format/file/reader.h"
#include "format/labels/labels.h"

struct copy {
	const uint8_t *data;
	size_t size;
	const struct mapping *labels;      /* the new labels; NULL: the old ones stay */
	const struct cdict_reader *guests; /* its added guests follow; or NULL */
	bool clear;
	cdict_write_fn fn;
	void *ctx;
	uint64_t written;
	struct codec *codec;
	struct cdict_error *err;
	int rc; /* the first failure, described in *err: nothing more is written */

	/* Layout: everything before @labels_at stays, and the rest from @resume_at on;
	 * the blocks of labels between them are removed. */
	uint64_t labels_at, resume_at;
	uint32_t next_ordinal; /* of a block at labels_at */
	bool has_index;        /* at resume_at */
	struct buf old_index;  /* its content */
	struct buf emptied;    /* u64 offsets of label blocks that stay, without labels */
	struct buf rows;       /* of the new blocks of labels: struct index_row */
};

/* Other blocks may refer to a block by its number, so a label block that other blocks follow
 * is not removed but emptied. */
static const uint8_t nothing[] = { FORMAT_STORED, 0 };

static void write_bytes(struct copy *c, const void *data, size_t size)
{
	int rc = size && !c->rc ? c->fn(c->ctx, data, size) : 0;

	c->written += size;
	if (rc < 0)
		c->rc = cdict_fail(c->err, rc, CDICT_NO_OFFSET, "%s", cdict_strerror(rc));
}

static void check_memory(struct copy *c, bool failed)
{
	if (failed && !c->rc)
		c->rc = cdict_fail_nomem(c->err);
}

/* A piece of the file: a whole block, or bytes that belong to no block. */
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

static bool is_replaced(const struct copy *c, const struct piece *p)
{
	return c->labels && p->block && p->h.type == FORMAT_LABELS &&
	       (c->clear || payload_good(c, p));
}

/* Whether it is an index that can be parsed completely. */
static bool read_index(struct copy *c, const struct piece *p)
{
	struct index_row row;
	uint64_t last_ns = 0;
	struct cursor rows;
	int rc;

	c->old_index.len = 0;
	if (p->h.type != FORMAT_INDEX || !payload_good(c, p))
		return false;
	rc = container_unpack(c->codec, c->data + p->at + FORMAT_BLOCK_HEADER_SIZE, p->h.size,
			      c->size, &c->old_index);
	check_memory(c, rc == -ENOMEM);
	if (rc)
		return false;
	rows = cursor_init(c->old_index.data, c->old_index.len, false);
	while (rows.left) {
		if (!index_row_read(&rows, &row, &last_ns))
			return false;
	}
	return true;
}

/* First pass: finds the place of the labels. */
static void plan(struct copy *c)
{
	bool any_gone = false; /* removed blocks end at resume_at */
	struct piece p;

	c->labels_at = c->resume_at = FORMAT_HEADER_SIZE;
	for (uint64_t at = FORMAT_HEADER_SIZE; next_piece(c, at, &p); at += p.size) {
		bool behind = p.at != c->resume_at; /* other bytes lie between */

		if (!p.block)
			continue;
		c->has_index = read_index(c, &p);
		if (!c->has_index && !is_replaced(c, &p)) {
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
}

static void put_block(struct copy *c, const struct container_header *h, const uint8_t *payload)
{
	uint8_t header[FORMAT_BLOCK_HEADER_SIZE];

	container_header_write(header, h);
	write_bytes(c, header, sizeof(header));
	write_bytes(c, payload, h->size);
}

static void put_packed(struct copy *c, uint32_t type, const struct buf *payload)
{
	struct container_header h = { type, (uint32_t)payload->len, c->next_ordinal++, 0 };

	check_memory(c, payload->failed);
	if (!c->rc && payload->len > FORMAT_BLOCK_MAX)
		c->rc = cdict_fail(c->err, CDICT_ELIMIT, CDICT_NO_OFFSET, "block is too large");
	if (c->rc)
		return;
	h.payload_crc = codec_crc(payload->data, payload->len);
	put_block(c, &h, payload->data);
}

static void put_new(struct copy *c, uint32_t type, const struct buf *payload)
{
	struct index_row row = { .type = type, .size = payload->len + FORMAT_BLOCK_HEADER_SIZE };

	buf_add(&c->rows, &row, sizeof(row));
	put_packed(c, type, payload);
}

static void put_labels(struct copy *c)
{
	const struct mapping *labels = c->labels;
	struct label_rows pending = { 0 };
	struct buf payload = { 0 };

	for (size_t i = 0; i < labels->n && !c->rc; i++) {
		label_rows_add(&pending, &labels->labels[i]);
		if (!label_rows_full(&pending) && i + 1 < labels->n)
			continue;
		payload.len = 0;
		payload.failed |= pending.out.failed;
		container_pack(c->codec, &pending.out, &payload);
		label_rows_reset(&pending);
		put_new(c, FORMAT_LABELS, &payload);
	}
	label_rows_fini(&pending);
	buf_fini(&payload);
}

static void put_guest(struct copy *c, size_t i)
{
	struct buf head = { 0 }, payload = { 0 };

	guest_head_write(&head, c->guests, i);
	container_pack(c->codec, &head, &payload);
	payload.failed |= head.failed;
	put_new(c, FORMAT_GUEST, &payload);
	for (uint64_t at = 0; at < reader_guest_bytes(c->guests, i) && !c->rc; at += GUEST_PART) {
		payload.len = 0;
		guest_part_write(&payload, c->guests, i, at);
		put_new(c, FORMAT_GUEST_PART, &payload);
	}
	buf_fini(&head);
	buf_fini(&payload);
}

/* Copies everything before the labels. */
static void copy_front(struct copy *c)
{
	struct piece p;

	/* The reader opened the file, so it has a header. */
	write_bytes(c, c->data, FORMAT_HEADER_SIZE);
	for (uint64_t at = FORMAT_HEADER_SIZE; !c->rc && at < c->labels_at; at += p.size) {
		struct container_header empty;

		next_piece(c, at, &p);
		if (!is_replaced(c, &p)) {
			write_bytes(c, c->data + at, p.size);
			continue;
		}
		empty = p.h;
		empty.size = sizeof(nothing);
		empty.payload_crc = codec_crc(nothing, sizeof(nothing));
		buf_le64(&c->emptied, at);
		check_memory(c, c->emptied.failed);
		put_block(c, &empty, nothing);
	}
}

static bool was_emptied(const struct copy *c, uint64_t at)
{
	for (size_t i = 0; i < c->emptied.len; i += 8) {
		if (le64(c->emptied.data + i) == at)
			return true;
	}
	return false;
}

/* The old rows except those of removed labels, plus those of the new labels. */
static void new_index(struct copy *c, struct buf *out)
{
	struct cursor rows = cursor_init(c->old_index.data, c->old_index.len, false);
	uint64_t last_ns = 0, new_ns = 0, at = FORMAT_HEADER_SIZE, size;
	struct index_row row;

	while (rows.left && index_row_read(&rows, &row, &last_ns)) {
		size = row.size;
		if (row.type == FORMAT_LABELS && was_emptied(c, at))
			row.size = FORMAT_BLOCK_HEADER_SIZE + sizeof(nothing);
		/* Rows may refer to missing blocks: their offsets are no longer valid. */
		if (!c->labels || row.type != FORMAT_LABELS || at < c->labels_at)
			index_row_write(out, &row, &new_ns);
		at += size;
	}
	for (size_t i = 0; i < c->rows.len; i += sizeof(row)) {
		memcpy(&row, c->rows.data + i, sizeof(row));
		index_row_write(out, &row, &new_ns);
	}
	check_memory(c, out->failed || c->rows.failed);
}

/* Writes the index, and the trailer if there was a valid one. */
static void put_end(struct copy *c)
{
	const uint8_t *old = c->data + c->size - FORMAT_TRAILER_SIZE;
	struct buf index = { 0 }, payload = { 0 };
	uint8_t trailer[FORMAT_TRAILER_SIZE];
	struct piece p;
	size_t left;
	bool whole;

	new_index(c, &index);
	next_piece(c, c->resume_at, &p);
	left = c->size - (c->resume_at + p.size);
	whole = left == FORMAT_TRAILER_SIZE && le32(old + 12) == FORMAT_END &&
		le32(old + 8) == codec_crc(old, 8) && le64(old) == c->resume_at;
	container_trailer(trailer, c->written);
	container_pack(c->codec, &index, &payload);
	put_packed(c, FORMAT_INDEX, &payload);
	write_bytes(c, whole ? trailer : c->data + c->size - left, left);
	buf_fini(&index);
	buf_fini(&payload);
}

static void run(struct copy *c)
{
	plan(c);
	copy_front(c);
	if (c->labels)
		put_labels(c);
	for (size_t i = 0; c->guests && i < reader_guest_count(c->guests); i++)
		if (reader_guest_is_added(c->guests, i))
			put_guest(c, i);
	if (c->has_index)
		put_end(c);
	else /* After the last whole block of a cut file nothing is readable. */
		write_bytes(c, c->data + c->resume_at, c->size - c->resume_at);
}

static int apply(struct copy *c, const struct cdict_reader *r, struct cdict_error *err)
{
	c->data = r->data;
	c->size = r->size;
	c->err = err;
	c->codec = codec_new();
	check_memory(c, !c->codec);
	if (!c->rc)
		run(c);
	codec_free(c->codec);
	buf_fini(&c->old_index);
	buf_fini(&c->emptied);
	buf_fini(&c->rows);
	return c->rc;
}

int apply_labels(const struct cdict_reader *r, const struct mapping *labels, bool clear,
		 cdict_write_fn fn, void *ctx, struct cdict_error *err)
{
	struct copy c = { .labels = labels, .clear = clear, .fn = fn, .ctx = ctx };

	if (labels->n > FORMAT_MAX_LABELS)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "%zu labels exceed the file's limit of %u", labels->n,
				  FORMAT_MAX_LABELS);
	return apply(&c, r, err);
}

int apply_guests(const struct cdict_reader *r, cdict_write_fn fn, void *ctx,
		 struct cdict_error *err)
{
	struct copy c = { .guests = r, .fn = fn, .ctx = ctx };

	return apply(&c, r, err);
}

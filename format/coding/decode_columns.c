/* SPDX-License-Identifier: LGPL-2.1-only */
/* Streams and columns of a block being opened. Every number in it is untrusted. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/coding/decode_internal.h"

static int no_memory(struct cdict_error *err)
{
	return cdict_fail_nomem(err);
}

bool decode_fit(void **p, size_t *cap, size_t n, size_t size)
{
	void *q;

	if (n <= *cap)
		return true;
	q = realloc(*p, n * size);
	if (!q)
		return false;
	*p = q;
	*cap = n;
	return true;
}

/* Codec and sizes of one stream, inflated and stored. */
struct extent {
	uint64_t codec, raw, stored;
};

static bool read_extent(struct cursor *c, size_t i, struct extent *e)
{
	if (i == FORMAT_STREAM_BITS) {
		*e = (struct extent){ FORMAT_STORED, cursor_varint(c), 0 };
		e->stored = e->raw;
	} else if (i == FORMAT_STREAM_POOL) {
		e->raw = cursor_varint(c);
		e->stored = cursor_varint(c);
		e->codec = e->stored ? FORMAT_DEFLATE : FORMAT_STORED;
		if (!e->stored)
			e->stored = e->raw;
	} else {
		e->codec = cursor_varint(c);
		e->raw = cursor_varint(c);
		e->stored = cursor_varint(c);
	}
	return cursor_ok(c) && e->codec <= FORMAT_DEFLATE && e->raw <= FORMAT_BLOCK_MAX &&
	       e->stored <= FORMAT_BLOCK_MAX &&
	       (e->codec == FORMAT_DEFLATE || e->raw == e->stored) &&
	       codec_plausible(e->stored, e->raw);
}

int decode_open_streams(struct format_decoder *dec, struct cursor *c, uint64_t n_own,
			struct cdict_error *err)
{
	struct cursor again = *c;
	uint64_t raw = 0, stored = 0;
	struct extent e;
	uint8_t *out;

	/* A stream of its own takes at least three bytes in the table. */
	if (n_own > c->left / 3)
		return decode_damaged(err, "more streams than bytes");
	dec->n_streams = (size_t)n_own + 2;
	for (size_t i = 0; i < dec->n_streams; i++) {
		if (!read_extent(c, i, &e))
			return decode_damaged(err, "a stream has invalid sizes");
		raw += e.raw + PAD;
		stored += e.stored;
	}
	if (stored > c->left || raw > 2ull * FORMAT_BLOCK_MAX)
		return decode_damaged(err, "its streams are longer than the block");
	if (!decode_fit((void **)&dec->streams, &dec->cap_streams, dec->n_streams,
			sizeof(*dec->streams)) ||
	    !decode_fit((void **)&dec->raw, &dec->raw_cap, (size_t)raw, 1))
		return no_memory(err);
	out = dec->raw;
	for (size_t i = 0; i < dec->n_streams; i++) {
		const uint8_t *data;

		read_extent(&again, i, &e);
		data = cursor_take(c, (size_t)e.stored);
		dec->streams[i] = (struct stream){ .at = out, .left = (size_t)e.raw };
		if (e.codec == FORMAT_STORED) {
			memcpy(out, data, (size_t)e.raw);
		} else {
			dec->streams[i].stored = data;
			dec->streams[i].n_stored = (size_t)e.stored;
		}
		memset(out + e.raw, 0, PAD);
		out += e.raw + PAD;
	}
	return 0;
}

bool decode_stream_take(struct format_decoder *dec, uint64_t id, uint64_t size, struct bytes *out)
{
	struct stream *s;

	if (id >= dec->n_streams)
		return false;
	s = &dec->streams[id];
	if (size > s->left)
		return false;
	if (out && size && s->stored) {
		/* So far its bytes were only skipped. */
		uint8_t *raw = s->at - s->passed;

		int ret =
			codec_inflate(dec->codec, s->stored, s->n_stored, raw, s->passed + s->left);

		dec->no_memory |= ret == -ENOMEM;
		if (ret)
			return false;
		s->stored = NULL;
	}
	if (out)
		*out = (struct bytes){ s->at, s->at + size };
	s->passed += (size_t)size;
	s->at += size;
	s->left -= (size_t)size;
	return true;
}

static bool take_part(struct format_decoder *dec, struct cursor *dir, struct bytes *out)
{
	uint64_t id = cursor_varint(dir), size = cursor_varint(dir);

	return cursor_ok(dir) && decode_stream_take(dec, id, size, out);
}

/* The table of a FORMAT_C_DICT column. */
static int open_dict(struct format_decoder *dec, struct reading *r, struct cursor *dir,
		     struct cdict_error *err)
{
	uint64_t n = cursor_varint(dir), size = cursor_varint(dir), last = 0;
	struct bytes part;
	struct cursor c;

	if (!cursor_ok(dir) || !decode_stream_take(dec, FORMAT_STREAM_POOL, size, &part) ||
	    n > size)
		return decode_damaged(err, "a column's table cannot be read");
	if (!decode_fit((void **)&dec->dict, &dec->cap_dict, dec->n_dict + (size_t)n,
			sizeof(*dec->dict)))
		return no_memory(err);
	/* The array may still move: store an offset until all columns are open. */
	r->dict_at = dec->n_dict;
	r->n_dict = (uint32_t)n;
	c = cursor_init(part.at, (size_t)size, false);
	for (uint64_t i = 0; i < n; i++) {
		last += (uint64_t)cursor_svarint(&c);
		dec->dict[dec->n_dict++] = last;
	}
	return cursor_ok(&c) ? 0 : decode_damaged(err, "a column's table cannot be read");
}

static int open_column(struct format_decoder *dec, struct reading *r, unsigned coding,
		       struct cursor *dir, struct cdict_error *err)
{
	uint64_t n, size;
	struct bytes part;
	int ret;

	r->coding = coding & ~FORMAT_DENSE;
	r->dense = coding & FORMAT_DENSE;
	if (r->coding > FORMAT_C_CODE)
		return decode_damaged(err, "a column has an unknown coding");
	r->next = 0;
	if (!r->dense) {
		n = cursor_varint(dir);
		size = cursor_varint(dir);
		if (!cursor_ok(dir) || n > FORMAT_BLOCK_EVENTS ||
		    !decode_stream_take(dec, FORMAT_STREAM_POOL, size, &r->gaps))
			return decode_damaged(err, "a column's gaps cannot be read");
		r->misses = (uint32_t)n;
		r->next = UINT32_MAX; /* the first gap counts from event 0 */
		decode_next_miss(r);
	}
	if (r->coding == FORMAT_C_DICT) {
		ret = open_dict(dec, r, dir, err);
		if (ret < 0)
			return ret;
	} else if (r->coding <= FORMAT_C_RAW) {
		size = cursor_varint(dir);
		if (!cursor_ok(dir) || !decode_stream_take(dec, FORMAT_STREAM_BITS, size, &part))
			return decode_damaged(err, "a column's bits cannot be read");
		r->bits = part.at;
		r->bit = 0;
		r->bit_end = (uint32_t)(size * 8);
	}
	if (!take_part(dec, dir, &r->symbols))
		return decode_damaged(err, "a column's symbols cannot be read");
	return 0;
}

/* Skips the parts of a column that is not wanted. */
static int pass_column(struct format_decoder *dec, unsigned coding, struct cursor *dir,
		       struct cdict_error *err)
{
	unsigned kind = coding & ~FORMAT_DENSE;

	if (kind > FORMAT_C_CODE)
		return decode_damaged(err, "a column has an unknown coding");
	if (!(coding & FORMAT_DENSE)) {
		cursor_varint(dir);
		if (!decode_stream_take(dec, FORMAT_STREAM_POOL, cursor_varint(dir), NULL))
			return decode_damaged(err, "a column's gaps cannot be read");
	}
	if (kind == FORMAT_C_DICT) {
		cursor_varint(dir);
		if (!decode_stream_take(dec, FORMAT_STREAM_POOL, cursor_varint(dir), NULL))
			return decode_damaged(err, "a column's table cannot be read");
	} else if (kind <= FORMAT_C_RAW) {
		if (!decode_stream_take(dec, FORMAT_STREAM_BITS, cursor_varint(dir), NULL))
			return decode_damaged(err, "a column's bits cannot be read");
	}
	if (!take_part(dec, dir, NULL))
		return decode_damaged(err, "a column's symbols cannot be read");
	return 0;
}

int decode_open_columns(struct format_decoder *dec, struct cursor *dir,
			struct cursor tables[FORMAT_COL_FIELDS], uint32_t n_columns,
			struct cdict_error *err)
{
	uint64_t id = 0, skip;
	int ret;

	dec->n_dict = 0;
	while (dir->left) {
		struct bytes part;
		uint32_t place;
		uint8_t coding;

		skip = cursor_varint(dir);
		coding = cursor_u8(dir);
		if (!cursor_ok(dir) || !skip || skip > UINT32_MAX)
			return decode_damaged(err, "its directory cannot be read");
		id += skip;
		if (id - 1 < FORMAT_COL_FIELDS) {
			if (!take_part(dec, dir, &part))
				return decode_damaged(err, "a table cannot be read");
			tables[id - 1] = cursor_init(part.at, (size_t)(part.end - part.at), false);
			continue;
		}
		/* A column of a later minor version is skipped. */
		id -= 1 + FORMAT_COL_FIELDS;
		place = id < n_columns ? dec->place[id] : NO_COLUMN;
		id += 1 + FORMAT_COL_FIELDS;
		if (place == NO_COLUMN)
			ret = pass_column(dec, coding, dir, err);
		else
			ret = open_column(dec, &dec->columns[place], coding, dir, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

int decode_place_columns(struct format_decoder *dec, uint32_t n_columns, struct cdict_error *err)
{
	uint32_t n = 0, base = 0;

	if (!decode_fit((void **)&dec->place, &dec->cap_place, n_columns, sizeof(*dec->place)) ||
	    !decode_fit((void **)&dec->columns, &dec->cap_columns, n_columns,
			sizeof(*dec->columns)))
		return no_memory(err);
	for (uint32_t i = 0; i < n_columns; i++)
		dec->place[i] = NO_COLUMN;
	for (uint32_t k = 0; k < dec->n_used; k++) {
		const struct format_type *t = dec->used[k].type;

		dec->used[k].columns = dec->columns + n;
		for (uint32_t i = 0; i < t->n_coded; i++) {
			dec->place[base + t->coded[i].index] = n;
			dec->columns[n++] = (struct reading){ .next = NO_MISS };
		}
		base += dec->schema->types.at[t->pub.index]->n_coded;
	}
	dec->n_columns = n;
	return 0;
}

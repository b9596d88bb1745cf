/* SPDX-License-Identifier: LGPL-2.1-only */
/* Choosing and writing the coding of a column; cdict(5), "Columns". */
#include "format/coding/columns.h"

#include <string.h>

#define DICT_MAX 4096u
#define DICT_SAMPLE 512u
#define DICT_SLOTS (4u * DICT_MAX)
/* Fewer symbols than this share the pool: a stream of their own costs more. */
#define OWN_STREAM_MIN 256u
/* The longest varint of a task's code or a key: 32 bits and one more. */
#define CODE_BYTES 5u

bool column_grow(struct column *c)
{
	uint32_t cap = c->cap ? c->cap * 2 : 64;
	struct miss *misses = realloc(c->misses, cap * sizeof(*misses));

	if (!misses)
		return false;
	c->misses = misses;
	c->cap = cap;
	return true;
}

void column_sink_fini(struct column_sink *s)
{
	codec_free(s->codec);
	buf_fini(&s->dir);
	buf_fini(&s->pool);
	buf_fini(&s->bits);
	buf_fini(&s->own);
	buf_fini(&s->streams);
	buf_fini(&s->scratch);
	buf_fini(&s->numbers.symbols);
	buf_fini(&s->numbers.bits);
	free(s->dict.keys);
	free(s->dict.index);
	free(s->dict.values);
}

void column_sink_reset(struct column_sink *s)
{
	s->dir.len = s->pool.len = s->bits.len = s->own.len = s->streams.len = 0;
	s->n_own = s->last_column = 0;
}

/* Writes symbols to a stream; (stream, bytes) goes to the directory. */
static void write_symbols(struct column_sink *s, const void *data, size_t size,
			  enum codec_strategy strategy)
{
	size_t stored;

	if (size < OWN_STREAM_MIN) {
		buf_varint(&s->dir, FORMAT_STREAM_POOL);
		buf_varint(&s->dir, size);
		buf_add(&s->pool, data, size);
		return;
	}
	stored = codec_deflate(s->codec, strategy, data, size, &s->own);
	buf_varint(&s->streams, stored ? FORMAT_DEFLATE : FORMAT_STORED);
	buf_varint(&s->streams, size);
	buf_varint(&s->streams, stored ? stored : size);
	if (!stored)
		buf_add(&s->own, data, size);
	buf_varint(&s->dir, 2 + s->n_own++);
	buf_varint(&s->dir, size);
}

/* LEB128; the caller has made room. */
static inline uint8_t *varint_put(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static void begin_column(struct column_sink *s, uint32_t id, unsigned coding)
{
	buf_varint(&s->dir, id + 1 - s->last_column);
	s->last_column = id + 1;
	buf_u8(&s->dir, (uint8_t)coding);
}

static inline uint64_t zigzag(uint64_t v)
{
	return v << 1 ^ (uint64_t)((int64_t)v >> 63);
}

/* The number that a coding stores for a miss. */
static inline uint64_t coded_value(unsigned coding, const struct miss *m)
{
	switch (coding) {
	case FORMAT_C_DELTA:
		return m->value - m->predicted;
	case FORMAT_C_SIGNED:
		return zigzag(m->value - m->predicted);
	default:
		return m->value;
	}
}

static bool dict_new(struct column_dict *d)
{
	if (!d->keys)
		d->keys = malloc(DICT_SLOTS * sizeof(*d->keys));
	if (!d->index)
		d->index = calloc(DICT_SLOTS, sizeof(*d->index));
	if (!d->values)
		d->values = malloc(DICT_MAX * sizeof(*d->values));
	if (!d->keys || !d->index || !d->values)
		return false;
	/* Indexes of earlier columns are at most before: free slots now. */
	d->before += d->n;
	if (d->before > UINT32_MAX - DICT_MAX) {
		memset(d->index, 0, DICT_SLOTS * sizeof(*d->index));
		d->before = 0;
	}
	d->n = 0;
	return true;
}

/* 1 + index of @v in the dictionary, to which it is added; 0 when there is no room. */
static uint32_t dict_index(struct column_dict *d, uint64_t v)
{
	uint32_t h = (uint32_t)((v * 0x9e3779b97f4a7c15ull) >> 50);

	while (d->index[h] > d->before) {
		if (d->keys[h] == v)
			return d->index[h] - d->before;
		h = (h + 1) % DICT_SLOTS;
	}
	if (d->n == DICT_MAX)
		return 0;
	d->keys[h] = v;
	d->values[d->n] = v;
	d->index[h] = d->before + ++d->n;
	return d->n;
}

/* Fills the dictionary with the column's values and its symbols into the scratch
 * buffer; false when there are too many of them to pay. */
static bool dict_try(struct column_sink *s, const struct column *c, uint32_t total, bool dense,
		     size_t limit)
{
	struct column_dict *d = &s->dict;
	size_t table = 0;
	uint32_t at = 0;
	uint8_t *out;

	if (!dict_new(d)) {
		s->scratch.failed = true; /* fails the block: its bytes must not depend on memory */
		return false;
	}
	s->scratch.len = 0;
	out = buf_room(&s->scratch, (dense ? total : c->n) + (size_t)c->n);
	if (!out)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t before = d->n, sym = dict_index(d, c->misses[i].value);

		/* Nearly every value is new: a table does not pay. */
		if (i == DICT_SAMPLE && d->n > DICT_SAMPLE * 7 / 8)
			return false;

		if (!sym)
			return false;
		if (d->n != before)
			table += 1 + (bit_length(zigzag(c->misses[i].value)) + 6) / 7;
		if (table > limit)
			return false;
		for (; dense && at < c->misses[i].at; at++)
			*out++ = 0;
		at++;
		out = varint_put(out, sym); /* two bytes at most: DICT_MAX */
	}
	for (; dense && at < total; at++)
		*out++ = 0;
	s->scratch.len = (size_t)(out - s->scratch.data);
	return true;
}

/* Positions of a sparse column: gaps between misses. */
static void write_gaps(struct column_sink *s, const struct column *c)
{
	size_t before = s->pool.len;
	uint32_t next = 0;

	buf_varint(&s->dir, c->n);
	for (uint32_t i = 0; i < c->n; i++) {
		buf_varint(&s->pool, c->misses[i].at - next);
		next = c->misses[i].at + 1;
	}
	buf_varint(&s->dir, s->pool.len - before);
}

/* Pads the bits to a whole byte and writes symbols and bits. */
static void end_numbers(struct column_sink *s, struct numbers *w)
{
	uint8_t tail[8];

	store_le64(tail, w->acc);
	buf_add(&w->bits, tail, (w->fill + 7) / 8);
	buf_varint(&s->dir, w->bits.len);
	buf_add(&s->bits, w->bits.data, w->bits.len);
	write_symbols(s, w->symbols.data, w->symbols.len, CODEC_HUFFMAN);
}

static void write_numbers(struct column_sink *s, const struct column *c, uint32_t total, bool dense,
			  unsigned coding)
{
	struct numbers w;
	uint32_t at = 0;

	numbers_reset(&s->numbers);
	if (!numbers_room(&s->numbers, dense ? total : c->n)) {
		s->bits.failed = true;
		return;
	}
	w = s->numbers; /* a local: byte stores may alias any other memory */
	for (uint32_t i = 0; i < c->n; i++) {
		for (; dense && at < c->misses[i].at; at++)
			numbers_hit(&w);
		at++;
		numbers_put(&w, coded_value(coding, &c->misses[i]));
	}
	for (; dense && at < total; at++)
		numbers_hit(&w);
	s->numbers = w;
	end_numbers(s, &s->numbers);
}

void column_write_numbers(struct column_sink *s, uint32_t id, struct numbers *w)
{
	begin_column(s, id, FORMAT_C_DELTA | FORMAT_DENSE);
	end_numbers(s, w);
}

static void write_dict(struct column_sink *s)
{
	size_t before = s->pool.len;
	uint64_t last = 0;

	buf_varint(&s->dir, s->dict.n);
	for (uint32_t i = 0; i < s->dict.n; i++) {
		buf_svarint(&s->pool, (int64_t)(s->dict.values[i] - last));
		last = s->dict.values[i];
	}
	buf_varint(&s->dir, s->pool.len - before);
	write_symbols(s, s->scratch.data, s->scratch.len, CODEC_LZ);
}

static void write_codes(struct column_sink *s, const struct column *c, uint32_t total, bool dense,
			bool noisy)
{
	uint32_t at = 0;
	uint8_t *out;

	s->scratch.len = 0;
	out = buf_room(&s->scratch, (dense ? total : 0) + CODE_BYTES * (size_t)c->n);
	if (!out)
		return;
	for (uint32_t i = 0; i < c->n; i++) {
		for (; dense && at < c->misses[i].at; at++)
			*out++ = 0;
		at++;
		out = varint_put(out, c->misses[i].value + dense);
	}
	for (; dense && at < total; at++)
		*out++ = 0;
	s->scratch.len = (size_t)(out - s->scratch.data);
	write_symbols(s, s->scratch.data, s->scratch.len, noisy ? CODEC_HUFFMAN : CODEC_LZ);
}

void column_write(struct column_sink *s, uint32_t id, const struct column *c, uint32_t total,
		  bool coded, bool noisy)
{
	/* A gap costs about a byte, a hit in a dense column about an eighth. */
	bool dense = c->n > total / 8;
	uint64_t bits_delta = 0, bits_raw = 0, best;
	unsigned coding, step;

	if (!c->n)
		return;
	if (coded) {
		begin_column(s, id, FORMAT_C_CODE | (dense ? FORMAT_DENSE : 0));
		if (!dense)
			write_gaps(s, c);
		write_codes(s, c, total, dense, noisy);
		return;
	}
	/* A long column is judged by every fourth value. */
	step = c->n > 4096 ? 4 : 1;
	for (uint32_t i = 0; i < c->n; i += step) {
		const struct miss *m = &c->misses[i];

		bits_delta += step * bit_length(zigzag(m->value - m->predicted));
		bits_raw += step * bit_length(m->value);
	}
	coding = bits_delta <= bits_raw ? FORMAT_C_SIGNED : FORMAT_C_RAW;
	best = (bits_delta <= bits_raw ? bits_delta : bits_raw) / 8;
	/* With three bits per value or less a dictionary gains nothing. */
	if (best * 8 > 3ull * c->n && dict_try(s, c, total, dense, (size_t)(best / 2)))
		coding = FORMAT_C_DICT;
	begin_column(s, id, coding | (dense ? FORMAT_DENSE : 0));
	if (!dense)
		write_gaps(s, c);
	if (coding == FORMAT_C_DICT)
		write_dict(s);
	else
		write_numbers(s, c, total, dense, coding);
}

void column_write_bytes(struct column_sink *s, uint32_t id, const void *data, size_t size)
{
	if (!size)
		return;
	begin_column(s, id, FORMAT_C_RAW);
	write_symbols(s, data, size, CODEC_LZ);
}

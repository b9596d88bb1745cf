/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * columns.h - encoding of columns: values that were not as predicted are kept per
 * column and, when the block ends, written in the smallest coding.
 */
#ifndef FORMAT_CODING_COLUMNS_H
#define FORMAT_CODING_COLUMNS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/buf.h"
#include "format/coding/codec.h"
#include "format/layout.h"

/* One value that the model missed: event number within its type, the value, and its
 * prediction. Task codes and keys have no prediction. */
struct miss {
	uint64_t value, predicted;
	uint32_t at;
};

struct column {
	struct miss *misses;
	uint32_t n, cap;
};

bool column_grow(struct column *c);

static inline bool column_miss(struct column *c, uint32_t at, uint64_t value, uint64_t predicted)
{
	if (c->n == c->cap && !column_grow(c))
		return false;
	__builtin_prefetch(c->misses + c->n + 3, 1);
	c->misses[c->n++] = (struct miss){ value, predicted, at };
	return true;
}

/* Numbers as symbols and bits (cdict(5), "Numbers"), written as they come. */
struct numbers {
	struct buf symbols, bits;
	uint64_t acc; /* bits of an incomplete byte */
	unsigned fill;
};

static inline unsigned bit_length(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

static inline void store_le64(uint8_t *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(p, &v, sizeof(v));
}

/* numbers_room - makes room for @n more, so that numbers_put() need not check. */
static inline bool numbers_room(struct numbers *w, size_t n)
{
	return buf_room(&w->symbols, n) && buf_room(&w->bits, 8 * n + 16);
}

/* numbers_put - number -> symbol 0..127 and the bits below its two leading ones:
 * 0, 1, then for each bit length b >= 2 two symbols, b - 2 bits each. */
static inline void numbers_put(struct numbers *w, uint64_t v)
{
	uint8_t *symbol = w->symbols.data + w->symbols.len++, *bits;
	unsigned b = bit_length(v), fill = w->fill;
	uint64_t acc = w->acc;

	if (b < 2) {
		*symbol = (uint8_t)v;
		return;
	}
	b -= 2;
	*symbol = (uint8_t)(2 * b + (v >> b));
	v &= (1ull << b) - 1;
	acc |= v << fill;
	bits = w->bits.data + w->bits.len;
	store_le64(bits, acc);
	if (fill + b < 64) {
		/* Flush whole bytes every time: a branch on eight of them is unpredictable. */
		fill += b;
		w->bits.len += fill / 8;
		w->acc = acc >> (fill & ~7u);
		w->fill = fill & 7;
		return;
	}
	fill += b - 64;
	w->bits.len += 8;
	w->acc = fill ? v >> (b - fill) : 0;
	w->fill = fill;
}

static inline void numbers_hit(struct numbers *w)
{
	w->symbols.data[w->symbols.len++] = FORMAT_SYM_HIT;
}

static inline void numbers_reset(struct numbers *w)
{
	w->symbols.len = w->bits.len = 0;
	w->acc = 0;
	w->fill = 0;
}

/* The output of columns. */
struct column_sink {
	struct codec *codec;
	struct buf dir;     /* directory, LEB128 */
	struct buf pool;    /* stream 1 without its leading directory */
	struct buf bits;    /* stream 0 */
	struct buf own;     /* streams 2.., one after the other, as stored */
	struct buf streams; /* their (codec, raw bytes, stored bytes), LEB128 */
	uint32_t n_own;
	uint32_t last_column; /* 1 + id of the last column written */
	struct buf scratch;
	struct numbers numbers;
	struct column_dict {
		uint64_t *keys;
		uint32_t *index;    /* before + 1 + index; up to before: free */
		uint64_t *values;   /* in order of first appearance */
		uint32_t n, before; /* before: of all columns written by now */
	} dict;
};

void column_sink_fini(struct column_sink *s);
void column_sink_reset(struct column_sink *s);

/* column_write - writes column @id of @total events. @coded: values are task codes
 * or keys (FORMAT_C_CODE); @noisy: without repeating sequences. */
void column_write(struct column_sink *s, uint32_t id, const struct column *c, uint32_t total,
		  bool coded, bool noisy);

/* column_write_numbers - writes @w, one number or hit per event, as a dense column of
 * coding FORMAT_C_DELTA. */
void column_write_numbers(struct column_sink *s, uint32_t id, struct numbers *w);

/* column_write_bytes - writes plain bytes as column @id. */
void column_write_bytes(struct column_sink *s, uint32_t id, const void *data, size_t size);

#endif

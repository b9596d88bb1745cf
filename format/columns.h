/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * columns.h - the encoding half of columns: what was not as predicted is kept per
 * column and, when the block ends, written in the coding that takes least.
 */
#ifndef FORMAT_COLUMNS_H
#define FORMAT_COLUMNS_H

#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "format/codec.h"
#include "format/layout.h"

/* One value that the model missed: event number within its type, the value, and
 * what had been predicted. Task codes and keys have no prediction. */
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
	c->misses[c->n++] = (struct miss){ value, predicted, at };
	return true;
}

/* What a column writes to. */
struct column_sink {
	struct codec *codec;
	struct buf dir;     /* directory, LEB128 */
	struct buf pool;    /* stream 1 without the directory in front */
	struct buf bits;    /* stream 0 */
	struct buf own;     /* streams 2.., one after the other, as stored */
	struct buf streams; /* their (codec, raw bytes, stored bytes), LEB128 */
	uint32_t n_own;
	uint32_t last_column; /* 1 + id of the last column written */
	struct buf scratch;
	struct column_dict {
		uint64_t *keys;
		uint32_t *index; /* 1 + index, 0 = free */
		uint64_t *values; /* in order of first appearance */
		uint32_t n;
	} dict;
};

void column_sink_fini(struct column_sink *s);
void column_sink_reset(struct column_sink *s);

/* column_write - writes column @id of @total events. @coded: values are task codes
 * or keys (FORMAT_C_CODE); @is_time: residuals are unsigned. */
void column_write(struct column_sink *s, uint32_t id, const struct column *c, uint32_t total,
		  bool coded, bool is_time);

/* column_write_bytes - writes plain bytes as column @id. */
void column_write_bytes(struct column_sink *s, uint32_t id, const void *data, size_t size);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/* decode_internal.h - the decoder's halves: opening a block, and its events. */
#ifndef FORMAT_DECODE_INTERNAL_H
#define FORMAT_DECODE_INTERNAL_H

#include "base/cursor.h"
#include "format/codec.h"
#include "format/decode.h"
#include "format/state.h"

#define NO_MISS UINT32_MAX
#define PAD 16u /* zero bytes after every stream, so that bits can be read by words */

struct stream {
	const uint8_t *at;
	size_t left;
};

/* A column being read. */
struct reading {
	uint8_t coding; /* without FORMAT_DENSE */
	bool dense;
	uint32_t next;   /* number of the next event that missed, NO_MISS after the last */
	uint32_t misses; /* of a sparse column, still to come */
	struct cursor gaps;
	struct cursor symbols;
	const uint8_t *bits;
	uint64_t bit, bit_end;
	const uint64_t *dict;
	uint32_t n_dict;
};

struct format_decoder {
	const struct cdict_schema *schema;
	struct state st;
	struct codec *codec;
	uint8_t *raw; /* all streams of the block, inflated */
	size_t raw_cap;
	struct stream *streams;
	size_t n_streams, cap_streams;
	struct reading *columns;
	uint32_t cap_columns;
	uint64_t *dict; /* tables of all columns */
	size_t n_dict, cap_dict;
	struct cdict_bytes *bytes;
	uint32_t n_bytes, cap_bytes;
	uint32_t used[UINT8_MAX + 1], base[UINT8_MAX + 1], events[UINT8_MAX + 1];
	uint32_t n_used;
	struct cursor kinds, order;
	uint32_t order_now, order_left; /* events until the pass changes */
	struct format_block info;
	uint32_t n; /* events given */
	uint64_t values[FORMAT_MAX_FIELDS];
};

int decode_damaged(struct cdict_error *err, const char *what); /* CDICT_ECORRUPT */

/* Moves a sparse column to its next miss. */
static inline void decode_next_miss(struct reading *r)
{
	uint64_t gap;

	if (!r->misses) {
		r->next = NO_MISS;
		return;
	}
	r->misses--;
	gap = cursor_varint(&r->gaps);
	/* Past the block's events it is never reached. */
	r->next = gap > FORMAT_BLOCK_EVENTS || !cursor_ok(&r->gaps) ? NO_MISS
								    : (uint32_t)(r->next + 1 + gap);
}

#endif

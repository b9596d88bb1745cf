/* SPDX-License-Identifier: LGPL-2.1-only */
/* decode_internal.h - the decoder's parts: opening a block, its columns, and its events. */
#ifndef FORMAT_CODING_DECODE_INTERNAL_H
#define FORMAT_CODING_DECODE_INTERNAL_H

#include "base/cursor.h"
#include "cdict/reader.h"
#include "format/coding/codec.h"
#include "format/coding/decode.h"
#include "format/coding/state.h"

#define NO_MISS UINT32_MAX
#define NO_COLUMN UINT32_MAX
#define PAD 16u /* zero bytes after every stream, so that bits can be read by words */

/* A stream is inflated when the first column asks for bytes of it. */
struct stream {
	const uint8_t *stored; /* NULL: inflated already */
	size_t n_stored;
	uint8_t *at;
	size_t left, passed; /* bytes after and before @at */
};

struct bytes {
	const uint8_t *at, *end;
};

/* A column being read: a cache line. */
struct reading {
	uint32_t next;   /* number of the next event that missed, NO_MISS after the last */
	uint32_t misses; /* of a sparse column, still to come */
	uint8_t coding;  /* without FORMAT_DENSE */
	bool dense;
	uint32_t n_dict;
	struct bytes gaps;
	struct bytes symbols;
	union {
		struct {
			const uint8_t *bits;
			uint32_t bit, bit_end;
		};
		const uint64_t *dict; /* FORMAT_C_DICT; while columns are opened see dict_at */
		size_t dict_at;
	};
};

/* The schema's types, with only the coded fields that are decoded. */
struct format_plan {
	struct format_type **types; /* like the schema's; coded is their own, the rest borrowed */
	size_t n;
};

struct format_decoder;
/* Decodes the recorded fields of event @at of a type. */
typedef bool decode_fields_fn(struct format_decoder *dec, const struct format_type *t,
			      struct reading *r, uint32_t at, uint64_t *row);

/* A type of the open block. */
struct decode_kind {
	const struct cdict_event_type *pub; /* the schema's own */
	const struct format_type *type;     /* the plan's, or the schema's */
	decode_fields_fn *fields;
	struct reading *columns; /* of type->coded */
	uint32_t events;         /* of the type, given so far */
};

struct format_decoder {
	const struct cdict_schema *schema;
	const struct format_plan *plan; /* NULL: all fields */
	struct state st;
	struct codec *codec;
	uint8_t *raw; /* all streams of the block, inflated */
	size_t raw_cap;
	struct stream *streams;
	size_t n_streams, cap_streams;
	struct reading *columns;
	size_t cap_columns;
	uint32_t n_columns;
	uint32_t *place; /* index into columns of each column of the file, or NO_COLUMN */
	size_t cap_place;
	uint64_t *dict; /* tables of all columns */
	size_t n_dict, cap_dict;
	struct cdict_bytes *bytes;
	uint32_t n_bytes, cap_bytes;
	struct decode_kind used[UINT8_MAX + 1];
	uint32_t n_used;
	struct cursor kinds, order;
	uint32_t order_now, order_left; /* events until the pass changes */
	struct format_block info;
	uint32_t n;     /* events given */
	bool no_memory; /* while inflating one of its streams */
	bool borrowed;  /* raw, streams, dict and bytes are of the decoder that this is a copy of */
	uint64_t values[FORMAT_MAX_FIELDS];
};

/* decode_return_borrowed - gives up the open block's memory if it is another decoder's (decode_copy.c). */
void decode_return_borrowed(struct format_decoder *dec);
int decode_damaged(struct cdict_error *err, const char *what); /* CDICT_ECORRUPT */
/* --- decode_columns.c --- */

/* decode_fit - grows *p, with room for *cap items, to hold @n items of @size bytes. */
bool decode_fit(void **p, size_t *cap, size_t n, size_t size);
/* decode_open_streams - reads the table of streams and locates their bytes. */
int decode_open_streams(struct format_decoder *dec, struct cursor *c, uint64_t n_own,
			struct cdict_error *err);
/* decode_stream_take - takes the next @size bytes of stream @id; NULL @out: skips them. */
bool decode_stream_take(struct format_decoder *dec, uint64_t id, uint64_t size, struct bytes *out);
/* decode_place_columns - assigns a place to each column of the block's types that is read;
 * @n_columns: of the file. */
int decode_place_columns(struct format_decoder *dec, uint32_t n_columns, struct cdict_error *err);
/* decode_open_columns - opens the placed columns by the directory @dir; those that belong to no
 * field go to @tables. */
int decode_open_columns(struct format_decoder *dec, struct cursor *dir,
			struct cursor tables[FORMAT_COL_FIELDS], uint32_t n_columns,
			struct cdict_error *err);

/* --- decode_fields.c --- */

/* decode_fields_of - the function that decodes the recorded fields of @type: frequent types have
 * their own. */
decode_fields_fn *decode_fields_of(const struct format_type *type);

/* decode_varint - like cursor_varint(); false if there is none. */
static inline bool decode_varint(struct bytes *b, uint64_t *v)
{
	struct cursor c;

	if (b->at < b->end && *b->at < 0x80) {
		*v = *b->at++;
		return true;
	}
	c = cursor_init(b->at, (size_t)(b->end - b->at), false);
	*v = cursor_varint(&c);
	b->at = c.at;
	return cursor_ok(&c);
}

/* Moves a sparse column to its next miss. */
static inline void decode_next_miss(struct reading *r)
{
	uint64_t gap;

	if (!r->misses) {
		r->next = NO_MISS;
		return;
	}
	r->misses--;
	/* A miss past the block's last event is never reached. */
	r->next = !decode_varint(&r->gaps, &gap) || gap > FORMAT_BLOCK_EVENTS
			  ? NO_MISS
			  : (uint32_t)(r->next + 1 + gap);
}

#endif

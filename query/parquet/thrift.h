/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thrift.h - writes structs in Thrift's compact protocol, in which Parquet's headers and footer are: fields in ascending
 * order of their ids, lists, nested structs.
 *
 *	struct thrift t = { .out = &b };
 *
 *	thrift_i32(&t, 1, 2);
 *	thrift_list(&t, 2, THRIFT_STRUCT, 1);	// a list of one struct
 *	thrift_element(&t);
 *	thrift_text(&t, 4, "ts");
 *	thrift_end(&t);				// of the element
 *	thrift_end(&t);				// of the outermost struct
 *
 * Source     thrift's doc/specs/thrift-compact-protocol.md
 * Failure    out of memory sets the buffer's failed
 */
#ifndef QUERY_PARQUET_THRIFT_H
#define QUERY_PARQUET_THRIFT_H

#include <assert.h>

#include "base/memory/buf.h"

enum thrift_type {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I16 = 4,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};
enum { THRIFT_DEPTH = 8 };

struct thrift {
	struct buf *out;
	unsigned depth;
	int last[THRIFT_DEPTH]; /* the id of each open struct's latest field */
};

static inline void thrift_field(struct thrift *t, int id, enum thrift_type type)
{
	int delta = id - t->last[t->depth];

	assert(delta > 0 && delta < 16);
	buf_u8(t->out, (uint8_t)((unsigned)delta << 4 | (unsigned)type));
	t->last[t->depth] = id;
}

static inline void thrift_i32(struct thrift *t, int id, int32_t v)
{
	thrift_field(t, id, THRIFT_I32);
	buf_svarint(t->out, v);
}

static inline void thrift_i64(struct thrift *t, int id, int64_t v)
{
	thrift_field(t, id, THRIFT_I64);
	buf_svarint(t->out, v);
}

static inline void thrift_i16(struct thrift *t, int id, int16_t v)
{
	thrift_field(t, id, THRIFT_I16);
	buf_svarint(t->out, v);
}

static inline void thrift_bool(struct thrift *t, int id, bool v)
{
	thrift_field(t, id, v ? THRIFT_TRUE : THRIFT_FALSE);
}

static inline void thrift_bytes(struct thrift *t, int id, const void *data, size_t len)
{
	thrift_field(t, id, THRIFT_BINARY);
	buf_string(t->out, data, len);
}

static inline void thrift_text(struct thrift *t, int id, const char *text)
{
	thrift_bytes(t, id, text, strlen(text));
}

/* thrift_list - begins a list of @n elements: thrift_element() structs, buf_svarint() integers or buf_string() texts. */
static inline void thrift_list(struct thrift *t, int id, enum thrift_type of, size_t n)
{
	thrift_field(t, id, THRIFT_LIST);
	buf_u8(t->out, (uint8_t)((n < 15 ? n : 15) << 4 | (unsigned)of));
	if (n >= 15)
		buf_varint(t->out, n);
}

/* thrift_element, thrift_struct - begins a struct, as a list's element or as a field; thrift_end - ends it. */
static inline void thrift_element(struct thrift *t)
{
	t->depth++;
	assert(t->depth < THRIFT_DEPTH);
	t->last[t->depth] = 0;
}

static inline void thrift_struct(struct thrift *t, int id)
{
	thrift_field(t, id, THRIFT_STRUCT);
	thrift_element(t);
}

static inline void thrift_end(struct thrift *t)
{
	buf_u8(t->out, 0);
	if (t->depth)
		t->depth--;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * column.h - one column of one row group: values are collected to pages, which are encoded and compressed as they fill.
 *
 * A page's values are indices into the column's dictionary while that pays, then packed differences (integers) or plain.
 * All columns are optional: a page begins with a bit for each row.
 *
 * Threads    one at a time per column
 * Failure    out of memory: column->failed
 * Ownership  caller's storage; its zero value with a type is an empty column
 */
#ifndef QUERY_PARQUET_COLUMN_H
#define QUERY_PARQUET_COLUMN_H

#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "base/memory/places.h"

struct ZSTD_CCtx_s;

enum parquet_type { PARQUET_INT64 = 0, PARQUET_DOUBLE, PARQUET_TEXT, PARQUET_BYTES };

/* Rows of a page (those of all tables fit a CPU's cache), and of a row group (DuckDB's size: one is read by one thread). */
enum { PARQUET_PAGE_ROWS = 4096, PARQUET_GROUP_ROWS = 30 * PARQUET_PAGE_ROWS };

/* Parquet's numbers of the encodings. */
enum parquet_encoding {
	PARQUET_PLAIN = 0,
	PARQUET_RLE = 3,
	PARQUET_DELTA = 5,
	PARQUET_RLE_DICTIONARY = 8,
};

/* A distinct value: an integer, the bits of a double, or a text. */
struct parquet_entry {
	uint64_t a, b;  /* what is hashed: the number, 0; or the words of a text */
	size_t at, len; /* a text's place in texts */
};

/* Integers of a page that lie so close together find their entries in an array. */
enum { PARQUET_NEAR = 1 << 14 };

/* Memory that columns share, for a page at a time. */
struct parquet_work {
	struct ZSTD_CCtx_s *zstd;
	struct buf page, packed;
	uint32_t *ids, *levels; /* PARQUET_PAGE_ROWS of each */
	uint32_t *near;         /* PARQUET_NEAR entries, + 1 */
};

enum { PARQUET_RECENT = 64, PARQUET_FIXED = 16 };

struct parquet_column {
	enum parquet_type type;
	bool failed;
	/* The page that is filled. */
	uint64_t *values; /* of rows that are not NULL; of texts: index into entries */
	bool *defined;    /* by row, from the first NULL on and before it */
	size_t rows, n, cap;
	/* Distinct values: of the group, or, once its dictionary is complete, a page's texts. */
	struct places places;
	ARRAY(struct parquet_entry) entries;
	struct buf texts;
	uint64_t seed;                   /* of the words of texts */
	uint32_t recent[PARQUET_RECENT]; /* entries of texts, by hash */
	struct parquet_fixed {
		const char *text; /* NULL: none */
		uint32_t entry, len;
	} fixed[PARQUET_FIXED]; /* of texts that stay, by address */
	size_t in_dictionary;   /* the first entries, which pages use */
	bool is_plain;          /* the dictionary is complete, and pages no longer use it */
	bool never_pays;        /* a dictionary, in earlier groups */
	/* The group so far. */
	struct buf pages, dictionary; /* with headers */
	uint64_t all_rows, nulls, plain_bytes;
	unsigned encodings; /* bits */
	bool has_range;     /* the next four: the least and the greatest value */
	uint64_t least, most;
	struct buf least_text, most_text;
	bool long_text; /* too long for statistics */
};

int parquet_work_init(struct parquet_work *w);
void parquet_work_fini(struct parquet_work *w);

void parquet_column_fini(struct parquet_column *c);
/* parquet_column_end - compresses what is left: the group is in dictionary and pages. */
void parquet_column_end(struct parquet_column *c, struct parquet_work *w);
/* parquet_column_next_group - empties it. */
void parquet_column_next_group(struct parquet_column *c);
/* parquet_column_page - ends a page, of PARQUET_PAGE_ROWS at most. */
void parquet_column_page(struct parquet_column *c, struct parquet_work *w);
/* parquet_column_repeat - @rows rows with the same text. */
void parquet_column_repeat(struct parquet_column *c, struct parquet_work *w, const char *text,
			   size_t rows);

/* ---- values: one for each row ---- */

/* parquet_column_room - makes room for a row; false: out of memory. */
bool parquet_column_grow(struct parquet_column *c);

static inline bool parquet_column_room(struct parquet_column *c)
{
	return c->rows < c->cap || parquet_column_grow(c);
}

static inline void parquet_column_null(struct parquet_column *c)
{
	if (!parquet_column_room(c))
		return;
	if (c->n == c->rows)
		memset(c->defined, true, c->rows);
	c->defined[c->rows++] = false;
}

/* parquet_column_number - an integer, or the bits of a double. */
static inline void parquet_column_number(struct parquet_column *c, uint64_t v)
{
	if (!parquet_column_room(c))
		return;
	if (c->n != c->rows)
		c->defined[c->rows] = true;
	c->rows++;
	c->values[c->n++] = v;
}

/* parquet_column_text - foreign text: in PARQUET_TEXT, invalid UTF-8 becomes U+FFFD. */
void parquet_column_text(struct parquet_column *c, const char *data, size_t len);
void parquet_column_new_fixed(struct parquet_column *c, const char *text);

static inline struct parquet_fixed *parquet_column_fixed_at(struct parquet_column *c,
							    const char *text)
{
	return &c->fixed[(uint64_t)(uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15) >> 60];
}

/* parquet_column_fixed - the same for a text that stays at @text, unchanged, as long as the file is open; returns its
 * length. */
static inline size_t parquet_column_fixed(struct parquet_column *c, const char *text)
{
	const struct parquet_fixed *known = parquet_column_fixed_at(c, text);

	if (known->text == text)
		parquet_column_number(c, known->entry);
	else
		parquet_column_new_fixed(c, text);
	return known->len;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parquet.h - writes a table as an Apache Parquet file: optional columns, dictionaries, zstd, statistics.
 *
 *	struct parquet_field fields[] = { { "ts", PARQUET_INT64 }, { "name", PARQUET_TEXT } };
 *	struct parquet_options opts = { .fields = fields, .n = 2 };
 *
 *	parquet_open(&p, &opts, sink, err);
 *	row = parquet_row(p, ts);		// for each row, and each of its columns in order
 *	parquet_int(row, 0, ts); parquet_text(row, 1, comm, len);
 *	parquet_row_end(p, row, err);
 *	parquet_close(p, err);
 *
 * Rows that begin before those of an earlier row group (a sleep that ends now) go to row groups of their own, so that
 * the others do not overlap in time and readers can skip them.
 *
 * Source     parquet-format: README.md, parquet.thrift, Encodings.md
 * Threads    one at a time per file
 * Failure    0 or a negative code with *err filled; the sink keeps write errors
 * Ownership  open gives, close and abort take; fields, pairs and the sink are borrowed
 */
#ifndef QUERY_PARQUET_PARQUET_H
#define QUERY_PARQUET_PARQUET_H

#include "base/text/sink.h"
#include "cdict/error.h"
#include "query/parquet/column.h"

struct parquet;
struct parquet_row; /* of the row group that gets it */

struct parquet_field {
	const char *name; /* UTF-8; several may have the same */
	enum parquet_type type;
	const char *constant; /* the text of all rows, which do not give it; or NULL */
};

struct parquet_pair {
	const char *key, *value;
};

struct parquet_options {
	const struct parquet_field *fields;
	size_t n;
	const struct parquet_pair *pairs; /* metadata */
	size_t n_pairs;
	int sorted_by; /* the field by which all rows ascend, + 1; 0: none */
};

int parquet_open(struct parquet **out, const struct parquet_options *opts, struct sink *sink,
		 struct cdict_error *err);
/* parquet_row - begins a row at time @ts; PARQUET_NO_TIME: it has none. */
#define PARQUET_NO_TIME INT64_MAX
struct parquet_row *parquet_row(struct parquet *p, int64_t ts);
int parquet_row_end(struct parquet *p, struct parquet_row *row, struct cdict_error *err);
/* parquet_close - writes the rest; parquet_abort - does not. NULL is fine. */
int parquet_close(struct parquet *p, struct cdict_error *err);
void parquet_abort(struct parquet *p);

/* ---- a row's values ---- */

struct parquet_row {
	struct parquet_column *columns;
	size_t rows;
	size_t in_page, bytes; /* rows of the page, bytes of texts in it */
	int64_t last_ts;
};

static inline void parquet_null(struct parquet_row *row, size_t i)
{
	parquet_column_null(&row->columns[i]);
}

static inline void parquet_int(struct parquet_row *row, size_t i, int64_t v)
{
	parquet_column_number(&row->columns[i], (uint64_t)v);
}

static inline void parquet_real(struct parquet_row *row, size_t i, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	parquet_column_number(&row->columns[i], bits);
}

/* parquet_text - texts and bytes; invalid UTF-8 in a text becomes U+FFFD. */
static inline void parquet_text(struct parquet_row *row, size_t i, const char *data, size_t len)
{
	row->bytes += len;
	parquet_column_text(&row->columns[i], data, len);
}

/* parquet_add_fixed - a text that stays at @text, unchanged, as long as the file is open. */
static inline void parquet_add_fixed(struct parquet_row *row, size_t i, const char *text)
{
	row->bytes += parquet_column_fixed(&row->columns[i], text);
}

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * query_parquet.c - writes the result of an SQL statement as a Parquet file.
 *
 * SQLite's columns have no type, Parquet's have one: it is that of the first rows, which are kept until there are
 * enough of them. Columns with several types become text, as in CSV, except whole numbers among others.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/utf8.h"
#include "cmd/query/query.h"

/* The first rows: their number, and bytes of their texts. */
enum { ROWS_KEPT = 100000, BYTES_KEPT = 32 << 20 };
/* Whole numbers up to here are doubles, too. */
#define EXACT_MOST (INT64_C(1) << 53)

enum { HAS_INTEGER = 1, HAS_REAL = 2, HAS_TEXT = 4, HAS_BLOB = 8, HAS_LARGE = 16 };

void query_parquet_init(struct query_parquet *p, struct sink *s, struct cdict_error *err)
{
	*p = (struct query_parquet){ .sink = s, .err = err };
}

void query_parquet_fini(struct query_parquet *p)
{
	parquet_abort(p->file);
	array_fini(&p->cells);
	buf_fini(&p->kept);
	texts_fini(&p->names);
	free(p->fields);
	free(p->kinds);
}

/* ---- columns ---- */

/* The column's name in UTF-8, made unique as in JSON. */
static char *name_of(const struct query_parquet *p, const char *name)
{
	for (unsigned same = 1;; same++) {
		size_t len = strlen(name), n;
		const char *piece;
		bool taken = false;
		struct sink s;
		char *text;

		sink_to_memory(&s);
		for (size_t at = 0; at < len;) {
			at += utf8_piece(name + at, len - at, &piece, &n);
			sink_add(&s, piece, n);
		}
		if (same > 1)
			sink_printf(&s, "_%u", same);
		text = sink_take(&s, &n);
		for (size_t i = 0; text && i < p->names.n; i++)
			taken |= !strcmp(p->names.at[i], text);
		if (!taken)
			return text;
		free(text);
	}
}

int query_parquet_columns(void *ctx, const char *const *names, size_t n)
{
	struct query_parquet *p = ctx;

	if (p->fields)
		return cdict_fail(p->err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				  "a Parquet file has one result, these statements have several");
	p->fields = calloc(n, sizeof(*p->fields));
	p->kinds = calloc(n, sizeof(*p->kinds));
	p->n = n;
	for (size_t i = 0; i < n && p->fields && p->kinds; i++)
		if (texts_take(&p->names, name_of(p, names[i])))
			return -ENOMEM;
	return p->fields && p->kinds ? 0 : -ENOMEM;
}

static enum parquet_type type_of(unsigned kinds)
{
	switch (kinds) {
	case HAS_INTEGER:
	case HAS_INTEGER | HAS_LARGE:
		return PARQUET_INT64;
	case HAS_REAL:
	case HAS_REAL | HAS_INTEGER:
		return PARQUET_DOUBLE;
	case HAS_BLOB:
		return PARQUET_BYTES;
	default:
		return PARQUET_TEXT;
	}
}

static bool is_large(int64_t v)
{
	return v > EXACT_MOST || v < -EXACT_MOST;
}

/* ---- rows ---- */

static int mismatch(const struct query_parquet *p, size_t i, const struct query_value *v)
{
	static const char *const kinds[] = {
		"NULL", "an integer", "a real", "a text", "a blob", ""
	};
	static const char *const types[] = { "INTEGER", "REAL", "TEXT", "BLOB" };

	return cdict_fail(p->err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
			  "column %s is %s in its first rows, and has %s in row %" PRIu64
			  ": use CAST(... AS TEXT)",
			  p->names.at[i], types[p->fields[i].type], kinds[v->kind], p->rows + 1);
}

/* Adds a number or a blob as the text that other formats print. */
static int add_printed(struct parquet_row *row, size_t i, const struct query_value *v)
{
	struct sink s;
	size_t len;
	char *text;

	sink_to_memory(&s);
	query_value_text(&s, v);
	text = sink_take(&s, &len);
	if (!text)
		return -ENOMEM;
	parquet_text(row, i, text, len);
	free(text);
	return 0;
}

static int add_value(const struct query_parquet *p, struct parquet_row *row, size_t i,
		     const struct query_value *v)
{
	enum parquet_type type = p->fields[i].type;

	if (v->kind == QUERY_NULL)
		parquet_null(row, i);
	else if (v->kind == QUERY_TEXT && type == PARQUET_TEXT)
		parquet_text(row, i, v->data, v->len);
	else if (type == PARQUET_TEXT)
		return add_printed(row, i, v);
	else if (v->kind == QUERY_INTEGER && type == PARQUET_INT64)
		parquet_int(row, i, v->integer);
	else if (v->kind == QUERY_INTEGER && type == PARQUET_DOUBLE && !is_large(v->integer))
		parquet_real(row, i, (double)v->integer);
	else if (v->kind == QUERY_REAL && type == PARQUET_DOUBLE)
		parquet_real(row, i, v->real);
	else if (v->kind == QUERY_BLOB && type == PARQUET_BYTES)
		parquet_text(row, i, v->data, v->len);
	else
		return mismatch(p, i, v);
	return 0;
}

static int write_row(struct query_parquet *p, const struct query_value *values)
{
	struct parquet_row *row = parquet_row(p->file, PARQUET_NO_TIME);
	int rc = 0;

	for (size_t i = 0; i < p->n && !rc; i++)
		rc = add_value(p, row, i, &values[i]);
	p->rows++;
	return rc ? rc : parquet_row_end(p->file, row, p->err);
}

/* Opens the file: the columns have the types of the rows kept so far, which are written. */
static int settle(struct query_parquet *p)
{
	const struct parquet_options opts = { .fields = p->fields, .n = p->n };
	struct query_value *values = calloc(p->n, sizeof(*values));
	int rc;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < p->n; i++)
		p->fields[i] = (struct parquet_field){ .name = p->names.at[i],
						       .type = type_of(p->kinds[i]) };
	rc = parquet_open(&p->file, &opts, p->sink, p->err);
	for (size_t at = 0; at < p->cells.n && !rc; at += p->n) {
		for (size_t i = 0; i < p->n; i++) {
			const struct query_cell *cell = &p->cells.at[at + i];

			values[i] = (struct query_value){ .kind = cell->kind,
							  .integer = cell->integer,
							  .real = cell->real };
			if (cell->kind >= QUERY_TEXT) {
				values[i].data = cell->len ? (char *)p->kept.data + cell->at : "";
				values[i].len = cell->len;
			}
		}
		rc = write_row(p, values);
	}
	free(values);
	array_fini(&p->cells);
	buf_fini(&p->kept);
	return rc;
}

static int keep_row(struct query_parquet *p, const struct query_value *values)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct query_value *v = &values[i];
		struct query_cell cell = { .kind = v->kind };

		if (v->kind == QUERY_INTEGER) {
			cell.integer = v->integer;
			p->kinds[i] |= HAS_INTEGER | (is_large(v->integer) ? HAS_LARGE : 0u);
		} else if (v->kind == QUERY_REAL) {
			cell.real = v->real;
			p->kinds[i] |= HAS_REAL;
		} else if (v->kind != QUERY_NULL) {
			p->kinds[i] |= v->kind == QUERY_TEXT ? HAS_TEXT : HAS_BLOB;
			cell.at = p->kept.len;
			cell.len = v->len;
			buf_add(&p->kept, v->data, v->len);
		}
		if (p->kept.failed || array_push(&p->cells, cell))
			return -ENOMEM;
	}
	return p->cells.n < ROWS_KEPT * p->n && p->kept.len < BYTES_KEPT ? 0 : settle(p);
}

int query_parquet_row(void *ctx, const struct query_value *values, size_t n)
{
	struct query_parquet *p = ctx;

	(void)n;
	return p->file ? write_row(p, values) : keep_row(p, values);
}

int query_parquet_end(struct query_parquet *p)
{
	struct parquet *file;
	int rc;

	if (!p->fields)
		return cdict_fail(p->err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				  "no statement has a result");
	rc = p->file ? 0 : settle(p);
	if (rc)
		return rc;
	file = p->file;
	p->file = NULL;
	return parquet_close(file, p->err);
}

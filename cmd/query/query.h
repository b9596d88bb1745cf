/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * query.h - prints the results of SQL statements as they arrive: cmd/query/query.c runs them,
 * cmd/query/query_print.c prints, cmd/query/query_parquet.c writes Parquet.
 *
 * Rows are not stored, except the first ones in text format, to choose the widths of columns.
 */
#ifndef CMD_QUERY_QUERY_H
#define CMD_QUERY_QUERY_H

#include "base/memory/texts.h"
#include "base/text/json.h"
#include "query/parquet/parquet.h"
#include "query/sql/query.h"
#include "tables/columns/table.h"
#include "tables/columns/table_fit.h"

struct query_printer {
	struct sink *sink;
	enum table_format format;
	const struct table_frame *frame; /* for JSON: the captures */
	struct json json;
	size_t results;     /* number of statements that returned columns */
	size_t rows;        /* of the current result */
	size_t n;           /* columns of the current result */
	struct texts names; /* of the columns, made unique */
	/* Text format: the first rows, stored until the widths of columns are known. */
	bool settled;
	bool cut;                 /* cut texts to the available width */
	struct table_room *rooms; /* of the columns; columns other than text are right-aligned */
	struct table_names shortened;
	struct shorten titles;
	size_t gone;        /* number of columns that do not fit the terminal */
	struct texts cells; /* escaped */
};

void query_printer_init(struct query_printer *p, struct sink *s, enum table_format format,
			const struct table_frame *frame);
/* query_value_text - a value as the text of all formats, before escaping. */
void query_value_text(struct sink *s, const struct query_value *v);
/* Callbacks of struct query_out; @printer is a struct query_printer. */
int query_print_columns(void *printer, const char *const *names, size_t n);
int query_print_row(void *printer, const struct query_value *values, size_t n);
/* query_printer_end - prints the rest; 0 or -ENOMEM. */
int query_printer_end(struct query_printer *p);
void query_printer_fini(struct query_printer *p);

/* ---- the same to a Parquet file ---- */

struct query_cell {
	enum query_kind kind;
	int64_t integer;
	double real;
	size_t at, len; /* of a text, in kept */
};

struct query_parquet {
	struct sink *sink;
	struct cdict_error *err;
	struct texts names;
	size_t n; /* columns */
	struct parquet_field *fields;
	unsigned *kinds; /* by column: of the values so far */
	uint64_t rows;   /* written */
	struct parquet *file;
	/* The first rows, until the columns' types are known. */
	ARRAY(struct query_cell) cells;
	struct buf kept;
};

/* The callbacks fill *@err, too. */
void query_parquet_init(struct query_parquet *p, struct sink *s, struct cdict_error *err);
int query_parquet_columns(void *parquet, const char *const *names, size_t n);
int query_parquet_row(void *parquet, const struct query_value *values, size_t n);
int query_parquet_end(struct query_parquet *p);
void query_parquet_fini(struct query_parquet *p);

#endif

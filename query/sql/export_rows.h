/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export_rows.h - rows of a source as rows of a Parquet file.
 *
 * Columns that are part of an analysis' row or of an event are copied from there; the source is asked for the others.
 *
 * Threads    one at a time per file
 * Failure    0 or a negative code with *err filled
 * Ownership  rows_init gives, rows_fini takes the fields; the source and the file are borrowed
 */
#ifndef QUERY_SQL_EXPORT_ROWS_H
#define QUERY_SQL_EXPORT_ROWS_H

#include "query/parquet/parquet.h"
#include "query/sql/stream.h"

struct export_cell;

struct export_rows {
	const struct query_table *table;
	struct query_source *src;
	struct parquet *file;
	struct parquet_field *fields;
	struct export_cell *cells; /* by field: where its values come from */
	size_t n;
	int ts;                              /* the table's column with the time, or -1 */
	bool sparse;                         /* fields of events may lack */
	bool asks;                           /* the source of events, about some of them */
	bool mixed;                          /* events of any type have the same cells */
	const struct cdict_event_type *type; /* the latest event's, which cells are for */
};

int export_rows_init(struct export_rows *r, const struct query_table *table,
		     const struct query_run_of *run);
void export_rows_fini(struct export_rows *r);
/* export_rows_use - the columns that the file has, for query_scan.used. */
uint64_t export_rows_use(const struct export_rows *r);
/* export_rows_add - adds the rows that the source has now. */
int export_rows_add(struct export_rows *r, struct cdict_error *err);
/* export_rows_event - adds an event to a table of events; @utid: its task, or -1. */
int export_rows_event(struct export_rows *r, const struct cdict_event *ev, int64_t utid,
		      struct cdict_error *err);

#endif

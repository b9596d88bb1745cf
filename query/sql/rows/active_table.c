// SPDX-License-Identifier: GPL-2.0-only
/*
 * active_table.c - active_sums(FILE [, NAME]): count and sum, by name and category, of the events that overlap events
 * (only those called NAME) on files whose names contain FILE. interval_union() over slice gives the same; this walks
 * columns with several threads.
 */
#include <stdlib.h>

#include "base/fail.h"
#include "query/sql/rows/active.h"
#include "query/sql/tables.h"

enum { ACTIVE_NAME, ACTIVE_CATEGORY, ACTIVE_COUNT, ACTIVE_SUM, ACTIVE_DUR };

static const struct query_column columns[] = {
	{ "name", "TEXT", QUERY_PLAIN, false },
	{ "category", "TEXT", QUERY_PLAIN, false },
	{ "count", "INTEGER", QUERY_PLAIN, false },
	{ "sum", "REAL", QUERY_PLAIN, false },
	{ "dur", "INTEGER", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	{ "file", "TEXT", QUERY_ARG, true },
	{ "only", "TEXT", QUERY_ARG_2, true },
	QUERY_COLUMNS_END,
};

struct active_source {
	struct query_source base;
	struct active found;
	size_t at; /* the row + 1 */
};

static int active_next(struct query_source *src, struct cdict_error *err)
{
	struct active_source *s = (struct active_source *)(void *)src;

	(void)err;
	return s->at++ < s->found.rows.n;
}

static void active_column(struct query_source *src, struct query_value *out, int column)
{
	const struct active_source *s = (const struct active_source *)(const void *)src;
	const struct active_row *row = &s->found.rows.at[s->at - 1];

	switch (column) {
	case ACTIVE_NAME:
		query_result_text(out, row->type->event);
		break;
	case ACTIVE_CATEGORY:
		query_result_text(out, row->type->system);
		break;
	case ACTIVE_COUNT:
		query_result_int(out, (int64_t)row->count);
		break;
	case ACTIVE_SUM:
		query_result_real(out, (double)row->dur_ns / 1e9);
		break;
	default:
		query_result_int(out, (int64_t)row->dur_ns);
	}
}

static void active_close(struct query_source *src)
{
	struct active_source *s = (struct active_source *)(void *)src;

	active_fini(&s->found);
	free(s);
}

static int active_open(struct query_source **out, struct query_run_of *run,
		       const struct query_table *table, const struct query_scan *scan,
		       struct cdict_error *err)
{
	struct active_source *s = calloc(1, sizeof(*s));
	sqlite3_value *only = scan->args[1];
	struct active_options opts = {
		.file = (const char *)sqlite3_value_text(scan->args[0]),
		.name = only ? (const char *)sqlite3_value_text(only) : NULL,
		.from_ns = run->from_ns,
		.to_ns = run->to_ns,
		.jobs = run->db->opts.jobs,
	};

	(void)table;
	if (!s || !opts.file || (only && !opts.name) ||
	    active_sums(&s->found, run->reader, &opts, err)) {
		free(s);
		return cdict_fail_nomem(err);
	}
	s->base = (struct query_source){ active_next, active_column, active_close };
	*out = &s->base;
	return 0;
}

const struct query_table query_active_sums = {
	.name = "active_sums",
	.columns = columns,
	.open = active_open,
	.without = "active_sums() needs a part of a file name"
};

// SPDX-License-Identifier: GPL-2.0-only
/*
 * active_table.c - calls over the events of I/O traces, which walk columns with several threads:
 *
 *	active_sums(FILE [, NAME [, RULE [, MARGIN]]])  sums, by name and category, of the events that overlap events (only
 *	                                                those called NAME) on files whose names contain FILE
 *	active_sums(SET, NULL [, RULE [, MARGIN]])      the same for a set of intervals, such as the union over several files
 *	active_intervals(FILE [, NAME [, RULE]])        the active times themselves
 *	slice_sums                                      the same sums of all events
 *
 * interval_union() over slice gives the same results, slowly.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "query/sql/rows/active.h"
#include "query/sql/tables.h"

enum { SUM_NAME, SUM_CATEGORY, SUM_COUNT, SUM_SUM, SUM_DUR, SUM_RUN, SUM_FILE };
enum { ACTIVE_DURATIONS = SUM_FILE + 4, SLICE_DURATIONS = SUM_FILE };

#define SUMS                                                                                       \
	{ "name", "TEXT", QUERY_PLAIN, false }, { "category", "TEXT", QUERY_PLAIN, false },        \
		{ "count", "INTEGER", QUERY_PLAIN, false }, { "sum", "REAL", QUERY_PLAIN, false }, \
		{ "dur", "INTEGER", QUERY_PLAIN, false }, QUERY_COLUMN_RUN
#define ARGUMENTS                                                                                  \
	{ "file", "", QUERY_ARG, true }, { "only", "TEXT", QUERY_ARG_2, true },                    \
	{                                                                                          \
		"rule", "TEXT", QUERY_ARG_3, true                                                  \
	}
/* After the arguments: hidden columns are the arguments of a call, in their order. */
#define DURATIONS                                                                                  \
	{                                                                                          \
		"durations", "BLOB", QUERY_PLAIN, true                                             \
	}

static const struct query_column sum_columns[] = {
	SUMS, ARGUMENTS, { "margin", "INTEGER", QUERY_ARG_4, true }, DURATIONS, QUERY_COLUMNS_END
};

static const struct query_column slice_columns[] = { SUMS, DURATIONS, QUERY_COLUMNS_END };

static const struct query_column time_columns[] = {
	{ "ts", "INTEGER", QUERY_PLAIN, false },
	{ "dur", "INTEGER", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	ARGUMENTS,
	QUERY_COLUMNS_END,
};

struct active_source {
	struct query_source base;
	struct active found;
	size_t at; /* the row + 1 */
};

static int sum_next(struct query_source *src, struct cdict_error *err)
{
	struct active_source *s = (struct active_source *)(void *)src;

	(void)err;
	return s->at++ < s->found.rows.n;
}

static void sum_column(struct query_source *src, struct query_value *out, int column)
{
	const struct active_source *s = (const struct active_source *)(const void *)src;
	const struct active_row *row = &s->found.rows.at[s->at - 1];

	switch (column) {
	case SUM_NAME:
		query_result_text(out, row->type->event);
		break;
	case SUM_CATEGORY:
		query_result_text(out, row->type->system);
		break;
	case SUM_COUNT:
		query_result_int(out, (int64_t)row->count);
		break;
	case SUM_SUM:
		query_result_real(out, (double)row->dur_ns / 1e9);
		break;
	case SUM_DUR:
		query_result_int(out, (int64_t)row->dur_ns);
		break;
	default:
		query_result_histogram(out, &row->durations);
	}
}

static int time_next(struct query_source *src, struct cdict_error *err)
{
	struct active_source *s = (struct active_source *)(void *)src;

	(void)err;
	return s->at++ < s->found.intervals.n;
}

static void time_column(struct query_source *src, struct query_value *out, int column)
{
	const struct active_source *s = (const struct active_source *)(const void *)src;
	const struct active_interval *iv = &s->found.intervals.at[s->at - 1];

	query_result_int(out, (int64_t)(column ? iv->to_ns - iv->from_ns : iv->from_ns));
}

static void active_close(struct query_source *src)
{
	struct active_source *s = (struct active_source *)(void *)src;

	active_fini(&s->found);
	free(s);
}

/* ---- arguments ---- */

static uint64_t not_negative(int64_t v)
{
	return v > 0 ? (uint64_t)v : 0;
}

/* The set's intervals, as opts->set; *given is to be freed. */
static int take_set(struct active_options *opts, sqlite3_value *v, struct active_interval **given,
		    struct cdict_error *err)
{
	struct query_set set;

	if (!query_set_of(v, &set))
		return cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			"the first argument is neither a part of a file name nor a set of "
			"intervals, which interval_union() makes");
	*given = calloc(set.n + 1, sizeof(**given));
	if (!*given)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < set.n; i++) {
		struct query_pair p = query_set_at(&set, i);

		(*given)[i] = (struct active_interval){ not_negative(p.from), not_negative(p.to) };
	}
	opts->set = *given;
	opts->n_set = set.n;
	return 0;
}

static int take_rule(struct active_options *opts, const struct query_scan *scan,
		     struct cdict_error *err)
{
	sqlite3_value *rule = scan->args[2], *margin = scan->args[3];
	const char *text = rule ? (const char *)sqlite3_value_text(rule) : NULL;

	if (rule && !text)
		return cdict_fail_nomem(err);
	if (rule && strcmp(text, "notebook") != 0 && strcmp(text, "overlap") != 0)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "unknown rule '%s'; expected overlap or notebook", text);
	opts->notebook = rule && !strcmp(text, "notebook");
	if (!margin)
		return 0;
	if (sqlite3_value_type(margin) != SQLITE_INTEGER || sqlite3_value_int64(margin) < 0 ||
	    !opts->notebook)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "the margin is a number of ns, for the rule notebook");
	opts->margin_ns = (uint64_t)sqlite3_value_int64(margin);
	return 0;
}

static int take_arguments(struct active_options *opts, const struct query_scan *scan,
			  struct active_interval **given, struct cdict_error *err)
{
	sqlite3_value *file = scan->args[0], *only = scan->args[1];
	int ret = take_rule(opts, scan, err);

	if (ret)
		return ret;
	if (sqlite3_value_type(file) == SQLITE_BLOB)
		return only ? cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					 "a set of intervals has no name")
			    : take_set(opts, file, given, err);
	opts->file = (const char *)sqlite3_value_text(file);
	opts->name = only ? (const char *)sqlite3_value_text(only) : NULL;
	return !opts->file || (only && !opts->name) ? cdict_fail_nomem(err) : 0;
}

static int open_source(struct query_source **out, struct query_run_of *run,
		       const struct query_scan *scan, struct active_options *opts,
		       struct cdict_error *err)
{
	struct active_source *s = calloc(1, sizeof(*s));
	struct active_interval *given = NULL;
	int ret = s ? 0 : cdict_fail_nomem(err);

	if (!ret && !opts->all)
		ret = take_arguments(opts, scan, &given, err);
	opts->from_ns = run->from_ns;
	opts->to_ns = run->to_ns;
	opts->jobs = run->db->opts.jobs;
	if (!ret)
		ret = active_sums(&s->found, run->reader, opts, err);
	free(given);
	if (ret) {
		free(s);
		return ret;
	}
	s->base = (struct query_source){ opts->only_times ? time_next : sum_next,
					 opts->only_times ? time_column : sum_column,
					 active_close };
	*out = &s->base;
	return 0;
}

static int open_sums(struct query_source **out, struct query_run_of *run,
		     const struct query_table *table, const struct query_scan *scan,
		     struct cdict_error *err)
{
	bool all = table == &query_slice_sums;
	struct active_options opts = {
		.all = all,
		.histograms = query_uses(scan, all ? SLICE_DURATIONS : ACTIVE_DURATIONS),
	};

	return open_source(out, run, scan, &opts, err);
}

static int open_times(struct query_source **out, struct query_run_of *run,
		      const struct query_table *table, const struct query_scan *scan,
		      struct cdict_error *err)
{
	struct active_options opts = { .only_times = true };

	(void)table;
	return open_source(out, run, scan, &opts, err);
}

const struct query_table query_active_sums = {
	.name = "active_sums",
	.columns = sum_columns,
	.open = open_sums,
	.without = "active_sums() needs a part of a file name"
};

const struct query_table query_active_intervals = {
	.name = "active_intervals",
	.columns = time_columns,
	.open = open_times,
	.without = "active_intervals() needs a part of a file name"
};

const struct query_table query_slice_sums = { .name = "slice_sums",
					      .columns = slice_columns,
					      .open = open_sums };

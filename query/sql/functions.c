// SPDX-License-Identifier: GPL-2.0-only
/* functions.c - SQL functions about the files: cdict_open() of the extension, trace_start() and others. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "base/statistics.h"
#include "query/sql/tables.h"

enum { JOBS_MAX = 1024 };

static void unref(void *qdb)
{
	query_db_unref(qdb);
}

/* cdict_open(FILE) - adds the file to the tables; returns its number of events. */
static void on_open(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct query_db *qdb = sqlite3_user_data(ctx);
	const char *name = (const char *)sqlite3_value_text(argv[0]);
	const struct query_file file = { .name = name };
	struct cdict_error err = { 0 };
	size_t n = qdb->runs.n;

	(void)argc;
	if (!name) {
		sqlite3_result_error(ctx, "cdict_open() takes a file name", -1);
		return;
	}
	if (query_db_add(qdb, &file, &err) || query_events_register(qdb) != SQLITE_OK) {
		char *text = sqlite3_mprintf("%s: %s", name, err.code ? err.text : "out of memory");

		if (text)
			sqlite3_result_error(ctx, text, -1);
		else
			sqlite3_result_error_nomem(ctx);
		sqlite3_free(text);
		return;
	}
	sqlite3_result_int64(ctx, (sqlite3_int64)cdict_reader_events(qdb->runs.at[n]->reader));
}

/* cdict_jobs(N) - the number of threads that later statements decode with, 0: one per CPU; returns it. */
static void on_jobs(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct query_db *qdb = sqlite3_user_data(ctx);
	sqlite3_int64 n = sqlite3_value_int64(argv[0]);

	(void)argc;
	if (n < 0 || n > JOBS_MAX) {
		sqlite3_result_error(ctx, "cdict_jobs() takes a number from 0 to 1024", -1);
		return;
	}
	qdb->opts.jobs = (unsigned)n;
	sqlite3_result_int64(ctx, n);
}

static void on_blocks(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	(void)argc;
	(void)argv;
	sqlite3_result_int64(ctx, (sqlite3_int64)query_db_blocks(sqlite3_user_data(ctx)));
}

/* The first and the last event of all files. */
static bool bounds(const struct query_db *qdb, uint64_t *first_ns, uint64_t *last_ns)
{
	*first_ns = UINT64_MAX;
	*last_ns = 0;
	for (size_t i = 0; i < qdb->runs.n; i++) {
		const struct query_run_of *run = qdb->runs.at[i];

		uint64_t from = run->from_ns > run->first_ns ? run->from_ns : run->first_ns;
		uint64_t to = run->to_ns && run->to_ns < run->last_ns ? run->to_ns : run->last_ns;

		*first_ns = from < *first_ns ? from : *first_ns;
		*last_ns = to > *last_ns ? to : *last_ns;
	}
	return qdb->runs.n > 0;
}

static void on_start(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	uint64_t first_ns, last_ns;

	(void)argc;
	(void)argv;
	if (bounds(sqlite3_user_data(ctx), &first_ns, &last_ns))
		sqlite3_result_int64(ctx, (sqlite3_int64)first_ns);
}

static void on_end(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	uint64_t first_ns, last_ns;

	(void)argc;
	(void)argv;
	if (bounds(sqlite3_user_data(ctx), &first_ns, &last_ns))
		sqlite3_result_int64(ctx, (sqlite3_int64)last_ns);
}

static void on_dur(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	uint64_t first_ns, last_ns;

	(void)argc;
	(void)argv;
	if (bounds(sqlite3_user_data(ctx), &first_ns, &last_ns))
		sqlite3_result_int64(ctx,
				     (sqlite3_int64)(last_ns > first_ns ? last_ns - first_ns : 0));
}

/* ---- percentile(x, p): between the two values at that rank, p from 0 to 100 ---- */

struct values {
	ARRAY(double) all;
	double percent;
	bool failed;
};

static void add_value(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct values *v = sqlite3_aggregate_context(ctx, sizeof(*v));

	(void)argc;
	if (!v) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	v->percent = sqlite3_value_double(argv[1]);
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL || v->failed)
		return;
	if (array_push(&v->all, sqlite3_value_double(argv[0])))
		v->failed = true;
}

static void end_values(sqlite3_context *ctx)
{
	struct values *v = sqlite3_aggregate_context(ctx, 0);

	if (!v)
		return;
	if (v->failed) {
		sqlite3_result_error_nomem(ctx);
	} else if (!(v->percent >= 0 && v->percent <= 100)) {
		sqlite3_result_error(ctx, "percentile() takes a percentage from 0 to 100", -1);
	} else if (v->all.n) {
		statistics_sort(v->all.at, v->all.n);
		sqlite3_result_double(ctx,
				      statistics_quantile(v->all.at, v->all.n, v->percent / 100));
	}
	array_fini(&v->all);
}

static int add_function(struct query_db *qdb, const char *name, int n_args, int flags,
			void (*fn)(sqlite3_context *, int, sqlite3_value **))
{
	qdb->refs++;
	return sqlite3_create_function_v2(qdb->db, name, n_args, SQLITE_UTF8 | flags, qdb, fn, NULL,
					  NULL, unref);
}

int query_functions_register(struct query_db *qdb)
{
	int rc = add_function(qdb, "cdict_open", 1, SQLITE_DIRECTONLY, on_open);

	if (rc == SQLITE_OK)
		rc = add_function(qdb, "cdict_jobs", 1, SQLITE_DIRECTONLY, on_jobs);
	if (rc == SQLITE_OK)
		rc = add_function(qdb, "cdict_blocks_read", 0, 0, on_blocks);
	if (rc == SQLITE_OK)
		rc = add_function(qdb, "trace_start", 0, 0, on_start);
	if (rc == SQLITE_OK)
		rc = add_function(qdb, "trace_end", 0, 0, on_end);
	if (rc == SQLITE_OK)
		rc = add_function(qdb, "trace_dur", 0, 0, on_dur);
	if (rc == SQLITE_OK)
		rc = sqlite3_create_function_v2(qdb->db, "percentile", 2,
						SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, NULL,
						add_value, end_values, NULL);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-only
/* registry.c - the files of a connection, and the list of its tables. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/digest.h"
#include "base/fail.h"
#include "base/text/scope.h"
#include "format/file/reader.h"
#include "query/sql/tables.h"

static const struct query_table *const tables[] = {
	&query_sched_slice,
	&query_sched,
	&query_thread_state,
	&query_wakeup,
	&query_kvm_exit,
	&query_thread_table,
	&query_process_table,
	&query_thread_track,
	&query_loss,
	&query_cpu,
	&query_metadata,
	&query_trace_bounds,
	&query_ftrace_event,
	&query_slice,
	&query_guest_thread,
	&query_guest_thread_state,
	NULL,
};

const struct query_table *const *query_tables(void)
{
	return tables;
}

struct query_db *query_db_new(sqlite3 *db, const struct query_options *opts)
{
	struct query_db *qdb = calloc(1, sizeof(*qdb));

	if (!qdb)
		return NULL;
	qdb->db = db;
	qdb->refs = 1;
	if (opts)
		qdb->opts = *opts;
	return qdb;
}

static void free_run(struct query_run_of *run)
{
	if (!run)
		return;
	query_guests_fini(run);
	query_threads_fini(run);
	digests_free(run->digests);
	label_index_free(run->own_labels);
	cdict_reader_close(run->own_reader);
	free(run->own_name);
	free(run);
}

void query_db_unref(struct query_db *qdb)
{
	if (!qdb || --qdb->refs)
		return;
	for (size_t i = 0; i < qdb->runs.n; i++)
		free_run(qdb->runs.at[i]);
	array_fini(&qdb->runs);
	query_events_free(qdb);
	free(qdb);
}

/* Whether the events of each CPU are complete on their own. */
static bool is_whole(const struct cdict_reader *r, const struct scope *scope)
{
	return scope->kind == SCOPE_SYSTEM && !scope->overwritten && !scope->filtered &&
	       !scope->foreign && !scope->late && !scope->begins_ns && !cdict_reader_loss_count(r);
}

static int fill_run(struct query_run_of *run, const struct query_file *file,
		    struct cdict_error *err)
{
	const char *source;
	struct scope scope;
	int rc = 0;

	run->own_name = strdup(file->name);
	if (!run->own_name)
		return cdict_fail_nomem(err);
	run->name = run->own_name;
	run->reader = file->reader;
	run->from_ns = file->from_ns;
	run->to_ns = file->to_ns;
	if (!run->reader) {
		rc = cdict_reader_open(&run->own_reader, file->name, err);
		run->reader = run->own_reader;
	}
	run->labels = file->labels;
	if (!rc && !run->labels) {
		rc = label_index_new(&run->own_labels, run->reader, false, NULL, err);
		run->labels = run->own_labels;
	}
	if (rc)
		return rc;
	if (!cdict_reader_window(run->reader, &run->first_ns, &run->last_ns))
		run->first_ns = run->last_ns = 0;
	scope_of_reader(&scope, run->reader);
	run->whole = is_whole(run->reader, &scope);
	run->foreign = scope.foreign;
	source = cdict_reader_info(run->reader, "source");
	run->sparse = source && !strcmp(source, "pfw");
	return query_events_add(run, err);
}

int query_db_add(struct query_db *qdb, const struct query_file *file, struct cdict_error *err)
{
	struct query_run_of *run = calloc(1, sizeof(*run));
	int rc = -ENOMEM;

	if (!run || array_reserve(&qdb->runs, qdb->runs.n + 1)) {
		free(run);
		return cdict_fail_nomem(err);
	}
	run->db = qdb;
	run->number = qdb->runs.n;
	rc = fill_run(run, file, err);
	if (rc) {
		free_run(run);
		return rc;
	}
	qdb->runs.at[qdb->runs.n++] = run;
	return 0;
}

void query_clip(const struct query_run_of *run, struct query_scan *scan)
{
	if (run->from_ns > scan->clip_from_ns)
		scan->clip_from_ns = run->from_ns;
	if (run->to_ns && (!scan->clip_to_ns || run->to_ns < scan->clip_to_ns))
		scan->clip_to_ns = run->to_ns;
	scan->nothing |= scan->clip_to_ns && scan->clip_from_ns > scan->clip_to_ns;
}

int query_db_register(struct query_db *qdb, struct cdict_error *err)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; tables[i] && rc == SQLITE_OK; i++)
		rc = query_vtab_register(qdb, tables[i]);
	if (rc == SQLITE_OK)
		rc = query_functions_register(qdb);
	if (rc == SQLITE_OK)
		rc = query_intervals_register(qdb);
	if (rc == SQLITE_OK)
		rc = query_histograms_register(qdb);
	if (rc == SQLITE_OK)
		rc = query_vtab_register(qdb, &query_active_sums);
	if (rc == SQLITE_OK)
		rc = query_vtab_register(qdb, &query_active_intervals);
	if (rc == SQLITE_OK)
		rc = query_vtab_register(qdb, &query_slice_sums);
	if (rc == SQLITE_OK)
		rc = query_span_join_register(qdb->db);
	if (rc == SQLITE_OK)
		rc = query_events_register(qdb);
	return rc == SQLITE_OK ? 0
	       : rc == SQLITE_NOMEM
		       ? cdict_fail_nomem(err)
		       : cdict_fail(err, -EIO, CDICT_NO_OFFSET, "SQLite: %s", sqlite3_errstr(rc));
}

uint64_t query_db_blocks(const struct query_db *qdb)
{
	uint64_t n = 0;

	for (size_t i = 0; i < qdb->runs.n; i++)
		n += reader_blocks_read(qdb->runs.at[i]->reader);
	return n;
}

uint64_t query_db_events(const struct query_db *qdb)
{
	uint64_t n = 0;

	for (size_t i = 0; i < qdb->runs.n; i++)
		n += cdict_reader_events(qdb->runs.at[i]->reader);
	return n;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * export_parquet.c - writes the tables to Parquet files, FOLDER/TABLE/run=NAME/part-0.parquet.
 *
 * SQLite takes no part in it: all tables of an analysis share one walk, all tables of stored events one pass, and
 * their sources' values go straight to the columns. A table that has two names is a folder and a symbolic link.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/system/outfile.h"
#include "base/text/utf8.h"
#include "query/sql/database.h"
#include "query/sql/export_rows.h"

/* Events between two looks at the rows of a walk. */
enum { STEP = 4096 };
/* Tables that an event belongs to: its own, ftrace_event, slice. */
enum { TABLES_OF_TYPE = 3 };

/* A table's file of one run. */
struct writer {
	struct export_rows rows;
	struct sink sink;
	int fd;
};

struct job {
	const struct query_run_of *run;
	struct query_db *db;
	struct outdir *dir;
	struct query_shared shared;
	ARRAY(struct writer) all; /* open files */
};

/* ---- names ---- */

/* Appends a name, with %XX for bytes that are special in a folder's name or Hive's. Hidden names, which readers skip,
 * begin with a dot or an underscore. */
static void add_escaped(struct sink *s, const char *name, const char *plain)
{
	const char *piece, *first = name;
	size_t len = strlen(name), n;

	for (size_t at = 0; at < len;) {
		at += utf8_piece(name + at, len - at, &piece, &n);
		for (size_t i = 0; i < n; i++) {
			unsigned char c = (unsigned char)piece[i];
			bool hidden = piece == first && (c == '.' || c == '_');

			if (!hidden &&
			    (c >= 0x80 || (c >= '0' && c <= '9') ||
			     ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || strchr(plain, c)))
				sink_putc(s, (char)c);
			else
				sink_printf(s, "%%%02X", c);
		}
	}
}

static char *folder_of(const char *table)
{
	struct sink s;
	size_t len;

	sink_to_memory(&s);
	add_escaped(&s, table, "._-+@:");
	return sink_take(&s, &len);
}

static char *path_of(const char *table, const char *run)
{
	char *folder = folder_of(table);
	struct sink s;
	size_t len;

	sink_to_memory(&s);
	sink_puts(&s, folder ? folder : "");
	sink_puts(&s, "/run=");
	add_escaped(&s, run, "._-+@ ");
	if (!folder)
		s.error = -ENOMEM;
	free(folder);
	return sink_take(&s, &len);
}

/* ---- a file ---- */

static int put(void *ctx, const void *data, size_t size)
{
	const struct writer *w = ctx;
	uint64_t bytes = 0;

	return outfile_write_all(w->fd, data, size, &bytes);
}

static void writer_fini(struct writer *w)
{
	parquet_abort(w->rows.file);
	if (w->rows.file)
		sink_finish(&w->sink);
	if (w->rows.src)
		w->rows.src->close(w->rows.src);
	if (w->fd >= 0)
		close(w->fd);
	export_rows_fini(&w->rows);
	*w = (struct writer){ .fd = -1 };
}

/* Many tables are open at once: two descriptors for each would do. */
static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_file(struct writer *w, const struct job *job, struct cdict_error *err)
{
	static const struct parquet_pair units[] = { { "unit:ts", "ns" },
						     { "unit:dur", "ns" },
						     { "unit:start_ts", "ns" },
						     { "unit:end_ts", "ns" } };
	struct parquet_options opts = { .fields = w->rows.fields,
					.n = w->rows.n,
					.pairs = units,
					.n_pairs = sizeof(units) / sizeof(units[0]) };
	char *path = path_of(w->rows.table->name, job->run->name);
	int rc;

	if (!path)
		return cdict_fail_nomem(err);
	if ((w->rows.table->flags & QUERY_ORDERED) && w->rows.ts == 0)
		opts.sorted_by = 1;
	w->fd = outdir_file(job->dir, path, "part-0.parquet", err);
	rc = w->fd < 0 ? w->fd : 0;
	free(path);
	if (rc)
		return rc;
	sink_to(&w->sink, put, w);
	rc = parquet_open(&w->rows.file, &opts, &w->sink, err);
	if (rc)
		sink_finish(&w->sink);
	return rc;
}

/* Adds a file for @table, and its source. */
static int add_writer(struct job *job, const struct query_table *table, struct cdict_error *err)
{
	struct query_scan scan = { .to_ns = UINT64_MAX, .end_to_ns = UINT64_MAX };
	struct writer *w = array_add(&job->all);
	int rc;

	if (!w)
		return cdict_fail_nomem(err);
	*w = (struct writer){ .fd = -1 };
	if (export_rows_init(&w->rows, table, job->run))
		return cdict_fail_nomem(err);
	scan.used = export_rows_use(&w->rows);
	if (table->flags & (QUERY_WALK | QUERY_EVENTS))
		scan.shared = &job->shared;
	/* the array does not move a writer whose sink refers to it: room was made for all */
	rc = open_file(w, job, err);
	return rc ? rc
		  : table->open(&w->rows.src, (struct query_run_of *)(uintptr_t)job->run, table,
				&scan, err);
}

/* ---- a run ---- */

static int walk(struct job *job, struct cdict_error *err)
{
	struct analyze_engine *eng = job->shared.eng;
	int rc = eng ? analyze_engine_begin(eng, job->run->reader, err) : 0, more = eng ? 1 : 0;

	while (!rc && more) {
		more = analyze_engine_step(eng, STEP, err);
		rc = more < 0 ? more : 0;
		for (size_t i = 0; i < job->all.n && !rc; i++)
			if (job->all.at[i].rows.table->flags & QUERY_WALK)
				rc = export_rows_add(&job->all.at[i].rows, err);
	}
	return rc;
}

/* The fields that the tables have, of all types. */
static int field_of(const void *ctx, const struct cdict_event_type *type, size_t i)
{
	(void)ctx;
	return i < type->n_fields && strncmp(type->fields[i].name, "common_", 7) ? (int)i : -1;
}

static bool all(const void *ctx, const struct cdict_event_type *type)
{
	(void)ctx;
	(void)type;
	return true;
}

static void no_column(struct query_source *src, struct query_value *out, int column)
{
	(void)src;
	(void)out;
	(void)column;
}

/* Which tables have the events of each type. */
static struct writer **tables_of_types(struct job *job, const struct cdict_schema *schema)
{
	size_t n = cdict_schema_count(schema);
	struct writer **of = calloc(n * TABLES_OF_TYPE + 1, sizeof(struct writer *));

	for (size_t i = 0; of && i < job->all.n; i++) {
		struct writer *w = &job->all.at[i];
		const struct stream_source *s = (const struct stream_source *)(void *)w->rows.src;

		if (!(w->rows.table->flags & QUERY_EVENTS))
			continue;
		for (size_t type = 0; type < n; type++)
			for (size_t k = 0; s->types[type / 64] >> type % 64 & 1; k++)
				if (!of[type * TABLES_OF_TYPE + k]) {
					of[type * TABLES_OF_TYPE + k] = w;
					break;
				}
	}
	return of;
}

static int pass(struct job *job, struct cdict_error *err)
{
	const struct cdict_schema *schema = cdict_reader_schema(job->run->reader);
	const struct query_scan scan = { .to_ns = UINT64_MAX, .end_to_ns = UINT64_MAX };
	struct stream_options opts = {
		.scan = &scan, .utid = true, .field = field_of, .wants = all
	};
	struct query_source *src = NULL;
	struct writer **of;
	int rc;

	for (size_t i = 0; i < cdict_schema_count(schema); i++)
		if (cdict_schema_at(schema, i)->n_fields > opts.n_fields)
			opts.n_fields = cdict_schema_at(schema, i)->n_fields;
	of = tables_of_types(job, schema);
	if (!of)
		return cdict_fail_nomem(err);
	rc = stream_open(&src, (struct query_run_of *)(uintptr_t)job->run, &opts, no_column, err);
	while (!rc && (rc = src->next(src, err)) > 0) {
		struct stream_source *s = (struct stream_source *)(void *)src;
		struct writer *const *to = of + s->ev.type->index * TABLES_OF_TYPE;
		int64_t utid = stream_utid(s);

		rc = 0;
		for (size_t k = 0; k < TABLES_OF_TYPE && to[k] && !rc; k++)
			rc = export_rows_event(&to[k]->rows, &s->ev, utid, err);
	}
	if (src)
		src->close(src);
	free(of);
	return rc;
}

/* Completes the files; the sources end before the engine does. */
static int end_files(struct job *job, int rc, struct cdict_error *err)
{
	for (size_t i = 0; i < job->all.n; i++) {
		struct writer *w = &job->all.at[i];
		int code;

		if (!rc) {
			struct parquet *file = w->rows.file;

			w->rows.file = NULL;
			rc = parquet_close(file, err);
			code = sink_finish(&w->sink);
			rc = rc ? rc : code;
			if (!rc && close(w->fd))
				rc = -errno;
			w->fd = -1;
		}
		if (rc && !err->code) {
			errno = -rc;
			cdict_fail_errno(err, w->rows.table->name);
		}
		writer_fini(w);
	}
	array_fini(&job->all);
	analyze_engine_free(job->shared.eng);
	job->shared.eng = NULL;
	return rc;
}

/* The tables with a folder of their own: not other names of one. */
static bool has_folder(const struct query_table *t)
{
	return t != &query_sched;
}

static int write_run(struct query_db *qdb, const struct query_run_of *run, struct outdir *dir,
		     struct cdict_error *err)
{
	struct job job = { .db = qdb, .run = run, .dir = dir };
	size_t n = qdb->events.n;
	int rc;

	while (query_tables()[n - qdb->events.n])
		n++;
	rc = array_reserve(&job.all, n) ? cdict_fail_nomem(err) : 0;
	for (size_t i = 0; query_tables()[i] && !rc; i++)
		if (has_folder(query_tables()[i]))
			rc = add_writer(&job, query_tables()[i], err);
	for (size_t i = 0; i < qdb->events.n && !rc; i++) {
		const struct query_event_table *e = qdb->events.at[i];

		rc = add_writer(&job, e->has_bare ? &e->bare : &e->full, err);
	}
	if (!rc)
		rc = walk(&job, err);
	if (!rc)
		rc = pass(&job, err);
	for (size_t i = 0; i < job.all.n && !rc; i++)
		if (!(job.all.at[i].rows.table->flags & (QUERY_WALK | QUERY_EVENTS)))
			rc = export_rows_add(&job.all.at[i].rows, err);
	return end_files(&job, rc, err);
}

static int add_link(struct outdir *dir, const char *name, const char *of, struct cdict_error *err)
{
	char *link = folder_of(name), *target = folder_of(of);
	int rc = link && target ? outdir_link(dir, link, target, err) : cdict_fail_nomem(err);

	free(link);
	free(target);
	return rc;
}

static int write_tables(struct query_db *qdb, struct outdir *dir, struct cdict_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < qdb->runs.n && !rc; i++)
		rc = write_run(qdb, qdb->runs.at[i], dir, err);
	if (!rc)
		rc = add_link(dir, query_sched.name, query_sched_slice.name, err);
	for (size_t i = 0; i < qdb->events.n && !rc; i++) {
		const struct query_event_table *e = qdb->events.at[i];

		if (e->has_bare)
			rc = add_link(dir, e->full_name, e->name, err);
	}
	return rc;
}

int query_export_parquet(const struct query_file *files, size_t n, const struct query_options *opts,
			 struct outdir *dir, struct cdict_error *err)
{
	struct query_db *qdb;
	sqlite3 *db;
	int rc = query_connect(&db, err);

	if (rc)
		return rc;
	allow_files();
	rc = query_connect_files(&qdb, db, files, n, opts, err);
	if (!rc)
		rc = write_tables(qdb, dir, err);
	sqlite3_close(db);
	query_db_unref(qdb);
	return rc;
}

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
#include "query/parquet/parquet.h"
#include "query/sql/database.h"
#include "query/sql/stream.h"

/* Events between two looks at the rows of a walk. */
enum { STEP = 4096 };
/* Tables that an event belongs to: its own, ftrace_event, slice. */
enum { TABLES_OF_TYPE = 3 };

/* A table's file of one run. */
struct writer {
	const struct query_table *table;
	struct query_source *src;
	struct parquet *file;
	struct sink sink;
	int fd;
	struct parquet_field *fields;
	int *columns; /* of the table, by field */
	size_t n;
	int ts; /* the table's column with the time, or -1 */
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

static char *utf8_name(const char *name)
{
	struct sink s;
	const char *piece;
	size_t len = strlen(name), n;

	sink_to_memory(&s);
	for (size_t at = 0; at < len;) {
		at += utf8_piece(name + at, len - at, &piece, &n);
		sink_add(&s, piece, n);
	}
	return sink_take(&s, &len);
}

/* ---- a file ---- */

static int put(void *ctx, const void *data, size_t size)
{
	const struct writer *w = ctx;
	uint64_t bytes = 0;

	return outfile_write_all(w->fd, data, size, &bytes);
}

static enum parquet_type type_of(const struct query_column *c)
{
	return !strcmp(c->type, "INTEGER") ? PARQUET_INT64
	       : !strcmp(c->type, "REAL")  ? PARQUET_DOUBLE
	       : !strcmp(c->type, "TEXT")  ? PARQUET_TEXT
					   : PARQUET_BYTES;
}

static int set_fields(struct writer *w, const struct query_run_of *run)
{
	size_t n = 0;

	while (w->table->columns[n].name)
		n++;
	w->fields = calloc(n + 1, sizeof(*w->fields));
	w->columns = calloc(n + 1, sizeof(*w->columns));
	w->ts = -1;
	for (size_t i = 0; w->fields && w->columns && i < n; i++) {
		const struct query_column *c = &w->table->columns[i];

		if (c->hidden)
			continue;
		if (c->role == QUERY_TS)
			w->ts = (int)i;
		w->fields[w->n].name = utf8_name(c->name);
		w->fields[w->n].type = type_of(c);
		w->fields[w->n].constant = c->role == QUERY_RUN ? run->name : NULL;
		if (!w->fields[w->n].name)
			return -ENOMEM;
		w->columns[w->n++] = (int)i;
	}
	return w->fields && w->columns ? 0 : -ENOMEM;
}

static void writer_fini(struct writer *w)
{
	parquet_abort(w->file);
	if (w->file)
		sink_finish(&w->sink);
	if (w->src)
		w->src->close(w->src);
	if (w->fd >= 0)
		close(w->fd);
	for (size_t i = 0; w->fields && i < w->n; i++)
		free((char *)(uintptr_t)w->fields[i].name);
	free(w->fields);
	free(w->columns);
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
	struct parquet_options opts = { .fields = w->fields,
					.n = w->n,
					.pairs = units,
					.n_pairs = sizeof(units) / sizeof(units[0]) };
	char *path = path_of(w->table->name, job->run->name);
	int rc;

	if (!path)
		return cdict_fail_nomem(err);
	if ((w->table->flags & QUERY_ORDERED) && w->ts == 0)
		opts.sorted_by = 1;
	w->fd = outdir_file(job->dir, path, "part-0.parquet", err);
	rc = w->fd < 0 ? w->fd : 0;
	free(path);
	if (rc)
		return rc;
	sink_to(&w->sink, put, w);
	rc = parquet_open(&w->file, &opts, &w->sink, err);
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
	*w = (struct writer){ .table = table, .fd = -1 };
	if (set_fields(w, job->run))
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < w->n; i++)
		scan.used |= UINT64_C(1) << (w->columns[i] < 63 ? w->columns[i] : 63);
	if (table->flags & (QUERY_WALK | QUERY_EVENTS))
		scan.shared = &job->shared;
	/* the array does not move a writer whose sink refers to it: room was made for all */
	rc = open_file(w, job, err);
	return rc ? rc
		  : table->open(&w->src, (struct query_run_of *)(uintptr_t)job->run, table, &scan,
				err);
}

/* ---- a row ---- */

static int mismatch(const struct writer *w, size_t i, struct cdict_error *err)
{
	return cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
			  "column %s of table %s has values of several types", w->fields[i].name,
			  w->table->name);
}

static int add_value(struct writer *w, struct parquet_row *row, size_t i,
		     const struct query_value *v, struct cdict_error *err)
{
	enum parquet_type type = w->fields[i].type;

	if (v->kind == QUERY_NULL)
		parquet_null(row, i);
	else if (v->kind == QUERY_INTEGER && type == PARQUET_INT64)
		parquet_int(row, i, v->integer);
	else if (v->kind == QUERY_REAL && type == PARQUET_DOUBLE)
		parquet_real(row, i, v->real);
	else if (v->kind == QUERY_TEXT && type == PARQUET_TEXT)
		parquet_text(row, i, v->data, v->len);
	else if ((v->kind == QUERY_BLOB || v->kind == QUERY_TEXT) && type == PARQUET_BYTES)
		parquet_text(row, i, v->data, v->len);
	else if (v->kind == QUERY_FAILED)
		return v->integer == -ENOMEM ? cdict_fail_nomem(err)
					     : cdict_fail(err, (int)v->integer, CDICT_NO_OFFSET,
							  "%s", cdict_strerror((int)v->integer));
	else
		return mismatch(w, i, err);
	return 0;
}

static inline void value_of(struct query_value *v, const struct writer *w, int column)
{
	v->kind = QUERY_NULL;
	v->given = NULL;
	w->src->column(w->src, v, column);
}

static int add_row(struct writer *w, struct cdict_error *err)
{
	struct parquet_row *row;
	struct query_value v, ts;
	int rc = 0;

	ts.kind = QUERY_NULL;
	if (w->ts >= 0)
		value_of(&ts, w, w->ts);
	row = parquet_row(w->file, ts.kind == QUERY_INTEGER ? ts.integer : PARQUET_NO_TIME);
	for (size_t i = 0; i < w->n && !rc; i++) {
		if (w->fields[i].constant)
			continue;
		if (w->columns[i] == w->ts) {
			rc = add_value(w, row, i, &ts, err);
			continue;
		}
		value_of(&v, w, w->columns[i]);
		if (v.kind == QUERY_INTEGER && w->fields[i].type == PARQUET_INT64) {
			parquet_int(row, i, v.integer);
			continue;
		}
		if (v.kind == QUERY_NULL) {
			parquet_null(row, i);
			continue;
		}
		rc = add_value(w, row, i, &v, err);
		if (v.given)
			free(v.given);
	}
	return rc ? rc : parquet_row_end(w->file, row, err);
}

/* Adds the rows that the source has now. */
static int add_rows(struct writer *w, struct cdict_error *err)
{
	int rc;

	while ((rc = w->src->next(w->src, err)) > 0) {
		rc = add_row(w, err);
		if (rc)
			return rc;
	}
	return rc;
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
			if (job->all.at[i].table->flags & QUERY_WALK)
				rc = add_rows(&job->all.at[i], err);
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
		const struct stream_source *s = (const struct stream_source *)(void *)w->src;

		if (!(w->table->flags & QUERY_EVENTS))
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

static int add_event(struct writer *const *of, const struct cdict_event *ev,
		     struct cdict_error *err)
{
	int rc = 0;

	for (size_t k = 0; k < TABLES_OF_TYPE && of[k] && !rc; k++) {
		((struct stream_source *)(void *)of[k]->src)->ev = *ev;
		rc = add_row(of[k], err);
	}
	return rc;
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
		const struct cdict_event *ev = &((struct stream_source *)(void *)src)->ev;

		rc = add_event(of + ev->type->index * TABLES_OF_TYPE, ev, err);
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
			struct parquet *file = w->file;

			w->file = NULL;
			rc = parquet_close(file, err);
			code = sink_finish(&w->sink);
			rc = rc ? rc : code;
			if (!rc && close(w->fd))
				rc = -errno;
			w->fd = -1;
		}
		if (rc && !err->code) {
			errno = -rc;
			cdict_fail_errno(err, w->table->name);
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
		if (!(job.all.at[i].table->flags & (QUERY_WALK | QUERY_EVENTS)))
			rc = add_rows(&job.all.at[i], err);
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

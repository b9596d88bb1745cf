// SPDX-License-Identifier: GPL-2.0-only
/*
 * database.c - the program's own connection: SQLite loaded, files registered, statements run.
 *
 * The database is in memory and starts empty. Statements may create tables and views there, which vanish with it; they
 * cannot open, write or attach files.
 */
#include "query/sql/database.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/system/shared_object.h"
#include "query/sql/tables.h"

/* SQLite's memory limit: a sort uses temporary files long before. */
#define MEMORY_DEFAULT ((sqlite3_int64)2 << 30)
/* Bytes of a text or blob; SQLite instructions between two calls of on_progress(). */
enum { VALUE_MOST = 256 << 20, STEPS = 20000 };

struct query {
	sqlite3 *db;
	struct query_db *files;
	const struct query_out *out; /* of the running statement */
	int stopped;                 /* the result other than 0 of one of its functions */
};

/* ---- loading ---- */

static struct {
	int (*open)(const char *path, sqlite3 **db, int flags, const char *vfs);
	int (*auto_extension)(void (*entry)(void));
	int (*initialize)(void);
	int (*cancel)(void (*entry)(void));
} library;

static int take_api(sqlite3 *db, char **why, const struct sqlite3_api_routines *api)
{
	(void)db;
	(void)why;
	sqlite3_api = api;
	return SQLITE_OK;
}

static int load(struct cdict_error *err)
{
	static const char *const names[] = { "libsqlite3.so.0", NULL };
	static const struct shared_function functions[] = {
		{ "sqlite3_open_v2", &library.open },
		{ "sqlite3_auto_extension", &library.auto_extension },
		{ "sqlite3_cancel_auto_extension", &library.cancel },
		{ "sqlite3_initialize", &library.initialize },
	};
	static struct shared_object so = {
		.use = "SQL needs libsqlite3",
		.package = "libsqlite3-0",
		.names = names,
		.functions = functions,
		.n = sizeof(functions) / sizeof(functions[0]),
	};

	return shared_object_load(&so, err);
}

int query_connect(sqlite3 **out, struct cdict_error *err)
{
	/* SQLite calls it with its real type */
	void (*entry)(void) = (void (*)(void))(uintptr_t)take_api;
	int rc = load(err);

	*out = NULL;
	if (rc)
		return rc;
	if (library.initialize() != SQLITE_OK || library.auto_extension(entry) != SQLITE_OK)
		return cdict_fail_nomem(err);
	rc = library.open(":memory:", out,
			  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
	library.cancel(entry);
	if (!sqlite3_api)
		return cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				  "this SQLite was built without extensions");
	if (rc == SQLITE_OK)
		return 0;
	sqlite3_close(*out);
	*out = NULL;
	return rc == SQLITE_NOMEM
		       ? cdict_fail_nomem(err)
		       : cdict_fail(err, -EIO, CDICT_NO_OFFSET, "SQLite: %s", sqlite3_errstr(rc));
}

int query_sqlite_failed(sqlite3 *db, int rc, struct cdict_error *err)
{
	return rc == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM
		       ? cdict_fail_nomem(err)
		       : cdict_fail(err, -EINVAL, CDICT_NO_OFFSET, "%s", sqlite3_errmsg(db));
}

/* ---- forbidden in statements ---- */

static bool is_harmless_pragma(const char *name)
{
	static const char *const names[] = { "table_info",    "table_xinfo",    "table_list",
					     "module_list",   "function_list",  "pragma_list",
					     "database_list", "compile_options" };

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (!sqlite3_stricmp(name, names[i]))
			return true;
	return false;
}

static int may(void *ctx, int what, const char *first, const char *second, const char *database,
	       const char *trigger)
{
	(void)ctx;
	(void)database;
	(void)trigger;
	switch (what) {
	case SQLITE_ATTACH:
	case SQLITE_DETACH:
		return SQLITE_DENY;
	case SQLITE_PRAGMA:
		return is_harmless_pragma(first) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_FUNCTION:
		return second && (!sqlite3_stricmp(second, "load_extension") ||
				  !sqlite3_stricmp(second, "cdict_open"))
			       ? SQLITE_DENY
			       : SQLITE_OK;
	default:
		return SQLITE_OK;
	}
}

/* ---- open ---- */

static int on_progress(void *ctx)
{
	struct query *q = ctx;

	if (!q->out || !q->out->progress)
		return 0;
	q->stopped =
		q->out->progress(q->out->progress_ctx, q->files->read, query_db_events(q->files));
	return q->stopped != 0;
}

int query_connect_files(struct query_db **out, sqlite3 *db, const struct query_file *files,
			size_t n, const struct query_options *opts, struct cdict_error *err)
{
	int rc;

	*out = query_db_new(db, opts);
	if (!*out)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < n; i++) {
		rc = query_db_add(*out, &files[i], err);
		if (rc)
			return cdict_fail_in(err, rc, files[i].name);
	}
	return query_db_register(*out, err);
}

static int set_up(struct query *q, const struct query_file *files, size_t n,
		  const struct query_options *opts, struct cdict_error *err)
{
	int rc = query_connect(&q->db, err);

	if (rc)
		return rc;
	sqlite3_hard_heap_limit64(opts && opts->memory_bytes ? (sqlite3_int64)opts->memory_bytes
							     : MEMORY_DEFAULT);
	sqlite3_limit(q->db, SQLITE_LIMIT_LENGTH, VALUE_MOST);
	rc = query_connect_files(&q->files, q->db, files, n, opts, err);
	if (rc)
		return rc;
	sqlite3_set_authorizer(q->db, may, NULL);
	sqlite3_progress_handler(q->db, STEPS, on_progress, q);
	return 0;
}

int query_open(struct query **out, const struct query_file *files, size_t n,
	       const struct query_options *opts, struct cdict_error *err)
{
	struct query *q = calloc(1, sizeof(*q));
	int rc;

	*out = NULL;
	if (!q)
		return cdict_fail_nomem(err);
	rc = set_up(q, files, n, opts, err);
	if (rc) {
		query_close(q);
		return rc;
	}
	*out = q;
	return 0;
}

void query_close(struct query *q)
{
	if (!q)
		return;
	if (q->db)
		sqlite3_close(q->db);
	query_db_unref(q->files);
	free(q);
}

uint64_t query_blocks_read(const struct query *q)
{
	return query_db_blocks(q->files);
}

/* ---- run ---- */

static void value_of(sqlite3_stmt *stmt, int i, struct query_value *v)
{
	*v = (struct query_value){ 0 };
	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_INTEGER:
		v->kind = QUERY_INTEGER;
		v->integer = sqlite3_column_int64(stmt, i);
		break;
	case SQLITE_FLOAT:
		v->kind = QUERY_REAL;
		v->real = sqlite3_column_double(stmt, i);
		break;
	case SQLITE_TEXT:
		v->kind = QUERY_TEXT;
		v->data = (const char *)sqlite3_column_text(stmt, i);
		v->len = (size_t)sqlite3_column_bytes(stmt, i);
		break;
	case SQLITE_BLOB:
		v->kind = QUERY_BLOB;
		v->data = sqlite3_column_blob(stmt, i);
		v->len = v->data ? (size_t)sqlite3_column_bytes(stmt, i) : 0;
		break;
	default:
		break;
	}
}

static int report_columns(struct query *q, sqlite3_stmt *stmt, size_t n)
{
	const char **names = calloc(n, sizeof(*names));
	int rc = names ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc; i++) {
		names[i] = sqlite3_column_name(stmt, (int)i);
		rc = names[i] ? 0 : -ENOMEM;
	}
	if (!rc)
		rc = q->out->columns(q->out->ctx, names, n);
	free(names);
	return rc;
}

/* Runs one statement; 0, the result of one of the caller's functions, or a failure with *err. */
static int run_one(struct query *q, sqlite3_stmt *stmt, struct cdict_error *err)
{
	size_t n = (size_t)sqlite3_column_count(stmt);
	struct query_value *values = n ? calloc(n, sizeof(*values)) : NULL;
	int rc = SQLITE_DONE;

	if (n && !values)
		return cdict_fail_nomem(err);
	q->stopped = n ? report_columns(q, stmt, n) : 0;
	while (!q->stopped && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		for (size_t i = 0; i < n; i++) {
			value_of(stmt, (int)i, &values[i]);
			if (values[i].kind == QUERY_TEXT && !values[i].data)
				q->stopped = -ENOMEM;
		}
		if (!q->stopped && n)
			q->stopped = q->out->row(q->out->ctx, values, n);
	}
	free(values);
	if (q->stopped)
		return q->stopped == -ENOMEM ? cdict_fail_nomem(err) : q->stopped;
	return rc == SQLITE_DONE ? 0 : query_sqlite_failed(q->db, rc, err);
}

int query_run(struct query *q, const char *sql, const struct query_out *out,
	      struct cdict_error *err)
{
	int rc = 0;

	q->out = out;
	while (*sql && !rc) {
		sqlite3_stmt *stmt = NULL;
		const char *rest = sql;
		int code;

		q->stopped = 0;
		code = sqlite3_prepare_v2(q->db, sql, -1, &stmt, &rest);
		if (code != SQLITE_OK)
			rc = q->stopped ? q->stopped : query_sqlite_failed(q->db, code, err);
		else if (stmt)
			rc = run_one(q, stmt, err);
		sqlite3_finalize(stmt);
		if (rest == sql)
			break;
		sql = rest;
	}
	q->out = NULL;
	return rc;
}

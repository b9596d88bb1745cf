// SPDX-License-Identifier: GPL-2.0-only
/*
 * export.c - writes the tables to an SQLite file, for programs that read SQLite but not cdict files.
 *
 * An event whose short name is unique is a table of that name, and a view of its full name; all events together
 * (ftrace_event) and sched are views, too.
 */
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/sink.h"
#include "query/sql/database.h"
#include "query/sql/tables.h"

static int execute(sqlite3 *db, const char *sql, struct cdict_error *err)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : query_sqlite_failed(db, rc, err);
}

static int execute_sink(sqlite3 *db, struct sink *s, struct cdict_error *err)
{
	size_t len;
	char *sql = sink_take(s, &len);
	int rc = sql ? execute(db, sql, err) : cdict_fail_nomem(err);

	free(sql);
	return rc;
}

static void add_columns(struct sink *s, const struct query_table *t, bool types)
{
	bool any = false;

	for (const struct query_column *c = t->columns; c->name; c++) {
		if (c->hidden)
			continue;
		sink_puts(s, any ? ", " : "");
		any = true;
		query_add_name(s, c->name);
		if (types)
			sink_printf(s, " %s", c->type);
	}
}

static int copy(sqlite3 *db, const struct query_table *t, struct cdict_error *err)
{
	struct sink s;
	int rc;

	sink_to_memory(&s);
	sink_puts(&s, "CREATE TABLE exported.");
	query_add_name(&s, t->name);
	sink_puts(&s, "(");
	add_columns(&s, t, true);
	sink_puts(&s, ")");
	rc = execute_sink(db, &s, err);
	if (rc)
		return rc;
	sink_to_memory(&s);
	sink_puts(&s, "INSERT INTO exported.");
	query_add_name(&s, t->name);
	sink_puts(&s, " SELECT ");
	add_columns(&s, t, false);
	sink_puts(&s, " FROM main.");
	query_add_name(&s, t->name);
	if (!(t->flags & (QUERY_SMALL | QUERY_ORDERED)))
		sink_puts(&s, " ORDER BY ts");
	return execute_sink(db, &s, err);
}

/* A view cannot refer to tables of another database: it is created in theirs and names them without a database. */
static int add_view(sqlite3 *db, const char *name, const char *of, struct cdict_error *err)
{
	struct sink s;

	sink_to_memory(&s);
	sink_puts(&s, "CREATE VIEW exported.");
	query_add_name(&s, name);
	sink_puts(&s, " AS SELECT * FROM ");
	query_add_name(&s, of);
	return execute_sink(db, &s, err);
}

static int add_ftrace(sqlite3 *db, const struct query_db *qdb, struct cdict_error *err)
{
	struct sink s;

	if (!qdb->events.n)
		return 0;
	sink_to_memory(&s);
	sink_puts(&s, "CREATE VIEW exported.ftrace_event AS ");
	for (size_t i = 0; i < qdb->events.n; i++) {
		const struct query_event_table *e = qdb->events.at[i];
		const char *colon = strchr(e->full_name, ':');
		char *name = sqlite3_mprintf("%Q", e->name);
		char *system = sqlite3_mprintf("%.*s", colon ? (int)(colon - e->full_name) : 0,
					       e->full_name);
		char *quoted = system ? sqlite3_mprintf("%Q", system) : NULL;

		sink_printf(&s, "%sSELECT ts, %s AS name, cpu, utid, tid, %s AS system, run FROM ",
			    i ? " UNION ALL " : "", name ? name : "NULL", quoted ? quoted : "NULL");
		query_add_name(&s, e->full_name);
		sqlite3_free(name);
		sqlite3_free(system);
		sqlite3_free(quoted);
	}
	return execute_sink(db, &s, err);
}

static int write_tables(sqlite3 *db, const struct query_db *qdb, struct cdict_error *err)
{
	int rc = 0;

	for (size_t i = 0; query_tables()[i] && !rc; i++) {
		const struct query_table *t = query_tables()[i];

		if (t == &query_sched)
			rc = add_view(db, t->name, query_sched_slice.name, err);
		else if (t != &query_ftrace_event)
			rc = copy(db, t, err);
	}
	for (size_t i = 0; i < qdb->events.n && !rc; i++) {
		const struct query_event_table *e = qdb->events.at[i];

		rc = copy(db, e->has_bare ? &e->bare : &e->full, err);
		if (!rc && e->has_bare)
			rc = add_view(db, e->full_name, e->name, err);
	}
	return rc ? rc : add_ftrace(db, qdb, err);
}

static int attach(sqlite3 *db, const char *path, struct cdict_error *err)
{
	/* another beginning could be that of a URI */
	char *name = sqlite3_mprintf("%s%s", *path == '/' ? "" : "./", path);
	char *sql = name ? sqlite3_mprintf("ATTACH %Q AS exported", name) : NULL;
	int rc = sql ? execute(db, sql, err) : cdict_fail_nomem(err);

	sqlite3_free(name);
	sqlite3_free(sql);
	return rc;
}

int query_export_sqlite(const struct query_file *files, size_t n, const struct query_options *opts,
			const char *path, struct cdict_error *err)
{
	struct query_db *qdb;
	sqlite3 *db;
	int rc = query_connect(&db, err);

	if (rc)
		return rc;
	rc = query_connect_files(&qdb, db, files, n, opts, err);
	if (!rc)
		rc = attach(db, path, err);
	/* the caller makes the file appear whole or not at all: it needs no journal */
	if (!rc)
		rc = execute(
			db,
			"PRAGMA exported.journal_mode=OFF; PRAGMA exported.synchronous=OFF; BEGIN",
			err);
	if (!rc)
		rc = write_tables(db, qdb, err);
	if (!rc)
		rc = execute(db, "COMMIT", err);
	sqlite3_close(db);
	query_db_unref(qdb);
	return rc;
}

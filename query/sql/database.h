/* SPDX-License-Identifier: GPL-2.0-only */
/* database.h - connections of the program, which loads SQLite for them. */
#ifndef QUERY_SQL_DATABASE_H
#define QUERY_SQL_DATABASE_H

#include "query/sql/tables.h"

/* query_connect - opens an empty database in memory (given: sqlite3_close()). */
int query_connect(sqlite3 **out, struct cdict_error *err);
/* query_connect_files - registers the tables of @files in @db. *@out: query_db_unref(), also after a failure. */
int query_connect_files(struct query_db **out, sqlite3 *db, const struct query_file *files,
			size_t n, const struct query_options *opts, struct cdict_error *err);
/* query_sqlite_failed - sets *err from SQLite's code @rc and its message. */
int query_sqlite_failed(sqlite3 *db, int rc, struct cdict_error *err);

#endif

// SPDX-License-Identifier: GPL-2.0-only
/*
 * extension.c - the entry point of cdict_sqlite.so, which SQLite calls when it loads it.
 *
 *	.load cdict_sqlite
 *	SELECT cdict_open('run.cdict');
 *	SELECT utid, sum(dur) FROM sched_slice GROUP BY utid;
 */
#include "query/sql/extension.h"

#include <errno.h>

#include "base/fail.h"

SQLITE_EXTENSION_INIT1

/* SQLite derives the function's name from the file's. */
CDICT_API int sqlite3_cdictsqlite_init(sqlite3 *db, char **why,
				       const struct sqlite3_api_routines *api)
{
	struct cdict_error err = { 0 };
	struct query_db *qdb;
	int rc;

	SQLITE_EXTENSION_INIT2(api);
	qdb = query_db_new(db, NULL);
	if (!qdb)
		return SQLITE_NOMEM;
	rc = query_db_register(qdb, &err);
	query_db_unref(qdb);
	if (!rc)
		return SQLITE_OK;
	if (why && rc != -ENOMEM)
		*why = sqlite3_mprintf("%s", err.text);
	return rc == -ENOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
}

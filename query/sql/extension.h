/* SPDX-License-Identifier: GPL-2.0-only */
/* extension.h - the entry of the extension. */
#ifndef QUERY_SQL_EXTENSION_H
#define QUERY_SQL_EXTENSION_H

#include "cdict/export.h"
#include "query/sql/tables.h"

CDICT_API int sqlite3_cdictsqlite_init(sqlite3 *db, char **why,
				       const struct sqlite3_api_routines *api);

#endif

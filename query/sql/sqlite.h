/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sqlite.h - SQLite, called only through the table of functions that it passes to an extension, so that the program and
 * cdict_sqlite.so use the same objects, and neither is linked with it.
 */
#ifndef QUERY_SQL_SQLITE_H
#define QUERY_SQL_SQLITE_H

#include <sqlite3ext.h>

extern const sqlite3_api_routines *sqlite3_api;

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sqlite.h - SQLite as it calls us: every function of it goes through the table that it hands to an extension, so that
 * the program and cdict_sqlite.so are the same objects, and neither is linked with it.
 */
#ifndef QUERY_SQLITE_H
#define QUERY_SQLITE_H

#include <sqlite3ext.h>

extern const sqlite3_api_routines *sqlite3_api;

#endif

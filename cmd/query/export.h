/* SPDX-License-Identifier: GPL-2.0-only */
/* export.h - the part of cdict export that reads tables instead of a walk: SQLite, Parquet. */
#ifndef CMD_QUERY_EXPORT_H
#define CMD_QUERY_EXPORT_H

#include "cmd/query/captures.h"

/* export_sqlite - writes the captures' tables, as in cdict query, to a file at @path; a status. */
int export_sqlite(const struct captures *c, const char *path);
/* export_parquet - the same to Parquet files in a new folder @path. */
int export_parquet(const struct captures *c, const char *path);

#endif

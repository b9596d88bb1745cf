/* SPDX-License-Identifier: GPL-2.0-only */
/* export.h - the part of cdict export that reads tables instead of a walk: an SQLite file. */
#ifndef CMD_QUERY_EXPORT_H
#define CMD_QUERY_EXPORT_H

#include "cmd/tables/figures.h"

/* export_sqlite - writes the capture's tables, as in cdict query, to a file at @path; a status. */
int export_sqlite(struct figures *f, const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* export.h - the part of cdict export that is not told of what happened, but reads tables: an SQLite file. */
#ifndef CMD_EXPORT_H
#define CMD_EXPORT_H

#include "cmd/tables/figures.h"

/* export_sqlite - the capture's tables as cdict query has them, in a file at @path; a status. */
int export_sqlite(struct figures *f, const char *path);

#endif

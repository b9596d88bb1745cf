/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * io_export.h - exports of captures that were made from I/O traces: each event has its own duration, and was logged
 * at its end. They have no scheduling, and need no walk.
 *
 * Ownership and failure as in export.h
 */
#ifndef QUERY_EXPORT_IO_EXPORT_H
#define QUERY_EXPORT_IO_EXPORT_H

#include "query/export/export.h"

enum io_to { IO_PERFETTO = 0, IO_CHROME, IO_PFW, IO_CSV };

/* io_export_is - whether the capture was made from I/O traces. */
bool io_export_is(const struct cdict_reader *r);
/* io_export_write - like export_write() for other captures; @w: after its walk. */
int io_export_write(struct tables_walk *w, enum io_to to, struct sink *out,
		    struct export_report *report, struct cdict_error *err);

#endif

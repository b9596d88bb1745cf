/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * io_export.h - exports of captures that were made of I/O traces: each event has a duration of its own, and was
 * logged at its end. There is no scheduling in them, and nothing to walk for.
 *
 * Ownership and failure as export.h
 */
#ifndef EXCHANGE_IO_EXPORT_H
#define EXCHANGE_IO_EXPORT_H

#include "query/export/export.h"

enum io_to { IO_PERFETTO = 0, IO_CHROME, IO_PFW, IO_CSV };

/* io_export_is - whether it was made of I/O traces. */
bool io_export_is(const struct cdict_reader *r);
/* io_export_write - what export_write() is for other captures; @w: after its walk. */
int io_export_write(struct tables_walk *w, enum io_to to, struct sink *out,
		    struct export_report *report, struct cdict_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracedat_export.h - writes a capture's events as a trace.dat of version 6, for trace-cmd report and
 * KernelShark.
 *
 * Events keep their CPU, time, payload and format; losses of a CPU become missed events of its pages. Call chains,
 * samples of other events and events without a CPU have no place in the format: they are counted in @left_out.
 *
 * Failure    0 or a negative code with *err filled; the sink keeps write errors
 * Ownership  all arguments are borrowed
 */
#ifndef QUERY_EXPORT_TRACEDAT_EXPORT_H
#define QUERY_EXPORT_TRACEDAT_EXPORT_H

#include "base/text/sink.h"
#include "query/export/export.h"
#include "tables/columns/walk.h"

/* tracedat_export_write - after a walk of @w; @query selects events. */
int tracedat_export_write(struct tables_walk *w, const struct cdict_query *query, struct sink *out,
			  struct export_report *report, struct cdict_error *err);

#endif

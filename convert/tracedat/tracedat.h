/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracedat.h - reads trace-cmd's files (trace.dat, versions 6 and 7), as a source of a cdict.
 *
 * The layout is that of trace-cmd.dat.v6(5) and .v7(5); where these and trace-cmd differ, that of
 * trace-cmd. The pages are unchanged pages of the kernel's ring buffer. The file is not a stream:
 * it is mapped, or read completely from a pipe.
 *
 * Threads    one thread at a time per struct tracedat
 * Units      ns of the trace's clock
 * Failure    negative code with *err filled; damage that leaves usable data is in the report
 * Ownership  open and parse give, close takes (NULL is fine)
 */
#ifndef CONVERT_TRACEDAT_TRACEDAT_H
#define CONVERT_TRACEDAT_TRACEDAT_H

#include "convert/convert.h"

struct tracedat;

/* tracedat_open - @path is a file, or "-" (standard input). Reads everything except events. */
int tracedat_open(struct tracedat **out, const char *path, struct cdict_error *err);
/* tracedat_parse - like tracedat_open(), from memory, which must outlive the object. */
int tracedat_parse(struct tracedat **out, const void *data, size_t size, struct cdict_error *err);
void tracedat_close(struct tracedat *td);

/* tracedat_convert - like convert_run(); to be called once. */
int tracedat_convert(struct tracedat *td, const struct convert_options *opts, cdict_write_fn fn,
		     void *ctx, struct convert_report *report, struct cdict_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import.h - converts I/O traces (.pfw, .pfw.gz; DFTracer, datacrumbs) to cdict.
 *
 * An event is stored at its end, ts + dur, because it was logged then: so the lines of a process
 * are nearly in order. The CPU of an event is the number of a stream: each file has one, and more
 * where its lines are out of order, for example when the traces of several processes were merged.
 *
 * Failure    negative code with *err filled; the output is then incomplete and the caller discards
 *            it
 * Ownership  pfw_open() gives; the names are borrowed
 */
#ifndef CONVERT_PFW_IMPORT_H
#define CONVERT_PFW_IMPORT_H

#include "convert/convert.h"

struct pfw;

/* pfw_is - whether a file that begins with these bytes may be an I/O trace. */
bool pfw_is(const uint8_t *first, size_t n);
/* pfw_holds - whether the first @n bytes of a file for which pfw_is() is true, plain or gzip,
 * contain an event of an I/O trace: 1 or 0, because other texts begin the same way; or -ENOMEM. */
int pfw_holds(const uint8_t *first, size_t n);
int pfw_open(struct pfw **out, const char *const *files, size_t n, struct cdict_error *err);
/* pfw_run - like convert_run(); to be called once. */
int pfw_run(struct pfw *p, const struct convert_options *opts, cdict_write_fn fn, void *ctx,
	    struct convert_report *report, struct cdict_error *err);
void pfw_close(struct pfw *p);

#endif

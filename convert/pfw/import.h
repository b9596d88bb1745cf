/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import.h - I/O traces (.pfw, .pfw.gz; DFTracer, datacrumbs) in, cdict out.
 *
 * An event is stored at its end, ts + dur, because that is when it was logged: then the lines of a
 * process are nearly in order. The CPU of an event is the number of a stream: each file has one, and
 * more where its lines are not in order, as when the traces of several processes were joined to one.
 *
 * Failure    negative code with *err filled; the output is then incomplete and the caller throws it away
 * Ownership  pfw_open() gives; the names are borrowed
 */
#ifndef EXCHANGE_PFW_IMPORT_H
#define EXCHANGE_PFW_IMPORT_H

#include "convert/convert.h"

struct pfw;

/* pfw_is - whether a file that begins with these bytes is taken for one. */
bool pfw_is(const uint8_t *first, size_t n);
/* pfw_holds - whether in the first @n bytes of a file that pfw_is, plain or gzip, an event of an I/O trace is read:
 * 1 or 0, for other texts begin so, too; or -ENOMEM. */
int pfw_holds(const uint8_t *first, size_t n);
int pfw_open(struct pfw **out, const char *const *files, size_t n, struct cdict_error *err);
/* pfw_run - as convert_run(): once. */
int pfw_run(struct pfw *p, const struct convert_options *opts, cdict_write_fn fn, void *ctx,
	    struct convert_report *report, struct cdict_error *err);
void pfw_close(struct pfw *p);

#endif

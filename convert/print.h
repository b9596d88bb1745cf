/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * print.h - formats a stored event with libtraceevent, from the capture's own formats: the fallback
 * for formats that analyze/printing/print.h rejects, and the reference in tests.
 *
 * It runs in a child process, whose crash costs only the event type being printed.
 *
 * Ownership  print_new() gives; the schema and the strings are borrowed
 */
#ifndef CONVERT_PRINT_H
#define CONVERT_PRINT_H

#include "base/memory/buf.h"
#include "cdict/event.h"

struct print;

/* print_new - @strings: value of the INFO key "trace.strings", or NULL. Returns NULL when out of
 * memory. */
struct print *print_new(const struct cdict_schema *schema, const char *strings);
/* print_symbols - sets the names of the kernel's functions: value of the INFO key "trace.symbols",
 * or NULL; borrowed. To be called before the first event. */
void print_symbols(struct print *p, const char *symbols);
/* print_begin - starts the child, which otherwise the first event does: preferably before there are
 * threads. */
void print_begin(struct print *p);
void print_free(struct print *p);

/* print_text - appends the output of "perf script -F trace", from all fields of the event:
 * untrusted text from the capture. False when libtraceevent cannot print it, or crashed on the
 * type; @out is then unchanged, or has failed: no memory or no child. */
bool print_text(struct print *p, const struct cdict_event *ev, struct buf *out);

#endif

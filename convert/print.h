/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * print.h - what a stored event says by libtraceevent, from the capture's own formats: the
 * fallback for formats that analyze/printing/print.h does not take, and what tests hold it against.
 *
 * It runs in a child, whose crash costs the type of event that it was asked for.
 *
 * Ownership  print_new() gives; the schema and the strings are borrowed
 */
#ifndef CONVERT_PRINT_H
#define CONVERT_PRINT_H

#include "base/memory/buf.h"
#include "cdict/event.h"

struct print;

/* print_new - @strings: INFO key "trace.strings", or NULL. NULL when out of memory. */
struct print *print_new(const struct cdict_schema *schema, const char *strings);
/* print_symbols - names of the kernel's functions: INFO key "trace.symbols", or NULL; borrowed. Before the first event. */
void print_symbols(struct print *p, const char *symbols);
/* print_begin - starts the child, which the first event does else: best before there are threads. */
void print_begin(struct print *p);
void print_free(struct print *p);

/* print_text - appends what "perf script -F trace" prints, from all fields of the event: the
 * capture's text, untrusted. False when libtraceevent has no text for it, or crashed on the type; then @out is as it
 * was, or has failed: there was no memory or no child. */
bool print_text(struct print *p, const struct cdict_event *ev, struct buf *out);

#endif

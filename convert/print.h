/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * print.h - stored events as perf script prints them, by libtraceevent from the
 * capture's own formats.
 *
 * Ownership  print_new() gives; the schema is borrowed
 */
#ifndef CONVERT_PRINT_H
#define CONVERT_PRINT_H

#include "base/buf.h"
#include "cdict/event.h"

struct print;

/* print_new - @strings: INFO key "trace.strings", or NULL. NULL when out of memory. */
struct print *print_new(const struct cdict_schema *schema, const char *strings);
void print_free(struct print *p);

/* print_event - appends the line of "perf script --ns -F tid,cpu,time,event,trace",
 * newline included. The trace part is the capture's text: untrusted. */
void print_event(struct print *p, const struct cdict_event *ev, struct buf *out);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * print.h - prints stored events like perf script, with the capture's own print formats.
 *
 * A format is parsed once, into operations. They print what libtraceevent prints, with its
 * peculiarities: fields are unsigned, a sum below 0 in a table is -1. A format that libtraceevent
 * cannot read, or groups differently from C, is not supported: printer_knows().
 *
 * Failure    out of memory while printing: out->failed
 * Ownership  printer_new() gives; the schema is borrowed
 * Threads    a printer belongs to one thread
 */
#ifndef ANALYZE_PRINTING_PRINT_H
#define ANALYZE_PRINTING_PRINT_H

#include "base/memory/buf.h"
#include "cdict/event.h"

struct printer;

/* printer_new - NULL when out of memory. */
struct printer *printer_new(const struct cdict_schema *schema);
void printer_free(struct printer *p);
/* printer_symbols - sets the names of the kernel's functions: INFO key "trace.symbols", borrowed,
 * or NULL. 0 or -ENOMEM. */
int printer_symbols(struct printer *p, const char *symbols);

/* printer_source - INFO key "source", or NULL: the events of I/O traces ("pfw") lack fields (INT64_MIN, or
 * an empty text), which are then not printed. */
void printer_source(struct printer *p, const char *source);

/* printer_knows - whether events of the type @index are printed by their format. */
bool printer_knows(const struct printer *p, size_t index);
/* printer_fields - the fields of the type @index that are used, as a bitmap (struct
 * cdict_query); NULL: all of them. */
const uint64_t *printer_fields(const struct printer *p, size_t index);

/* printer_head - appends "tid [cpu] seconds: name: ". */
void printer_head(struct printer *p, const struct cdict_event *ev, struct buf *out);
/* printer_name - appends only "name: ". */
void printer_name(struct printer *p, const struct cdict_event *ev, struct buf *out);
/* printer_text - appends the event's text by its format; returns false and appends nothing when the
 * format is not supported or does not fit this event's fields. */
bool printer_text(struct printer *p, const struct cdict_event *ev, struct buf *out);
/* printer_plain - appends the event field by field: " name=value". */
void printer_plain(const struct cdict_event *ev, struct buf *out);

#endif

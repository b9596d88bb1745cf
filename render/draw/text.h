/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - numbers and names as pictures show them, and how wide they will be.
 *
 * Widths are estimates, on the wide side, from the metrics of DejaVu Sans: a
 * picture is laid out without knowing the font it will be seen in.
 *
 * Units      *_ns nanoseconds; widths and sizes in the canvas' units
 * Ownership  what returns char * without taking a buffer is given: free() it
 */
#ifndef RENDER_TEXT_H
#define RENDER_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text/sink.h"
#include "tables/columns/number.h"

#define TEXT_ROOM NUMBER_ROOM

/* Each writes into @out and returns it, as those of tables/columns/number.h do. */
char *text_short(char out[TEXT_ROOM], double v);                    /* 12.3k */
char *text_duration(char out[TEXT_ROOM], double ns);                /* 12.3 µs */
char *text_percent(char out[TEXT_ROOM], double part, double whole); /* 12.3 % */

/* text_clean - foreign text made visible: one line of valid UTF-8 without control
 * characters or anything that reorders text (escape_terminal()).  NULL when out of
 * memory. */
char *text_clean(const char *raw, size_t len);

/* text_xml - the same into XML, as an element's text. */
void text_xml(struct sink *s, const char *raw);

/* text_width - of clean text set in @size pixels; @size 0: in terminal columns. */
double text_width(const char *text, double size);

/* text_fit - @text shortened with an ellipsis to at most @room, a little of its end
 * kept (that is where thread names differ). */
char *text_fit(const char *text, double size, double room);

#endif

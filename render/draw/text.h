/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * text.h - numbers and names in pictures, and their widths.
 *
 * Widths are estimates, on the wide side, from the metrics of DejaVu Sans: a
 * picture is laid out without knowing the font that the viewer uses.
 *
 * Units      *_ns nanoseconds; widths and sizes in the canvas' units
 * Ownership  a char * from a function without a buffer argument is given: free() it
 */
#ifndef RENDER_DRAW_TEXT_H
#define RENDER_DRAW_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/text/sink.h"
#include "tables/columns/number.h"

#define TEXT_ROOM NUMBER_ROOM

/* Each writes into @out and returns it, like those of tables/columns/number.h. */
char *text_short(char out[TEXT_ROOM], double v);                    /* 12.3k */
char *text_duration(char out[TEXT_ROOM], double ns);                /* 12.3 µs */
char *text_percent(char out[TEXT_ROOM], double part, double whole); /* 12.3 % */

/* text_clean - foreign text made safe to show: one line of valid UTF-8 without control
 * characters or anything that reorders text (escape_terminal()).  NULL when out of
 * memory. */
char *text_clean(const char *raw, size_t len);

/* text_xml - writes the same as the text of an XML element. */
void text_xml(struct sink *s, const char *raw);

/* text_width - the width of clean text in a font of @size pixels; @size 0: in terminal columns. */
double text_width(const char *text, double size);

/* text_fit - @text shortened with an ellipsis to at most @room, a little of its end
 * kept (that is where thread names differ). */
char *text_fit(const char *text, double size, double room);
/* text_fit_end - the same with this part of the room for its end. */
char *text_fit_end(const char *text, double size, double room, double end);

#endif

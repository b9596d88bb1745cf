/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * escape.h - foreign text made harmless, one function per context.
 *
 * Names of tasks and hosts are chosen by strangers: any byte but NUL is legal.
 * Every foreign string crosses exactly one of these on its way out.  Bytes that
 * are no UTF-8 are shown as \xNN where people read and become U+FFFD where a
 * format demands Unicode (JSON, XML).
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/sink.h"

/* A line of text for people: control characters and invalid UTF-8 as \xNN, what
 * would reorder or hide text (bidi controls, zero width) as <U+202E>. */
void escape_terminal(struct sink *s, const char *text, size_t len);
/* Inside a double-quoted JSON string; the quotes are the caller's. Control characters and what would reorder or
 * hide text as escape_terminal() shows them. */
void escape_json(struct sink *s, const char *text, size_t len);
/* The same for values that a program reads again: these stand there as \u001b, and are themselves again. */
void escape_json_exact(struct sink *s, const char *text, size_t len);
/* The same for JSON that stands in an HTML <script>: neither < > & nor U+2028 survive; control characters are the
 * page's to show. */
void escape_json_script(struct sink *s, const char *text, size_t len);
/* The value of a label of OpenMetrics; the quotes are the caller's. What is not seen stands there as in JSON. */
void escape_openmetrics(struct sink *s, const char *text, size_t len);
/* Element content of XML, SVG and HTML. */
void escape_xml_text(struct sink *s, const char *text, size_t len);
/* Inside an attribute value in double or single quotes. */
void escape_xml_attr(struct sink *s, const char *text, size_t len);
/* One RFC 4180 cell, quoted when it must be. Control characters, invalid UTF-8 and what would
 * reorder or hide text as escape_terminal() shows them; what a spreadsheet would run (it begins with
 * one of = + - @) has a ' in front. */
void escape_csv(struct sink *s, const char *text, size_t len);
/* One cell of a Markdown table. */
void escape_md(struct sink *s, const char *text, size_t len);

/* escape_width - columns that @text takes after escape_terminal(): one per
 * character, two for the wide ones of East Asia and emoji. */
size_t escape_width(const char *text, size_t len);

/* escape_decode - one UTF-8 character at the start of @text: its code point in
 * *@cp and its length, or 0 when the first byte begins none. */
size_t escape_decode(const char *text, size_t len, uint32_t *cp);

/* escape_cut - @len, or less where @text is longer than @most bytes: no character is cut in two. */
static inline size_t escape_cut(const char *text, size_t len, size_t most)
{
	if (len <= most)
		return len;
	while (most && ((unsigned char)text[most] & 0xc0) == 0x80)
		most--;
	return most;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * escape.h - escape foreign text, one function per context.
 *
 * Names of tasks and hosts are untrusted: any byte but NUL is legal.  Every
 * foreign string passes exactly one of these functions on its way out.  Invalid
 * UTF-8 is printed as \xNN for people and becomes U+FFFD where a format requires
 * Unicode (JSON, XML).
 */
#ifndef BASE_TEXT_ESCAPE_H
#define BASE_TEXT_ESCAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text/sink.h"

/* A line of text for people: control characters and invalid UTF-8 as \xNN; characters
 * that reorder or hide text (bidi controls, zero width) as <U+202E>. */
void escape_terminal(struct sink *s, const char *text, size_t len);
/* Inside a double-quoted JSON string; the caller adds the quotes. Escapes control characters and characters that
 * reorder or hide text as escape_terminal() does. */
void escape_json(struct sink *s, const char *text, size_t len);
/* The same for values that a program reads back: such characters become \u001b, so the reader gets the original. */
void escape_json_exact(struct sink *s, const char *text, size_t len);
/* The same for JSON inside an HTML <script>: escapes < > & and U+2028 too; leaves the display of control characters
 * to the page. */
void escape_json_script(struct sink *s, const char *text, size_t len);
/* An OpenMetrics label value; the caller adds the quotes. Invisible characters are escaped as in JSON. */
void escape_openmetrics(struct sink *s, const char *text, size_t len);
/* Element content of XML, SVG and HTML. */
void escape_xml_text(struct sink *s, const char *text, size_t len);
/* Inside an attribute value in double or single quotes. */
void escape_xml_attr(struct sink *s, const char *text, size_t len);
/* One RFC 4180 cell, quoted when necessary. Control characters, invalid UTF-8 and characters that
 * reorder or hide text are escaped as by escape_terminal(); a cell that a spreadsheet would evaluate (it starts
 * with one of = + - @) gets a leading '. */
void escape_csv(struct sink *s, const char *text, size_t len);
/* One cell of a Markdown table. */
void escape_md(struct sink *s, const char *text, size_t len);

/* escape_width - columns of @text after escape_terminal(): one per character,
 * two for wide East Asian characters and emoji. */
size_t escape_width(const char *text, size_t len);

/* escape_decode - one UTF-8 character at the start of @text: its code point in
 * *@cp and its length, or 0 when the first byte starts no character. */
size_t escape_decode(const char *text, size_t len, uint32_t *cp);

/* escape_cut - @len, or less when @text is longer than @most bytes; never splits a character. */
static inline size_t escape_cut(const char *text, size_t len, size_t most)
{
	if (len <= most)
		return len;
	while (most && ((unsigned char)text[most] & 0xc0) == 0x80)
		most--;
	return most;
}

#endif

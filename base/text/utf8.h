/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * utf8.h - foreign text for formats whose strings must be UTF-8: invalid bytes become U+FFFD.
 *
 *	for (size_t at = 0; at < len;) {
 *		at += utf8_piece(text + at, len - at, &piece, &n);
 *		... n bytes at piece ...
 *	}
 */
#ifndef BASE_TEXT_UTF8_H
#define BASE_TEXT_UTF8_H

#include <stddef.h>

#include "base/text/escape.h"

/* utf8_piece - the next character, or what stands for the next byte; how many bytes of @text that was. */
static inline size_t utf8_piece(const char *text, size_t len, const char **piece, size_t *n)
{
	uint32_t cp;
	size_t took = escape_decode(text, len, &cp);

	*piece = took ? text : "\xef\xbf\xbd";
	*n = took ? took : 3;
	return took ? took : 1;
}

/* utf8_size - bytes of all pieces. */
static inline size_t utf8_size(const char *text, size_t len)
{
	size_t size = 0, n;
	const char *piece;

	for (size_t at = 0; at < len;) {
		at += utf8_piece(text + at, len - at, &piece, &n);
		size += n;
	}
	return size;
}

#endif

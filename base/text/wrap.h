/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * wrap.h - wraps prose to a terminal's width, at blanks, not before a unit; a word wider than a line at its
 * commas, or not at all.
 */
#ifndef BASE_TEXT_WRAP_H
#define BASE_TEXT_WRAP_H

#include <stdbool.h>

#include "base/text/sink.h"

/* Width and position of lines. */
struct wrap {
	size_t columns; /* 0: do not wrap */
	size_t at;      /* columns already used on the first line */
	size_t indent;  /* of continuation lines */
	bool hard;      /* words wider than a line are broken anywhere */
};

/* wrap_text - prints the lines of @text, already escaped by escape_terminal(), wrapped; ends
 * with a newline where @text does. */
void wrap_text(struct sink *s, const char *text, size_t len, const struct wrap *how);

/* wrap_unit - the length of the unit at @at, where no line ends as its number would lose it: " ms" of "165 ms";
 * 0: none. */
size_t wrap_unit(const char *line, size_t len, size_t at);

#endif

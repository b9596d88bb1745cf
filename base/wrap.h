/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * wrap.h - prose in lines of a terminal's width: broken at blanks, never inside of a word.
 */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include "base/sink.h"

/* How wide lines are, and where they begin. */
struct wrap {
	size_t columns; /* 0: as wide as they are */
	size_t at;      /* where the first one begins: so much of it stands there */
	size_t indent;  /* of what had to be broken off */
};

/* wrap_text - the lines of @text, which is as escape_terminal() leaves it, and those that each is broken into; ends
 * with a newline where @text does. */
void wrap_text(struct sink *s, const char *text, size_t len, const struct wrap *how);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * texts.h - a list of texts, laid out as base/array.h has them.
 *
 * Threads    one at a time per list
 * Failure    out of memory: -ENOMEM, the list is what it was, and that is remembered (failed)
 * Ownership  caller's storage, whose zero value is empty; the texts are the list's, until texts_clear()
 *            or texts_fini()
 */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

struct texts {
	char **at;
	size_t n, cap;
	bool failed;
};

/* texts_take - @text, which is taken; NULL: there was no memory for it. */
int texts_take(struct texts *t, char *text);
/* texts_add - a copy of @text. */
int texts_add(struct texts *t, const char *text);
int texts_printf(struct texts *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* texts_clear - without texts, with the room that they took. */
void texts_clear(struct texts *t);
void texts_fini(struct texts *t);

#endif

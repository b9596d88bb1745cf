/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * texts.h - a list of strings, with the layout of base/memory/array.h.
 *
 * Threads    one at a time per list
 * Failure    out of memory: -ENOMEM, the list is unchanged, and sets failed
 * Ownership  caller's storage, whose zero value is empty; the list owns the texts until texts_clear()
 *            or texts_fini()
 */
#ifndef BASE_MEMORY_TEXTS_H
#define BASE_MEMORY_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

struct texts {
	char **at;
	size_t n, cap;
	bool failed;
};

/* texts_take - adds @text, which is taken; NULL: the caller could not allocate it. */
int texts_take(struct texts *t, char *text);
/* texts_add - adds a copy of @text. */
int texts_add(struct texts *t, const char *text);
int texts_printf(struct texts *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* texts_clear - removes all texts, keeps the memory. */
void texts_clear(struct texts *t);
void texts_fini(struct texts *t);

#endif

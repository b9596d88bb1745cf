/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * shorten.h - shortens the texts of one column to its width: different texts stay different.
 *
 *	struct shorten names = { 0 };
 *
 *	shorten_add(&names, "instance-0000001b.vcpu1");
 *	shorten_add(&names, "instance-0000001e.vcpu1");
 *	shorten_fit(&names, 14);
 *	shorten_find(&names, "instance-0000001e.vcpu1");	// insta..e.vcpu1 with 14 columns
 *
 * ".." replaces what the texts share at their begin, and as much more as necessary, before their
 * end. If no part of a text tells it from the others, a number after ".." does.
 *
 * Units      widths are columns of escape_width(); at least 8 for different texts to stay different
 * Failure    out of memory sets failed; texts are then returned in full
 * Ownership  caller's storage, whose zero value is empty; texts are copied, and returned ones are
 *            valid until shorten_fini()
 */
#ifndef BASE_TEXT_SHORTEN_H
#define BASE_TEXT_SHORTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"

struct shorten_text {
	const char *full, *is; /* is NULL: not yet shortened */
	size_t shared;         /* columns at its begin that all texts like it share */
};

struct shorten {
	size_t width;
	struct stringset set; /* the texts, in full and shortened */
	struct map index;     /* by address in set: number in texts */
	struct map taken;     /* by address in set: the printed texts */
	ARRAY(struct shorten_text) texts;
	unsigned last; /* the last number after ".." */
	bool failed;
};

/* shorten_add - adds a text of the column, before shorten_fit(). */
void shorten_add(struct shorten *s, const char *text);
/* shorten_fit - shortens all texts to @width columns. */
void shorten_fit(struct shorten *s, size_t width);
/* shorten_find - the shortened @text, also of one that was not added: it differs from all printed
 * before. */
const char *shorten_find(struct shorten *s, const char *text);
void shorten_fini(struct shorten *s);

#endif

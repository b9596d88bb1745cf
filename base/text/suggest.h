/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * suggest.h - suggests a name for a misspelt one.
 *
 *	suggest_begin(&s, "taks");
 *	suggest_try(&s, "tasks");	// for each valid name
 *	suggest_text(&s)		// " (did you mean 'tasks'?)", or ""
 *
 * Ownership  names are borrowed until suggest_text() returns; the text is in the struct
 */
#ifndef BASE_TEXT_SUGGEST_H
#define BASE_TEXT_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *asked;
	size_t asked_len;
	const char *best;
	unsigned distance; /* of the best; a larger one is not suggested */
	char text[128];
};

void suggest_begin(struct suggest *s, const char *asked, size_t len);
void suggest_try(struct suggest *s, const char *name);
const char *suggest_text(struct suggest *s, const char *before);

#endif

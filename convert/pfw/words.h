/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * words.h - numbers the texts of a part of an I/O trace: each is compared once, and is a number
 * from then on.
 *
 * Threads    one at a time per table
 * Ownership  caller's storage; a zeroed struct is an empty table; texts are borrowed
 */
#ifndef CONVERT_PFW_WORDS_H
#define CONVERT_PFW_WORDS_H

#include "base/memory/array.h"
#include "base/memory/places.h"

#define PFW_NO_WORD UINT32_MAX

struct pfw_word {
	const char *text; /* not NUL-terminated */
	uint32_t len;
	uint64_t hash;
};

struct pfw_words {
	ARRAY(struct pfw_word) all; /* by number */
	struct places places;       /* of @all, by hash */
	uint64_t seed;              /* of the hashes */
};

/* pfw_words_find - returns the number of the text; PFW_NO_WORD: not found. */
uint32_t pfw_words_find(const struct pfw_words *w, const char *text, uint32_t len);
/* pfw_words_add - returns the number of the text; a new one gets the next number. PFW_NO_WORD: out
 * of memory. */
uint32_t pfw_words_add(struct pfw_words *w, const char *text, uint32_t len);
/* pfw_words_clear - removes the texts, but keeps the memory. */
void pfw_words_clear(struct pfw_words *w);
void pfw_words_fini(struct pfw_words *w);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * stringset.h - stores each distinct string once.
 *
 * Threads    one at a time per set
 * Ownership  caller's storage; a string lives until stringset_fini()
 */
#ifndef BASE_MEMORY_STRINGSET_H
#define BASE_MEMORY_STRINGSET_H

#include <stddef.h>
#include <stdint.h>

struct stringset_chunk;

struct stringset {
	struct stringset_chunk *chunks; /* the texts */
	char *room;                     /* free part of the newest chunk */
	size_t left;
	struct stringset_slot *slots; /* open addressing */
	size_t n_slots, n;            /* n_slots: a power of two */
};

/* stringset_add - the set's own copy of @data[@len], NUL-terminated (a NUL inside ends
 * it); NULL when out of memory. The zero value of struct stringset is an empty set. */
const char *stringset_add(struct stringset *set, const char *data, size_t len);
/* stringset_seal - frees all but the strings: nothing can be added any more. */
void stringset_seal(struct stringset *set);
void stringset_fini(struct stringset *set);

#endif

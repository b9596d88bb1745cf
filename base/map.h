/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * map.h - numbers by key: where in an array what belongs to a tid, an address, a pair of
 * numbers is.  A key is two 64-bit words; whose key is one passes 0 for the other.
 *
 *	uint32_t *row = map_add(&m, tid, 0);
 *
 *	if (!row)
 *		return -ENOMEM;
 *	if (*row == MAP_NEW)
 *		*row = (uint32_t)rows.n++;
 *
 * Nothing gives the keys in order: who wants them keeps them in the array.  A string's key is
 * its address in a stringset.
 *
 * Keys are hostile: they come from files.  They are mixed with a number that differs from map to
 * map and from process to process, so that a file cannot hold keys that all fall into one place.
 *
 * Threads    any number read, if nobody adds
 * Failure    out of memory: NULL, and the map is what it was
 * Ownership  caller's storage, whose zero value is an empty map; map_fini() empties it.  What
 *            map_find() and map_add() point to lives until the next map_add()
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_NEW UINT32_MAX

struct map {
	struct map_slot *slots; /* open addressing, at most half full */
	size_t n_slots, n;      /* n_slots: a power of two */
	uint64_t seed;
	unsigned shift; /* a hash shifted by it is a slot */
};

/* map_find - the number of (@a, @b); NULL when there is none. */
uint32_t *map_find(const struct map *m, uint64_t a, uint64_t b);

/* map_add - the same; a new key's number is MAP_NEW, and the caller's to set. */
uint32_t *map_add(struct map *m, uint64_t a, uint64_t b);

/* map_clear - without keys, with the room that they took. */
void map_clear(struct map *m);
void map_fini(struct map *m);

/* map_longest_run - slots in use that lie side by side: what a look-up may have to read. */
size_t map_longest_run(const struct map *m);

#endif

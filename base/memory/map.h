/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * map.h - numbers by key, for example the array index of a tid, an address or a pair of
 * numbers.  A key is two 64-bit words; for a one-word key pass 0 as the second.
 *
 *	uint32_t *row = map_add(&m, tid, 0);
 *
 *	if (!row)
 *		return -ENOMEM;
 *	if (*row == MAP_NEW)
 *		*row = (uint32_t)rows.n++;
 *
 * The map does not iterate over its keys: callers that need them keep them in the array.  As the key
 * of a string, use its address in a stringset.
 *
 * Keys are hostile: they come from files.  They are mixed with a seed that differs between maps
 * and processes, so that a file cannot choose keys that all collide.
 *
 * Threads    any number may read while no thread adds
 * Failure    out of memory: NULL, and the map is unchanged
 * Ownership  caller's storage, whose zero value is an empty map; map_fini() empties it.  Pointers
 *            from map_find() and map_add() are valid until the next map_add()
 */
#ifndef BASE_MEMORY_MAP_H
#define BASE_MEMORY_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_NEW UINT32_MAX

struct map {
	struct map_slot *slots; /* open addressing, at most half full */
	size_t n_slots, n;      /* n_slots: a power of two */
	uint64_t seed;
	unsigned shift; /* a hash shifted by it is a slot */
};

/* map_find - the number of (@a, @b); NULL when the key is missing. */
uint32_t *map_find(const struct map *m, uint64_t a, uint64_t b);

/* map_add - the same, adding a missing key; its number is MAP_NEW, for the caller to set. */
uint32_t *map_add(struct map *m, uint64_t a, uint64_t b);

/* map_clear - removes all keys, keeps the memory. */
void map_clear(struct map *m);
void map_fini(struct map *m);

/* map_longest_run - longest run of adjacent slots in use: the most a look-up reads. */
size_t map_longest_run(const struct map *m);

#endif

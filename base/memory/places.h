/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * places.h - array index by key, when the array itself holds the keys: four to eight bytes per key
 * (map.h stores the keys, and needs 48 to 96).
 *
 *	size_t at;
 *
 *	for (at = places_begin(&p, tid, 0); places_at(&p, at, &i); at = places_next(&p, at))
 *		if (all[i].tid == tid)
 *			return i;
 *	if (places_room(&p, key_of, all, sizeof(*all)))	// may move everything
 *		return NO_MEMORY;
 *	places_add(&p, tid, 0, n_all++);
 *
 * Keys are hostile, as map.h says.
 *
 * Threads    any number may read while no thread adds
 * Failure    out of memory: -ENOMEM, nothing changes
 * Ownership  caller's storage, whose zero value is empty; places_fini() empties
 */
#ifndef BASE_MEMORY_PLACES_H
#define BASE_MEMORY_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct places {
	uint32_t *slots; /* array index + 1, 0: none; at most half of them are used */
	size_t n_slots, n;
	uint64_t seed;
	unsigned shift; /* a hash shifted by it is a slot */
};

/* places_hash - every bit of both words affects the high bits, which select the slot; the seed decides which keys
 * collide. */
static inline uint64_t places_hash(uint64_t seed, uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ seed) * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t y = (b ^ seed) * UINT64_C(0xbf58476d1ce4e5b9);

	x = (x ^ x >> 32) + y;
	/* multiply by a known good constant, not by the seed: some seeds cluster similar keys */
	return (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
}

/* places_begin, places_next - slots of keys with the hash of (@a, @b), one after the other; places_at - the index in a
 * slot, false: no more. */
static inline size_t places_begin(const struct places *p, uint64_t a, uint64_t b)
{
	return p->n_slots ? (size_t)(places_hash(p->seed, a, b) >> p->shift) : 0;
}

static inline size_t places_next(const struct places *p, size_t at)
{
	return (at + 1) & (p->n_slots - 1);
}

static inline bool places_at(const struct places *p, size_t at, uint32_t *place)
{
	if (!p->n_slots || !p->slots[at])
		return false;
	*place = p->slots[at] - 1;
	return true;
}

/* places_room - room for one more; @key returns the key at an index of @array, which has entries of @size bytes. */
int places_room(struct places *p, void (*key)(const void *array, uint32_t place, uint64_t ab[2]),
		const void *array, size_t size);
/* places_add - adds a missing key, after places_room(); places_move - the entry at @at now has index @place. */
void places_add(struct places *p, uint64_t a, uint64_t b, uint32_t place);
void places_move(struct places *p, size_t at, uint32_t place);
void places_fini(struct places *p);

/* places_seed - a seed for a table at @where: mixes its address (address space layout randomization). */
uint64_t places_seed(const void *where);

#endif

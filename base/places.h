/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * places.h - where in an array a key stands, when the array has the keys: a map of four to eight bytes a key
 * (map.h keeps them itself, and takes 48 to 96).
 *
 *	size_t at;
 *
 *	for (at = places_begin(&p, tid, 0); places_at(&p, at, &i); at = places_next(&p, at))
 *		if (all[i].tid == tid)
 *			return i;
 *	if (places_room(&p, key_of, all))	// may move everything
 *		return NO_MEMORY;
 *	places_add(&p, tid, 0, n_all++);
 *
 * Keys are hostile, as map.h says.
 *
 * Threads    any number read, if nobody adds
 * Failure    out of memory: -ENOMEM, and they are what they were
 * Ownership  caller's storage, whose zero value is empty; places_fini() empties
 */
#ifndef BASE_PLACES_H
#define BASE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct places {
	uint32_t *slots; /* place in the array + 1, 0: none; at most half of them are used */
	size_t n_slots, n;
	uint64_t seed;
	unsigned shift; /* a hash shifted by it is a slot */
};

/* places_hash - every bit of both words reaches the high bits, which count; which keys meet there depends on the
 * seed. */
static inline uint64_t places_hash(uint64_t seed, uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ seed) * UINT64_C(0x9e3779b97f4a7c15);
	uint64_t y = (b ^ seed) * UINT64_C(0xbf58476d1ce4e5b9);

	x = (x ^ x >> 32) + y;
	/* by a known good number, not by the seed: some make runs of likes */
	return (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
}

/* places_begin, places_next - where keys that hash as (@a, @b) may be, one after the other; places_at - what is there,
 * false: that was all. */
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

/* places_room - for one more; @key tells the key at a place. */
int places_room(struct places *p, void (*key)(const void *array, uint32_t place, uint64_t ab[2]),
		const void *array);
/* places_add - a key that is not there, after places_room(); places_move - what is at @at stands at @place now. */
void places_add(struct places *p, uint64_t a, uint64_t b, uint32_t place);
void places_move(struct places *p, size_t at, uint32_t place);
void places_fini(struct places *p);

/* places_seed - of a table at @where: where the kernel put it (address space layout randomization), mixed. */
uint64_t places_seed(const void *where);

#endif

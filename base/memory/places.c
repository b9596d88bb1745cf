/* SPDX-License-Identifier: LGPL-2.1-only */
/* Keys in an array -> their index: linear probing. */
#include "base/memory/places.h"

#include <errno.h>
#include <stdlib.h>

uint64_t places_seed(const void *where)
{
	uint64_t z = (uint64_t)(uintptr_t)where * UINT64_C(0x94d049bb133111eb);

	return (z ^ z >> 31) * UINT64_C(0xd6e8feb86659fd93);
}

/* The entries of neighbouring slots are anywhere in the array: they are fetched this many slots ahead. */
enum { AHEAD = 16 };

int places_room(struct places *p, void (*key)(const void *array, uint32_t place, uint64_t ab[2]),
		const void *array, size_t size)
{
	struct places to = { .n_slots = p->n_slots ? 2 * p->n_slots : 32 };

	if (2 * p->n < p->n_slots)
		return 0;
	to.slots = to.n_slots > p->n_slots ? calloc(to.n_slots, sizeof(*to.slots)) : NULL;
	if (!to.slots)
		return -ENOMEM;
	/* Kept: the entries then keep their order, and fill the slots from first to last. */
	to.seed = p->n_slots ? p->seed : places_seed(to.slots);
	to.shift = (unsigned)__builtin_clzll(to.n_slots) + 1;
	for (size_t i = 0; i < p->n_slots; i++) {
		uint32_t ahead = i + AHEAD < p->n_slots ? p->slots[i + AHEAD] : 0;
		uint64_t ab[2];

		if (ahead)
			__builtin_prefetch((const char *)array + (ahead - 1) * size);
		if (!p->slots[i])
			continue;
		key(array, p->slots[i] - 1, ab);
		places_add(&to, ab[0], ab[1], p->slots[i] - 1);
	}
	free(p->slots);
	*p = to;
	return 0;
}

void places_add(struct places *p, uint64_t a, uint64_t b, uint32_t place)
{
	size_t at = places_begin(p, a, b);

	while (p->slots[at])
		at = places_next(p, at);
	p->slots[at] = place + 1;
	p->n++;
}

void places_move(struct places *p, size_t at, uint32_t place)
{
	p->slots[at] = place + 1;
}

void places_fini(struct places *p)
{
	free(p->slots);
	*p = (struct places){ 0 };
}

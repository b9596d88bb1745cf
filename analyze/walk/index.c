// SPDX-License-Identifier: LGPL-2.1-only
/* index.c - see index.h. */
#include "analyze/walk/index.h"

static void key_at(const void *keys, uint32_t place, uint64_t ab[2])
{
	const struct index_key *k = (const struct index_key *)keys + place;

	ab[0] = k->a;
	ab[1] = k->b;
}

uint32_t index_find(const struct index *ix, uint64_t a, uint64_t b)
{
	uint32_t number;

	for (size_t at = places_begin(&ix->places, a, b); places_at(&ix->places, at, &number);
	     at = places_next(&ix->places, at))
		if (ix->keys.at[number].a == a && ix->keys.at[number].b == b)
			return number;
	return INDEX_NONE;
}

uint32_t index_take(struct index *ix, uint64_t a, uint64_t b)
{
	uint32_t number = index_find(ix, a, b);

	if (number != INDEX_NONE)
		return number;
	if (ix->keys.n >= INDEX_NONE || array_reserve(&ix->keys, ix->keys.n + 1) ||
	    places_room(&ix->places, key_at, ix->keys.at, sizeof(*ix->keys.at)))
		return INDEX_NONE;
	number = (uint32_t)ix->keys.n++;
	ix->keys.at[number] = (struct index_key){ a, b };
	places_add(&ix->places, a, b, number);
	return number;
}

void index_fini(struct index *ix)
{
	array_fini(&ix->keys);
	places_fini(&ix->places);
}

size_t index_first(const void *all, size_t n, size_t size, uint32_t task)
{
	size_t lo = 0;

	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;

		if (*(const uint32_t *)((const char *)all + mid * size) < task)
			lo = mid + 1;
		else
			n = mid;
	}
	return lo;
}

// SPDX-License-Identifier: LGPL-2.1-only
/* index.c - see index.h. */
#include "analyze/index.h"

uint32_t index_take(struct index *ix, uint64_t a, uint64_t b)
{
	uint32_t *number;

	/* First the key's room: what map_add() adds must be numbered. */
	if (array_reserve(&ix->keys, ix->keys.n + 1))
		return INDEX_NONE;
	number = map_add(&ix->map, a, b);
	if (!number)
		return INDEX_NONE;
	if (*number == MAP_NEW) {
		*number = (uint32_t)ix->keys.n;
		ix->keys.at[ix->keys.n++] = (struct index_key){ a, b };
	}
	return *number;
}

void index_fini(struct index *ix)
{
	array_fini(&ix->keys);
	map_fini(&ix->map);
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

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

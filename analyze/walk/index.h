/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * index.h - pairs of numbers -> 0, 1, 2, ... in order of first appearance: where a
 * row of an analysis is kept.
 *
 * Ownership  caller's storage, zeroed; index_fini() empties
 */
#ifndef ANALYZE_INDEX_H
#define ANALYZE_INDEX_H

#include "base/memory/array.h"
#include "base/memory/places.h"

#define INDEX_NONE UINT32_MAX

struct index_key {
	uint64_t a, b;
};

struct index {
	ARRAY(struct index_key) keys; /* of each number */
	struct places places;
};

/* index_take - the number of (a, b), a new one when it has none: then it is the old
 * ix->keys.n. INDEX_NONE when out of memory. */
uint32_t index_take(struct index *ix, uint64_t a, uint64_t b);
/* index_find - the same, INDEX_NONE when it has none. */
uint32_t index_find(const struct index *ix, uint64_t a, uint64_t b);
void index_fini(struct index *ix);

/* index_first - of @n elements of @size bytes, which begin with a uint32_t and are in its order: the first that
 * is @task's or a later one's; @n when there is none. */
size_t index_first(const void *all, size_t n, size_t size, uint32_t task);

/* row_at - element @i of the array *@rows, which grows to hold it, the new ones zeroed; NULL
 * when out of memory, or when @i is the INDEX_NONE of an index that was. */
#define row_at(rows, i)                                                                            \
	({                                                                                         \
		__typeof__(rows) ra_rows_ = (rows);                                                \
		size_t ra_i_ = (i);                                                                \
		__builtin_expect(ra_i_ < ra_rows_->n, 1) ||                                        \
				(ra_i_ != INDEX_NONE && !array_resize(ra_rows_, ra_i_ + 1))        \
			? &ra_rows_->at[ra_i_]                                                     \
			: NULL;                                                                    \
	})

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * index.h - maps pairs of numbers to 0, 1, 2, ... in order of first appearance: the rows of an
 * analysis.
 *
 * Ownership  caller's storage, zeroed; index_fini() empties
 */
#ifndef ANALYZE_WALK_INDEX_H
#define ANALYZE_WALK_INDEX_H

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

/* index_take - the number of (a, b), a new one (the old ix->keys.n) when it has none; INDEX_NONE
 * when out of memory. */
uint32_t index_take(struct index *ix, uint64_t a, uint64_t b);
/* index_find - like index_take(), but INDEX_NONE when it has none. */
uint32_t index_find(const struct index *ix, uint64_t a, uint64_t b);
void index_fini(struct index *ix);

/* index_first - among @n elements of @size bytes, sorted by the uint32_t that they begin with: the
 * first that is >= @task; @n if there is none. */
size_t index_first(const void *all, size_t n, size_t size, uint32_t task);

/* row_at - element @i of the array *@rows, grown with zeroed elements to hold it; NULL when out of
 * memory, or when @i is INDEX_NONE, as an index returns when out of memory. */
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

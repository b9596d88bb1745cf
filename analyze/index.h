/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * index.h - pairs of numbers -> 0, 1, 2, ... in order of first appearance: where a
 * row of an analysis is kept.
 *
 * Ownership  caller's storage, zeroed; index_fini() empties
 */
#ifndef ANALYZE_INDEX_H
#define ANALYZE_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define INDEX_NONE UINT32_MAX

struct index_key {
	uint64_t a, b;
};

struct index_slot {
	uint64_t a, b;
	uint32_t number; /* + 1, 0: empty */
};

struct index {
	struct index_key *keys; /* of each number */
	uint32_t n, cap;
	struct index_slot *slots; /* hold the keys too: a look-up touches one line */
	uint32_t n_slots;
};

/* index_take - the number of (a, b), a new one when it has none: then it is the old
 * ix->n. INDEX_NONE when out of memory. */
uint32_t index_take(struct index *ix, uint64_t a, uint64_t b);
void index_fini(struct index *ix);

/* rows_reserve - makes *rows (each @size bytes, *cap of them) hold at least @n, the new
 * ones zeroed; 0 or -ENOMEM. */
int rows_grow(void *rows, size_t *cap, size_t n, size_t size);
static inline int rows_reserve(void *rows, size_t *cap, size_t n, size_t size)
{
	return n <= *cap ? 0 : rows_grow(rows, cap, n, size);
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * sparse.h - rows of figures by number, for very many tasks.
 *
 *	struct sparse s = { .size = sizeof(struct row) };
 *	struct row *row = sparse_row(&s, task);	// zeroed, or as s.fresh, when it is new
 *
 * A row is a struct of numbers, nearly all of them 0 for a task that was seen once. The SPARSE_ROWS
 * latest rows stay unpacked; of older ones only the non-zero words are kept, in as few bytes as
 * they need. With fewer tasks nothing is packed.
 *
 * Failure    NULL: out of memory
 * Ownership  caller's storage, zeroed but for @size; a row is borrowed until the next one is
 *            requested; a row owns its pointers: sparse_fini() calls its fini
 */
#ifndef ANALYZE_WALK_SPARSE_H
#define ANALYZE_WALK_SPARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/array.h"

#define SPARSE_ROWS 16384u
#define SPARSE_SIZE_MAX 512u /* of a row: 64 words */
#define SPARSE_UNITS_MAX 82u /* of a packed one: 8 bytes and ten a word */

struct sparse {
	uint32_t size;         /* of a row: a multiple of 8 */
	uint32_t most;         /* unpacked at a time; 0: SPARSE_ROWS */
	const void *fresh;     /* contents of a new row, NULL: zeroed; borrowed */
	ARRAY(uint32_t) slots; /* by number: 0: none, else place + 1, or a packed row of sparse.c */
	char *rows;            /* by place */
	uint32_t n_rows, room;
	uint32_t *numbers;    /* by place: the row's number */
	uint32_t next;        /* place of the row that is packed next */
	ARRAY(char *) blocks; /* of packed rows */
	uint32_t end;         /* units in use in them */
	uint32_t free[SPARSE_UNITS_MAX + 1];
};

/* sparse_take - sparse_row() for a row that is not unpacked. */
void *sparse_take(struct sparse *s, uint32_t number);

static inline void *sparse_row(struct sparse *s, uint32_t number)
{
	uint32_t place = number < s->slots.n ? s->slots.at[number] - 1 : UINT32_MAX;

	return __builtin_expect(place < s->n_rows, 1) ? s->rows + (size_t)place * s->size
						      : sparse_take(s, number);
}

/* sparse_has - whether the row was ever requested. */
static inline bool sparse_has(const struct sparse *s, uint32_t number)
{
	return number < s->slots.n && s->slots.at[number];
}

/* sparse_read - copies the row into @out (s->size bytes) without unpacking it in place; false:
 * there is none. */
bool sparse_read(const struct sparse *s, uint32_t number, void *out);

/* sparse_fini - calls @fini (or none) for each row, and empties. */
void sparse_fini(struct sparse *s, void (*fini)(void *row));

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page_arrays.h - arrays of numbers for the page: JSON that points into one piece of memory
 * where they lie little-endian, one after another.  doc/page.md, "Bins", says how; page.js
 * reads it.
 *
 * Failure    the sinks remember that memory ran out
 */
#ifndef RENDER_PAGE_ARRAYS_H
#define RENDER_PAGE_ARRAYS_H

#include "base/json.h"

struct arrays {
	struct json *j;
	struct sink *out; /* a memory sink */
};

/* Each is a member @key of numbers in as few bytes as the largest needs. */
void arrays_u32(struct arrays *a, const char *key, const uint32_t *v, size_t n);
void arrays_u64(struct arrays *a, const char *key, const uint64_t *v, size_t n);
/* arrays_rows - rows of @n numbers each; a NULL row is zeros. */
void arrays_rows(struct arrays *a, const char *key, uint64_t *const *rows, size_t n_rows, size_t n);
/* arrays_steps - ascending numbers, written as the steps between them. */
void arrays_steps(struct arrays *a, const char *key, const uint32_t *v, size_t n);
/* arrays_double - any numbers, NaN too. */
void arrays_double(struct arrays *a, const char *key, const double *v, size_t n);

#endif

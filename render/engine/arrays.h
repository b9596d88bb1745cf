/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arrays.h - numbers for the page, and arrays of them: JSON that points into one piece of memory
 * where they lie little-endian, one after another.  doc/page.md, "Bins", says how; page.js
 * reads it.
 *
 * Failure    the sinks remember that memory ran out
 */
#ifndef RENDER_PAGE_ARRAYS_H
#define RENDER_PAGE_ARRAYS_H

#include "base/text/json.h"

/* page_number_json - @n, or null when it is UINT32_MAX: none. */
void page_number_json(struct json *j, const char *key, uint32_t n);
/* page_time_json - @t_ns since @t0_ns, which may lie after it, or null when it is UINT64_MAX: no time. */
void page_time_json(struct json *j, const char *key, uint64_t t_ns, uint64_t t0_ns);

struct arrays {
	struct json *j;
	struct sink *out; /* a memory sink */
};

/* arrays_strided - a member @key of numbers in as few bytes as the largest needs: @n of @bytes each,
 * 4 or 8, the next one @stride bytes behind. */
void arrays_strided(struct arrays *a, const char *key, const void *first, size_t n, size_t stride,
		    unsigned bytes);
/* The same of an array of numbers, and of a member of all elements of an ARRAY(). */
#define arrays_put(a, key, v, n) arrays_strided(a, key, v, n, sizeof(*(v)), sizeof(*(v)))
#define arrays_member(a, key, all, member)                                                         \
	arrays_strided(a, key, (all).at ? &(all).at->member : NULL, (all).n, sizeof(*(all).at),    \
		       sizeof((all).at->member))
/* arrays_rows - rows of @n numbers each; a NULL row is zeros. */
void arrays_rows(struct arrays *a, const char *key, uint64_t *const *rows, size_t n_rows, size_t n);
/* arrays_steps - ascending numbers, written as the steps between them. */
void arrays_steps(struct arrays *a, const char *key, const uint32_t *first, size_t n,
		  size_t stride);
/* arrays_double - any numbers, NaN too, @stride bytes from one to the next. */
void arrays_double(struct arrays *a, const char *key, const double *first, size_t n, size_t stride);

#endif

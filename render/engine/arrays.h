/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arrays.h - numbers for the page, and arrays of them: JSON that points into one piece of memory
 * with all of them in little-endian, one after another.  doc/page.md, "Bins", describes it;
 * page.js reads it.
 *
 * Failure    the sinks keep that memory ran out
 */
#ifndef RENDER_ENGINE_ARRAYS_H
#define RENDER_ENGINE_ARRAYS_H

#include "base/text/json.h"

/* page_number_json - writes @n, or null when it is UINT32_MAX: none. */
void page_number_json(struct json *j, const char *key, uint32_t n);
/* page_time_json - writes @t_ns since @t0_ns, which may be after it, or null when it is UINT64_MAX: no time. */
void page_time_json(struct json *j, const char *key, uint64_t t_ns, uint64_t t0_ns);

struct arrays {
	struct json *j;
	struct sink *out; /* a memory sink */
};

/* arrays_strided - writes a member @key of @n numbers, in as few bytes as the largest needs; in memory
 * each has @bytes, 4 or 8, and the next one is @stride bytes after it. */
void arrays_strided(struct arrays *a, const char *key, const void *first, size_t n, size_t stride,
		    unsigned bytes);
/* The same for an array of numbers, and for a member of all elements of an ARRAY(). */
#define arrays_put(a, key, v, n) arrays_strided(a, key, v, n, sizeof(*(v)), sizeof(*(v)))
#define arrays_member(a, key, all, member)                                                         \
	arrays_strided(a, key, (all).at ? &(all).at->member : NULL, (all).n, sizeof(*(all).at),    \
		       sizeof((all).at->member))
/* arrays_rows - writes rows of @n numbers each; a NULL row is zeros. */
void arrays_rows(struct arrays *a, const char *key, uint64_t *const *rows, size_t n_rows, size_t n);
/* arrays_steps - writes ascending numbers as the steps between them. */
void arrays_steps(struct arrays *a, const char *key, const uint32_t *first, size_t n,
		  size_t stride);
/* arrays_double - writes any numbers, NaN too, @stride bytes from one to the next. */
void arrays_double(struct arrays *a, const char *key, const double *first, size_t n, size_t stride);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * saturate.h - sums of counts and times that a file claims: the largest number instead of a small one.
 */
#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <stdint.h>

static inline uint64_t saturated_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline void saturated_add(uint64_t *sum, uint64_t v)
{
	*sum = saturated_sum(*sum, v);
}

#endif

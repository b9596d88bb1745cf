/* SPDX-License-Identifier: LGPL-2.1-only */
/* monotonic.h - a clock that never goes back, and its deadlines (0: none). */
#ifndef BASE_SYSTEM_MONOTONIC_H
#define BASE_SYSTEM_MONOTONIC_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

static inline uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* monotonic_in_ms - the deadline @ms from now. */
static inline uint64_t monotonic_in_ms(uint64_t ms)
{
	return monotonic_ns() + ms * 1000000;
}

/* monotonic_left_ms - time until @deadline_ns, rounded up, so that it is 0 only when the deadline has passed;
 * INT_MAX without a deadline. */
static inline int monotonic_left_ms(uint64_t deadline_ns)
{
	uint64_t now = deadline_ns ? monotonic_ns() : 0, ms;

	if (!deadline_ns)
		return INT_MAX;
	if (now >= deadline_ns)
		return 0;
	ms = (deadline_ns - now - 1) / 1000000 + 1;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

static inline bool monotonic_past(uint64_t deadline_ns)
{
	return deadline_ns && monotonic_ns() >= deadline_ns;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * histogram.h - a mergeable distribution of durations.
 *
 * Log-linear bins: below 64 one bin a value, above it 64 bins an octave. A percentile is the middle
 * of its bin, clamped to [min, max]: it differs from the exact one by at most 1/128 (0.79 %).
 * count, sum, min and max are exact, and merging two histograms gives the same as feeding one with
 * both.
 *
 * Threads    one writer at a time per histogram; any number of readers
 * Units      values are usually ns; the code does not depend on it
 * Failure    out of memory: histogram_add() and histogram_merge() return -ENOMEM; the histogram
 *            is then invalid
 * Ownership  caller's storage, zeroed by histogram_init(); bins are its own
 */
#ifndef ANALYZE_WALK_HISTOGRAM_H
#define ANALYZE_WALK_HISTOGRAM_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "base/saturate.h"

/* Without the check, an invalid figure would be printed. */
#define ANALYZE_CHECK __attribute__((warn_unused_result))

#define HISTOGRAM_SUB_BITS 6
#define HISTOGRAM_SUB (1u << HISTOGRAM_SUB_BITS)
#define HISTOGRAM_OCTAVES (64 - HISTOGRAM_SUB_BITS + 1)
#define HISTOGRAM_BINS (HISTOGRAM_OCTAVES * HISTOGRAM_SUB)

/* Every task has some histograms, and its values hit them anywhere: a counter is mostly a cache
 * miss. So this many values are collected and then counted together, so that their misses overlap.
 * Also, of a million tasks most have only a few values: until then there are no counters. */
#define HISTOGRAM_WAITING 14

struct histogram {
	uint64_t count, sum;
	uint64_t min, max;         /* 0 when count is 0 */
	uint64_t max_at;           /* the time that histogram_add() got with the (first) max */
	uint8_t octave, n_octaves; /* @bins covers octaves [octave, octave + n_octaves) */
	uint8_t n_waiting;         /* bins of values that are not counted in @bins yet */
	uint16_t waiting[HISTOGRAM_WAITING];
	uint32_t *bins; /* n_octaves * HISTOGRAM_SUB counters, saturating */
};

/* histogram_bin - the bin of @v; bins are in order of value. */
static inline unsigned histogram_bin(uint64_t v)
{
	unsigned e;

	if (v < HISTOGRAM_SUB)
		return (unsigned)v;
	e = 63 - (unsigned)__builtin_clzll(v);
	return ((e - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS) +
	       (unsigned)(v >> (e - HISTOGRAM_SUB_BITS) & (HISTOGRAM_SUB - 1));
}

/* histogram_bin_low - the smallest value of @bin. */
uint64_t histogram_bin_low(unsigned bin);
/* histogram_bin_count - how many values fell into @bin. */
uint64_t histogram_bin_count(const struct histogram *h, unsigned bin);

void histogram_init(struct histogram *h);
void histogram_fini(struct histogram *h);

/* histogram_settle - counts the collected values; 0 or -ENOMEM. */
ANALYZE_CHECK int histogram_settle(struct histogram *h);

/* histogram_add - counts @v; @at is its time, kept for the largest value; 0 or -ENOMEM. */
ANALYZE_CHECK static inline int histogram_add(struct histogram *h, uint64_t v, uint64_t at)
{
	if (!h->count || v > h->max) {
		h->max = v;
		h->max_at = at;
	}
	if (!h->count || v < h->min)
		h->min = v;
	h->count++;
	saturated_add(&h->sum, v);
	h->waiting[h->n_waiting++] = (uint16_t)histogram_bin(v);
	return h->n_waiting == HISTOGRAM_WAITING ? histogram_settle(h) : 0;
}

/* histogram_merge - adds all of @from to @to; 0 or -ENOMEM. */
ANALYZE_CHECK int histogram_merge(struct histogram *to, const struct histogram *from);

/* histogram_percentile - the smallest value that at least @percent of the
 * values do not exceed (nearest rank), with the precision above; 0 when empty. */
uint64_t histogram_percentile(const struct histogram *h, double percent);

static inline uint64_t histogram_avg(const struct histogram *h)
{
	return h->count ? h->sum / h->count : 0;
}

/* histogram_log2 - counts by power of two for drawing: out[i] holds the values
 * in [2^i, 2^(i+1)), out[0] also the zeros. */
void histogram_log2(const struct histogram *h, uint64_t out[64]);

#endif

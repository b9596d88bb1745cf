// SPDX-License-Identifier: LGPL-2.1-only
/* histogram.c - see histogram.h. */
#include "analyze/walk/histogram.h"
#include "base/saturate.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

uint64_t histogram_bin_low(unsigned bin)
{
	unsigned octave = bin >> HISTOGRAM_SUB_BITS;
	uint64_t sub = bin & (HISTOGRAM_SUB - 1);

	return octave ? (HISTOGRAM_SUB | sub) << (octave - 1) : sub;
}

static uint64_t bin_width(unsigned bin)
{
	unsigned octave = bin >> HISTOGRAM_SUB_BITS;

	return octave ? UINT64_C(1) << (octave - 1) : 1;
}

/* Grows the bins so that @octave is covered; 0 or -ENOMEM. */
static int cover(struct histogram *h, unsigned octave)
{
	unsigned lo = octave, hi = octave + 1;
	uint32_t *bins;

	if (h->n_octaves) {
		lo = octave < h->octave ? octave : h->octave;
		hi = h->octave + (unsigned)h->n_octaves;
		if (hi < octave + 1)
			hi = octave + 1;
	}
	bins = calloc((size_t)(hi - lo) << HISTOGRAM_SUB_BITS, sizeof(*bins));
	if (!bins)
		return -ENOMEM;
	if (h->n_octaves)
		memcpy(bins + ((h->octave - lo) << HISTOGRAM_SUB_BITS), h->bins,
		       ((size_t)h->n_octaves << HISTOGRAM_SUB_BITS) * sizeof(*bins));
	free(h->bins);
	h->bins = bins;
	h->octave = (uint8_t)lo;
	h->n_octaves = (uint8_t)(hi - lo);
	return 0;
}

int histogram_settle(struct histogram *h)
{
	unsigned n = h->n_waiting, first;

	h->n_waiting = 0; /* even if out of memory: the histogram is then invalid */
	for (unsigned i = 0; i < n; i++) {
		unsigned octave = h->waiting[i] >> HISTOGRAM_SUB_BITS;

		if (octave - h->octave >= h->n_octaves && cover(h, octave))
			return -ENOMEM;
	}
	first = (unsigned)h->octave << HISTOGRAM_SUB_BITS;
	for (unsigned i = 0; i < n; i++) {
		uint32_t *p = &h->bins[h->waiting[i] - first];

		*p += *p != UINT32_MAX;
	}
	return 0;
}

uint64_t histogram_bin_count(const struct histogram *h, unsigned bin)
{
	unsigned octave = bin >> HISTOGRAM_SUB_BITS;
	uint64_t n = 0;

	for (unsigned i = 0; i < h->n_waiting; i++)
		n += h->waiting[i] == bin;
	if (octave - h->octave < h->n_octaves)
		n += h->bins[bin - ((unsigned)h->octave << HISTOGRAM_SUB_BITS)];
	return n;
}

void histogram_init(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
}

void histogram_fini(struct histogram *h)
{
	free(h->bins);
	histogram_init(h);
}

int histogram_merge(struct histogram *to, const struct histogram *from)
{
	if (!from->count)
		return 0;
	if (!to->count || from->max > to->max ||
	    (from->max == to->max && from->max_at < to->max_at)) {
		to->max = from->max;
		to->max_at = from->max_at;
	}
	if (!to->count || from->min < to->min)
		to->min = from->min;
	saturated_add(&to->count, from->count);
	saturated_add(&to->sum, from->sum);
	for (unsigned o = 0; o < from->n_octaves; o++) {
		const uint32_t *src = from->bins + (o << HISTOGRAM_SUB_BITS);
		unsigned octave = from->octave + o;
		uint32_t *dst;

		if (octave - to->octave >= to->n_octaves && cover(to, octave))
			return -ENOMEM;
		dst = to->bins + ((octave - to->octave) << HISTOGRAM_SUB_BITS);
		for (unsigned i = 0; i < HISTOGRAM_SUB; i++)
			dst[i] = src[i] > UINT32_MAX - dst[i] ? UINT32_MAX : dst[i] + src[i];
	}
	for (unsigned i = 0; i < from->n_waiting; i++) {
		to->waiting[to->n_waiting++] = from->waiting[i];
		if (to->n_waiting == HISTOGRAM_WAITING && histogram_settle(to))
			return -ENOMEM;
	}
	return 0;
}

/* The bin with the value of that rank, 1 for the smallest; HISTOGRAM_BINS: counters are
 * saturated. */
static unsigned bin_of_rank(const struct histogram *h, uint64_t rank)
{
	unsigned n = h->n_waiting, first = (unsigned)h->octave << HISTOGRAM_SUB_BITS;
	unsigned counted = (unsigned)h->n_octaves << HISTOGRAM_SUB_BITS;
	uint16_t waiting[HISTOGRAM_WAITING];
	uint64_t below = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned at = i;

		for (; at && waiting[at - 1] > h->waiting[i]; at--)
			waiting[at] = waiting[at - 1];
		waiting[at] = h->waiting[i];
	}
	for (unsigned i = 0, w = 0; i < counted || w < n;) {
		bool waits = i == counted || (w < n && waiting[w] < first + i);

		below += waits ? 1 : h->bins[i];
		if (below >= rank)
			return waits ? waiting[w] : first + i;
		if (waits)
			w++;
		else
			i++;
	}
	return HISTOGRAM_BINS;
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
	uint64_t rank, v;
	unsigned bin;
	double want;

	if (!h->count)
		return 0;
	want = ceil((double)h->count * percent / 100.0);
	rank = want < 1 ? 1 : want >= (double)h->count ? h->count : (uint64_t)want;
	if (rank == h->count)
		return h->max;
	if (rank == 1)
		return h->min;
	bin = bin_of_rank(h, rank);
	if (bin == HISTOGRAM_BINS)
		return h->max;
	v = histogram_bin_low(bin) + bin_width(bin) / 2;
	return v < h->min ? h->min : v > h->max ? h->max : v;
}

/* log2 of the bin's lowest value, 0 for 0. */
static unsigned log2_of(unsigned bin)
{
	uint64_t low = histogram_bin_low(bin);

	return low > 1 ? 63 - (unsigned)__builtin_clzll(low) : 0;
}

void histogram_log2(const struct histogram *h, uint64_t out[64])
{
	unsigned first = (unsigned)h->octave << HISTOGRAM_SUB_BITS;

	memset(out, 0, 64 * sizeof(*out));
	for (unsigned i = 0; i < (unsigned)h->n_octaves << HISTOGRAM_SUB_BITS; i++)
		out[log2_of(first + i)] += h->bins[i];
	for (unsigned i = 0; i < h->n_waiting; i++)
		out[log2_of(h->waiting[i])]++;
}

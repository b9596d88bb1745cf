// SPDX-License-Identifier: LGPL-2.1-only
/* histogram.c - see histogram.h. */
#include "analyze/histogram.h"

#include <math.h>
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

void histogram_settle(struct histogram *h)
{
	unsigned first = (unsigned)h->octave << HISTOGRAM_SUB_BITS;

	for (unsigned i = 0; i < h->n_waiting; i++) {
		uint32_t *p = &h->bins[h->waiting[i] - first];

		*p += *p != UINT32_MAX;
	}
	h->n_waiting = 0;
}

/* What is read is the same before and after: a reader may do it too. */
static void settle(const struct histogram *h)
{
	histogram_settle((struct histogram *)h);
}

uint64_t histogram_bin_count(const struct histogram *h, unsigned bin)
{
	unsigned octave = bin >> HISTOGRAM_SUB_BITS;

	settle(h);
	if (octave - h->octave >= h->n_octaves)
		return 0;
	return h->bins[bin - ((unsigned)h->octave << HISTOGRAM_SUB_BITS)];
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

int histogram_cover(struct histogram *h, unsigned octave)
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

int histogram_merge(struct histogram *to, const struct histogram *from)
{
	if (!from->count)
		return 0;
	settle(from);
	if (!to->count || from->max > to->max ||
	    (from->max == to->max && from->max_at < to->max_at)) {
		to->max = from->max;
		to->max_at = from->max_at;
	}
	if (!to->count || from->min < to->min)
		to->min = from->min;
	to->count += from->count;
	to->sum += from->sum;
	for (unsigned o = 0; o < from->n_octaves; o++) {
		const uint32_t *src = from->bins + (o << HISTOGRAM_SUB_BITS);
		unsigned octave = from->octave + o;
		uint32_t *dst;

		if (octave - to->octave >= to->n_octaves && histogram_cover(to, octave))
			return -ENOMEM;
		dst = to->bins + ((octave - to->octave) << HISTOGRAM_SUB_BITS);
		for (unsigned i = 0; i < HISTOGRAM_SUB; i++)
			dst[i] = src[i] > UINT32_MAX - dst[i] ? UINT32_MAX : dst[i] + src[i];
	}
	return 0;
}

uint64_t histogram_percentile(const struct histogram *h, double percent)
{
	uint64_t rank, below = 0;
	double want;

	if (!h->count)
		return 0;
	settle(h);
	want = ceil((double)h->count * percent / 100.0);
	rank = want < 1 ? 1 : want >= (double)h->count ? h->count : (uint64_t)want;
	if (rank == h->count)
		return h->max;
	if (rank == 1)
		return h->min;
	for (unsigned i = 0; i < (unsigned)h->n_octaves << HISTOGRAM_SUB_BITS; i++) {
		below += h->bins[i];
		if (below >= rank) {
			unsigned bin = i + ((unsigned)h->octave << HISTOGRAM_SUB_BITS);
			uint64_t v = histogram_bin_low(bin) + bin_width(bin) / 2;

			return v < h->min ? h->min : v > h->max ? h->max : v;
		}
	}
	return h->max;
}

void histogram_log2(const struct histogram *h, uint64_t out[64])
{
	memset(out, 0, 64 * sizeof(*out));
	settle(h);
	for (unsigned i = 0; i < (unsigned)h->n_octaves << HISTOGRAM_SUB_BITS; i++) {
		uint64_t low = histogram_bin_low(i + ((unsigned)h->octave << HISTOGRAM_SUB_BITS));

		out[low > 1 ? 63 - __builtin_clzll(low) : 0] += h->bins[i];
	}
}

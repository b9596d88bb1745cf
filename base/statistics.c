/* SPDX-License-Identifier: LGPL-2.1-only */
/* Quartiles, and the test of Mann and Whitney. */
#include "base/statistics.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void statistics_sort(double *values, size_t n)
{
	if (n)
		qsort(values, n, sizeof(*values), by_value);
}

double statistics_quantile(const double *sorted, size_t n, double part)
{
	double at = part * (double)(n ? n - 1 : 0), below = floor(at);
	size_t i = (size_t)below;

	if (!n)
		return NAN;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]);
}

struct statistics_quartiles statistics_quartiles(const double *sorted, size_t n)
{
	return (struct statistics_quartiles){ .q1 = statistics_quantile(sorted, n, 0.25),
					      .median = statistics_quantile(sorted, n, 0.5),
					      .q3 = statistics_quantile(sorted, n, 0.75) };
}

/* ---- Mann and Whitney ---- */

struct ranked {
	double value;
	size_t rank2; /* twice the rank, from 1: equal values share the middle of their ranks */
	bool first;   /* in the first group */
};

static int by_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return by_value(&x->value, &y->value);
}

/* Ranks every value; returns the correction of the variance for ties: the sum of t^3 - t. */
static double rank(struct ranked *all, size_t n)
{
	double ties = 0;

	qsort(all, n, sizeof(*all), by_ranked);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && !(all[end].value > all[i].value);)
			end++;
		for (size_t k = i; k < end; k++)
			all[k].rank2 = i + 1 + end;
		t = (double)(end - i);
		ties += t * t * t - t;
	}
	return ties;
}

/*
 * Of all ways to choose @n_a of the ranks, counts those whose sum is at most, and at least, the observed
 * one: ways[k][s] for k ranks with twice the sum s, rank by rank. Doubles count exactly below 2^53: 40 over
 * 20 is less.
 */
static int exact(double *p, const struct ranked *all, size_t n, size_t n_a, size_t sum2)
{
	size_t sums = n * (n + 1) + 1; /* twice the sum of all ranks is n (n + 1) */
	double *ways = calloc((n_a + 1) * sums, sizeof(*ways));
	double low = 0, high = 0, every = 0;

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i < n_a ? i + 1 : n_a; k; k--) {
			const double *from = ways + (k - 1) * sums;
			double *to = ways + k * sums;

			for (size_t s = all[i].rank2; s < sums; s++)
				to[s] += from[s - all[i].rank2];
		}
	}
	for (size_t s = 0; s < sums; s++) {
		double here = ways[n_a * sums + s];

		every += here;
		low += s <= sum2 ? here : 0;
		high += s >= sum2 ? here : 0;
	}
	free(ways);
	*p = fmin(1, 2 * fmin(low, high) / every);
	return 0;
}

static double normal(size_t n_a, size_t n_b, double ties, size_t sum2)
{
	double a = (double)n_a, b = (double)n_b, n = a + b;
	double u = (double)sum2 / 2 - a * (a + 1) / 2;
	double variance = a * b / 12 * (n + 1 - ties / (n * (n - 1)));
	double off = fabs(u - a * b / 2) - 0.5; /* continuity correction: sums are whole numbers */

	return off > 0 ? erfc(off / sqrt(variance) / sqrt(2)) : 1;
}

int statistics_mann_whitney(double *p, const double *a, size_t n_a, const double *b, size_t n_b)
{
	size_t n = n_a + n_b, sum2 = 0;
	struct ranked *all;
	double ties, whole = (double)n;
	int rc = 0;

	*p = NAN;
	if (!n_a || !n_b)
		return 0;
	all = calloc(n, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		all[i] = (struct ranked){ .value = i < n_a ? a[i] : b[i - n_a], .first = i < n_a };
	ties = rank(all, n);
	for (size_t i = 0; i < n; i++)
		sum2 += all[i].first ? all[i].rank2 : 0;
	if (ties >= whole * whole * whole - whole)
		*p = 1; /* all are equal */
	else if (n_a <= STATISTICS_EXACT && n_b <= STATISTICS_EXACT)
		rc = exact(p, all, n, n_a, sum2);
	else
		*p = normal(n_a, n_b, ties, sum2);
	free(all);
	return rc;
}

double statistics_mann_whitney_least(size_t n_a, size_t n_b)
{
	double ways = 1; /* n over n_a */

	if (!n_a || !n_b)
		return 1;
	for (size_t i = 1; i <= n_a; i++)
		ways = ways * (double)(n_b + i) / (double)i;
	return fmin(1, 2 / ways);
}

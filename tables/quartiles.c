/* SPDX-License-Identifier: LGPL-2.1-only */
/* The five numbers that samples are told by. */
#include "tables/quartiles.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double quantile(const double *v, size_t n, double p)
{
	double h = (double)(n - 1) * p;
	size_t i = (size_t)h;

	return i + 1 < n ? v[i] + (h - (double)i) * (v[i + 1] - v[i]) : v[n - 1];
}

struct quartiles quartiles_of(double *samples, size_t n)
{
	if (!n)
		return (struct quartiles){ 0 };
	qsort(samples, n, sizeof(*samples), ascending);
	return (struct quartiles){ .n = n,
				   .min = samples[0],
				   .q1 = quantile(samples, n, 0.25),
				   .median = quantile(samples, n, 0.5),
				   .q3 = quantile(samples, n, 0.75),
				   .max = samples[n - 1] };
}

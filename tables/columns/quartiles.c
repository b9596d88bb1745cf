/* SPDX-License-Identifier: LGPL-2.1-only */
/* The five-number summary of samples. */
#include "tables/columns/quartiles.h"

#include "base/statistics.h"

struct quartiles quartiles_of(double *samples, size_t n)
{
	struct statistics_quartiles q;

	if (!n)
		return (struct quartiles){ 0 };
	statistics_sort(samples, n);
	q = statistics_quartiles(samples, n);
	return (struct quartiles){ .n = n,
				   .min = samples[0],
				   .q1 = q.q1,
				   .median = q.median,
				   .q3 = q.q3,
				   .max = samples[n - 1] };
}

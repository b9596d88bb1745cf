/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * statistics.h - statistics over several runs: median and quartiles, and whether two groups of runs
 * differ by more than chance.
 *
 *	statistics_sort(values, n);
 *	struct statistics_quartiles q = statistics_quartiles(values, n);
 *	rc = statistics_mann_whitney(&p, base, n_base, now, n_now);
 *
 * Values are finite.
 */
#ifndef BASE_STATISTICS_H
#define BASE_STATISTICS_H

#include <stddef.h>

/* statistics_sort - ascending, in place. */
void statistics_sort(double *values, size_t n);

/* statistics_quantile - of @n ascending values, at @part of 0 to 1: linear interpolation between two
 * values (R's type 7, the default of numpy, R and spreadsheets); NAN without values. */
double statistics_quantile(const double *sorted, size_t n, double part);

struct statistics_quartiles {
	double q1, median, q3;
};
struct statistics_quartiles statistics_quartiles(const double *sorted, size_t n);

/*
 * statistics_mann_whitney - *@p: the probability that two groups from the same distribution differ at least as
 * much as these (Mann and Whitney's U test, two-sided: twice the smaller tail). Exact, including ties, up to
 * STATISTICS_EXACT values per group; beyond that the normal distribution, corrected for ties and continuity.
 * NAN when a group is empty; 0 or -ENOMEM.
 */
enum { STATISTICS_EXACT = 20 };
int statistics_mann_whitney(double *p, const double *a, size_t n_a, const double *b, size_t n_b);
/* statistics_mann_whitney_least - the smallest possible p for these group sizes: that of two disjoint groups. */
double statistics_mann_whitney_least(size_t n_a, size_t n_b);

#endif

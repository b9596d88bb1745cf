/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * quartiles.h - the five-number summary of samples.
 *
 * The quantile p of n samples in ascending order x[0..n-1] is at h = (n - 1) p, interpolated
 * linearly between x[floor(h)] and the next one (type 7 of Hyndman and Fan, the default of R and
 * numpy).
 */
#ifndef TABLES_COLUMNS_QUARTILES_H
#define TABLES_COLUMNS_QUARTILES_H

#include <stddef.h>

struct quartiles {
	size_t n; /* 0: the rest is unset */
	double min, q1, median, q3, max;
};

/* quartiles_of - the quartiles of @n finite samples, which it sorts. */
struct quartiles quartiles_of(double *samples, size_t n);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * quartiles.h - the five numbers that samples are told by.
 *
 * The quantile p of n samples in ascending order x[0..n-1] is at h = (n - 1) p: x[floor(h)], and of the
 * way to the next the fraction of h (type 7 of Hyndman and Fan: what R and numpy take unless told otherwise).
 */
#ifndef TABLES_QUARTILES_H
#define TABLES_QUARTILES_H

#include <stddef.h>

struct quartiles {
	size_t n; /* 0: all else is nothing */
	double min, q1, median, q3, max;
};

/* quartiles_of - of @n finite samples, which are sorted. */
struct quartiles quartiles_of(double *samples, size_t n);

#endif

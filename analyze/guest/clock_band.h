/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * clock_band.h - all lines a + b * x that pass between bounds: a convex polygon in the plane of a and
 * b, which each bound cuts. At each x the lines are within a range, whose ends are at two of the
 * polygon's corners.
 */
#ifndef ANALYZE_GUEST_CLOCK_BAND_H
#define ANALYZE_GUEST_CLOCK_BAND_H

#include <stdbool.h>
#include <stddef.h>

/* A bound adds one corner at most; corners closer than rounding errors are one. */
#define BAND_CORNERS 64

struct band {
	struct {
		double a, b;
	} corner[BAND_CORNERS];
	size_t n; /* 0: no line is left */
};

/* band_init - the lines with a in [@a0, @a1] and b in [@b0, @b1]. */
void band_init(struct band *band, double a0, double a1, double b0, double b1);
/* band_at - the least and the largest a + b * @x. */
void band_at(const struct band *band, double x, double *low, double *high);
/* band_above, band_below - keeps the lines that at @x are not below, not above @y; false when no
 * line is left, and the band is then unchanged. */
bool band_above(struct band *band, double x, double y);
bool band_below(struct band *band, double x, double y);

#endif

// SPDX-License-Identifier: LGPL-2.1-only
/* clock_band.c - see clock_band.h. */
#include "analyze/guest/clock_band.h"

void band_init(struct band *band, double a0, double a1, double b0, double b1)
{
	band->n = 4;
	band->corner[0].a = band->corner[3].a = a0;
	band->corner[1].a = band->corner[2].a = a1;
	band->corner[0].b = band->corner[1].b = b0;
	band->corner[2].b = band->corner[3].b = b1;
}

void band_at(const struct band *band, double x, double *low, double *high)
{
	for (size_t i = 0; i < band->n; i++) {
		double y = band->corner[i].a + band->corner[i].b * x;

		if (!i || y < *low)
			*low = y;
		if (!i || y > *high)
			*high = y;
	}
}

/* Clips the polygon by sign * (a + b * x - y) >= 0 (Sutherland and Hodgman, 1974). A polygon that has
 * no room for another corner keeps the part outside: the bound is then looser, not wrong. */
static bool clip(struct band *band, double x, double y, double sign)
{
	struct band out = { .n = 0 };
	size_t n = band->n;

	for (size_t i = 0; i < n; i++) {
		size_t next = i + 1 < n ? i + 1 : 0;
		double at = sign * (band->corner[i].a + band->corner[i].b * x - y);
		double then = sign * (band->corner[next].a + band->corner[next].b * x - y);

		if (out.n + 2 > BAND_CORNERS)
			return true;
		if (at >= 0)
			out.corner[out.n++] = band->corner[i];
		if ((at > 0 && then < 0) || (at < 0 && then > 0)) {
			double part = at / (at - then);

			out.corner[out.n].a = band->corner[i].a +
					      part * (band->corner[next].a - band->corner[i].a);
			out.corner[out.n].b = band->corner[i].b +
					      part * (band->corner[next].b - band->corner[i].b);
			out.n++;
		}
	}
	if (!out.n)
		return false;
	*band = out;
	return true;
}

bool band_above(struct band *band, double x, double y)
{
	return clip(band, x, y, 1);
}

bool band_below(struct band *band, double x, double y)
{
	return clip(band, x, y, -1);
}

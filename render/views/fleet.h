/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fleet.h - hosts by time: a row per host, a column per part of the time; the darker, the larger.
 *
 * Texts are clean (text_clean()) and borrowed.
 */
#ifndef RENDER_VIEWS_FLEET_H
#define RENDER_VIEWS_FLEET_H

#include "render/draw/frame.h"

struct view_fleet {
	const char *title, *subtitle, *foot;
	const char *key;          /* of the figure; ends in its unit: _percent, _ns, _per_s */
	const char *const *names; /* of the rows */
	size_t rows, columns;
	uint64_t column_ns;
	const char *x_title;
	const double *values; /* [row * columns + column], NAN: not known */
	const uint32_t *seen; /* like values; 0: nothing was pushed */
};

/* view_fleet_draw - sets *@plot to the area of the cells. 0 or -ENOMEM. */
int view_fleet_draw(struct marks *m, const struct canvas *c, const struct view_fleet *v,
		    struct box *plot);

#endif

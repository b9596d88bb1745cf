/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scale.h - maps values to positions, and places the ticks of an axis.
 *
 * Units      values in ns or whatever the axis counts; positions in the canvas'
 */
#ifndef RENDER_DRAW_SCALE_H
#define RENDER_DRAW_SCALE_H

#include <stdbool.h>
#include <stddef.h>

#include "render/draw/text.h"

struct scale {
	double lo, hi;   /* values at the ends; log: both > 0 */
	double from, to; /* positions of the ends; from > to is fine */
	bool log;
};

/* scale_at - the position of @v, clamped to the ends. */
double scale_at(const struct scale *s, double v);

#define SCALE_TICKS 96

struct scale_tick {
	double at;
	bool minor; /* without label */
	char label[TEXT_ROOM];
};

/* Each fills at most SCALE_TICKS of @out, ascending, all within [lo, hi], and
 * returns their number. */

/* scale_ticks_time - a linear axis of durations: at most @most labels, 1-2-5 steps, one
 * unit for all of them. */
size_t scale_ticks_time(struct scale_tick *out, double lo_ns, double hi_ns, unsigned most);
/* scale_ticks_count - a linear axis of numbers (12k), or of percent. */
size_t scale_ticks_count(struct scale_tick *out, double lo, double hi, unsigned most,
			 const char *unit);
/* scale_ticks_log - durations on a logarithmic axis: the decades with label, at most
 * @most of them; 2..9 between as minor ticks. */
size_t scale_ticks_log(struct scale_tick *out, double lo_ns, double hi_ns, unsigned most);

/* scale_step - the smallest of 1, 2, 5 times a power of ten that is not below @raw. */
double scale_step(double raw);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sweep.h - a benchmark's results at each value of a parameter: medians with bars from the first quartile to
 * the third, one plot per metric, one below the other, and one colour per series.
 *
 * Texts are clean (text_clean()) and borrowed; positions on the x axis are values, or 0, 1, 2... for texts.
 */
#ifndef RENDER_VIEWS_SWEEP_H
#define RENDER_VIEWS_SWEEP_H

#include "render/draw/marks.h"
#include "tables/columns/quartiles.h"

struct view_sweep_point {
	double x;
	struct quartiles q; /* n 0: no result */
	bool failed;        /* some runs did */
	const char *note;   /* its tooltip */
	const char *why;    /* why runs failed; NULL: none did */
};

struct view_sweep_series {
	const char *name;                      /* NULL: the only one */
	const struct view_sweep_point *points; /* one per tick of the axis, in their order */
	size_t n;
};

/* A plot. */
struct view_sweep_panel {
	const char *title; /* "bandwidth" */
	const char *unit;  /* "B/s", "ns": a duration */
	bool log;
	const struct view_sweep_series *series;
	size_t n;
};

struct view_sweep_tick {
	double x;
	const char *label;
	unsigned runs, failed; /* of all series */
};

struct view_sweep_mark {
	double x;
	const char *label;
	struct ink ink; /* zero: dim */
};

struct view_sweep {
	const char *title, *subtitle, *foot;
	const char *x_title;
	bool x_log;
	bool categories;                     /* the axis has texts: points are not connected */
	const struct view_sweep_tick *ticks; /* ascending */
	size_t n_ticks;
	const struct view_sweep_mark *marks; /* lines from top to bottom; ascending */
	size_t n_marks;
	const struct view_sweep_panel *panels;
	size_t n_panels;
};

/* view_sweep_draw - 0 or -ENOMEM. */
int view_sweep_draw(struct marks *m, const struct canvas *c, const struct view_sweep *v);

#endif

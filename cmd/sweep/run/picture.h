/* SPDX-License-Identifier: GPL-2.0-only */
/* picture.h - draws the figures of a sweep. */
#ifndef CMD_SWEEP_RUN_PICTURE_H
#define CMD_SWEEP_RUN_PICTURE_H

#include "cmd/sweep/run/sweep.h"
#include "render/views/sweep.h"

enum { SWEEP_SCALE_AUTO = 0, SWEEP_SCALE_LINEAR, SWEEP_SCALE_LOG };

struct sweep_mark {
	char *label;
	double number;
	struct ink ink; /* zero: not given */
};

struct sweep_plot_options {
	const char *x; /* the parameter on the axis; NULL: the first with numeric values */
	int x_scale;   /* SWEEP_SCALE_* */
	bool y_log;
	const struct sweep_mark *marks;
	size_t n_marks;
};

struct sweep_picture {
	struct view_sweep view;
	bool numbers;       /* the axis has numeric values */
	ARRAY(void *) kept; /* memory that the view borrows */
};

/* sweep_plot_axis - index of the axis parameter; -1: none, or no parameter has that name. */
int sweep_plot_axis(const struct sweep *s, const char *name);

/* sweep_plot_numbers - whether its values are numeric; sweep_plot_positive - and all above 0; sweep_plot_log - whether
 * the axis is logarithmic. */
bool sweep_plot_numbers(const struct sweep *s, int axis);
bool sweep_plot_positive(const struct sweep *s, int axis);
bool sweep_plot_log(const struct sweep *s, int axis, int scale);

/* sweep_plot - fills a zeroed picture; 0 or -ENOMEM. Call sweep_picture_fini() in either case. */
int sweep_plot(struct sweep_picture *to, const struct sweep *s, const struct sweep_figure *f,
	       const struct sweep_plot_options *o);
void sweep_picture_fini(struct sweep_picture *p);

#endif

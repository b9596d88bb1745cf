/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * switches.h - the heat map of intervals: when they ended (x), how long they were
 * (y, logarithmic), how many (colour).
 */
#ifndef RENDER_VIEWS_SWITCHES_H
#define RENDER_VIEWS_SWITCHES_H

#include "analyze/sched/slices.h"
#include "render/bins/bins.h"
#include "render/draw/frame.h"

/* view_switches_columns - the columns of bins that fill @c. */
unsigned view_switches_columns(const struct canvas *c);

/* view_switches_title - the title of the picture of @what. */
const char *view_switches_title(enum analyze_slice_kind what);

/* view_switches - draws the bins of tasks for which @wanted is true; 0 or -ENOMEM. */
int view_switches(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
		  enum analyze_slice_kind what, const struct bins *bins,
		  bool (*wanted)(void *ctx, uint32_t task), void *ctx);

#endif

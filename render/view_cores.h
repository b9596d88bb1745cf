/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_cores.h - which task was where: one row a CPU over time, a colour for each of
 * the tasks that ran most.
 */
#ifndef RENDER_VIEW_CORES_H
#define RENDER_VIEW_CORES_H

#include "render/frame.h"
#include "render/lanes.h"

#define CORES_IDLE 0xfeu    /* drawn as the empty plot */
#define CORES_UNKNOWN 0xfdu /* hatched */

struct cores_task {
	const char *name; /* clean */
	uint64_t run_ns;
};

struct cores {
	const struct lanes *lanes;
	const uint32_t *cpus; /* the rows: CPU numbers */
	size_t n_cpus;
	/* Those with a colour, most run time first; the last is all others, when there are any
	 * (others_ns). */
	struct cores_task tasks[PALETTE_TASKS];
	size_t n_tasks;
	uint64_t others_ns;
	/* A number of who ran (lanes.h): an index of @tasks, PALETTE_TASKS for any other,
	 * CORES_IDLE, or CORES_UNKNOWN. */
	unsigned (*colour)(void *ctx, uint32_t who);
	void *ctx;
};

unsigned view_cores_columns(const struct canvas *c);

int view_cores(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	       const struct cores *cores);

#endif

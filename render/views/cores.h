/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cores.h - which task ran where: one row per CPU over time, a colour for each of the tasks, or
 * groups of tasks, that ran most, or for each of the states of vCPUs.
 */
#ifndef RENDER_VIEWS_CORES_H
#define RENDER_VIEWS_CORES_H

#include "render/bins/lanes.h"
#include "render/draw/frame.h"

#define CORES_IDLE 0xfeu    /* drawn as the empty plot */
#define CORES_UNKNOWN 0xfdu /* hatched */

struct cores_part {
	const char *name; /* clean */
	struct ink ink;
	uint64_t run_ns;
};

struct cores {
	const struct lanes *lanes;
	const uint32_t *majority; /* [cpu][column]: of @lanes, or lanes_groups() */
	const uint32_t *cpus;     /* the rows: CPU numbers */
	size_t n_cpus;
	/* Those with a colour, in the legend's order; all others come last, if there are any
	 * (others_ns). */
	struct cores_part parts[PALETTE_TASKS];
	size_t n_parts;
	uint64_t others_ns;
	const char *each; /* meaning of a column of time: "the task that had the CPU longest" */
	/* The colour of @task (lanes.h) in a column: an index of @parts, PALETTE_TASKS for any other,
	 * CORES_IDLE, or CORES_UNKNOWN. */
	unsigned (*colour)(void *ctx, uint32_t task, unsigned column);
	void *ctx;
};

unsigned view_cores_columns(const struct canvas *c);

int view_cores(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	       const struct cores *cores);

#endif

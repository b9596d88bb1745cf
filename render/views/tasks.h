/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks.h - tasks by how much they ran: bars of CPU % with context switches as dots
 * (view_cpu), and the map of tasks and CPUs (view_coremap).
 *
 * Units      run_ns in the window; switches counted
 * Ownership  the caller's; names are clean
 */
#ifndef RENDER_VIEWS_TASKS_H
#define RENDER_VIEWS_TASKS_H

#include "render/draw/frame.h"

struct task_use {
	uint64_t run_ns, switches;
};

struct task_cell {
	uint32_t cpu;
	struct task_use use;
};

/* In drawing order, IDLE last. */
struct task_bar {
	char *name;
	bool idle; /* or unknown */
	struct task_use all;
	struct task_cell *cells; /* the non-empty ones, each CPU once; none for view_cpu() */
	size_t n_cells;
};

int view_cpu(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	     const struct task_bar *bars, size_t n);

struct coremap {
	const struct task_bar *bars;
	size_t n;
	size_t n_cpus;
	const uint32_t *cpus; /* their numbers, in drawing order */
	const int32_t *nodes; /* NUMA node of each of @cpus, or NULL */
	bool by_switches;
};

int view_coremap(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
		 const struct coremap *map);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figures_groups.h - rows of several tasks that are printed as one: with --merge-sys-tasks
 * the per-CPU threads of a kind, whose display names have become the same.
 *
 * Ownership  caller's storage, row_size and row_fini set, the rest zeroed;
 *            figures_groups_fini() empties
 */
#ifndef CMD_FIGURES_GROUPS_H
#define CMD_FIGURES_GROUPS_H

#include "cmd/figures.h"

struct figures_group {
	char *name;
	uint32_t cpu;
	bool idle, lossy; /* IDLE is among the tasks; one of them is figures_lossy() */
	void *row;        /* the sum: row_size bytes, zeroed at first */
};

struct figures_groups {
	size_t row_size;
	void (*row_fini)(void *row);
	struct figures_group *items;
	size_t n;
};

/* figures_groups_take - the group of @name (and of @cpu: the same number for all, or one of
 * each CPU), made when new, with @task's marks; NULL: out of memory. */
struct figures_group *figures_groups_take(struct figures_groups *groups, const struct figures *f,
					  const struct analyze_task *task, const char *name,
					  uint32_t cpu);
void figures_groups_fini(struct figures_groups *groups);

#endif

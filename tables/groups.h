/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * tables_groups.h - rows of several tasks that are printed as one: when names are
 * merged the per-CPU threads of a kind, whose display names have become the same.
 *
 * Ownership  caller's storage, row_size and row_fini set, the rest zeroed;
 *            tables_groups_fini() empties
 */
#ifndef TABLES_GROUPS_H
#define TABLES_GROUPS_H

#include "tables/walk.h"

struct tables_group {
	char *name;
	uint32_t cpu;
	bool idle, lossy; /* IDLE is among the tasks; one of them is figures_lossy() */
	void *row;        /* the sum: row_size bytes, zeroed at first */
};

struct tables_groups {
	size_t row_size;
	void (*row_fini)(void *row);
	struct tables_group *items;
	size_t n;
};

/* tables_groups_take - the group of @name (and of @cpu: the same number for all, or one of
 * each CPU), made when new, with @task's marks; NULL: out of memory. */
struct tables_group *tables_groups_take(struct tables_groups *groups, const struct tables_walk *w,
					const struct analyze_task *task, const char *name,
					uint32_t cpu);
void tables_groups_fini(struct tables_groups *groups);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * flame.h - the stacks of a capture as a tree, for flame graphs and tables.
 *
 * A stack begins with the task that it counts for. For a wake-up the waker comes next, with its own
 * frames; for an exit the reason comes last. An event without a stack has FLAME_NO_STACK in its
 * place, so that all stacks of a task add up to the figures of `cdict tasks` or `cdict exits`.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef TABLES_STACKS_FLAME_H
#define TABLES_STACKS_FLAME_H

#include "analyze/sched/stacks.h"
#include "tables/columns/tables.h"
#include "tables/stacks/folded.h"

extern const char *const flame_bys[];    /* by enum analyze_stacks_by: "off-cpu", ..., NULL */
extern const char *const flame_titles[]; /* "Time off the CPU by stack" */

#define FLAME_NO_STACK "[no stack]"

/* flame_is_time - whether the values are ns; else they count. */
bool flame_is_time(enum analyze_stacks_by by);

/* flame_fold - after the walk, makes the tree *f of the wanted tasks, those of one name together;
 * call folded_fini() also after a failure. *lacking: the number of events without a stack, or NULL. */
int flame_fold(struct folded *f, const struct tables_walk *w, const struct analyze_stacks *stacks,
	       uint64_t *lacking, struct cdict_error *err);
/* flame_table - a row per stack, the largest first; @by: -1 for a file of stacks; @before: the tree
 * to compare with, of the same nodes, or NULL. NULL: out of memory. */
struct table *flame_table(const struct folded *f, const struct folded *before, int by);

#endif

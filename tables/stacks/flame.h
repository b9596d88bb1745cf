/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * flame.h - the stacks of a capture as a tree, for flame graphs and tables.
 *
 * A stack begins with the task that it is counted for. Of a wake-up the one who woke it comes next, with its
 * own frames; at the end of an exit's is what the guest left for. Where an event has no stack, that
 * stands in its place: what all stacks of a task add up to is what `cdict tasks` or `cdict exits` say of it.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef TABLES_FLAME_H
#define TABLES_FLAME_H

#include "analyze/sched/stacks.h"
#include "tables/columns/tables.h"
#include "tables/stacks/folded.h"

extern const char *const flame_bys[];    /* by enum analyze_stacks_by: "off-cpu", ..., NULL */
extern const char *const flame_titles[]; /* "Time off the CPU by stack" */

#define FLAME_NO_STACK "[no stack]"

/* flame_is_time - whether the values are ns; else they count. */
bool flame_is_time(enum analyze_stacks_by by);

/* What tasks are called instead of by names_display(): given, NULL: out of memory. */
struct flame_names {
	char *(*name)(void *ctx, uint32_t task);
	void *ctx;
};

/* flame_fold - after the walk, of the wanted tasks; *f is made, to be emptied also after a failure. @lacking: of how
 * many events there is no stack; it and @names may be NULL. */
int flame_fold(struct folded *f, const struct tables_walk *w, const struct analyze_stacks *stacks,
	       const struct flame_names *names, uint64_t *lacking, struct cdict_error *err);
/* flame_table - a row a stack, the largest first; @by: what of, -1: of a file of stacks; @before: what they
 * are compared with, of the same nodes, or NULL. Given, NULL: out of memory. */
struct table *flame_table(const struct folded *f, const struct folded *before, int by);

#endif

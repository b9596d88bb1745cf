/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * successors.h - the task that ran next on the CPU after each task.
 *
 * Every pair is counted; commands filter the tasks.
 *
 * Ownership  rows are borrowed and die with the analysis
 */
#ifndef ANALYZE_SCHED_SUCCESSORS_H
#define ANALYZE_SCHED_SUCCESSORS_H

#include "analyze/walk/engine.h"

struct analyze_successors;

struct analyze_successor {
	uint32_t task, next;
	uint64_t count;       /* sched_switch task ==> next in the window */
	uint64_t involuntary; /* those after which task was still runnable; never IDLE */
	uint64_t total;       /* of all successors of @task; count / total is the share */
};

int analyze_successors_new(struct analyze_successors **out, struct analyze_engine *eng,
			   struct cdict_error *err);
void analyze_successors_free(struct analyze_successors *s);

/* By task, then most frequent first. */
size_t analyze_successors_count(const struct analyze_successors *s);
const struct analyze_successor *analyze_successors_at(const struct analyze_successors *s, size_t i);

#endif

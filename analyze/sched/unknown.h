/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * unknown.h - tasks whose figures lost events may have changed.
 *
 * A task that was off the CPU, or on the CPU that lost events, may have run, exited to the host or
 * been woken while events are missing; its counts and times are then incomplete. doc/figures.md,
 * "Loss".
 */
#ifndef ANALYZE_SCHED_UNKNOWN_H
#define ANALYZE_SCHED_UNKNOWN_H

#include "analyze/walk/engine.h"

struct analyze_unknown;

int analyze_unknown_new(struct analyze_unknown **out, struct analyze_engine *eng,
			struct cdict_error *err);
void analyze_unknown_free(struct analyze_unknown *u);

/* analyze_unknown_task - whether events of the task may be missing in the window; for IDLE: whether
 * its CPU lost events. */
bool analyze_unknown_task(const struct analyze_unknown *u, uint32_t task);

#endif

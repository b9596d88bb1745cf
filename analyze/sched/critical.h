/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * critical.h - the critical path of a task: for each moment of the window the task that its
 * progress depended on.
 *
 * While the task ran or waited for a CPU, that is the task itself. While it was blocked and another
 * task woke it, it is what the waker did meanwhile, by the same rule; as in Trace Compass's critical
 * flow and Perfetto's thread_executing_span critical path.
 *
 * Units      *_ns: times in the recording's clock; segments tile the window
 * Failure    0 or a negative code with *err filled
 * Ownership  new gives, free takes; segments are borrowed and die with the analysis
 */
#ifndef ANALYZE_SCHED_CRITICAL_H
#define ANALYZE_SCHED_CRITICAL_H

#include "analyze/walk/engine.h"

enum analyze_critical_kind {
	ANALYZE_CRITICAL_RUNNING = 0,
	ANALYZE_CRITICAL_PREEMPTED, /* ready, .other had the CPU longest */
	ANALYZE_CRITICAL_WAITING,   /* the same after a wake-up */
	ANALYZE_CRITICAL_BLOCKED,   /* until an interrupt, or until the window's end */
	ANALYZE_CRITICAL_UNKNOWN,   /* events are missing, or before the first one */
	ANALYZE_CRITICAL_KINDS,
};

/* "running", "preempted", "waiting", "blocked", "unknown" */
const char *analyze_critical_name(enum analyze_critical_kind kind);

struct analyze_critical_segment {
	uint32_t task;
	enum analyze_critical_kind kind;
	unsigned depth; /* 0: the task itself; 1: its waker; 2: that one's waker; ... */
	uint32_t cpu;   /* of RUNNING, PREEMPTED, WAITING; or CDICT_CPU_UNKNOWN */
	uint32_t other; /* or ANALYZE_NO_TASK */
	uint64_t from_ns, to_ns;
};

struct analyze_critical;

/* Whether the walk's @task is the one wanted; asked once for each task. */
typedef bool analyze_critical_is(void *ctx, uint32_t task);

/* analyze_critical_new - of the task of which @is returns true, of several the last one seen; no segments if there is
 * none. */
int analyze_critical_new(struct analyze_critical **out, struct analyze_engine *eng,
			 analyze_critical_is *is, void *ctx, struct cdict_error *err);
void analyze_critical_free(struct analyze_critical *c);

/* Segments in order of time. */
size_t analyze_critical_count(const struct analyze_critical *c);
const struct analyze_critical_segment *analyze_critical_at(const struct analyze_critical *c,
							   size_t i);

#endif

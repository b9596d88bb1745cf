/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * latency.h - how long runnable tasks waited for a CPU.
 *
 * The main figure is wake-up (sched_waking, else sched_wakeup; sched_wakeup_new) to switch-in, next
 * to the wait after a preemption. perf sched latency mixes both and starts at sched_wakeup: its
 * figures are kept apart, for comparison.
 *
 * Units      ns; max_at is the wait's start
 * Ownership  a row is borrowed until the next one is requested
 */
#ifndef ANALYZE_SCHED_LATENCY_H
#define ANALYZE_SCHED_LATENCY_H

#include "analyze/walk/engine.h"
#include "analyze/walk/histogram.h"

struct analyze_latency;

/* The version of `perf sched latency`: Linux 6.1 starts at sched_wakeup and treats R+ as sleep,
 * 6.12 starts at sched_waking, if recorded, and treats R+ as R. */
enum analyze_perf { ANALYZE_NOT_PERF = 0, ANALYZE_PERF_6_1, ANALYZE_PERF_6_12 };

struct analyze_latency_options {
	bool by_cpu;                 /* one row per CPU of the switch-in, instead of one per task */
	enum analyze_perf like_perf; /* fill .perf like that perf sched latency */
};

/* What perf sched latency prints for a task. */
struct analyze_perf_latency {
	uint64_t count;  /* Switches, later Count */
	uint64_t sum_ns; /* Avg delay = sum / count */
	uint64_t max_ns, max_start_ns, max_end_ns;
	uint64_t runtime_ns; /* Runtime: sum of sched_stat_runtime */
};

struct analyze_latency_row {
	_Alignas(8) uint32_t task; /* by_cpu: ANALYZE_NO_TASK */
	uint32_t cpu;              /* by_cpu; else CDICT_CPU_UNKNOWN */
	struct histogram wakeup;   /* wake-up -> switch-in in the window */
	struct histogram preempt;  /* switched out runnable -> switch-in */
	uint64_t incomplete;       /* waits not counted because events are missing */
	struct analyze_perf_latency perf;
};

int analyze_latency_new(struct analyze_latency **out, struct analyze_engine *eng,
			const struct analyze_latency_options *opts, struct cdict_error *err);
void analyze_latency_free(struct analyze_latency *l);
/* analyze_latency_of - the engine's analysis of wake-up latency by task, or NULL, for analyses that
 * need the same figures. Callable from ops.start() on, whatever the order of registration. */
struct analyze_latency *analyze_latency_of(const struct analyze_engine *eng);
/* analyze_latency_wakeup - @task's wake-up latency so far, borrowed until the next call; NULL:
 * none. */
const struct histogram *analyze_latency_wakeup(struct analyze_latency *l, uint32_t task);

/* Rows with at least one wait (or a perf count), by task index or CPU. IDLE has none. */
size_t analyze_latency_row_count(const struct analyze_latency *l);
const struct analyze_latency_row *analyze_latency_row_at(struct analyze_latency *l, size_t i);
ANALYZE_CHECK int analyze_latency_row_merge(struct analyze_latency_row *to,
					    const struct analyze_latency_row *from);
void analyze_latency_row_fini(struct analyze_latency_row *row);

#endif

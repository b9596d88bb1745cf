/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * coremap.h - which task ran on which CPU, how long and how often, and the queue of each CPU.
 *
 * For every CPU the cells' run_ns and its unknown time add up to the window, to the ns.
 *
 * Ownership  cells are borrowed and die with the analysis
 */
#ifndef ANALYZE_SCHED_COREMAP_H
#define ANALYZE_SCHED_COREMAP_H

#include "analyze/walk/engine.h"

struct analyze_coremap;

struct analyze_core_cell {
	uint32_t task; /* IDLE has a task of its own on each CPU */
	uint32_t cpu;
	uint64_t run_ns;
	uint64_t edge_ns;  /* of run_ns */
	uint64_t switches; /* sched_switch with prev = task on this CPU */
};

int analyze_coremap_new(struct analyze_coremap **out, struct analyze_engine *eng,
			struct cdict_error *err);
void analyze_coremap_free(struct analyze_coremap *m);

/* Cells that are not empty, by task, then CPU. */
size_t analyze_coremap_count(const struct analyze_coremap *m);
const struct analyze_core_cell *analyze_coremap_at(const struct analyze_coremap *m, size_t i);

/* The number of tasks that wait for a CPU: runnable tasks without the running one. A task waits
 * from its wake-up, or from its switch-out while runnable, to its next switch-in, for the CPU named
 * by the wake-up, the switch or its last migration. So the lengths of all CPUs add up to the waits
 * of all tasks. A wait that began before the walk is unknown. In a gap (events are missing on any
 * CPU) every length is unknown, and the waits in it are dropped. */
struct analyze_core_queue {
	bool seen;           /* there was a switch on the CPU, or a wait for it */
	uint64_t known_ns;   /* of the window; the rest is in gaps */
	uint64_t waited_ns;  /* length * time: divided by known_ns it is the mean */
	uint32_t p50, p99;   /* the smallest length not exceeded for 50, 99 % of the known time */
	uint32_t max;        /* the largest that lasted any time */
	uint64_t max_at_ns;  /* the first time it was reached; 0 when max is 0 */
	uint64_t above_ns;   /* of known_ns, longer than 1 */
	uint64_t stay_ns;    /* the longest stretch above 1 */
	uint64_t stay_at_ns; /* its start; 0 if there is none */
};

/* Columns: one per CPU, analyze_engine_cpus() of them. */
struct analyze_core_cpu {
	uint64_t busy_ns;    /* tasks other than IDLE */
	uint64_t idle_ns;    /* IDLE */
	uint64_t unknown_ns; /* busy + idle + unknown = the window (0 for CPUs not selected) */
	uint64_t switches;
	struct analyze_core_queue queue;
};
const struct analyze_core_cpu *analyze_coremap_cpu(const struct analyze_coremap *m, uint32_t cpu);

/* analyze_coremap_on_wait - before the run: sets @on_wait to be called when @task begins to wait for @cpu, or moves
 * to its queue (CDICT_CPU_UNKNOWN: waits no longer), at @t_ns, which is before the walk if it waits already at its
 * begin. ANALYZE_NO_TASK: no task is known to wait any longer. Not for walks in two parts. */
typedef void analyze_core_wait_fn(void *ctx, uint32_t task, uint32_t cpu, uint64_t t_ns);
void analyze_coremap_on_wait(struct analyze_coremap *m, analyze_core_wait_fn *on_wait, void *ctx);

#endif

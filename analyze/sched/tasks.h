/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * tasks.h - figures of each task: time on and off the CPU, switches, wake-ups, migrations, latency.
 * One row per task, or per task and CPU.
 *
 * Units      *_ns durations, *_at_ns and *.max_at times in the recording's clock
 * Ownership  a row is borrowed until the next one is requested
 *
 * Equality with perf (no loss, unclipped; timehist also counts the samples in guest mode,
 * doc/figures.md):
 *	timehist run-time   = run_ns - edge_ns
 *	timehist sched-in   = switches
 *	timehist max-run    = slice.max;  min-run = edge_outs ? 0 : slice.min
 *	timehist avg-run    = (run_ns - edge_ns) / switches
 *	timehist migrations = migrate_events  (-M)
 *	timehist --state    iowait = off_ns[DISK], preempt = off_ns[RUNNABLE],
 *	                    sleep = all other off_ns, each less open_off_ns of
 *	                    the same state and less tail_ns;
 *	                    delay = latency.sum - open_latency_ns
 */
#ifndef ANALYZE_SCHED_TASKS_H
#define ANALYZE_SCHED_TASKS_H

#include "analyze/kvm/vcpu.h"
#include "analyze/sched/latency.h"
#include "analyze/walk/engine.h"
#include "analyze/walk/histogram.h"

struct analyze_tasks;

struct analyze_tasks_options {
	bool per_cpu;      /* one row per task and CPU, with its switches on that CPU */
	bool stat_runtime; /* fill stat_runtime_ns; reads every sched_stat_runtime */
};

struct analyze_task_row {
	_Alignas(8) uint32_t task; /* analyze_engine_task() */
	uint32_t cpu; /* with per_cpu; else the last CPU of the task, or CDICT_CPU_UNKNOWN */

	uint64_t run_ns;     /* on a CPU, clipped to the window; edge_ns is part of it */
	uint64_t edge_ns;    /* of slices with only one end seen */
	uint64_t unknown_ns; /* it may have run, but its switches may be lost (never in run_ns) */
	struct histogram
		slice; /* slices seen from switch-in to switch-out that ended in the window */

	uint64_t switches;            /* sched_switch with prev = task */
	uint64_t switch_ins;          /* sched_switch with next = task */
	uint64_t edge_outs;           /* switches without the start of the slice */
	uint64_t outs[ANALYZE_OFF_N]; /* the switches by state; 0 for IDLE */
	uint64_t voluntary;           /* outs[] of SLEEP, DISK, OTHER, DEAD */
	uint64_t involuntary;         /* outs[] of RUNNABLE, PREEMPTED (including yields) */

	/* Off the CPU, from switch-out to switch-in, by the state at switch-out, clipped
	 * to the window; includes the wait for a CPU after the wake-up.  IDLE has none. */
	uint64_t off_ns[ANALYZE_OFF_N];
	uint64_t iowait_ns; /* of off_ns[DISK]: for I/O, by sched_stat_iowait */
	uint64_t iowaits;   /* that ended in the window */
	/* For comparison with perf: times that perf has not counted at the capture's end. */
	uint64_t tail_ns[ANALYZE_OFF_N]; /* of off_ns: not switched in again */
	uint64_t open_off_ns;            /* off time before the slice that was still running */
	uint8_t open_off;                /* its state, enum analyze_off */
	uint64_t open_latency_ns;        /* of latency.sum: before the same slice */

	uint64_t wakeups;         /* its sched_waking (else sched_wakeup) and sched_wakeup_new */
	uint64_t migrations;      /* switch-ins on another CPU than the one it last ran on */
	uint64_t node_migrations; /* those to another NUMA node */
	uint64_t migrate_events;  /* its sched_migrate_task */
	uint64_t events; /* of every type with the task as sample (with per_cpu: on @cpu) */
	struct histogram latency; /* wake-up to switch-in, by switch-ins in the window */
	/* These and the waits after preemptions together: those that ended in the window, and the
	 * time in the window. */
	uint64_t delays, delayed_ns;
	struct analyze_wait worst; /* its longest part in the window; without @behind */
	uint64_t stat_runtime_ns;  /* with that option: sum of sched_stat_runtime */
};

/* analyze_tasks_new - registers with @eng before its run; @opts may be NULL. */
int analyze_tasks_new(struct analyze_tasks **out, struct analyze_engine *eng,
		      const struct analyze_tasks_options *opts, struct cdict_error *err);
void analyze_tasks_free(struct analyze_tasks *t);

/* Rows with events in the window, in order of the task's index
 * (IDLE of CPU 0, 1, ... first), then CPU. */
size_t analyze_tasks_row_count(const struct analyze_tasks *t);
const struct analyze_task_row *analyze_tasks_row_at(struct analyze_tasks *t, size_t i);

/* analyze_task_row_merge - adds @from to @to (for groups, such as all swappers or the whole table);
 * the caller zeroes @to first and empties it with analyze_task_row_fini(). */
ANALYZE_CHECK int analyze_task_row_merge(struct analyze_task_row *to,
					 const struct analyze_task_row *from);
void analyze_task_row_fini(struct analyze_task_row *row);

#endif

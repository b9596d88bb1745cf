/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * taskrun.h - a capture and what tasks and CPU columns an engine makes of it: begun, drawn with
 * trace.h, run and ended.  struct run owns the capture, the last engine that was run on it and the
 * rows of that, until run_end() or run_fini().
 */
#ifndef TESTS_UNIT_TASKRUN_H
#define TESTS_UNIT_TASKRUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/sched/coremap.h"
#include "analyze/sched/tasks.h"
#include "tests/unit/trace.h"

struct run {
	struct trace tr;
	struct analyze_engine *eng;
	struct analyze_tasks *tasks;
	struct analyze_coremap *map;
};

/* An empty capture of @cpus CPUs, in which the types in @without are not recorded. */
static inline void run_begin_without(struct run *r, uint32_t cpus, const char *without)
{
	*r = (struct run){ 0 };
	trace_init_without(&r->tr, cpus, without);
}

static inline void run_begin(struct run *r, uint32_t cpus)
{
	run_begin_without(r, cpus, "");
}

static inline void run_forget(struct run *r)
{
	analyze_tasks_free(r->tasks);
	analyze_coremap_free(r->map);
	analyze_engine_free(r->eng);
}

/* Walks the capture; may be repeated, which frees the engine and the rows of the previous walk. */
static inline void run_on(struct run *r, const struct analyze_options *opts)
{
	struct analyze_tasks_options topts = { .stat_runtime = true };

	run_forget(r);
	r->eng = trace_engine(opts);
	assert_int_equal(analyze_tasks_new(&r->tasks, r->eng, &topts, NULL), 0);
	assert_int_equal(analyze_coremap_new(&r->map, r->eng, NULL), 0);
	trace_run(&r->tr, r->eng);
}

/* The @nth row of @tid, valid until some others are requested; for tid 0 nth is the CPU. */
static inline const struct analyze_task_row *row(const struct run *r, int32_t tid, unsigned nth)
{
	static struct analyze_task_row copies[8];
	static unsigned n;

	for (size_t i = 0; i < analyze_tasks_row_count(r->tasks); i++) {
		const struct analyze_task_row *t = analyze_tasks_row_at(r->tasks, i);

		if (analyze_engine_task(r->eng, t->task)->tid == tid && !nth--)
			return memcpy(&copies[n++ % 8], t, sizeof(*t));
	}
	return NULL;
}

static inline void columns_are_full(const struct run *r)
{
	for (uint32_t c = 0; c < analyze_engine_cpus(r->eng); c++) {
		const struct analyze_core_cpu *cpu = analyze_coremap_cpu(r->map, c);
		uint64_t cells = 0;

		for (size_t i = 0; i < analyze_coremap_count(r->map); i++)
			if (analyze_coremap_at(r->map, i)->cpu == c)
				cells += analyze_coremap_at(r->map, i)->run_ns;
		assert_true(cells == cpu->busy_ns + cpu->idle_ns);
		assert_true(cells + cpu->unknown_ns == analyze_engine_summary(r->eng)->window_ns);
		assert_true(cpu->unknown_ns == analyze_engine_cpu_unknown_ns(r->eng, c));
	}
}

static inline void run_fini(struct run *r)
{
	run_forget(r);
	trace_fini(&r->tr);
}

/* Frees it; its columns must be full, except those of a CPU that is left out. */
static inline void run_end(struct run *r)
{
	columns_are_full(r);
	run_fini(r);
}

/* Run time of the first task of @tid. */
static inline uint64_t ran(const struct run *r, int32_t tid)
{
	assert_non_null(row(r, tid, 0));
	return row(r, tid, 0)->run_ns;
}

/*
 * CPU 0   1000  1100     1300    1500  1600
 *         |A 10.|B 11....|IDLE...|A 10.|
 * A is woken at 1450, switched in at 1500: waits 50.  B sleeps in state D.
 */
static inline void simple(struct trace *tr)
{
	trace_waking(tr, 1000, 0, 10, 11, 0);
	trace_switch(tr, 1100, 0, 10, TRACE_S, 11);
	trace_switch(tr, 1300, 0, 11, TRACE_D, 0);
	trace_waking(tr, 1450, 0, 0, 10, 0);
	trace_switch(tr, 1500, 0, 0, TRACE_R, 10);
	trace_add(tr, 1600, 0, 10, "sched:sched_stat_runtime", "pid", (uint64_t)10, "runtime",
		  (uint64_t)200, NULL);
}

#endif

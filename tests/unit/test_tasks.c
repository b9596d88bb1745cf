/* SPDX-License-Identifier: GPL-2.0-only */
/* Run time, switches, waits and who is who.  Times are ns; each capture is drawn first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/coremap.h"
#include "analyze/latency.h"
#include "analyze/successors.h"
#include "analyze/switches.h"
#include "analyze/tasks.h"
#include "trace.h"

struct run {
	struct analyze_engine *eng;
	struct analyze_tasks *tasks;
	struct analyze_coremap *map;
};

static struct run run_with(struct trace *tr, const struct analyze_options *opts)
{
	struct analyze_tasks_options topts = { .stat_runtime = true };
	struct run r = { .eng = trace_engine(opts) };

	assert_int_equal(analyze_tasks_new(&r.tasks, r.eng, &topts, NULL), 0);
	assert_int_equal(analyze_coremap_new(&r.map, r.eng, NULL), 0);
	trace_run(tr, r.eng);
	return r;
}

static void done(struct run *r)
{
	analyze_tasks_free(r->tasks);
	analyze_coremap_free(r->map);
	analyze_engine_free(r->eng);
}

/* The @nth row of @tid; for tid 0 nth is the CPU. */
static const struct analyze_task_row *row(const struct run *r, int32_t tid, unsigned nth)
{
	for (size_t i = 0; i < analyze_tasks_row_count(r->tasks); i++) {
		const struct analyze_task_row *t = analyze_tasks_row_at(r->tasks, i);

		if (analyze_engine_task(r->eng, t->task)->tid == tid && !nth--)
			return t;
	}
	return NULL;
}

static void columns_are_full(const struct run *r)
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

/*
 * CPU 0   1000  1100     1300    1500  1600
 *         |A 10.|B 11....|IDLE...|A 10.|
 * A is woken at 1450, switched in at 1500: waits 50.  B sleeps in state D.
 */
static void simple(struct trace *tr)
{
	trace_init(tr, 1);
	trace_waking(tr, 1000, 0, 10, 11, 0);
	trace_switch(tr, 1100, 0, 10, TRACE_S, 11);
	trace_switch(tr, 1300, 0, 11, TRACE_D, 0);
	trace_waking(tr, 1450, 0, 0, 10, 0);
	trace_switch(tr, 1500, 0, 0, TRACE_R, 10);
	trace_add(tr, 1600, 0, 10, "sched:sched_stat_runtime", "pid", (uint64_t)10, "runtime",
		  (uint64_t)200, NULL);
}

static void run_time_waits_and_switches_are_those_drawn(void **state)
{
	const struct analyze_task_row *a, *b, *idle;
	struct trace tr;
	struct run r;

	(void)state;
	simple(&tr);
	r = run_with(&tr, NULL);
	a = row(&r, 10, 0);
	b = row(&r, 11, 0);
	idle = row(&r, 0, 0);
	/* A: 1000-1100 (its switch-in was not seen) and 1500-1600 (no switch-out): all edge. */
	assert_true(a->run_ns == 200 && a->edge_ns == 200);
	assert_true(a->switches == 1 && a->edge_outs == 1 && a->slice.count == 0);
	assert_true(a->off_ns[ANALYZE_OFF_SLEEP] == 400 && a->latency.count == 1);
	assert_true(a->latency.max == 50 && a->latency.max_at == 1450);
	assert_true(a->open_latency_ns == 50 && a->open_off_ns == 400);
	assert_true(a->stat_runtime_ns == 200 && a->wakeups == 1);
	/* B: 1100-1300, woken at 1000; off in D from 1300 to the end. */
	assert_true(b->run_ns == 200 && b->edge_ns == 0 && b->slice.max == 200);
	assert_true(b->slice.max_at == 1100 && b->latency.max == 100);
	assert_true(b->outs[ANALYZE_OFF_DISK] == 1 && b->voluntary == 1 && b->involuntary == 0);
	assert_true(b->off_ns[ANALYZE_OFF_DISK] == 300 && b->tail_ns[ANALYZE_OFF_DISK] == 300);
	assert_true(idle->run_ns == 200 && idle->switches == 1);
	columns_are_full(&r);
	assert_true(analyze_engine_summary(r.eng)->window_ns == 600);
	done(&r);
	trace_fini(&tr);
}

static void a_task_that_never_switches_out_ran_the_whole_window(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 2);
	/* CPU 0 has no switch at all, but every sample on it is of task 20. */
	trace_waking(&tr, 1000, 0, 20, 30, 1);
	trace_switch(&tr, 1500, 1, 0, TRACE_R, 30);
	trace_waking(&tr, 2000, 0, 20, 40, 1);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 20, 0)->run_ns == 1000 && row(&r, 20, 0)->edge_ns == 1000);
	assert_true(row(&r, 30, 0)->run_ns == 500 && row(&r, 0, 0)->run_ns == 500);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

static void a_cpu_without_any_event_is_unknown(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	simple(&tr);
	tr.cpus = 2;
	r = run_with(&tr, NULL);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 1) == 600);
	assert_true(analyze_engine_summary(r.eng)->cpus_seen == 1);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

/*
 * CPU 0  1000 A 1200 B      [loss 1300 - 1700]     C 1900 A 2000
 * B ran 1200-1300 for sure, C 1700-1900 for sure; 400 ns nobody knows.
 */
static void a_slice_is_not_bridged_across_loss(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_waking(&tr, 1000, 0, 10, 11, 0);
	trace_switch(&tr, 1200, 0, 10, TRACE_S, 11);
	trace_switch(&tr, 1900, 0, 12, TRACE_S, 10);
	trace_waking(&tr, 2000, 0, 10, 12, 0);
	trace_loss(&tr, 0, 1300, 1700);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 11, 0)->run_ns == 100 && row(&r, 11, 0)->edge_ns == 100);
	assert_true(row(&r, 11, 0)->slice.count == 0);
	/* From the hole to the end nothing more is heard of B. */
	assert_true(row(&r, 11, 0)->unknown_ns == 700);
	assert_true(row(&r, 12, 0)->run_ns == 200);
	/* A slept from 1200; from 1300 on it may have run: 600 unknown until 1900. */
	assert_true(row(&r, 10, 0)->off_ns[ANALYZE_OFF_SLEEP] == 100);
	assert_true(row(&r, 10, 0)->unknown_ns == 600);
	assert_true(row(&r, 10, 0)->run_ns == 200 + 100);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 0) == 400);
	assert_true(analyze_engine_loss_ns(r.eng, 0) == 400);
	assert_true(analyze_engine_summary(r.eng)->lost_events == 10);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

static void a_wait_across_loss_on_another_cpu_is_not_counted(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 2);
	trace_switch(&tr, 1000, 0, 10, TRACE_S, 0);
	trace_waking(&tr, 1100, 0, 0, 10, 0);
	/* It may have run on CPU 1 between 1150 and 1160. */
	trace_loss(&tr, 1, 1150, 1160);
	trace_switch(&tr, 1300, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1400, 0, 10, TRACE_S, 0);
	r = run_with(&tr, NULL);
	assert_int_equal(row(&r, 10, 0)->latency.count, 0);
	assert_true(row(&r, 10, 0)->off_ns[ANALYZE_OFF_SLEEP] == 150);
	assert_true(row(&r, 10, 0)->unknown_ns == 150);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

static void a_switch_from_somebody_else_makes_the_slice_unknown(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_switch(&tr, 1000, 0, 0, TRACE_R, 10);
	/* The switch 10 ==> 11 is missing, and nothing says so. */
	trace_switch(&tr, 1300, 0, 11, TRACE_S, 0);
	trace_switch(&tr, 1400, 0, 0, TRACE_R, 10);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 10, 0)->run_ns == 0 && row(&r, 10, 0)->unknown_ns == 400);
	assert_true(row(&r, 11, 0)->run_ns == 0 && row(&r, 11, 0)->switches == 1);
	assert_true(analyze_engine_summary(r.eng)->mismatches == 1);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 0) == 300);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

static void a_tid_used_again_is_another_task(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_task(&tr, 0, CDICT_TASK_COMM, 10, 10, "first");
	trace_switch(&tr, 1000, 0, 0, TRACE_R, 10);
	trace_task(&tr, 1100, CDICT_TASK_EXIT, 10, 10, NULL);
	trace_switch(&tr, 1200, 0, 10, TRACE_Z, 0);
	trace_task(&tr, 1300, CDICT_TASK_FORK, 10, 10, NULL);
	trace_task(&tr, 1310, CDICT_TASK_EXEC, 10, 10, "second");
	trace_add(&tr, 1320, 0, 0, "sched:sched_wakeup_new", "pid", (uint64_t)10, "target_cpu",
		  (uint64_t)0, NULL);
	trace_switch(&tr, 1400, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1500, 0, 10, TRACE_S, 0);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 10, 0)->run_ns == 200 && row(&r, 10, 1)->run_ns == 100);
	assert_null(row(&r, 10, 2));
	assert_string_equal(analyze_engine_task(r.eng, row(&r, 10, 0)->task)->comm, "first");
	assert_string_equal(analyze_engine_task(r.eng, row(&r, 10, 1)->task)->comm, "second");
	assert_true(analyze_engine_task(r.eng, row(&r, 10, 0)->task)->exit_ns == 1100);
	assert_true(analyze_engine_task(r.eng, row(&r, 10, 1)->task)->born_ns == 1300);
	assert_true(analyze_engine_task(r.eng, row(&r, 10, 1)->task)->reused);
	/* Nobody waits from one life to the next. */
	assert_true(row(&r, 10, 0)->off_ns[ANALYZE_OFF_DEAD] == 0);
	assert_true(row(&r, 10, 1)->latency.count == 1 && row(&r, 10, 1)->latency.max == 80);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

static void a_tid_that_was_switched_out_dead_is_another_task_even_without_a_fork(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_switch(&tr, 1000, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1200, 0, 10, TRACE_Z, 0);
	trace_switch(&tr, 1400, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1500, 0, 10, TRACE_S, 0);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 10, 0)->run_ns == 200 && row(&r, 10, 1)->run_ns == 100);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

/* perf enables events CPU by CPU: 10 is switched out on CPU 0 and turns up on CPU 1. */
static void who_was_seen_elsewhere_did_not_run_since_the_start(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 2);
	trace_switch(&tr, 1000, 0, 10, TRACE_R, 0);
	trace_waking(&tr, 1300, 1, 10, 20, 1); /* here it runs, on CPU 1 */
	trace_switch(&tr, 1500, 1, 10, TRACE_S, 0);
	trace_switch(&tr, 1600, 0, 0, TRACE_R, 30);
	r = run_with(&tr, NULL);
	/* Known from its sample on: 1300-1500. CPU 1 is unknown before. */
	assert_true(row(&r, 10, 0)->run_ns == 200 && row(&r, 10, 0)->unknown_ns == 300);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 1) == 300);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

static void time_that_runs_backwards_stands_still(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_switch(&tr, 1000, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1200, 0, 10, TRACE_S, 0);
	trace_switch(&tr, 1190, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1300, 0, 10, TRACE_S, 0);
	r = run_with(&tr, NULL);
	assert_true(analyze_engine_summary(r.eng)->disorder == 1);
	assert_true(row(&r, 10, 0)->run_ns == 300);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

static void exec_changes_the_comm_and_keeps_the_task(void **state)
{
	const struct analyze_task *task;
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_task(&tr, 0, CDICT_TASK_COMM, 10, 10, "perf");
	trace_switch(&tr, 1000, 0, 0, TRACE_R, 10);
	trace_task(&tr, 1050, CDICT_TASK_EXEC, 10, 10, "sleep");
	trace_switch(&tr, 1100, 0, 10, TRACE_S, 0);
	r = run_with(&tr, NULL);
	assert_non_null(row(&r, 10, 0));
	assert_null(row(&r, 10, 1));
	task = analyze_engine_task(r.eng, row(&r, 10, 0)->task);
	assert_string_equal(task->comm, "sleep");
	assert_int_equal(task->comm_changes, 1);
	done(&r);
	trace_fini(&tr);
}

static void a_thread_that_execs_goes_on_under_the_leaders_tid(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_switch(&tr, 1000, 0, 0, TRACE_R, 11);
	trace_add(&tr, 1100, 0, 10, "sched:sched_process_exec", "pid", (uint64_t)10, "old_pid",
		  (uint64_t)11, NULL);
	trace_switch(&tr, 1300, 0, 10, TRACE_S, 0);
	trace_switch(&tr, 1400, 0, 0, TRACE_R, 12);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 11, 0)->run_ns == 100 && row(&r, 10, 0)->run_ns == 200);
	assert_true(analyze_engine_summary(r.eng)->mismatches == 0);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

/* Woken on CPU 0, moved to 1 and on to 2 before it runs: one migration, two events. */
static void nested_migrations_are_one_move_and_two_events(void **state)
{
	static const int32_t node[] = { 0, 0, 1 };
	struct analyze_options opts = { .node_of_cpu = node, .n_node_of_cpu = 3 };
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 3);
	trace_switch(&tr, 1000, 0, 10, TRACE_S, 0);
	trace_waking(&tr, 1100, 0, 0, 10, 0);
	trace_add(&tr, 1110, 0, 0, "sched:sched_migrate_task", "pid", (uint64_t)10, "orig_cpu",
		  (uint64_t)0, "dest_cpu", (uint64_t)1, NULL);
	trace_add(&tr, 1120, 0, 0, "sched:sched_migrate_task", "pid", (uint64_t)10, "orig_cpu",
		  (uint64_t)1, "dest_cpu", (uint64_t)2, NULL);
	trace_switch(&tr, 1200, 2, 0, TRACE_R, 10);
	trace_switch(&tr, 1300, 2, 10, TRACE_R_PLUS, 0);
	r = run_with(&tr, &opts);
	assert_true(row(&r, 10, 0)->migrations == 1 && row(&r, 10, 0)->migrate_events == 2);
	assert_true(row(&r, 10, 0)->node_migrations == 1);
	assert_true(row(&r, 10, 0)->outs[ANALYZE_OFF_PREEMPTED] == 1);
	assert_true(row(&r, 10, 0)->latency.max == 100);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

/* CPU 1 goes off line: its last switch is to IDLE; it comes back from IDLE. */
static void an_offline_cpu_is_idle_until_it_comes_back(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 2);
	trace_switch(&tr, 1000, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1100, 1, 20, TRACE_S, 0);
	trace_switch(&tr, 9000, 1, 0, TRACE_R, 20);
	trace_switch(&tr, 9500, 1, 20, TRACE_S, 0);
	trace_switch(&tr, 10000, 0, 10, TRACE_S, 0);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 0, 1)->run_ns == 7900 + 500);
	assert_true(row(&r, 20, 0)->run_ns == 100 + 500);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

static void without_sched_waking_sched_wakeup_counts(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init_without(&tr, 1, "sched_waking");
	trace_switch(&tr, 1000, 0, 10, TRACE_S, 0);
	trace_add(&tr, 1100, 0, 0, "sched:sched_wakeup", "pid", (uint64_t)10, "target_cpu",
		  (uint64_t)0, NULL);
	trace_switch(&tr, 1130, 0, 0, TRACE_R, 10);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 10, 0)->latency.count == 1 && row(&r, 10, 0)->latency.max == 30);
	assert_true(row(&r, 10, 0)->wakeups == 1);
	done(&r);
	trace_fini(&tr);
}

static void io_wait_is_the_part_of_disk_sleep_that_the_kernel_calls_so(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_switch(&tr, 1000, 0, 10, TRACE_D, 0);
	trace_add(&tr, 1100, 0, 0, "sched:sched_stat_iowait", "pid", (uint64_t)10, "delay",
		  (uint64_t)100, NULL);
	trace_switch(&tr, 1200, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1300, 0, 10, TRACE_D, 0);
	trace_switch(&tr, 1350, 0, 0, TRACE_R, 10);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 10, 0)->off_ns[ANALYZE_OFF_DISK] == 250);
	assert_true(row(&r, 10, 0)->iowait_ns == 200 && row(&r, 10, 0)->iowaits == 1);
	done(&r);
	trace_fini(&tr);
}

static void guest_mode_samples_count_unless_left_out(void **state)
{
	struct analyze_options opts = { .no_guest_mode = true };
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 1);
	trace_switch(&tr, 1000, 0, 10, TRACE_S, 11);
	trace_waking(&tr, 1100, 0, 11, 10, 0);
	tr.events[tr.n - 1].ev.mode = CDICT_MODE_GUEST_KERNEL;
	trace_switch(&tr, 1200, 0, 11, TRACE_R, 10);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 10, 0)->latency.count == 1);
	assert_true(analyze_engine_summary(r.eng)->guest_mode == 1);
	done(&r);
	r = run_with(&tr, &opts);
	assert_true(row(&r, 10, 0)->latency.count == 0 && row(&r, 10, 0)->wakeups == 0);
	done(&r);
	trace_fini(&tr);
}

static void who_runs_at_the_start_of_a_clipped_window_is_known(void **state)
{
	struct analyze_options opts = { .from_ns = 1150, .to_ns = 1250 };
	struct trace tr;
	struct run r;

	(void)state;
	simple(&tr); /* 11 runs from 1100 to 1300, no switch in the window */
	opts.lead_ns = ANALYZE_NO_TIME;
	r = run_with(&tr, &opts);
	assert_true(row(&r, 11, 0)->run_ns == 100 && row(&r, 11, 0)->switches == 0);
	columns_are_full(&r);
	done(&r);
	/* Without a lead: from the prev of the first switch, which lies in this window. */
	opts = (struct analyze_options){ .from_ns = 1200, .to_ns = 1400 };
	r = run_with(&tr, &opts);
	assert_true(row(&r, 11, 0)->run_ns == 100 && row(&r, 0, 0)->run_ns == 100);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

static void rows_per_cpu_add_up_to_the_rows_per_task(void **state)
{
	struct analyze_tasks_options opts = { .per_cpu = true };
	struct analyze_engine *eng = trace_engine(NULL);
	struct analyze_tasks *tasks;
	struct trace tr;

	(void)state;
	/* 10 runs 1000-1100 on CPU 0, is woken at 1150 on CPU 1 and runs there 1200-1500. */
	trace_init(&tr, 2);
	trace_switch(&tr, 1000, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1100, 0, 10, TRACE_S, 0);
	trace_waking(&tr, 1150, 1, 0, 10, 1);
	trace_switch(&tr, 1200, 1, 0, TRACE_R, 10);
	trace_switch(&tr, 1500, 1, 10, TRACE_R, 0);
	assert_int_equal(analyze_tasks_new(&tasks, eng, &opts, NULL), 0);
	trace_run(&tr, eng);
	/* IDLE of CPU 0, IDLE of CPU 1, 10 on CPU 0, 10 on CPU 1. */
	assert_int_equal(analyze_tasks_row_count(tasks), 4);
	for (size_t i = 2; i < 4; i++) {
		const struct analyze_task_row *t = analyze_tasks_row_at(tasks, i);

		assert_int_equal(analyze_engine_task(eng, t->task)->tid, 10);
		assert_true(t->cpu == i - 2 && t->run_ns == (i == 2 ? 100 : 300));
		assert_true(t->switches == 1 && t->latency.count == (i == 2 ? 0 : 1));
		assert_true(t->involuntary == (i == 2 ? 0 : 1) && t->wakeups == (i == 2 ? 0 : 1));
	}
	analyze_tasks_free(tasks);
	analyze_engine_free(eng);
	trace_fini(&tr);
}

static void the_cpu_filter_leaves_the_other_cpus_out(void **state)
{
	uint64_t cpus[] = { 2 }; /* CPU 1 */
	struct analyze_options opts = { .cpus = cpus, .n_cpus = 2 };
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 2);
	trace_switch(&tr, 1000, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1100, 1, 0, TRACE_R, 20);
	trace_switch(&tr, 1200, 0, 10, TRACE_S, 0);
	trace_switch(&tr, 1300, 1, 20, TRACE_S, 0);
	r = run_with(&tr, &opts);
	assert_null(row(&r, 10, 0));
	assert_true(row(&r, 20, 0)->run_ns == 200);
	assert_true(analyze_coremap_cpu(r.map, 0)->busy_ns == 0);
	done(&r);
	trace_fini(&tr);
}

static void successors_and_buckets_count_every_switch(void **state)
{
	struct analyze_switches_options opts = { .bucket_ns = 200 };
	struct analyze_engine *eng = trace_engine(NULL);
	struct analyze_successors *next;
	struct analyze_switches *sw;
	const struct analyze_successor *s;
	const struct analyze_switch_cell *cell;
	struct trace tr;

	(void)state;
	simple(&tr);
	assert_int_equal(analyze_successors_new(&next, eng, NULL), 0);
	assert_int_equal(analyze_switches_new(&sw, eng, &opts, NULL), 0);
	trace_run(&tr, eng);
	/* IDLE => 10, 10 => 11, 11 => IDLE: one each. */
	assert_int_equal(analyze_successors_count(next), 3);
	s = analyze_successors_at(next, 0);
	assert_int_equal(analyze_engine_task(eng, s->next)->tid, 10);
	assert_true(s->count == 1 && s->total == 1 && s->involuntary == 1);
	/* [1000,1200) has the switch at 1100, [1200,1400) that at 1300, [1400,1600) 1500. */
	assert_int_equal(analyze_switches_buckets(sw), 4);
	cell = analyze_switches_at(sw, 0, 1);
	assert_true(cell->switches == 1 && cell->busy_ns == 100 && cell->idle_ns == 100);
	cell = analyze_switches_at(sw, 0, 2);
	assert_true(cell->switches == 1 && cell->idle_ns == 100 && cell->wakeups == 1);
	analyze_successors_free(next);
	analyze_switches_free(sw);
	analyze_engine_free(eng);
	trace_fini(&tr);
}

/*
 * CPU 1, without a switch: the vCPU 20 is pinned there.  It runs the whole window, though the
 * first sample is at 1010 and the last at 1990: a switch would have been recorded.
 *      1000  1010     1020 ...  1990  2000
 *      |(20) |entry   |exit     |exit |
 */
static void a_pinned_vcpu_runs_though_no_switch_tells(void **state)
{
	const struct analyze_task_row *vcpu;
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 2);
	trace_switch(&tr, 1000, 0, 10, TRACE_S, 0);
	trace_entry(&tr, 1010, 1, 20);
	trace_exit(&tr, 1020, 1, 20, TRACE_EXTINT);
	trace_entry(&tr, 1030, 1, 20);
	trace_exit(&tr, 1990, 1, 20, TRACE_EXTINT);
	trace_switch(&tr, 2000, 0, 0, TRACE_R, 10);
	r = run_with(&tr, NULL);
	vcpu = row(&r, 20, 0);
	assert_true(vcpu->run_ns == 1000 && vcpu->edge_ns == 1000 && vcpu->switches == 0);
	assert_true(vcpu->events == 4 && row(&r, 10, 0)->events == 1);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 1) == 0);
	assert_true(analyze_coremap_cpu(r.map, 1)->busy_ns == 1000);
	assert_true(analyze_engine_summary(r.eng)->unknown_ns == 0);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

/*
 * CPU 1, without a switch, but samples of two tasks: 20 ran up to its last one (1300), 21 from
 * its first one on (1500).  A switch between them was not recorded: 200 are unknown.
 */
static void two_tasks_sampled_without_a_switch_between_them_leave_the_time_unknown(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	trace_init(&tr, 2);
	trace_switch(&tr, 1000, 0, 10, TRACE_S, 0);
	trace_waking(&tr, 1100, 1, 20, 10, 0);
	trace_waking(&tr, 1300, 1, 20, 10, 0);
	trace_waking(&tr, 1500, 1, 21, 10, 0);
	trace_switch(&tr, 2000, 0, 0, TRACE_R, 10);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 20, 0)->run_ns == 300 && row(&r, 20, 0)->unknown_ns == 700);
	assert_true(row(&r, 21, 0)->run_ns == 500 && row(&r, 21, 0)->edge_ns == 500);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 1) == 200);
	assert_true(analyze_engine_summary(r.eng)->mismatches == 1);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

/* Right after a switch the kernel still works for who was switched out: no contradiction. */
static void a_sample_of_the_one_just_switched_out_says_nothing(void **state)
{
	struct trace tr;
	struct run r;

	(void)state;
	simple(&tr);
	trace_waking(&tr, 1700, 0, 10, 11, 0);
	trace_switch(&tr, 1800, 0, 10, TRACE_S, 11);
	trace_waking(&tr, 1801, 0, 10, 12, 0);
	trace_switch(&tr, 1900, 0, 11, TRACE_S, 0);
	r = run_with(&tr, NULL);
	assert_true(row(&r, 11, 0)->run_ns == 300 && row(&r, 11, 0)->slice.count == 2);
	/* 1000, 1100, 1600, 1700, 1800, 1801: of every type, by the sample. */
	assert_true(row(&r, 10, 0)->events == 6 && row(&r, 11, 0)->events == 2);
	assert_true(row(&r, 0, 0)->events == 2);
	assert_true(analyze_engine_summary(r.eng)->mismatches == 0);
	columns_are_full(&r);
	done(&r);
	trace_fini(&tr);
}

/*
 * perf sched latency: wake-up at 1100 (sched_wakeup) -> 1150 = 50; preempted 1200 -> 1260 = 60:
 * two waits, 110 together; perf does not count the one in R+ (1300 -> 1310).  Ours keeps them apart, and starts the first at sched_waking (1090).
 */
static void latency_keeps_wake_ups_and_preemptions_apart_and_perf_mixes_them(void **state)
{
	struct analyze_latency_options opts = { .like_perf = true };
	struct analyze_engine *eng = trace_engine(NULL);
	const struct analyze_latency_row *l = NULL;
	struct analyze_latency *lat;
	struct trace tr;

	(void)state;
	trace_init(&tr, 1);
	trace_switch(&tr, 1000, 0, 10, TRACE_S, 0);
	trace_waking(&tr, 1090, 0, 0, 10, 0);
	trace_add(&tr, 1100, 0, 0, "sched:sched_wakeup", "pid", (uint64_t)10, "target_cpu",
		  (uint64_t)0, NULL);
	trace_switch(&tr, 1150, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1200, 0, 10, TRACE_R, 11);
	trace_switch(&tr, 1260, 0, 11, TRACE_S, 10);
	trace_switch(&tr, 1300, 0, 10, TRACE_R_PLUS, 12);
	trace_switch(&tr, 1310, 0, 12, TRACE_S, 10);
	assert_int_equal(analyze_latency_new(&lat, eng, &opts, NULL), 0);
	trace_run(&tr, eng);
	for (size_t i = 0; i < analyze_latency_row_count(lat); i++)
		if (analyze_engine_task(eng, analyze_latency_row_at(lat, i)->task)->tid == 10)
			l = analyze_latency_row_at(lat, i);
	assert_non_null(l);
	assert_true(l->wakeup.count == 1 && l->wakeup.max == 60 && l->wakeup.max_at == 1090);
	assert_true(l->preempt.count == 2 && l->preempt.max == 60);
	assert_true(l->perf.count == 2 && l->perf.sum_ns == 110 && l->perf.max_ns == 60);
	assert_true(l->perf.max_start_ns == 1200 && l->perf.max_end_ns == 1260);
	analyze_latency_free(lat);
	analyze_engine_free(eng);
	trace_fini(&tr);
}

/* Who counts a task's wake-ups twice, and who is told first, makes no difference. */
static void wake_ups_counted_by_the_latency_analysis_are_the_tasks_in_either_order(void **state)
{
	(void)state;
	for (int tasks_first = 0; tasks_first < 2; tasks_first++) {
		struct analyze_engine *eng = trace_engine(NULL);
		struct analyze_latency *lat;
		struct analyze_tasks *tasks;
		const struct histogram *h = NULL;
		struct trace tr;

		trace_init(&tr, 1);
		trace_switch(&tr, 1000, 0, 9, TRACE_S, 0);
		trace_waking(&tr, 1090, 0, 0, 10, 0);
		trace_switch(&tr, 1150, 0, 0, TRACE_R, 10);
		trace_switch(&tr, 1200, 0, 10, TRACE_S, 0);
		if (tasks_first)
			assert_int_equal(analyze_tasks_new(&tasks, eng, NULL, NULL), 0);
		assert_int_equal(analyze_latency_new(&lat, eng, NULL, NULL), 0);
		if (!tasks_first)
			assert_int_equal(analyze_tasks_new(&tasks, eng, NULL, NULL), 0);
		trace_run(&tr, eng);
		for (size_t i = 0; i < analyze_tasks_row_count(tasks); i++) {
			const struct analyze_task_row *row = analyze_tasks_row_at(tasks, i);

			if (analyze_engine_task(eng, row->task)->tid == 10)
				h = &row->latency;
			else
				assert_int_equal(row->latency.count, 0);
		}
		assert_non_null(h);
		assert_true(h->count == 1 && h->max == 60 && h->max_at == 1090);
		analyze_tasks_free(tasks);
		analyze_latency_free(lat);
		analyze_engine_free(eng);
		trace_fini(&tr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_time_waits_and_switches_are_those_drawn),
		cmocka_unit_test(a_task_that_never_switches_out_ran_the_whole_window),
		cmocka_unit_test(a_cpu_without_any_event_is_unknown),
		cmocka_unit_test(a_slice_is_not_bridged_across_loss),
		cmocka_unit_test(a_wait_across_loss_on_another_cpu_is_not_counted),
		cmocka_unit_test(a_switch_from_somebody_else_makes_the_slice_unknown),
		cmocka_unit_test(a_tid_used_again_is_another_task),
		cmocka_unit_test(
			a_tid_that_was_switched_out_dead_is_another_task_even_without_a_fork),
		cmocka_unit_test(who_was_seen_elsewhere_did_not_run_since_the_start),
		cmocka_unit_test(time_that_runs_backwards_stands_still),
		cmocka_unit_test(exec_changes_the_comm_and_keeps_the_task),
		cmocka_unit_test(a_thread_that_execs_goes_on_under_the_leaders_tid),
		cmocka_unit_test(nested_migrations_are_one_move_and_two_events),
		cmocka_unit_test(an_offline_cpu_is_idle_until_it_comes_back),
		cmocka_unit_test(without_sched_waking_sched_wakeup_counts),
		cmocka_unit_test(io_wait_is_the_part_of_disk_sleep_that_the_kernel_calls_so),
		cmocka_unit_test(guest_mode_samples_count_unless_left_out),
		cmocka_unit_test(who_runs_at_the_start_of_a_clipped_window_is_known),
		cmocka_unit_test(rows_per_cpu_add_up_to_the_rows_per_task),
		cmocka_unit_test(the_cpu_filter_leaves_the_other_cpus_out),
		cmocka_unit_test(successors_and_buckets_count_every_switch),
		cmocka_unit_test(a_pinned_vcpu_runs_though_no_switch_tells),
		cmocka_unit_test(
			two_tasks_sampled_without_a_switch_between_them_leave_the_time_unknown),
		cmocka_unit_test(a_sample_of_the_one_just_switched_out_says_nothing),
		cmocka_unit_test(latency_keeps_wake_ups_and_preemptions_apart_and_perf_mixes_them),
		cmocka_unit_test(
			wake_ups_counted_by_the_latency_analysis_are_the_tasks_in_either_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Run time, switches, waits and the identity of tasks.  Times are ns; each capture is drawn
 * first. */
#include "tests/unit/taskrun.h"

static void run_time_waits_and_switches_are_those_drawn(void **state)
{
	const struct analyze_task_row *a, *b, *idle;
	struct run r;

	(void)state;
	run_begin(&r, 1);
	simple(&r.tr);
	run_on(&r, NULL);
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
	assert_true(analyze_engine_summary(r.eng)->window_ns == 600);
	run_end(&r);
}

static void with_some_cpus_recorded_a_wait_may_have_begun_on_another(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 1);
	simple(&r.tr);
	r.tr.scope.kind = SCOPE_CPUS;
	run_on(&r, NULL);
	assert_int_equal(row(&r, 10, 0)->latency.count, 0);
	assert_int_equal(row(&r, 11, 0)->latency.count, 0);
	assert_int_equal(row(&r, 11, 0)->delays, 0);
	run_end(&r);
}

static void a_task_that_never_switches_out_ran_the_whole_window(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	/* CPU 0 has no switch at all, but every sample on it is of task 20. */
	trace_waking(&r.tr, 1000, 0, 20, 30, 1);
	trace_switch(&r.tr, 1500, 1, 0, TRACE_R, 30);
	trace_waking(&r.tr, 2000, 0, 20, 40, 1);
	run_on(&r, NULL);
	assert_true(ran(&r, 20) == 1000 && row(&r, 20, 0)->edge_ns == 1000);
	assert_true(ran(&r, 30) == 500 && ran(&r, 0) == 500);
	run_end(&r);
}

static void a_tid_used_again_is_another_task(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 1);
	trace_task(&r.tr, 0, CDICT_TASK_COMM, 10, 10, "first");
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, 10);
	trace_task(&r.tr, 1100, CDICT_TASK_EXIT, 10, 10, NULL);
	trace_switch(&r.tr, 1200, 0, 10, TRACE_Z, 0);
	trace_task(&r.tr, 1300, CDICT_TASK_FORK, 10, 10, NULL);
	trace_task(&r.tr, 1310, CDICT_TASK_EXEC, 10, 10, "second");
	trace_add(&r.tr, 1320, 0, 0, "sched:sched_wakeup_new", "pid", (uint64_t)10, "target_cpu",
		  (uint64_t)0, NULL);
	trace_switch(&r.tr, 1400, 0, 0, TRACE_R, 10);
	trace_switch(&r.tr, 1500, 0, 10, TRACE_S, 0);
	run_on(&r, NULL);
	assert_true(ran(&r, 10) == 200 && row(&r, 10, 1)->run_ns == 100);
	assert_null(row(&r, 10, 2));
	assert_string_equal(analyze_engine_task(r.eng, row(&r, 10, 0)->task)->comm, "first");
	assert_string_equal(analyze_engine_task(r.eng, row(&r, 10, 1)->task)->comm, "second");
	assert_true(analyze_engine_task(r.eng, row(&r, 10, 0)->task)->exit_ns == 1100);
	assert_true(analyze_engine_task(r.eng, row(&r, 10, 1)->task)->born_ns == 1300);
	assert_true(analyze_engine_task(r.eng, row(&r, 10, 1)->task)->reused);
	/* No wait continues from one task to the next with the same tid. */
	assert_true(row(&r, 10, 0)->off_ns[ANALYZE_OFF_DEAD] == 0);
	assert_true(row(&r, 10, 1)->latency.count == 1 && row(&r, 10, 1)->latency.max == 80);
	run_end(&r);
}

static void a_tid_that_was_switched_out_dead_is_another_task_even_without_a_fork(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 1);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, 10);
	trace_switch(&r.tr, 1200, 0, 10, TRACE_Z, 0);
	trace_switch(&r.tr, 1400, 0, 0, TRACE_R, 10);
	trace_switch(&r.tr, 1500, 0, 10, TRACE_S, 0);
	run_on(&r, NULL);
	assert_true(ran(&r, 10) == 200 && row(&r, 10, 1)->run_ns == 100);
	run_end(&r);
}

static void exec_changes_the_comm_and_keeps_the_task(void **state)
{
	const struct analyze_task *task;
	struct run r;

	(void)state;
	run_begin(&r, 1);
	trace_task(&r.tr, 0, CDICT_TASK_COMM, 10, 10, "perf");
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, 10);
	trace_task(&r.tr, 1050, CDICT_TASK_EXEC, 10, 10, "sleep");
	trace_switch(&r.tr, 1100, 0, 10, TRACE_S, 0);
	run_on(&r, NULL);
	assert_non_null(row(&r, 10, 0));
	assert_null(row(&r, 10, 1));
	task = analyze_engine_task(r.eng, row(&r, 10, 0)->task);
	assert_string_equal(task->comm, "sleep");
	assert_int_equal(task->comm_changes, 1);
	run_end(&r);
}

static void a_thread_that_execs_goes_on_under_the_leaders_tid(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 1);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, 11);
	trace_add(&r.tr, 1100, 0, 10, "sched:sched_process_exec", "pid", (uint64_t)10, "old_pid",
		  (uint64_t)11, NULL);
	trace_switch(&r.tr, 1300, 0, 10, TRACE_S, 0);
	trace_switch(&r.tr, 1400, 0, 0, TRACE_R, 12);
	run_on(&r, NULL);
	assert_true(ran(&r, 11) == 100 && ran(&r, 10) == 200);
	assert_true(analyze_engine_summary(r.eng)->mismatches == 0);
	run_end(&r);
}

/* Woken on CPU 0, moved to 1 and on to 2 before it runs: one migration, two events. */
static void nested_migrations_are_one_move_and_two_events(void **state)
{
	static const int32_t node[] = { 0, 0, 1 };
	struct analyze_options opts = { .node_of_cpu = node, .n_node_of_cpu = 3 };
	struct run r;

	(void)state;
	run_begin(&r, 3);
	trace_switch(&r.tr, 1000, 0, 10, TRACE_S, 0);
	trace_waking(&r.tr, 1100, 0, 0, 10, 0);
	trace_add(&r.tr, 1110, 0, 0, "sched:sched_migrate_task", "pid", (uint64_t)10, "orig_cpu",
		  (uint64_t)0, "dest_cpu", (uint64_t)1, NULL);
	trace_add(&r.tr, 1120, 0, 0, "sched:sched_migrate_task", "pid", (uint64_t)10, "orig_cpu",
		  (uint64_t)1, "dest_cpu", (uint64_t)2, NULL);
	trace_switch(&r.tr, 1200, 2, 0, TRACE_R, 10);
	trace_switch(&r.tr, 1300, 2, 10, TRACE_R_PLUS, 0);
	run_on(&r, &opts);
	assert_true(row(&r, 10, 0)->migrations == 1 && row(&r, 10, 0)->migrate_events == 2);
	assert_true(row(&r, 10, 0)->node_migrations == 1);
	assert_true(row(&r, 10, 0)->outs[ANALYZE_OFF_PREEMPTED] == 1);
	assert_true(row(&r, 10, 0)->latency.max == 100);
	run_end(&r);
}

/* CPU 1 goes off line: its last switch is to IDLE; it comes back from IDLE. */
static void an_offline_cpu_is_idle_until_it_comes_back(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, 10);
	trace_switch(&r.tr, 1100, 1, 20, TRACE_S, 0);
	trace_switch(&r.tr, 9000, 1, 0, TRACE_R, 20);
	trace_switch(&r.tr, 9500, 1, 20, TRACE_S, 0);
	trace_switch(&r.tr, 10000, 0, 10, TRACE_S, 0);
	run_on(&r, NULL);
	assert_true(row(&r, 0, 1)->run_ns == 7900 + 500);
	assert_true(ran(&r, 20) == 100 + 500);
	run_end(&r);
}

static void without_sched_waking_sched_wakeup_counts(void **state)
{
	struct run r;

	(void)state;
	run_begin_without(&r, 1, "sched_waking");
	trace_switch(&r.tr, 1000, 0, 10, TRACE_S, 0);
	trace_add(&r.tr, 1100, 0, 0, "sched:sched_wakeup", "pid", (uint64_t)10, "target_cpu",
		  (uint64_t)0, NULL);
	trace_switch(&r.tr, 1130, 0, 0, TRACE_R, 10);
	run_on(&r, NULL);
	assert_true(row(&r, 10, 0)->latency.count == 1 && row(&r, 10, 0)->latency.max == 30);
	assert_true(row(&r, 10, 0)->wakeups == 1);
	run_end(&r);
}

static void wakeup(struct trace *tr, uint64_t t_ns, uint32_t cpu, int32_t waker, int32_t tid)
{
	trace_add(tr, t_ns, cpu, waker, "sched:sched_wakeup", "pid", (uint64_t)tid, "target_cpu",
		  (uint64_t)0, NULL);
}

/* Woken by 20 on CPU 1 while it is on its way off CPU 0; @with a wakeup after the switch-out. */
static void woken_on_its_cpu(struct run *r, const char *without, bool with)
{
	run_begin_without(r, 2, without);
	trace_switch(&r->tr, 900, 0, 0, TRACE_R, 10);
	trace_switch(&r->tr, 900, 1, 0, TRACE_R, 20);
	trace_waking(&r->tr, 1000, 1, 20, 10, 0);
	trace_switch(&r->tr, 1020, 0, 10, TRACE_S, 0);
	if (with)
		wakeup(&r->tr, 1030, 0, 0, 10);
	trace_switch(&r->tr, 1100, 0, 0, TRACE_R, 10);
	trace_switch(&r->tr, 1200, 0, 10, TRACE_S, 0);
}

static void a_task_woken_before_its_switch_out_waits_from_the_wakeup(void **state)
{
	struct run r;

	(void)state;
	woken_on_its_cpu(&r, "", true);
	run_on(&r, NULL);
	assert_true(row(&r, 10, 0)->latency.count == 1 && row(&r, 10, 0)->latency.max == 70);
	assert_true(row(&r, 10, 0)->delayed_ns == 70 && row(&r, 10, 0)->wakeups == 1);
	run_end(&r);
}

static void a_waking_of_before_the_switch_out_begins_the_wait_where_nothing_else_can(void **state)
{
	/* The window ends before the switch-in that shows it. */
	struct analyze_options part = { .from_ns = 900, .to_ns = 1050 };
	struct run r;

	(void)state;
	woken_on_its_cpu(&r, "sched_wakeup", false);
	run_on(&r, NULL);
	assert_true(row(&r, 10, 0)->latency.count == 1 && row(&r, 10, 0)->latency.max == 80);
	assert_true(row(&r, 10, 0)->delayed_ns == 80 && row(&r, 10, 0)->wakeups == 1);
	run_on(&r, &part);
	assert_true(row(&r, 10, 0)->latency.count == 0 && row(&r, 10, 0)->delayed_ns == 30);
	run_end(&r);
}

static void a_later_waking_begins_it_instead(void **state)
{
	struct run r;

	(void)state;
	run_begin_without(&r, 2, "sched_wakeup");
	trace_switch(&r.tr, 900, 0, 0, TRACE_R, 10);
	trace_waking(&r.tr, 1000, 1, 20, 10, 0);
	trace_switch(&r.tr, 1020, 0, 10, TRACE_S, 0);
	trace_waking(&r.tr, 1090, 1, 20, 10, 0);
	trace_switch(&r.tr, 1100, 0, 0, TRACE_R, 10);
	/* not woken again: it still sleeps */
	trace_waking(&r.tr, 1110, 1, 20, 10, 0);
	trace_switch(&r.tr, 1120, 0, 10, TRACE_S, 0);
	trace_switch(&r.tr, 1500, 1, 20, TRACE_S, 0);
	run_on(&r, NULL);
	assert_true(row(&r, 10, 0)->latency.count == 1 && row(&r, 10, 0)->latency.max == 10);
	assert_true(row(&r, 10, 0)->delayed_ns == 10);
	run_end(&r);
}

static void woken_and_awake_before_the_switch_out_is_no_wait(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 900, 0, 0, TRACE_R, 10);
	trace_waking(&r.tr, 1000, 1, 20, 10, 0);
	wakeup(&r.tr, 1010, 1, 20, 10);
	trace_switch(&r.tr, 1020, 0, 10, TRACE_S, 0);
	trace_switch(&r.tr, 1100, 0, 0, TRACE_R, 10);
	run_on(&r, NULL);
	assert_true(row(&r, 10, 0)->latency.count == 0 && row(&r, 10, 0)->delayed_ns == 0);
	run_end(&r);
}

static void io_wait_is_the_part_of_disk_sleep_that_the_kernel_calls_so(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 1);
	trace_switch(&r.tr, 1000, 0, 10, TRACE_D, 0);
	trace_add(&r.tr, 1100, 0, 0, "sched:sched_stat_iowait", "pid", (uint64_t)10, "delay",
		  (uint64_t)100, NULL);
	trace_switch(&r.tr, 1200, 0, 0, TRACE_R, 10);
	trace_switch(&r.tr, 1300, 0, 10, TRACE_D, 0);
	trace_switch(&r.tr, 1350, 0, 0, TRACE_R, 10);
	run_on(&r, NULL);
	assert_true(row(&r, 10, 0)->off_ns[ANALYZE_OFF_DISK] == 250);
	assert_true(row(&r, 10, 0)->iowait_ns == 200 && row(&r, 10, 0)->iowaits == 1);
	run_end(&r);
}

static void an_iowait_counts_in_the_window_in_which_it_ends(void **state)
{
	static const uint64_t cuts[] = { 1000, 1150, 1300 };
	uint64_t iowaits = 0, ns = 0;
	struct run r;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct analyze_options opts = { .from_ns = cuts[i], .to_ns = cuts[i + 1] };

		run_begin(&r, 1);
		trace_switch(&r.tr, 1000, 0, 10, TRACE_D, 0);
		trace_add(&r.tr, 1100, 0, 0, "sched:sched_stat_iowait", "pid", (uint64_t)10,
			  "delay", (uint64_t)100, NULL);
		trace_switch(&r.tr, 1200, 0, 0, TRACE_R, 10);
		trace_switch(&r.tr, 1300, 0, 10, TRACE_S, 0);
		run_on(&r, &opts);
		iowaits += row(&r, 10, 0)->iowaits;
		ns += row(&r, 10, 0)->iowait_ns;
		run_end(&r);
	}
	assert_true(iowaits == 1 && ns == 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(run_time_waits_and_switches_are_those_drawn),
		cmocka_unit_test(with_some_cpus_recorded_a_wait_may_have_begun_on_another),
		cmocka_unit_test(a_task_that_never_switches_out_ran_the_whole_window),
		cmocka_unit_test(a_tid_used_again_is_another_task),
		cmocka_unit_test(
			a_tid_that_was_switched_out_dead_is_another_task_even_without_a_fork),
		cmocka_unit_test(exec_changes_the_comm_and_keeps_the_task),
		cmocka_unit_test(a_thread_that_execs_goes_on_under_the_leaders_tid),
		cmocka_unit_test(nested_migrations_are_one_move_and_two_events),
		cmocka_unit_test(an_offline_cpu_is_idle_until_it_comes_back),
		cmocka_unit_test(without_sched_waking_sched_wakeup_counts),
		cmocka_unit_test(a_task_woken_before_its_switch_out_waits_from_the_wakeup),
		cmocka_unit_test(
			a_waking_of_before_the_switch_out_begins_the_wait_where_nothing_else_can),
		cmocka_unit_test(a_later_waking_begins_it_instead),
		cmocka_unit_test(woken_and_awake_before_the_switch_out_is_no_wait),
		cmocka_unit_test(io_wait_is_the_part_of_disk_sleep_that_the_kernel_calls_so),
		cmocka_unit_test(an_iowait_counts_in_the_window_in_which_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

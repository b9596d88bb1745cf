/* SPDX-License-Identifier: GPL-2.0-only */
/* Known and unknown times where events are missing.  Times are ns. */
#include "tests/unit/taskrun.h"

static void a_cpu_without_any_event_is_unknown(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	simple(&r.tr);
	run_on(&r, NULL);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 1) == 600);
	assert_true(analyze_engine_summary(r.eng)->cpus_seen == 1);
	run_end(&r);
}

/*
 * CPU 0  1000 A 1200 B      [loss 1300 - 1700]     C 1900 A 2000
 * B ran 1200-1300 for sure, C 1700-1900 for sure; 400 ns are unknown.
 */
static void a_slice_is_not_bridged_across_loss(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 1);
	trace_waking(&r.tr, 1000, 0, 10, 11, 0);
	trace_switch(&r.tr, 1200, 0, 10, TRACE_S, 11);
	trace_switch(&r.tr, 1900, 0, 12, TRACE_S, 10);
	trace_waking(&r.tr, 2000, 0, 10, 12, 0);
	trace_loss(&r.tr, 0, 1300, 1700);
	run_on(&r, NULL);
	assert_true(ran(&r, 11) == 100 && row(&r, 11, 0)->edge_ns == 100);
	assert_true(row(&r, 11, 0)->slice.count == 0);
	/* From the gap to the end there is no event of B. */
	assert_true(row(&r, 11, 0)->unknown_ns == 700);
	assert_true(ran(&r, 12) == 200);
	/* A slept from 1200; from 1300 on it may have run: 600 unknown until 1900. */
	assert_true(row(&r, 10, 0)->off_ns[ANALYZE_OFF_SLEEP] == 100);
	assert_true(row(&r, 10, 0)->unknown_ns == 600);
	assert_true(ran(&r, 10) == 200 + 100);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 0) == 400);
	assert_true(analyze_engine_loss_ns(r.eng, 0) == 400);
	assert_true(analyze_engine_summary(r.eng)->lost_events == 10);
	run_end(&r);
}

/* Of CPU 0, of any CPU, and of it again: 1300 - 1800 and 1850 - 1860. */
static void loss_that_overlaps_counts_once(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 10, TRACE_S, 11);
	trace_switch(&r.tr, 2000, 0, 11, TRACE_S, 10);
	trace_loss(&r.tr, 0, 1300, 1700);
	trace_loss(&r.tr, CDICT_CPU_UNKNOWN, 1500, 1800);
	trace_loss(&r.tr, 0, 1550, 1600);
	trace_loss(&r.tr, 0, 1850, 1860);
	run_on(&r, NULL);
	assert_int_equal(analyze_engine_loss_ns(r.eng, 0), 510);
	assert_int_equal(analyze_engine_loss_ns(r.eng, 1), 300);
	run_end(&r);
}

static void a_wait_across_loss_on_another_cpu_is_not_counted(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 10, TRACE_S, 0);
	trace_waking(&r.tr, 1100, 0, 0, 10, 0);
	/* It may have run on CPU 1 between 1150 and 1160. */
	trace_loss(&r.tr, 1, 1150, 1160);
	trace_switch(&r.tr, 1300, 0, 0, TRACE_R, 10);
	trace_switch(&r.tr, 1400, 0, 10, TRACE_S, 0);
	run_on(&r, NULL);
	assert_int_equal(row(&r, 10, 0)->latency.count, 0);
	assert_true(row(&r, 10, 0)->off_ns[ANALYZE_OFF_SLEEP] == 150);
	assert_true(row(&r, 10, 0)->unknown_ns == 150);
	run_end(&r);
}

static void a_switch_from_another_task_makes_the_slice_unknown(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 1);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, 10);
	/* The switch 10 ==> 11 is missing, without a loss record. */
	trace_switch(&r.tr, 1300, 0, 11, TRACE_S, 0);
	trace_switch(&r.tr, 1400, 0, 0, TRACE_R, 10);
	run_on(&r, NULL);
	assert_true(ran(&r, 10) == 0 && row(&r, 10, 0)->unknown_ns == 400);
	assert_true(ran(&r, 11) == 0 && row(&r, 11, 0)->switches == 1);
	assert_true(analyze_engine_summary(r.eng)->mismatches == 1);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 0) == 300);
	run_end(&r);
}

/* perf enables events CPU by CPU: 10 is switched out on CPU 0 and turns up on CPU 1. */
static void a_task_seen_elsewhere_did_not_run_since_the_start(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 10, TRACE_R, 0);
	trace_waking(&r.tr, 1300, 1, 10, 20, 1); /* here it runs, on CPU 1 */
	trace_switch(&r.tr, 1500, 1, 10, TRACE_S, 0);
	trace_switch(&r.tr, 1600, 0, 0, TRACE_R, 30);
	run_on(&r, NULL);
	/* Known from its sample on: 1300-1500. CPU 1 is unknown before. */
	assert_true(ran(&r, 10) == 200 && row(&r, 10, 0)->unknown_ns == 300);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 1) == 300);
	run_end(&r);
}

static void time_that_runs_backwards_stands_still(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 1);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, 10);
	trace_switch(&r.tr, 1200, 0, 10, TRACE_S, 0);
	trace_switch(&r.tr, 1190, 0, 0, TRACE_R, 10);
	trace_switch(&r.tr, 1300, 0, 10, TRACE_S, 0);
	run_on(&r, NULL);
	assert_true(analyze_engine_summary(r.eng)->disorder == 1);
	assert_true(ran(&r, 10) == 300);
	run_end(&r);
}

static void the_task_that_runs_at_the_start_of_a_clipped_window_is_known(void **state)
{
	struct analyze_options opts = { .from_ns = 1150, .to_ns = 1250 };
	struct run r;

	(void)state;
	run_begin(&r, 1);
	simple(&r.tr); /* 11 runs from 1100 to 1300, no switch in the window */
	run_on(&r, &opts);
	assert_true(ran(&r, 11) == 100 && row(&r, 11, 0)->switches == 0);
	columns_are_full(&r);
	opts = (struct analyze_options){ .from_ns = 1200, .to_ns = 1400 };
	run_on(&r, &opts);
	assert_true(ran(&r, 11) == 100 && ran(&r, 0) == 100);
	run_end(&r);
}

/*
 * CPU 1, without a switch: the vCPU 20 is pinned there.  It runs the whole window, though the
 * first sample is at 1010 and the last at 1990: a switch would have been recorded.
 *      1000  1010     1020 ...  1990  2000
 *      |(20) |entry   |exit     |exit |
 */
static void a_pinned_vcpu_runs_although_no_switch_was_recorded(void **state)
{
	const struct analyze_task_row *vcpu;
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 10, TRACE_S, 0);
	trace_entry(&r.tr, 1010, 1, 20);
	trace_exit(&r.tr, 1020, 1, 20, TRACE_EXTINT);
	trace_entry(&r.tr, 1030, 1, 20);
	trace_exit(&r.tr, 1990, 1, 20, TRACE_EXTINT);
	trace_switch(&r.tr, 2000, 0, 0, TRACE_R, 10);
	run_on(&r, NULL);
	vcpu = row(&r, 20, 0);
	assert_true(vcpu->run_ns == 1000 && vcpu->edge_ns == 1000 && vcpu->switches == 0);
	assert_true(vcpu->events == 4 && row(&r, 10, 0)->events == 1);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 1) == 0);
	assert_true(analyze_coremap_cpu(r.map, 1)->busy_ns == 1000);
	assert_true(analyze_engine_summary(r.eng)->unknown_ns == 0);
	run_end(&r);
}

/*
 * CPU 1, without a switch, but samples of two tasks: 20 ran up to its last one (1300), 21 from
 * its first one on (1500).  A switch between them was not recorded: 200 are unknown.
 */
static void two_tasks_sampled_without_a_switch_between_them_leave_the_time_unknown(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 10, TRACE_S, 0);
	trace_waking(&r.tr, 1100, 1, 20, 10, 0);
	trace_waking(&r.tr, 1300, 1, 20, 10, 0);
	trace_waking(&r.tr, 1500, 1, 21, 10, 0);
	trace_switch(&r.tr, 2000, 0, 0, TRACE_R, 10);
	run_on(&r, NULL);
	assert_true(ran(&r, 20) == 300 && row(&r, 20, 0)->unknown_ns == 700);
	assert_true(ran(&r, 21) == 500 && row(&r, 21, 0)->edge_ns == 500);
	assert_true(analyze_engine_cpu_unknown_ns(r.eng, 1) == 200);
	assert_true(analyze_engine_summary(r.eng)->mismatches == 1);
	run_end(&r);
}

/* Right after a switch the kernel still works for the task that was switched out: no
 * contradiction. */
static void a_sample_of_the_task_just_switched_out_is_no_contradiction(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 1);
	simple(&r.tr);
	trace_waking(&r.tr, 1700, 0, 10, 11, 0);
	trace_switch(&r.tr, 1800, 0, 10, TRACE_S, 11);
	trace_waking(&r.tr, 1801, 0, 10, 12, 0);
	trace_switch(&r.tr, 1900, 0, 11, TRACE_S, 0);
	run_on(&r, NULL);
	assert_true(ran(&r, 11) == 300 && row(&r, 11, 0)->slice.count == 2);
	/* 1000, 1100, 1600, 1700, 1800, 1801: the count of every type, by the sample. */
	assert_true(row(&r, 10, 0)->events == 6 && row(&r, 11, 0)->events == 2);
	assert_true(row(&r, 0, 0)->events == 2);
	assert_true(analyze_engine_summary(r.eng)->mismatches == 0);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_without_any_event_is_unknown),
		cmocka_unit_test(a_slice_is_not_bridged_across_loss),
		cmocka_unit_test(loss_that_overlaps_counts_once),
		cmocka_unit_test(a_wait_across_loss_on_another_cpu_is_not_counted),
		cmocka_unit_test(a_switch_from_another_task_makes_the_slice_unknown),
		cmocka_unit_test(a_task_seen_elsewhere_did_not_run_since_the_start),
		cmocka_unit_test(time_that_runs_backwards_stands_still),
		cmocka_unit_test(the_task_that_runs_at_the_start_of_a_clipped_window_is_known),
		cmocka_unit_test(a_pinned_vcpu_runs_although_no_switch_was_recorded),
		cmocka_unit_test(
			two_tasks_sampled_without_a_switch_between_them_leave_the_time_unknown),
		cmocka_unit_test(a_sample_of_the_task_just_switched_out_is_no_contradiction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

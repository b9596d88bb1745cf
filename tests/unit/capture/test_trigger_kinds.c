/* SPDX-License-Identifier: GPL-2.0-only */
/* When a trigger of each kind fires, and its message. */
#include <unistd.h>

#include "tests/unit/triggerbench.h"

/* ---- delay, and several conditions -------------------------------------------------------- */

static void a_preempted_task_is_delayed_but_not_late(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "delay>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_R, 8, "hog");
	switch_(&b, 0, 9 * MS, 8, TRACE_S, 7, "victim");
	expect(&b, 20 * MS, NULL);
	switch_(&b, 0, 21 * MS, 7, TRACE_R, 8, "hog");
	expect(&b, 30 * MS, NULL);
	expect(&b, 40 * MS, "delay of victim (7) was 19.000 ms at 100.040000000 s");
	expect(&b, 50 * MS, NULL); /* one wait is reported once */
	switch_(&b, 0, 60 * MS, 8, TRACE_S, 7, "victim");
	expect(&b, 70 * MS, NULL);
	/* after a wake-up, too; a new wait is reported again */
	switch_(&b, 0, 71 * MS, 7, TRACE_S, 8, "hog");
	wake(&b, 0, 72 * MS, 7, "victim");
	switch_(&b, 0, 84 * MS, 8, TRACE_S, 7, "victim");
	expect(&b, 90 * MS, "delay of victim (7) was 12.000 ms at 100.084000000 s");
	bench_fini(&b);
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_R, 8, "hog");
	switch_(&b, 0, 90 * MS, 8, TRACE_S, 7, "victim");
	expect(&b, 100 * MS, NULL);
	bench_fini(&b);
}

static void any_of_several_conditions_fires(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>50ms,exit>1ms,delay>20ms", NULL);
	kvm_exit(&b, 0, 1 * MS, 9, 48);
	kvm_entry(&b, 0, 4 * MS, 9);
	b.hit.comm[0] = '\0';
	pass(&b, 0, 10 * MS);
	pass(&b, 1, 10 * MS);
	assert_true(trigger_run(b.trigger, &b.hit));
	assert_int_equal(b.hit.ns, 3 * MS);
	switch_(&b, 0, 11 * MS, 7, TRACE_R, 8, "hog");
	switch_(&b, 0, 41 * MS, 8, TRACE_S, 7, "victim");
	expect(&b, 50 * MS, "delay of victim (7) was 30.000 ms at 100.041000000 s");
	switch_(&b, 0, 51 * MS, 7, TRACE_S, 8, "hog");
	wake(&b, 0, 52 * MS, 7, "victim");
	switch_(&b, 0, 110 * MS, 8, TRACE_S, 7, "victim");
	/* of two at one event, the first of the list */
	expect(&b, 111 * MS, "latency of victim (7) was 58.000 ms at 100.110000000 s");
	bench_fini(&b);
}

/* ---- latency ----------------------------------------------------------------------------- */

static void a_wait_longer_than_the_limit_fires_and_is_reported(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	wake(&b, 0, 1 * MS, 7, "late");
	switch_(&b, 0, 13 * MS + 500 * US, 0, TRACE_R, 7, "late");
	expect(&b, 20 * MS, "latency of late (7) was 12.500 ms at 100.013500000 s");
	assert_int_equal(b.hit.tid, 7);
	assert_int_equal(b.hit.ns, 12 * MS + 500 * US);
	assert_int_equal(b.hit.t_ns, T0 + 13 * MS + 500 * US);
	assert_string_equal(b.hit.comm, "late");
	expect(&b, 900 * MS, NULL); /* once */
	bench_fini(&b);
}

static void a_wait_of_the_limit_itself_does_not_fire(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	wake(&b, 0, 1 * MS, 7, "edge");
	switch_(&b, 0, 11 * MS, 0, TRACE_R, 7, "edge");
	expect(&b, 20 * MS, NULL);
	wake(&b, 0, 30 * MS, 8, "edge");
	switch_(&b, 0, 40 * MS + 1, 7, TRACE_S, 8, "edge");
	expect(&b, 50 * MS, "latency of edge (8) was 10.000 ms at 100.040000001 s");
	bench_fini(&b);
}

static void a_task_that_still_waits_fires_before_it_runs(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 1, 5 * MS, 7, "stuck");
	expect(&b, 15 * MS, NULL);
	expect(&b, 16 * MS, "latency of stuck (7) was 11.000 ms at 100.016000000 s");
	expect(&b, 200 * MS, NULL); /* one wait is reported once */
	switch_(&b, 1, 300 * MS, 0, TRACE_R, 7, "stuck");
	expect(&b, 310 * MS, NULL);
	switch_(&b, 1, 320 * MS, 7, TRACE_S, 0, "swapper/1");
	wake(&b, 1, 330 * MS, 7, "stuck");
	expect(&b, 350 * MS, "latency of stuck (7) was 20.000 ms at 100.350000000 s");
	bench_fini(&b);
}

/* Woken on one CPU, running on the other, whose reader was first. */
static void a_task_that_moves_to_another_cpu_is_followed(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 1, 30 * MS, 0, TRACE_R, 7, "mover");
	pass(&b, 1, 40 * MS);
	assert_false(trigger_run(b.trigger, &b.hit)); /* CPU 0 may still deliver events */
	switch_(&b, 0, 1 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 5 * MS, 7, "mover");
	expect(&b, 40 * MS, "latency of mover (7) was 25.000 ms at 100.030000000 s");
	/* The reverse: short on both, but long with either CPU alone. */
	switch_(&b, 1, 50 * MS, 7, TRACE_S, 0, "swapper/1");
	wake(&b, 0, 55 * MS, 7, "mover");
	switch_(&b, 0, 56 * MS, 0, TRACE_R, 7, "mover");
	switch_(&b, 0, 57 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 1, 90 * MS, 7, "mover");
	switch_(&b, 1, 91 * MS, 0, TRACE_R, 7, "mover");
	expect(&b, 100 * MS, NULL);
	bench_fini(&b);
}

static void a_second_wakeup_does_not_begin_the_wait_anew(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	wake(&b, 0, 1 * MS, 7, "x");
	wake(&b, 1, 9 * MS, 7, "x");
	switch_(&b, 0, 15 * MS, 0, TRACE_R, 7, "x");
	expect(&b, 20 * MS, "latency of x (7) was 14.000 ms at 100.015000000 s");
	bench_fini(&b);
}

/* Its switch-out was not seen: it may be running, and then it does not wait. */
static void a_running_task_that_is_woken_does_not_wait(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	wake(&b, 0, 1 * MS, 7, "runs");
	expect(&b, 100 * MS, NULL);
	switch_(&b, 0, 110 * MS, 7, TRACE_S, 0, "swapper/0");
	expect(&b, 200 * MS, NULL);
	/* The same where its switch-in was seen. */
	wake(&b, 0, 201 * MS, 7, "runs");
	switch_(&b, 0, 202 * MS, 0, TRACE_R, 7, "runs");
	wake(&b, 1, 203 * MS, 7, "runs");
	expect(&b, 400 * MS, NULL);
	bench_fini(&b);
}

static void a_preempted_task_waits_for_no_wakeup(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_R_PLUS, 8, "other");
	wake(&b, 1, 2 * MS, 7, "preempted");
	switch_(&b, 0, 50 * MS, 8, TRACE_S, 7, "preempted");
	expect(&b, 60 * MS, NULL);
	bench_fini(&b);
}

static void a_new_task_waits_from_its_birth(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	/* The number was another task's, whose end was not seen. */
	switch_(&b, 0, 1 * MS, 0, TRACE_R, 7, "before");
	put(&b, 0, 5 * MS, 1, "sched:sched_wakeup_new", "comm", "new", "pid", UINT64_C(7), NULL);
	expect(&b, 18 * MS, "latency of new (7) was 13.000 ms at 100.018000000 s");
	bench_fini(&b);
}

/* ---- exits ------------------------------------------------------------------------------- */

static void an_exit_longer_than_the_limit_fires_and_is_reported(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	switch_(&b, 0, 1 * MS, 0, TRACE_R, 7, "CPU 0/KVM");
	kvm_entry(&b, 0, 2 * MS, 7);
	kvm_exit(&b, 0, 3 * MS, 7, TRACE_IO);
	kvm_entry(&b, 0, 8 * MS, 7); /* 5 ms are not longer */
	kvm_exit(&b, 0, 9 * MS, 7, TRACE_CPUID);
	kvm_entry(&b, 1, 14 * MS + 1, 7); /* on another CPU */
	expect(&b, 20 * MS, "exit of CPU 0/KVM (7) was 5.000 ms at 100.014000001 s");
	assert_int_equal(b.hit.ns, 5 * MS + 1);
	expect(&b, 900 * MS, NULL);
	bench_fini(&b);
}

static void an_exit_that_does_not_end_fires(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	switch_(&b, 0, 1 * MS, 0, TRACE_R, 7, "CPU 0/KVM");
	kvm_exit(&b, 0, 3 * MS, 7, TRACE_IO);
	expect(&b, 8 * MS, NULL);
	expect(&b, 9 * MS, "exit of CPU 0/KVM (7) was 6.000 ms at 100.009000000 s");
	/* It is still the same exit, in QEMU, which sleeps. */
	switch_(&b, 0, 10 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 11 * MS, 7, "CPU 0/KVM");
	switch_(&b, 0, 12 * MS, 0, TRACE_R, 7, "CPU 0/KVM");
	expect(&b, 30 * MS, NULL);
	kvm_entry(&b, 0, 31 * MS, 7);
	expect(&b, 40 * MS, NULL);
	bench_fini(&b);
}

static void a_vcpu_that_waits_for_work_does_not_fire(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	kvm_exit(&b, 0, 1 * MS, 7, TRACE_HLT);
	expect(&b, 500 * MS, NULL);
	kvm_entry(&b, 0, 501 * MS, 7);
	expect(&b, 600 * MS, NULL);
	bench_fini(&b);
}

static void an_entry_without_exit_and_an_exit_without_entry_are_not_paired(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	kvm_entry(&b, 0, 100 * MS, 7);
	kvm_entry(&b, 0, 200 * MS, 7);
	/* The entry between these two was not recorded: the report is from the second on. */
	kvm_exit(&b, 0, 300 * MS, 7, TRACE_IO);
	kvm_exit(&b, 0, 302 * MS, 7, TRACE_IO);
	kvm_entry(&b, 0, 306 * MS, 7);
	/* Entries of other vCPUs do not end it. */
	kvm_exit(&b, 0, 310 * MS, 8, TRACE_IO);
	kvm_entry(&b, 0, 311 * MS, 7);
	kvm_entry(&b, 0, 314 * MS, 8);
	expect(&b, 400 * MS, NULL);
	bench_fini(&b);
}

static void an_exit_across_a_loss_is_not_reported(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	kvm_exit(&b, 0, 1 * MS, 7, TRACE_IO);
	trigger_feed_loss(b.feeds[0], T0 + 2 * MS, T0 + 9 * MS);
	kvm_entry(&b, 0, 10 * MS, 7);
	kvm_exit(&b, 0, 11 * MS, 7, TRACE_IO);
	kvm_entry(&b, 0, 12 * MS, 7);
	expect(&b, 100 * MS, NULL);
	bench_fini(&b);
}

static void a_vcpu_thread_that_ended_has_no_exit(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "exit>5ms", NULL);
	kvm_exit(&b, 0, 1 * MS, 7, TRACE_IO);
	switch_(&b, 0, 2 * MS, 7, TRACE_Z, 0, "swapper/0");
	expect(&b, 100 * MS, NULL);
	bench_fini(&b);
}

/* A vCPU that never leaves its CPU: its task is found in /proc. This process is one. */
static void a_vcpu_that_was_never_switched_is_named_all_the_same(void **state)
{
	char comm[16] = "", want[64];
	FILE *f = fopen("/proc/self/comm", "r");
	int32_t pid = (int32_t)getpid();
	struct bench b;

	(void)state;
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%15s", comm), 1);
	fclose(f);
	bench_init(&b, "exit>5ms", comm);
	kvm_exit(&b, 0, 1 * MS, pid, TRACE_IO);
	kvm_entry(&b, 0, 11 * MS, pid);
	pass(&b, -1, 20 * MS);
	assert_true(trigger_run(b.trigger, &b.hit));
	snprintf(want, sizeof(want), "exit of %s (%d) was 10.000 ms", comm, pid);
	assert_memory_equal(b.hit.text, want, strlen(want));
	bench_fini(&b);
}

/* ---- steal ------------------------------------------------------------------------------- */

/* Out of each 10 ms the task runs @run_ms, and is preempted for the rest. */
static void shared_cpu(struct bench *b, uint64_t from, uint64_t to, unsigned run_ms)
{
	for (uint64_t t = from; t < to; t += 10) {
		switch_(b, 0, t * MS, 8, TRACE_R_PLUS, 7, "shares");
		switch_(b, 0, (t + run_ms) * MS, 7, TRACE_R_PLUS, 8, "hog");
	}
}

static void a_task_that_is_kept_off_its_cpu_fires(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>60%", "^shares$");
	shared_cpu(&b, 1000, 3000, 4); /* 60 % is not more */
	expect(&b, 3000 * MS, NULL);
	shared_cpu(&b, 3000, 5000, 3);
	pass(&b, -1, 5000 * MS);
	assert_true(trigger_run(b.trigger, &b.hit));
	assert_int_equal(b.hit.tid, 7);
	assert_string_equal(b.hit.comm, "shares");
	assert_true(b.hit.pct > 60 && b.hit.pct < 70.5);
	bench_fini(&b);
}

static void steal_reports_the_second_and_its_share(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>50%", "^x$");
	switch_(&b, 0, 1000 * MS, 1, TRACE_S, 7, "x");
	/* Its second begins at 1 s; it is ready from 1.25 to 1.85 s. */
	switch_(&b, 0, 1250 * MS, 7, TRACE_R, 8, "hog");
	switch_(&b, 0, 1850 * MS, 8, TRACE_R, 7, "x");
	expect(&b, 1999 * MS, NULL);
	switch_(&b, 0, 2100 * MS, 7, TRACE_S, 8, "hog");
	expect(&b, 2200 * MS, "steal of x (7) was 60.0 % in the second before 102.000000000 s");
	bench_fini(&b);
}

static void a_wait_of_seconds_is_reported_while_it_lasts(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>99%", "^x$");
	switch_(&b, 0, 1000 * MS, 7, TRACE_S, 8, "hog");
	wake(&b, 1, 1500 * MS, 7, "x");
	expect(&b, 1990 * MS, NULL);
	/* Its second began when it was first seen: half of that it slept. */
	expect(&b, 2100 * MS, NULL);
	expect(&b, 3100 * MS, "steal of x (7) was 100.0 % in the second before 103.000000000 s");
	bench_fini(&b);
}

static void sleep_is_not_steal(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>10%", NULL);
	for (uint64_t t = 1000; t < 4000; t += 100) {
		wake(&b, 0, t * MS, 7, "naps");
		switch_(&b, 0, (t + 5) * MS, 0, TRACE_R, 7, "naps");
		switch_(&b, 0, (t + 10) * MS, 7, TRACE_S, 0, "swapper/0");
	}
	expect(&b, 4000 * MS, NULL);
	bench_fini(&b);
}

static void nothing_is_stolen_from_a_task_that_may_be_running(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>10%", NULL);
	wake(&b, 0, 1000 * MS, 7, "runs");
	expect(&b, 5000 * MS, NULL);
	switch_(&b, 0, 5001 * MS, 7, TRACE_S, 0, "swapper/0");
	expect(&b, 9000 * MS, NULL);
	bench_fini(&b);
}

static void steal_across_a_loss_is_not_reported(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "steal>50%", NULL);
	switch_(&b, 0, 1000 * MS, 7, TRACE_R, 8, "hog");
	trigger_feed_loss(b.feeds[0], T0 + 1100 * MS, T0 + 3000 * MS);
	expect(&b, 3100 * MS, NULL);
	switch_(&b, 0, 3200 * MS, 8, TRACE_S, 7, "x");
	expect(&b, 5000 * MS, NULL);
	bench_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_preempted_task_is_delayed_but_not_late),
		cmocka_unit_test(any_of_several_conditions_fires),
		cmocka_unit_test(a_wait_longer_than_the_limit_fires_and_is_reported),
		cmocka_unit_test(a_wait_of_the_limit_itself_does_not_fire),
		cmocka_unit_test(a_task_that_still_waits_fires_before_it_runs),
		cmocka_unit_test(a_task_that_moves_to_another_cpu_is_followed),
		cmocka_unit_test(a_second_wakeup_does_not_begin_the_wait_anew),
		cmocka_unit_test(a_running_task_that_is_woken_does_not_wait),
		cmocka_unit_test(a_preempted_task_waits_for_no_wakeup),
		cmocka_unit_test(a_new_task_waits_from_its_birth),
		cmocka_unit_test(an_exit_longer_than_the_limit_fires_and_is_reported),
		cmocka_unit_test(an_exit_that_does_not_end_fires),
		cmocka_unit_test(a_vcpu_that_waits_for_work_does_not_fire),
		cmocka_unit_test(an_entry_without_exit_and_an_exit_without_entry_are_not_paired),
		cmocka_unit_test(an_exit_across_a_loss_is_not_reported),
		cmocka_unit_test(a_vcpu_thread_that_ended_has_no_exit),
		cmocka_unit_test(a_vcpu_that_was_never_switched_is_named_all_the_same),
		cmocka_unit_test(a_task_that_is_kept_off_its_cpu_fires),
		cmocka_unit_test(steal_reports_the_second_and_its_share),
		cmocka_unit_test(a_wait_of_seconds_is_reported_while_it_lasts),
		cmocka_unit_test(sleep_is_not_steal),
		cmocka_unit_test(nothing_is_stolen_from_a_task_that_may_be_running),
		cmocka_unit_test(steal_across_a_loss_is_not_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Run queue length: how many tasks wait for each CPU. */
#include "analyze/walk/internal.h"
#include "tests/unit/taskrun.h"

enum { A = 10, B = 11, C = 12 };

/*
 * The example of doc/figures.md.
 *
 *          1000  1100  1200  1300  1500  1600   2000
 * CPU 0    |A................|B....|C....|A......|
 * waits          |B..........|
 *                      |C..........|
 *                            |A..........|
 * length   0     1     2           1     0
 */
static void worked_example(struct run *r)
{
	run_begin(r, 2);
	trace_switch(&r->tr, 1000, 0, 0, TRACE_R, A);
	trace_waking(&r->tr, 1100, 0, A, B, 0);
	trace_waking(&r->tr, 1200, 0, A, C, 0);
	trace_switch(&r->tr, 1300, 0, A, TRACE_R, B);
	trace_switch(&r->tr, 1500, 0, B, TRACE_S, C);
	trace_switch(&r->tr, 1600, 0, C, TRACE_S, A);
	trace_switch(&r->tr, 2000, 0, A, TRACE_S, 0);
}

static const struct analyze_core_queue *queue(const struct run *r, uint32_t cpu)
{
	return &analyze_coremap_cpu(r->map, cpu)->queue;
}

static void the_worked_example_of_the_figures(void **state)
{
	const struct analyze_core_queue *q;
	struct run r;

	(void)state;
	worked_example(&r);
	run_on(&r, NULL);
	q = queue(&r, 0);
	assert_true(q->seen);
	assert_int_equal(q->known_ns, 1000);
	assert_int_equal(q->waited_ns, 800); /* 200 * 1 + 300 * 2: mean 0.8 */
	assert_int_equal(q->p50, 0);         /* 500 of 1000 */
	assert_int_equal(q->p99, 2);
	assert_int_equal(q->max, 2);
	assert_int_equal(q->max_at_ns, 1200);
	assert_int_equal(q->above_ns, 300);
	/* at 1300 one is added and one removed: the length stays the same */
	assert_int_equal(q->stay_ns, 300);
	assert_int_equal(q->stay_at_ns, 1200);
	assert_false(queue(&r, 1)->seen);
	run_fini(&r);
}

static void adjacent_windows_add_up(void **state)
{
	struct analyze_core_queue sum = { 0 };
	struct run r;

	(void)state;
	worked_example(&r);
	for (uint64_t from = 1000; from < 2000; from += 50) {
		struct analyze_options opts = { .from_ns = from, .to_ns = from + 50 };

		run_on(&r, &opts);
		sum.known_ns += queue(&r, 0)->known_ns;
		sum.waited_ns += queue(&r, 0)->waited_ns;
		sum.above_ns += queue(&r, 0)->above_ns;
		if (queue(&r, 0)->stay_ns) {
			assert_int_equal(queue(&r, 0)->stay_ns, 50);
			assert_int_equal(queue(&r, 0)->stay_at_ns, from);
		}
	}
	assert_int_equal(sum.known_ns, 1000);
	assert_int_equal(sum.waited_ns, 800);
	assert_int_equal(sum.above_ns, 300);
	run_fini(&r);
}

static void a_migrated_task_waits_for_the_other_cpu(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, A);
	trace_switch(&r.tr, 1000, 1, 0, TRACE_R, C);
	trace_waking(&r.tr, 1100, 0, A, B, 0);
	trace_add(&r.tr, 1300, 0, A, "sched:sched_migrate_task", "pid", (uint64_t)B, "orig_cpu",
		  (uint64_t)0, "dest_cpu", (uint64_t)1, NULL);
	trace_switch(&r.tr, 1600, 1, C, TRACE_S, B);
	trace_switch(&r.tr, 2000, 1, B, TRACE_S, 0);
	run_on(&r, NULL);
	assert_int_equal(queue(&r, 0)->waited_ns, 200);
	assert_int_equal(queue(&r, 1)->waited_ns, 300);
	assert_int_equal(queue(&r, 1)->max_at_ns, 1300);
	run_fini(&r);
}

/* There is no event of the CPU to which the task is moved in between. */
static void a_task_that_comes_back_from_a_cpu_without_events_waits_again(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, A);
	trace_waking(&r.tr, 1100, 0, A, B, 0);
	trace_add(&r.tr, 1200, 0, A, "sched:sched_migrate_task", "pid", (uint64_t)B, "orig_cpu",
		  (uint64_t)0, "dest_cpu", (uint64_t)7, NULL);
	trace_add(&r.tr, 1400, 0, A, "sched:sched_migrate_task", "pid", (uint64_t)B, "orig_cpu",
		  (uint64_t)7, "dest_cpu", (uint64_t)0, NULL);
	trace_switch(&r.tr, 1600, 0, A, TRACE_S, B);
	trace_switch(&r.tr, 2000, 0, B, TRACE_S, 0);
	run_on(&r, NULL);
	assert_int_equal(queue(&r, 0)->waited_ns, 300);
	run_fini(&r);
}

/* The wake-up and the switch-in are on a CPU that was not asked for. */
static void a_queue_is_the_same_when_only_its_cpu_is_asked_for(void **state)
{
	uint64_t cpus = 1;
	struct analyze_options opts = { .cpus = &cpus, .n_cpus = 2 };
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, A);
	trace_switch(&r.tr, 1000, 1, 0, TRACE_R, C);
	trace_waking(&r.tr, 1100, 1, C, B, 0);
	trace_switch(&r.tr, 1600, 1, C, TRACE_S, B);
	trace_switch(&r.tr, 2000, 0, A, TRACE_S, 0);
	run_on(&r, &opts);
	assert_int_equal(queue(&r, 0)->waited_ns, 500);
	assert_int_equal(queue(&r, 0)->known_ns, 1000);
	run_fini(&r);
}

/*
 *          1000  1100  1200   1400   1500   1600   2000
 * B waits        |.....|gap...|      .      .
 * C waits                            |......|
 */
static void in_a_gap_the_length_is_unknown_and_waiting_tasks_are_forgotten(void **state)
{
	const struct analyze_core_queue *q;
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, A);
	trace_waking(&r.tr, 1100, 0, A, B, 0);
	trace_loss(&r.tr, 1, 1200, 1400);
	trace_waking(&r.tr, 1500, 0, A, C, 0);
	trace_switch(&r.tr, 1600, 0, A, TRACE_S, C);
	trace_switch(&r.tr, 1800, 0, C, TRACE_S, B);
	trace_switch(&r.tr, 2000, 0, B, TRACE_S, 0);
	run_on(&r, NULL);
	q = queue(&r, 0);
	assert_int_equal(q->known_ns, 800);
	assert_int_equal(q->waited_ns, 100 + 100);
	assert_int_equal(q->max, 1);
	assert_int_equal(q->stay_ns, 0);
	run_fini(&r);
}

/* Woken twice, woken while it runs, and its sched_wakeup on another CPU than its sched_waking. */
static void a_task_waits_once(void **state)
{
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, A);
	trace_waking(&r.tr, 1050, 0, A, A, 0);
	trace_waking(&r.tr, 1100, 0, A, B, 0);
	trace_add(&r.tr, 1150, 0, A, "sched:sched_wakeup", "pid", (uint64_t)B, "target_cpu",
		  (uint64_t)1, NULL);
	trace_waking(&r.tr, 1200, 0, A, B, 1);
	trace_switch(&r.tr, 1400, 1, 0, TRACE_R, B);
	trace_switch(&r.tr, 2000, 1, B, TRACE_S, 0);
	run_on(&r, NULL);
	assert_int_equal(queue(&r, 0)->waited_ns, 50);
	assert_int_equal(queue(&r, 1)->waited_ns, 250);
	assert_int_equal(queue(&r, 1)->max, 1);
	run_fini(&r);
}

/* At the end @waits waits for @cpu, and @other sleeps. */
static const struct hook *ends_with(struct run *r, int32_t waits, int32_t other, uint32_t cpu)
{
	run_begin(r, 2);
	trace_switch(&r->tr, 1000, 0, 0, TRACE_R, A);
	trace_switch(&r->tr, 1100, 0, A, TRACE_S, B);
	trace_switch(&r->tr, 1200, 0, B, TRACE_S, C);
	trace_switch(&r->tr, 1300, 1, 0, TRACE_R, other);
	trace_switch(&r->tr, 1400, 1, other, TRACE_S, 0);
	trace_waking(&r->tr, 1500, 0, C, waits, cpu);
	run_on(r, NULL);
	for (size_t i = 0; i < r->eng->hooks.n; i++)
		if (r->eng->hooks.at[i].self == r->map && r->eng->hooks.at[i].ops->begun)
			return &r->eng->hooks.at[i];
	fail();
	return NULL;
}

/* Whether a walk in two parts may be joined: the first ends with @waits, the later began with A. */
static bool joins(int32_t waits, int32_t other, uint32_t cpu)
{
	const struct hook *first, *later;
	struct run r, l;
	bool agrees;

	first = ends_with(&r, waits, other, cpu);
	later = ends_with(&l, A, B, 0);
	assert_int_equal(later->ops->begun(later->self), 0);
	agrees = later->ops->agrees(first->self, later->self);
	run_fini(&r);
	run_fini(&l);
	return agrees;
}

static void parts_join_if_the_same_tasks_wait_for_the_same_cpus(void **state)
{
	(void)state;
	assert_true(joins(A, B, 0));
	assert_false(joins(B, A, 0));
	assert_false(joins(A, B, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worked_example_of_the_figures),
		cmocka_unit_test(adjacent_windows_add_up),
		cmocka_unit_test(a_migrated_task_waits_for_the_other_cpu),
		cmocka_unit_test(a_task_that_comes_back_from_a_cpu_without_events_waits_again),
		cmocka_unit_test(a_queue_is_the_same_when_only_its_cpu_is_asked_for),
		cmocka_unit_test(in_a_gap_the_length_is_unknown_and_waiting_tasks_are_forgotten),
		cmocka_unit_test(a_task_waits_once),
		cmocka_unit_test(parts_join_if_the_same_tasks_wait_for_the_same_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

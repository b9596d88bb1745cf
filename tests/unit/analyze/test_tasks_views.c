/* SPDX-License-Identifier: GPL-2.0-only */
/* The same switches by CPU, in part, by successor, in buckets and as latencies.  Times are ns. */
#include "analyze/sched/latency.h"
#include "analyze/sched/successors.h"
#include "analyze/sched/switches.h"
#include "tests/unit/taskrun.h"

static void guest_mode_samples_count_unless_left_out(void **state)
{
	struct analyze_options opts = { .no_guest_mode = true };
	struct run r;

	(void)state;
	run_begin(&r, 1);
	trace_switch(&r.tr, 1000, 0, 10, TRACE_S, 11);
	trace_waking(&r.tr, 1100, 0, 11, 10, 0);
	r.tr.events[r.tr.n - 1].ev.mode = CDICT_MODE_GUEST_KERNEL;
	trace_switch(&r.tr, 1200, 0, 11, TRACE_R, 10);
	run_on(&r, NULL);
	assert_true(row(&r, 10, 0)->latency.count == 1);
	assert_true(analyze_engine_summary(r.eng)->guest_mode == 1);
	run_on(&r, &opts);
	assert_true(row(&r, 10, 0)->latency.count == 0 && row(&r, 10, 0)->wakeups == 0);
	run_end(&r);
}

/* @beside: latencies of the tasks are counted, too; they are not those of rows per CPU. */
static void check_rows_per_cpu(bool beside)
{
	struct analyze_tasks_options opts = { .per_cpu = true };
	struct analyze_engine *eng = trace_engine(NULL);
	struct analyze_latency *latency = NULL;
	struct analyze_tasks *tasks;
	struct trace tr;

	/* 10 runs 1000-1100 on CPU 0, is woken at 1150 on CPU 1 and runs there 1200-1500. */
	trace_init(&tr, 2);
	trace_switch(&tr, 1000, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1100, 0, 10, TRACE_S, 0);
	trace_waking(&tr, 1150, 1, 0, 10, 1);
	trace_switch(&tr, 1200, 1, 0, TRACE_R, 10);
	trace_switch(&tr, 1500, 1, 10, TRACE_R, 0);
	if (beside)
		assert_int_equal(analyze_latency_new(&latency, eng, NULL, NULL), 0);
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
	analyze_latency_free(latency);
	analyze_engine_free(eng);
	trace_fini(&tr);
}

static void rows_per_cpu_add_up_to_the_rows_per_task(void **state)
{
	(void)state;
	check_rows_per_cpu(false);
	check_rows_per_cpu(true);
}

/* Several windows at once are what each is alone; slices and waits begin, end or lie in and between them. */
static void several_windows_count_as_each_alone(void **state)
{
	static const struct timespec_window windows[] = {
		{ 1010, 1100 }, { 1100, 1200 }, { 1250, 1300 }, { 1310, 1320 },
		{ 1460, 1480 }, { 1490, 1500 }, { 1540, 1600 },
	};
	enum { WINDOWS = sizeof(windows) / sizeof(windows[0]) };
	static const int32_t tids[] = { 10, 11, 0 };

	(void)state;
	for (size_t first = 0; first < WINDOWS; first++)
		for (size_t n = 2; first + n <= WINDOWS; n++) {
			struct analyze_options opts = { .windows = windows + first,
							.n_windows = n,
							.from_ns = windows[first].from_ns,
							.to_ns = windows[first + n - 1].to_ns };
			struct analyze_task_row sum[3] = { 0 };
			struct run r;

			run_begin(&r, 1);
			simple(&r.tr);
			for (size_t i = first; i < first + n; i++) {
				struct analyze_options one = { .from_ns = windows[i].from_ns,
							       .to_ns = windows[i].to_ns };

				run_on(&r, &one);
				for (size_t k = 0; k < 3; k++) {
					const struct analyze_task_row *t = row(&r, tids[k], 0);

					sum[k].run_ns += t ? t->run_ns : 0;
					sum[k].delayed_ns += t ? t->delayed_ns : 0;
					sum[k].off_ns[ANALYZE_OFF_SLEEP] +=
						t ? t->off_ns[ANALYZE_OFF_SLEEP] : 0;
					sum[k].switch_ins += t ? t->switch_ins : 0;
				}
			}
			run_on(&r, &opts);
			for (size_t k = 0; k < 3; k++) {
				const struct analyze_task_row *t = row(&r, tids[k], 0);

				assert_int_equal(t ? t->run_ns : 0, sum[k].run_ns);
				assert_int_equal(t ? t->delayed_ns : 0, sum[k].delayed_ns);
				assert_int_equal(t ? t->off_ns[ANALYZE_OFF_SLEEP] : 0,
						 sum[k].off_ns[ANALYZE_OFF_SLEEP]);
				assert_int_equal(t ? t->switch_ins : 0, sum[k].switch_ins);
			}
			run_fini(&r);
		}
}

static void the_cpu_filter_leaves_the_other_cpus_out(void **state)
{
	uint64_t cpus[] = { 2 }; /* CPU 1 */
	struct analyze_options opts = { .cpus = cpus, .n_cpus = 2 };
	struct run r;

	(void)state;
	run_begin(&r, 2);
	trace_switch(&r.tr, 1000, 0, 0, TRACE_R, 10);
	trace_switch(&r.tr, 1100, 1, 0, TRACE_R, 20);
	trace_switch(&r.tr, 1200, 0, 10, TRACE_S, 0);
	trace_switch(&r.tr, 1300, 1, 20, TRACE_S, 0);
	run_on(&r, &opts);
	assert_null(row(&r, 10, 0));
	assert_true(ran(&r, 20) == 200);
	assert_true(analyze_coremap_cpu(r.map, 0)->busy_ns == 0);
	run_fini(&r);
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
	trace_init(&tr, 1);
	simple(&tr);
	assert_int_equal(analyze_successors_new(&next, eng, NULL), 0);
	assert_int_equal(analyze_switches_new(&sw, eng, &opts, NULL), 0);
	trace_run(&tr, eng);
	/* IDLE => 10, 10 => 11, 11 => IDLE: one each. */
	assert_int_equal(analyze_successors_count(next), 3);
	s = analyze_successors_at(next, 0);
	assert_int_equal(analyze_engine_task(eng, s->next)->tid, 10);
	assert_true(s->count == 1 && s->total == 1 && s->involuntary == 0); /* IDLE */
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
 * perf sched latency: wake-up at 1100 (sched_wakeup) -> 1150 = 50; preempted 1200 -> 1260 = 60:
 * two waits, 110 together; perf 6.1 does not count the one in R+ (1300 -> 1310).  Ours keeps them
 * apart, and starts the first at sched_waking (1090); so does perf 6.12, which counts all three.
 */
static void latency_keeps_wake_ups_and_preemptions_apart_and_perf_mixes_them(void **state)
{
	static const struct {
		struct analyze_latency_options opts;
		uint64_t count, sum_ns, max_start_ns;
	} perfs[] = { { { .like_perf = ANALYZE_PERF_6_1 }, 2, 110, 1200 },
		      { { .like_perf = ANALYZE_PERF_6_12 }, 3, 130, 1090 } };

	(void)state;
	for (size_t p = 0; p < sizeof(perfs) / sizeof(perfs[0]); p++) {
		struct analyze_engine *eng = trace_engine(NULL);
		const struct analyze_latency_row *l = NULL;
		struct analyze_latency_row copy;
		struct analyze_latency *lat;
		struct trace tr;

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
		assert_int_equal(analyze_latency_new(&lat, eng, &perfs[p].opts, NULL), 0);
		trace_run(&tr, eng);
		for (size_t i = 0; i < analyze_latency_row_count(lat); i++)
			if (analyze_engine_task(eng, analyze_latency_row_at(lat, i)->task)->tid ==
			    10)
				l = memcpy(&copy, analyze_latency_row_at(lat, i), sizeof(copy));
		assert_non_null(l);
		assert_true(l->wakeup.count == 1 && l->wakeup.max == 60 &&
			    l->wakeup.max_at == 1090);
		assert_true(l->preempt.count == 2 && l->preempt.max == 60);
		assert_int_equal(l->perf.count, perfs[p].count);
		assert_int_equal(l->perf.sum_ns, perfs[p].sum_ns);
		assert_int_equal(l->perf.max_start_ns, perfs[p].max_start_ns);
		assert_int_equal(l->perf.max_end_ns, l->perf.max_start_ns + 60);
		analyze_latency_free(lat);
		analyze_engine_free(eng);
		trace_fini(&tr);
	}
}

/* The order of two analyses that both count a task's wake-ups makes no difference. */
static void wake_ups_counted_by_the_latency_analysis_are_the_tasks_in_either_order(void **state)
{
	(void)state;
	for (int tasks_first = 0; tasks_first < 2; tasks_first++) {
		struct analyze_engine *eng = trace_engine(NULL);
		struct analyze_latency *lat;
		struct analyze_tasks *tasks;
		const struct histogram *h = NULL;
		struct histogram copy;
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
				h = memcpy(&copy, &row->latency, sizeof(copy));
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
		cmocka_unit_test(guest_mode_samples_count_unless_left_out),
		cmocka_unit_test(rows_per_cpu_add_up_to_the_rows_per_task),
		cmocka_unit_test(several_windows_count_as_each_alone),
		cmocka_unit_test(the_cpu_filter_leaves_the_other_cpus_out),
		cmocka_unit_test(successors_and_buckets_count_every_switch),
		cmocka_unit_test(latency_keeps_wake_ups_and_preemptions_apart_and_perf_mixes_them),
		cmocka_unit_test(
			wake_ups_counted_by_the_latency_analysis_are_the_tasks_in_either_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

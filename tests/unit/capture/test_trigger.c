/* SPDX-License-Identifier: GPL-2.0-only */
/* Conditions of a trigger, and its handling of events and losses from the readers. */
#include "tests/unit/triggerbench.h"

/* ---- readers and tasks ------------------------------------------------------------------- */

static void nothing_is_looked_at_before_all_readers_have_got_there(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 2 * MS, 7, "x");
	pass(&b, 0, 100 * MS);
	assert_false(trigger_run(b.trigger, &b.hit));
	pass(&b, 1, 3 * MS);
	assert_false(trigger_run(b.trigger, &b.hit));
	switch_(&b, 1, 4 * MS, 0, TRACE_R, 7, "x"); /* it was in time */
	expect(&b, 100 * MS, NULL);
	bench_fini(&b);
}

static void samples_in_the_wrong_order_are_looked_at_in_the_right_one(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 23 * MS, 0, TRACE_R, 7, "x");
	wake(&b, 0, 21 * MS, 7, "x");
	switch_(&b, 0, 3 * MS, 0, TRACE_R, 7, "x");
	switch_(&b, 0, 4 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 1 * MS, 7, "x");
	expect(&b, 30 * MS, NULL);
	bench_fini(&b);
}

static void only_tasks_that_match_fire(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", "^CPU [0-9]+/KVM$");
	wake(&b, 0, 1 * MS, 7, "CPU 12/KVM x");
	wake(&b, 0, 1 * MS, 8, "worker");
	switch_(&b, 0, 20 * MS, 0, TRACE_R, 7, "CPU 12/KVM x");
	switch_(&b, 0, 21 * MS, 7, TRACE_S, 8, "worker");
	expect(&b, 30 * MS, NULL);
	wake(&b, 0, 31 * MS, 9, "CPU 12/KVM");
	switch_(&b, 0, 51 * MS, 8, TRACE_S, 9, "CPU 12/KVM");
	expect(&b, 60 * MS, "latency of CPU 12/KVM (9) was 20.000 ms at 100.051000000 s");
	bench_fini(&b);
	bench_init(&b, "latency>10ms", "*late"); /* as .*late */
	wake(&b, 0, 1 * MS, 7, "too-late");
	switch_(&b, 0, 20 * MS, 0, TRACE_R, 7, "too-late");
	expect(&b, 30 * MS, "latency of too-late (7) was 19.000 ms at 100.020000000 s");
	bench_fini(&b);
}

static void of_several_hits_the_first_is_reported_and_idle_never(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	wake(&b, 0, 1 * MS, 0, "swapper/0");
	wake(&b, 0, 1 * MS, 8, "b");
	wake(&b, 0, 2 * MS, 7, "a\n\033");
	switch_(&b, 1, 20 * MS, 0, TRACE_R, 7, "a\n\033");
	switch_(&b, 0, 30 * MS, 9, TRACE_S, 8, "b");
	switch_(&b, 0, 40 * MS, 8, TRACE_S, 0, "swapper/0");
	expect(&b, 50 * MS, "latency of a?? (7) was 18.000 ms at 100.020000000 s");
	bench_fini(&b);
}

/* More tasks than the first table holds; those that ended make room. */
static void thousands_of_tasks_are_distinguished(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	for (int32_t i = 0; i < 40000; i++) {
		uint64_t t = 1 * MS + (uint64_t)i * 20;

		wake(&b, 0, t, 100 + i, "short");
		switch_(&b, 0, t + 5, 1, TRACE_R, 100 + i, "short");
		switch_(&b, 0, t + 10, 100 + i, i % 4 ? TRACE_Z : TRACE_S, 1, "one");
	}
	wake(&b, 0, 2 * MS, 104, "long");
	expect(&b, 3 * MS, NULL);
	expect(&b, 13 * MS, "latency of long (104) was 11.000 ms at 100.013000000 s");
	bench_fini(&b);
}

/* ---- loss -------------------------------------------------------------------------------- */

static void a_wait_across_a_loss_is_not_reported(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 2 * MS, 7, "x");
	/* Between 3 and 20 ms anything may have happened on CPU 1. */
	trigger_feed_loss(b.feeds[1], T0 + 3 * MS, T0 + 20 * MS);
	wake(&b, 0, 4 * MS, 8, "y");
	switch_(&b, 0, 19 * MS, 9, TRACE_S, 8, "y");
	switch_(&b, 0, 25 * MS, 8, TRACE_S, 7, "x");
	expect(&b, 40 * MS, NULL);
	/* Afterwards it goes on. */
	switch_(&b, 0, 41 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 42 * MS, 7, "x");
	switch_(&b, 0, 60 * MS, 0, TRACE_R, 7, "x");
	expect(&b, 70 * MS, "latency of x (7) was 18.000 ms at 100.060000000 s");
	bench_fini(&b);
}

/* 64 MiB of notes without a reader: they are dropped, and nothing is concluded from the rest. */
static void too_much_at_once_is_a_loss(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	switch_(&b, 0, 1 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 2 * MS, 7, "x");
	expect(&b, 3 * MS, NULL);
	switch_(&b, 0, 4 * MS, 0, TRACE_R, 7, "x"); /* it ran: this one is lost */
	pass(&b, -1, 4 * MS);
	for (uint64_t n = 0; n <= (64u << 20) / sizeof(struct note); n++) {
		kvm_entry(&b, 0, 5 * MS + n, 9);
		if (n % 65536 == 0)
			pass(&b, 0, 5 * MS + n);
	}
	/* The other reader's late events began before the gap: how they ended is unknown. */
	switch_(&b, 1, 4 * MS + 200 * US, 8, TRACE_S, 0, "swapper/1");
	wake(&b, 1, 4 * MS + 300 * US, 8, "y");
	expect(&b, 90 * MS, NULL);
	switch_(&b, 0, 91 * MS, 7, TRACE_S, 0, "swapper/0");
	wake(&b, 0, 92 * MS, 7, "x");
	expect(&b, 110 * MS, "latency of x (7) was 18.000 ms at 100.110000000 s");
	bench_fini(&b);
}

static void without_a_clock_the_events_give_the_time(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b, "latency>10ms", NULL);
	for (int i = 0; i < 2; i++) {
		wake(&b, i, 1 * MS, 7 + i, "x");
		switch_(&b, i, 20 * MS, 0, TRACE_R, 7 + i, "x");
		wake(&b, i, 30 * MS, 1, "y");
		b.feeds[i]->began_ns = 0;
		trigger_feed_end(b.feeds[i]);
	}
	assert_true(trigger_run(b.trigger, &b.hit));
	assert_int_equal(b.hit.ns, 19 * MS);
	bench_fini(&b);
}

/* ---- conditions --------------------------------------------------------------------------- */

static void conditions_that_can_be_asked_for(void **state)
{
	static const struct {
		const char *text;
		int ret;
		enum trigger_kind kind;
		uint64_t ns;
		double pct;
	} cases[] = {
		{ "latency>10ms", 0, TRIGGER_LATENCY, 10 * MS, 0 },
		{ "latency>1.5s", 0, TRIGGER_LATENCY, 1500 * MS, 0 },
		{ "latency>0ns", 0, TRIGGER_LATENCY, 0, 0 },
		{ "exit>500us", 0, TRIGGER_EXIT, 500 * US, 0 },
		{ "exit>7ns", 0, TRIGGER_EXIT, 7, 0 },
		{ "steal>20%", 0, TRIGGER_STEAL, 0, 20 },
		{ "steal>0.5%", 0, TRIGGER_STEAL, 0, 0.5 },
		{ "steal>100%", CDICT_EUSAGE, 0, 0, 0 },
		{ "delay>20ms", 0, TRIGGER_DELAY, 20000000, 0 },
		{ "delay>20%", CDICT_EUSAGE, 0, 0, 0 },
		{ "steal>20", CDICT_EUSAGE, 0, 0, 0 },
		{ "steal>20ms", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>20%", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>10", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>-1ms", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>inf", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency>1e30s", CDICT_EUSAGE, 0, 0, 0 },
		{ "latency<10ms", CDICT_EUSAGE, 0, 0, 0 },
		{ "late>10ms", CDICT_EUSAGE, 0, 0, 0 },
		{ "exit>5ms ", CDICT_EUSAGE, 0, 0, 0 },
		{ "exits>5ms", CDICT_EUSAGE, 0, 0, 0 },
		{ "", CDICT_EUSAGE, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_error err = { 0 };
		struct trigger_spec spec;

		print_message("# %s\n", cases[i].text);
		assert_int_equal(trigger_parse(&spec, cases[i].text, &err), cases[i].ret);
		if (cases[i].ret) {
			assert_non_null(strstr(err.text, cases[i].text));
			continue;
		}
		assert_int_equal(spec.kind, cases[i].kind);
		assert_int_equal(spec.limit_ns, cases[i].ns);
		assert_true(spec.limit_pct == cases[i].pct);
	}
}

static void events_that_are_not_recorded_cannot_trigger(void **state)
{
	static const struct {
		const char *what, *without, *task;
		int ret;
	} cases[] = {
		{ "latency>1ms", "sched_switch", NULL, CDICT_EUSAGE },
		{ "latency>1ms", "sched_waking sched_wakeup", NULL, CDICT_EUSAGE },
		{ "latency>1ms", "kvm_exit", NULL, 0 },
		{ "steal>1%", "sched_switch", NULL, CDICT_EUSAGE },
		{ "exit>1ms", "kvm_entry", NULL, CDICT_EUSAGE },
		{ "exit>1ms", "kvm_exit", NULL, CDICT_EUSAGE },
		{ "exit>1ms", "sched_switch sched_waking", NULL, 0 },
		{ "latency>1ms", "", "(", CDICT_EUSAGE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_error err = { 0 };
		struct bench b;
		int ret = bench_try(&b, cases[i].what, cases[i].task, cases[i].without, &err);

		print_message("# %s without %s\n", cases[i].what, cases[i].without);
		assert_int_equal(ret, cases[i].ret);
		assert_int_equal(b.trigger != NULL, !ret);
		trigger_free(b.trigger);
		trace_fini(&b.tr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_looked_at_before_all_readers_have_got_there),
		cmocka_unit_test(samples_in_the_wrong_order_are_looked_at_in_the_right_one),
		cmocka_unit_test(only_tasks_that_match_fire),
		cmocka_unit_test(of_several_hits_the_first_is_reported_and_idle_never),
		cmocka_unit_test(thousands_of_tasks_are_distinguished),
		cmocka_unit_test(a_wait_across_a_loss_is_not_reported),
		cmocka_unit_test(too_much_at_once_is_a_loss),
		cmocka_unit_test(without_a_clock_the_events_give_the_time),
		cmocka_unit_test(conditions_that_can_be_asked_for),
		cmocka_unit_test(events_that_are_not_recorded_cannot_trigger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

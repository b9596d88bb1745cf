/* SPDX-License-Identifier: GPL-2.0-only */
/* Time off the CPU, exits, wake-ups and switches by stack: a trace by hand.  Times are ns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/sched/stacks.h"
#include "tests/unit/trace.h"

enum { A = 100, VCPU = 200, NONE = -1 };

/* Gives the event added last the stack @number. */
static void with(struct trace *tr, uint32_t number)
{
	tr->events[tr->n - 1].stack = number + 1;
}

static void fill(struct trace *tr)
{
	trace_init(tr, 1);
	trace_switch(tr, 1000, 0, A, TRACE_S, VCPU);
	with(tr, 5);
	trace_waking(tr, 1100, 0, VCPU, A, 0);
	with(tr, 7);
	trace_switch(tr, 1400, 0, VCPU, TRACE_R, A);
	with(tr, 6);
	trace_switch(tr, 1500, 0, A, TRACE_S, VCPU);
	with(tr, 5);
	trace_entry(tr, 1600, 0, VCPU);
	trace_exit(tr, 1700, 0, VCPU, TRACE_IO);
	with(tr, 8);
	trace_entry(tr, 1900, 0, VCPU);
	trace_exit(tr, 2000, 0, VCPU, TRACE_HLT);
	with(tr, 9);
	trace_entry(tr, 2050, 0, VCPU);
	trace_exit(tr, 2100, 0, VCPU, TRACE_IO); /* no entry follows: its time is not known */
	with(tr, 8);
	trace_waking(tr, 2200, 0, VCPU, A, 0); /* without a stack */
	trace_switch(tr, 2500, 0, VCPU, TRACE_S, A);
	with(tr, 10);
}

struct want {
	int32_t tid;
	int stack;
	uint64_t count, ns;
	const char *reason; /* EXITS */
	bool idle;
};

static void check(const struct analyze_options *opts, enum analyze_stacks_by by,
		  const struct want *want, size_t n)
{
	struct analyze_engine *eng = trace_engine(opts);
	struct analyze_stacks *stacks;
	struct trace tr;

	fill(&tr);
	assert_int_equal(analyze_stacks_new(&stacks, eng, by, NULL), 0);
	trace_run(&tr, eng);
	assert_int_equal(analyze_stacks_by(stacks), by);
	assert_int_equal(analyze_stacks_count(stacks), n);
	for (size_t i = 0; i < n; i++) {
		const struct analyze_stack_row *row = analyze_stacks_at(stacks, i);

		assert_int_equal(analyze_engine_task(eng, row->task)->tid, want[i].tid);
		assert_int_equal((int)row->stack, want[i].stack);
		assert_int_equal(row->count, want[i].count);
		assert_int_equal(row->ns, want[i].ns);
		if (by == ANALYZE_STACKS_WAKEUPS)
			assert_int_equal(analyze_engine_task(eng, row->waker)->tid, VCPU);
		if (by == ANALYZE_STACKS_EXITS) {
			bool idle;

			assert_string_equal(analyze_stacks_reason(stacks, row, &idle),
					    want[i].reason);
			assert_int_equal(idle, want[i].idle);
		}
	}
	analyze_stacks_free(stacks);
	analyze_engine_free(eng);
	trace_fini(&tr);
}
#define CHECK(opts, by, ...)                                                                       \
	do {                                                                                       \
		const struct want w_[] = __VA_ARGS__;                                              \
		check(opts, by, w_, sizeof(w_) / sizeof(w_[0]));                                   \
	} while (0)

/* A: 1000 to 1400, 1500 to 2500; the vCPU: 1400 to 1500, and a slice that begins at the end. */
static void off_cpu_time_belongs_to_the_stack_at_the_switch_out(void **state)
{
	(void)state;
	CHECK(NULL, ANALYZE_STACKS_OFF_CPU,
	      { { A, 5, 2, 1400, NULL, false }, { VCPU, 6, 1, 100, NULL, false } });
}

static void a_window_contains_its_events_with_the_stack_from_before(void **state)
{
	const struct analyze_options opts = { .from_ns = 1200, .to_ns = 2000 };

	(void)state;
	CHECK(&opts, ANALYZE_STACKS_OFF_CPU,
	      { { A, 5, 1, 700, NULL, false }, { VCPU, 6, 1, 100, NULL, false } });
	/* exits belong to the window in which they end */
	CHECK(&opts, ANALYZE_STACKS_EXITS, { { VCPU, 8, 1, 200, "IO_INSTRUCTION", false } });
}

static void exits_belong_to_the_stack_at_the_exit(void **state)
{
	(void)state;
	CHECK(NULL, ANALYZE_STACKS_EXITS,
	      { { VCPU, 8, 1, 200, "IO_INSTRUCTION", false }, { VCPU, 9, 1, 50, "HLT", true } });
}

static void wake_ups_belong_to_the_waker_s_stack(void **state)
{
	(void)state;
	CHECK(NULL, ANALYZE_STACKS_WAKEUPS,
	      { { A, 7, 1, 0, NULL, false }, { A, NONE, 1, 0, NULL, false } });
}

static void switches_are_counted_by_stack(void **state)
{
	(void)state;
	CHECK(NULL, ANALYZE_STACKS_SWITCHES,
	      { { A, 5, 2, 0, NULL, false },
		{ VCPU, 6, 1, 0, NULL, false },
		{ VCPU, 10, 1, 0, NULL, false } });
}

/* The switch-out at 1500 is lost: the time that A is off the CPU since then has no stack and is
 * unknown. */
static void off_cpu_time_interrupted_by_loss_is_not_counted(void **state)
{
	struct analyze_engine *eng = trace_engine(NULL);
	struct analyze_stacks *stacks;
	uint64_t ns = 0;
	struct trace tr;

	(void)state;
	fill(&tr);
	trace_loss(&tr, 0, 1600, 1650);
	assert_int_equal(analyze_stacks_new(&stacks, eng, ANALYZE_STACKS_OFF_CPU, NULL), 0);
	trace_run(&tr, eng);
	for (size_t i = 0; i < analyze_stacks_count(stacks); i++) {
		const struct analyze_stack_row *row = analyze_stacks_at(stacks, i);

		if (analyze_engine_task(eng, row->task)->tid == A)
			ns += row->ns;
	}
	/* 1000 to 1400, and 1500 to where events may be missing */
	assert_int_equal(ns, 500);
	analyze_stacks_free(stacks);
	analyze_engine_free(eng);
	trace_fini(&tr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(off_cpu_time_belongs_to_the_stack_at_the_switch_out),
		cmocka_unit_test(a_window_contains_its_events_with_the_stack_from_before),
		cmocka_unit_test(exits_belong_to_the_stack_at_the_exit),
		cmocka_unit_test(wake_ups_belong_to_the_waker_s_stack),
		cmocka_unit_test(switches_are_counted_by_stack),
		cmocka_unit_test(off_cpu_time_interrupted_by_loss_is_not_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

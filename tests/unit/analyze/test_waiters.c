/* SPDX-License-Identifier: GPL-2.0-only */
/* Who delays a task that still waits.  Times are ns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/kvm/waiters.h"
#include "analyze/walk/ops.h"
#include "tests/unit/trace.h"

enum { VCPU = 10, ASKS = 8 };

/* Adds VCPU when it is preempted, and asks at each wake-up who has delayed it longest so far. */
struct asker {
	struct analyze_engine *eng;
	struct waiters waiters;
	uint32_t vcpu;
	int32_t tops[ASKS]; /* tids; -1: none */
	size_t n;
};

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct asker *a = self;

	(void)schema, (void)err;
	a->vcpu = ANALYZE_NO_TASK;
	return waiters_init(&a->waiters, a->eng);
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct asker *a = self;

	if (analyze_engine_task(a->eng, sw->prev)->tid != VCPU)
		return;
	a->vcpu = sw->prev;
	waiters_add(&a->waiters, sw->prev, sw->cpu, sw->t_ns, false);
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct asker *a = self;

	if (run->task != ANALYZE_NO_TASK)
		waiters_ran(&a->waiters, run->cpu, run->task, run->start_ns, run->end_ns);
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct asker *a = self;
	uint32_t top;

	(void)wake;
	if (a->vcpu == ANALYZE_NO_TASK || a->n == ASKS)
		return;
	top = waiters_top(&a->waiters, a->vcpu);
	a->tops[a->n++] = top == ANALYZE_NO_TASK ? -1 : analyze_engine_task(a->eng, top)->tid;
}

static const struct analyze_ops ops = {
	.needs = ANALYZE_NEED_WAKES,
	.start = on_start,
	.sw = on_switch,
	.run = on_run,
	.wake = on_wake,
};

/*
 * CPU 0   1000     1300        1400          2000
 *         |20......|21.........|22...........|
 * asked   1000 1100    1350      1700, 1701
 */
static void the_longest_so_far_includes_what_runs_now(void **state)
{
	static const int32_t want[] = { -1, 20, 20, 20, 22 };
	struct asker a = { .eng = trace_engine(NULL) };
	struct trace tr;

	(void)state;
	trace_init(&tr, 2);
	trace_switch(&tr, 900, 0, 0, TRACE_R, VCPU);
	trace_switch(&tr, 1000, 0, VCPU, TRACE_R, 20);
	trace_waking(&tr, 1000, 1, 0, 30, 1);
	trace_waking(&tr, 1100, 1, 0, 30, 1);
	trace_switch(&tr, 1300, 0, 20, TRACE_S, 21);
	trace_waking(&tr, 1350, 1, 0, 30, 1);
	trace_switch(&tr, 1400, 0, 21, TRACE_S, 22);
	trace_waking(&tr, 1700, 1, 0, 30, 1); /* as long as 20 had */
	trace_waking(&tr, 1701, 1, 0, 30, 1);
	trace_switch(&tr, 2000, 0, 22, TRACE_S, 0);
	assert_int_equal(analyze_engine_add(a.eng, &ops, &a, NULL), 0);
	trace_run(&tr, a.eng);
	assert_int_equal(a.n, sizeof(want) / sizeof(want[0]));
	assert_memory_equal(a.tops, want, sizeof(want));
	waiters_fini(&a.waiters);
	analyze_engine_free(a.eng);
	trace_fini(&tr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_so_far_includes_what_runs_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The critical path of a task after very many switches: oracle/figures/critical has the paths of
 * captures.  Times are ns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/sched/critical.h"
#include "tests/unit/trace.h"

enum { STEP = 1000, TASK = 10, OTHER = 20 };

/* TASK and OTHER preempt each other on CPU 0, @n times: the events of @tr again and again, each STEP
 * after the one before. */
struct endless {
	struct trace tr;
	uint64_t n;
};

static int next(void *ctx, struct cdict_event *ev, struct cdict_error *err)
{
	struct endless *e = ctx;
	const uint64_t i = e->tr.at;

	if (i == e->n)
		return 0;
	e->tr.at = i % e->tr.n;
	trace_next(&e->tr, ev, err);
	ev->t_ns = STEP * (i + 1);
	e->tr.at = i + 1;
	return 1;
}

static bool is_task(void *ctx, uint32_t task)
{
	return analyze_engine_task(ctx, task)->tid == TASK;
}

static struct analyze_critical *path_of(struct analyze_engine *eng, uint64_t n)
{
	struct endless e = { .n = n };
	struct analyze_source src = { .ctx = &e,
				      .next = next,
				      .rewind = trace_rewind,
				      .first_ns = STEP,
				      .last_ns = STEP * n,
				      .cpus = 1,
				      .task_at = trace_task_at,
				      .loss_at = trace_loss_at };
	struct analyze_critical *c;

	trace_init(&e.tr, 1);
	trace_switch(&e.tr, 1, 0, TASK, TRACE_R, OTHER);
	trace_switch(&e.tr, 2, 0, OTHER, TRACE_R, TASK);
	src.schema = e.tr.schema;
	assert_int_equal(analyze_critical_new(&c, eng, is_task, eng, NULL), 0);
	assert_int_equal(analyze_engine_run(eng, &src, NULL), 0);
	trace_fini(&e.tr);
	return c;
}

/* Segments from number @from on, the first of which begins at @t_ns, last STEP each: in turns preempted and
 * running. */
static void assert_in_turns(const struct analyze_critical *c, size_t from, uint64_t t_ns)
{
	for (size_t i = from; i < analyze_critical_count(c); i++, t_ns += STEP) {
		const struct analyze_critical_segment *s = analyze_critical_at(c, i);

		assert_int_equal(s->kind, (i - from) % 2 ? ANALYZE_CRITICAL_RUNNING
							 : ANALYZE_CRITICAL_PREEMPTED);
		assert_int_equal(s->from_ns, t_ns);
		assert_int_equal(s->to_ns, t_ns + STEP);
	}
}

static void a_path_goes_back_to_the_first_event(void **state)
{
	const uint64_t n = 600000;
	struct analyze_engine *eng = trace_engine(NULL);
	struct analyze_critical *c = path_of(eng, n);

	(void)state;
	assert_int_equal(analyze_critical_count(c), n - 1);
	assert_in_turns(c, 0, STEP);
	analyze_critical_free(c);
	analyze_engine_free(eng);
}

/* The latest 2^20 switches are kept. */
static void beyond_what_is_kept_it_is_unknown(void **state)
{
	const uint64_t kept = UINT64_C(1) << 20, before = 1000;
	struct analyze_engine *eng = trace_engine(NULL);
	struct analyze_critical *c = path_of(eng, kept + before);
	const struct analyze_critical_segment *s = analyze_critical_at(c, 0);

	(void)state;
	assert_int_equal(s->kind, ANALYZE_CRITICAL_UNKNOWN);
	assert_int_equal(s->from_ns, STEP);
	assert_int_equal(s->to_ns, STEP * (before + 1));
	assert_int_equal(analyze_critical_count(c), kept);
	assert_in_turns(c, 1, s->to_ns);
	analyze_critical_free(c);
	analyze_engine_free(eng);
}

/*
 *         900    1000    2000    2500      5000
 * CPU 0   |TASK..|OTHER..|21................
 * window  |......................|
 */
static void what_happens_after_the_window_is_no_part_of_the_path(void **state)
{
	struct analyze_engine *eng =
		trace_engine(&(struct analyze_options){ .from_ns = 900, .to_ns = 2500 });
	const struct analyze_critical_segment *last;
	struct analyze_critical *c;
	struct trace tr;

	(void)state;
	trace_init(&tr, 2);
	trace_switch(&tr, 900, 0, 0, TRACE_R, TASK);
	trace_switch(&tr, 1000, 0, TASK, TRACE_R, OTHER);
	trace_switch(&tr, 2000, 0, OTHER, TRACE_S, 21);
	trace_switch(&tr, 2600, 1, 0, TRACE_R, 30);
	trace_switch(&tr, 5000, 1, 30, TRACE_R, 0);
	assert_int_equal(analyze_critical_new(&c, eng, is_task, eng, NULL), 0);
	trace_run(&tr, eng);
	assert_int_equal(analyze_critical_count(c), 2);
	last = analyze_critical_at(c, 1);
	assert_int_equal(last->kind, ANALYZE_CRITICAL_PREEMPTED);
	assert_int_equal(last->from_ns, 1000);
	assert_int_equal(last->to_ns, 2500);
	assert_int_equal(analyze_engine_task(eng, last->other)->tid, OTHER);
	analyze_critical_free(c);
	analyze_engine_free(eng);
	trace_fini(&tr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_goes_back_to_the_first_event),
		cmocka_unit_test(beyond_what_is_kept_it_is_unknown),
		cmocka_unit_test(what_happens_after_the_window_is_no_part_of_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

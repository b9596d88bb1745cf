/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples that perf hands out, on their way to the converter. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The plugin is not a library: its source file is included. */
#include "plugin/handed.c"

enum { SWITCH = 300, WAKING = 301 };

static void give(struct handed *h, uint32_t cpu, uint64_t t_ns, uint32_t config, uint32_t stack)
{
	handed_give(h, &(struct handed_sample){ .t_ns = t_ns,
						.cpu = cpu,
						.config = config,
						.stack = stack,
						.passed = true });
}

static void assert_stack(struct handed *h, uint32_t cpu, uint64_t t_ns, uint32_t config,
			 uint32_t stack)
{
	const struct handed_sample *s = handed_take(h, cpu, t_ns, config, HANDED_BOTH);

	assert_non_null(s);
	assert_int_equal(s->stack, stack);
}

/* perf sorts over all CPUs, the recording has the events of one CPU after those of another. */
static void each_cpu_has_its_own_order(void **state)
{
	struct handed *h = handed_new();

	(void)state;
	give(h, 0, 10, SWITCH, 1);
	give(h, 1, 11, SWITCH, 2);
	give(h, 0, 12, SWITCH, 3);
	give(h, UINT32_MAX, 12, SWITCH, 4); /* of no known CPU */
	give(h, 1, 13, WAKING, 5);
	handed_end(h);
	assert_stack(h, 1, 11, SWITCH, 2);
	assert_stack(h, 1, 13, WAKING, 5);
	assert_stack(h, 0, 10, SWITCH, 1);
	assert_stack(h, 0, 12, SWITCH, 3);
	assert_stack(h, UINT32_MAX, 12, SWITCH, 4);
	assert_true(handed_wait(h));
	handed_free(h);
}

static void events_of_equal_time_are_matched_by_order(void **state)
{
	struct handed *h = handed_new();

	(void)state;
	give(h, 0, 10, SWITCH, 1);
	give(h, 0, 10, WAKING, 2);
	give(h, 0, 10, SWITCH, 3);
	handed_end(h);
	assert_stack(h, 0, 10, WAKING, 2);
	assert_stack(h, 0, 10, SWITCH, 1);
	assert_stack(h, 0, 10, SWITCH, 3);
	assert_null(handed_take(h, 0, 10, SWITCH, HANDED_BOTH));
	handed_free(h);
}

static void one_that_comes_late_is_found(void **state)
{
	struct handed *h = handed_new();

	(void)state;
	give(h, 0, 10, SWITCH, 1);
	give(h, 0, 30, SWITCH, 3);
	give(h, 0, 20, SWITCH, 2);
	handed_end(h);
	assert_stack(h, 0, 10, SWITCH, 1);
	assert_stack(h, 0, 20, SWITCH, 2);
	assert_stack(h, 0, 30, SWITCH, 3);
	handed_free(h);
}

static void events_removed_by_perf_filters_are_reported(void **state)
{
	struct handed_sample out = {
		.t_ns = 10, .cpu = 0, .config = SWITCH, .stack = CDICT_NO_STACK
	};
	const struct handed_sample *s;
	struct handed *h = handed_new();

	(void)state;
	handed_give(h, &out);
	out.t_ns = 20;
	handed_give(h, &out);
	handed_passed(h, 7);
	handed_end(h);
	s = handed_take(h, 0, 10, SWITCH, HANDED_BOTH);
	assert_true(s && !s->passed);
	s = handed_take(h, 0, 20, SWITCH, HANDED_WANTED);
	assert_true(s && s->passed);
	/* Requested again, for its stack. */
	s = handed_take(h, 0, 20, SWITCH, HANDED_STACK);
	assert_true(s && s->stack == 7);
	assert_null(handed_take(h, 0, 20, SWITCH, HANDED_STACK));
	/* Never handed out, on a CPU that is not plausible. */
	assert_null(handed_take(h, 1, 20, SWITCH, HANDED_BOTH));
	assert_null(handed_take(h, 1u << 30, 20, SWITCH, HANDED_BOTH));
	handed_free(h);
}

enum { MANY = 100000 };

static void *hand_out(void *h)
{
	for (uint32_t i = 0; i < MANY; i++)
		give(h, i % 4, 1000 + i, SWITCH, i);
	handed_end(h);
	return NULL;
}

/* Chunks of a CPU, as rings are read. */
static void the_converter_waits_for_perf(void **state)
{
	struct handed *h = handed_new();
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, hand_out, h), 0);
	for (uint32_t chunk = 0; chunk < MANY; chunk += 10000)
		for (uint32_t cpu = 0; cpu < 4; cpu++)
			for (uint32_t i = chunk + cpu; i < chunk + 10000; i += 4)
				assert_stack(h, cpu, 1000 + i, SWITCH, i);
	assert_true(handed_wait(h));
	pthread_join(thread, NULL);
	handed_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cpu_has_its_own_order),
		cmocka_unit_test(events_of_equal_time_are_matched_by_order),
		cmocka_unit_test(one_that_comes_late_is_found),
		cmocka_unit_test(events_removed_by_perf_filters_are_reported),
		cmocka_unit_test(the_converter_waits_for_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

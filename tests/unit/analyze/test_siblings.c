/* SPDX-License-Identifier: GPL-2.0-only */
/* The tasks beside each vCPU, in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyze/kvm/siblings.h"
#include "tests/unit/trace.h"

static void put(struct siblings *s, uint32_t vcpu, uint32_t task, uint64_t ns)
{
	uint64_t *sum = row_at(&s->ns, index_take(&s->index, vcpu, task));

	assert_non_null(sum);
	*sum += ns;
}

/* Task 0 is the first one seen, maybe a vCPU. */
static void each_vcpu_has_the_tasks_beside_it_the_longest_first(void **state)
{
	for (unsigned n = 0; n <= 3; n++) {
		struct analyze_vcpu_row rows[] = { { .task = 2 }, { .task = 0 }, { .task = 5 } };
		struct analyze_beside *all;
		struct siblings s = { 0 };

		if (n > 0) {
			put(&s, 0, 7, 20);
			put(&s, 0, 4, 20);
			put(&s, 0, 9, 30);
		}
		if (n > 1)
			put(&s, 2, 0, 10);
		if (n > 2)
			put(&s, 9, 0, 50); /* no row */
		assert_int_equal(siblings_sort(&s, rows, 3, &all), 0);
		assert_int_equal(rows[0].n_beside, n > 1);
		assert_int_equal(rows[1].n_beside, n > 0 ? 3 : 0);
		assert_int_equal(rows[2].n_beside, 0);
		if (n > 1)
			assert_true(rows[0].beside[0].task == 0 && rows[0].beside[0].ns == 10);
		if (n > 0) {
			assert_true(rows[1].beside[0].task == 9 && rows[1].beside[0].ns == 30);
			assert_true(rows[1].beside[1].task == 4 && rows[1].beside[1].ns == 20);
			assert_true(rows[1].beside[2].task == 7 && rows[1].beside[2].ns == 20);
		}
		free(all);
		siblings_fini(&s);
	}
	(void)state;
}

/* A vCPU stays in the guest while many tasks run in turn beside it: each has its sum in the end, however
 * often it ran, and in between they do not take a place for each time. */
static void many_tasks_beside_a_vcpu_have_a_sum_each(void **state)
{
	enum { TASKS = 30, ROUNDS = 40, VCPU = 10, FIRST = 100 };
	static const int32_t cores[] = { 0, 0 };
	const struct analyze_options how = { .core_of_cpu = cores, .n_core_of_cpu = 2 };
	const struct analyze_vcpu_row *row;
	struct analyze_vcpus *vcpus;
	struct analyze_engine *eng = trace_engine(&how);
	struct trace tr;
	uint64_t t = 1000;
	int32_t last = 0;

	(void)state;
	trace_init(&tr, 2);
	trace_switch(&tr, t, 0, 0, TRACE_R, VCPU);
	trace_entry(&tr, t, 0, VCPU);
	for (int i = 0; i < TASKS * ROUNDS; i++) { /* task k runs for 500 + k */
		trace_switch(&tr, t, 1, last, TRACE_R, FIRST + i % TASKS);
		last = FIRST + i % TASKS;
		t += 500 + (uint64_t)i % TASKS;
	}
	trace_switch(&tr, t, 1, last, TRACE_R, 0);
	trace_exit(&tr, t, 0, VCPU, TRACE_IO);
	assert_int_equal(analyze_vcpus_new(&vcpus, eng, NULL), 0);
	trace_run(&tr, eng);
	assert_int_equal(analyze_vcpus_row_count(vcpus), 1);
	row = analyze_vcpus_row_at(vcpus, 0);
	assert_int_equal(row->n_beside, TASKS);
	for (int i = 0; i < TASKS; i++) { /* the longest first */
		int k = TASKS - 1 - i;

		assert_int_equal(analyze_engine_task(eng, row->beside[i].task)->tid, FIRST + k);
		assert_int_equal(row->beside[i].ns, ROUNDS * (500 + k));
	}
	analyze_vcpus_free(vcpus);
	analyze_engine_free(eng);
	trace_fini(&tr);
}

/* An engine that has walked over two threads of a core, from 0 to 1000. */
static struct analyze_engine *walked(void)
{
	static const int32_t cores[] = { 0, 0 };
	static const struct analyze_options how = { .core_of_cpu = cores, .n_core_of_cpu = 2 };
	struct analyze_engine *eng = trace_engine(&how);
	struct analyze_vcpus *vcpus;
	struct trace tr;

	trace_init(&tr, 2);
	trace_switch(&tr, 0, 0, 0, TRACE_R, 10);
	trace_switch(&tr, 1000, 1, 0, TRACE_R, 11);
	assert_int_equal(analyze_vcpus_new(&vcpus, eng, NULL), 0);
	trace_run(&tr, eng);
	analyze_vcpus_free(vcpus);
	trace_fini(&tr);
	return eng;
}

/* A walk in parts: what a part collected before its begin belongs to the part before. */
static void a_part_begins_without_the_figures_before_it(void **state)
{
	const struct analyze_run run = { .task = 5, .cpu = 1, .start_ns = 100, .end_ns = 200 };
	struct analyze_engine *eng = walked();
	struct siblings s = { 0 };

	(void)state;
	assert_int_equal(siblings_init(&s, eng), 0);
	siblings_guest_ran(&s, 3, &run, 100);
	array_push(&s.cpus[1].open, (struct sibling_stretch){ .task = 3, .to_ns = 10 });
	put(&s, 3, 5, 7);
	assert_int_equal(s.guests.at[3].besides.n, 1);
	siblings_begin(&s);
	for (size_t i = 0; i < s.guests.n; i++)
		assert_int_equal(s.guests.at[i].besides.n, 0);
	assert_int_equal(s.cpus[1].open.n, 0);
	assert_int_equal(s.ns.n, 0);
	put(&s, 3, 5, 8); /* a new sum */
	assert_int_equal(s.ns.at[0], 8);
	siblings_fini(&s);
	analyze_engine_free(eng);
}

static bool rests(const void *ctx, size_t task)
{
	(void)ctx;
	(void)task;
	return true;
}

static uint64_t sum_of(struct siblings *s, uint32_t vcpu, uint32_t task)
{
	return *(uint64_t *)row_at(&s->ns, index_take(&s->index, vcpu, task));
}

/* A stretch in the guest that was open at the cut meets the slices that end in the later part, one after the other. */
static void the_later_part_confirms_what_was_open_at_the_cut(void **state)
{
	struct analyze_engine *eng = walked();
	struct siblings a = { 0 }, b = { 0 };

	(void)state;
	assert_int_equal(siblings_init(&a, eng), 0);
	assert_int_equal(siblings_init(&b, eng), 0);
	array_push(&a.cpus[1].open,
		   (struct sibling_stretch){ .task = 2, .from_ns = 100, .to_ns = 300, .ns = 200 });
	array_push(&b.cpus[1].carried, (struct sibling_slice){ 5, 150 });
	array_push(&b.cpus[1].carried, (struct sibling_slice){ 6, 210 });
	array_push(&b.cpus[1].carried, (struct sibling_slice){ 7, 220 });
	put(&a, 2, 5, 1000);
	put(&b, 2, 6, 2000);
	assert_int_equal(siblings_join(&a, &b, rests, NULL), 0);
	assert_int_equal(sum_of(&a, 2, 5), 1000 + 50);
	assert_int_equal(sum_of(&a, 2, 6), 2000 + 60);
	assert_int_equal(sum_of(&a, 2, 7), 10);
	assert_int_equal(a.cpus[1].open.n, 1); /* who runs from 220 to 300 is not known yet */
	assert_int_equal(a.cpus[1].open.at[0].from_ns, 220);
	siblings_fini(&a);
	siblings_fini(&b);
	analyze_engine_free(eng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_vcpu_has_the_tasks_beside_it_the_longest_first),
		cmocka_unit_test(many_tasks_beside_a_vcpu_have_a_sum_each),
		cmocka_unit_test(a_part_begins_without_the_figures_before_it),
		cmocka_unit_test(the_later_part_confirms_what_was_open_at_the_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

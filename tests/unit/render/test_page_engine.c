/* SPDX-License-Identifier: GPL-2.0-only */
/* The queries of a page, run natively: the module that runs in pages is this code. */
#include "tests/unit/page_asked.h"

static void pieces_tile_every_cpu(void **state)
{
	static const char *const golden[] = { "svm", "sched", "loss", "late" };

	(void)state;
	for (size_t g = 0; g < sizeof(golden) / sizeof(golden[0]); g++) {
		struct asked a;
		double sum = 0, end = 0, cpu = -1;

		asked_open(&a, golden[g]);
		ask(&a, (struct page_query){ .call = "pieces", .max = 100000 });
		assert_true(is_complete(&a));
		for (size_t i = 0; i < count_of(&a, "cpu"); i++) {
			if (number(&a, "cpu", i) != cpu)
				end = 0;
			assert_true(number(&a, "cpu", i) >= cpu);
			cpu = number(&a, "cpu", i);
			assert_true(number(&a, "from", i) == end);
			end = number(&a, "to", i);
			sum += end - number(&a, "from", i);
		}
		assert_true(sum == (double)a.length_ns * a.cpus);
		asked_close(&a);
	}
}

static void more_rows_than_the_maximum_give_no_list(void **state)
{
	struct asked a;
	size_t n;

	(void)state;
	asked_open(&a, "svm");
	ask(&a, (struct page_query){ .call = "pieces", .max = 100000 });
	n = count_of(&a, "cpu");
	ask(&a, (struct page_query){ .call = "pieces", .max = n });
	assert_true(is_complete(&a));
	ask(&a, (struct page_query){ .call = "pieces", .max = n - 1 });
	assert_false(is_complete(&a));
	assert_null(json_object_get(a.answer, "cpu"));
	asked_close(&a);
}

static void states_of_a_vcpu_add_up_to_the_range(void **state)
{
	struct asked a;
	double ns[64] = { 0 };
	uint64_t from_ns, to_ns;
	size_t vcpus = 0;

	(void)state;
	asked_open(&a, "svm");
	from_ns = a.length_ns / 3;
	to_ns = a.length_ns - a.length_ns / 5;
	ask(&a, (struct page_query){
			.call = "states", .max = 100000, .from_ns = from_ns, .to_ns = to_ns });
	assert_true(is_complete(&a));
	assert_true(json_array_size(json_object_get(a.answer, "reasons")) > 0);
	for (size_t i = 0; i < count_of(&a, "task"); i++) {
		size_t task = (size_t)number(&a, "task", i);

		assert_true(task < 64);
		assert_true(number(&a, "state", i) < 8);
		ns[task] += number(&a, "to", i) - number(&a, "from", i);
	}
	for (size_t task = 0; task < 64; task++) {
		if (ns[task] == 0)
			continue;
		assert_true(ns[task] == (double)(to_ns - from_ns));
		vcpus++;
	}
	assert_true(vcpus > 1);
	asked_close(&a);
}

static void only_selected_tasks_are_reported(void **state)
{
	struct asked a;
	uint32_t chosen;
	size_t all;

	(void)state;
	asked_open(&a, "svm");
	ask(&a, (struct page_query){ .call = "marks", .max = 100000 });
	all = count_of(&a, "task");
	assert_true(all > 0);
	chosen = (uint32_t)number(&a, "task", 0);
	ask(&a,
	    (struct page_query){ .call = "marks", .max = 100000, .tasks = &chosen, .n_tasks = 1 });
	assert_true(count_of(&a, "task") > 0 && count_of(&a, "task") < all);
	for (size_t i = 0; i < count_of(&a, "task"); i++)
		assert_true(number(&a, "task", i) == chosen);
	asked_close(&a);
}

static void an_exit_lasts_to_the_next_entry_of_its_thread(void **state)
{
	struct asked a;
	size_t exits = 0;

	(void)state;
	asked_open(&a, "svm");
	ask(&a, (struct page_query){ .call = "marks", .max = 100000 });
	for (size_t i = 0; i < count_of(&a, "task"); i++) {
		size_t next = i + 1;

		if (number(&a, "what", i) != 1 || number(&a, "dur", i) != number(&a, "dur", i))
			continue;
		while (number(&a, "what", next) != 2 ||
		       number(&a, "task", next) != number(&a, "task", i))
			assert_true(++next < count_of(&a, "task"));
		assert_true(number(&a, "dur", i) == number(&a, "at", next) - number(&a, "at", i));
		assert_true(number(&a, "text", i) <
			    (double)json_array_size(json_object_get(a.answer, "texts")));
		exits++;
	}
	assert_true(exits > 0);
	asked_close(&a);
}

/* Each page of a list, counted or not, of all CPUs and of one, is the same part of the whole
 * list. */
static void pages_of_events_are_parts_of_the_list(void **state)
{
	static const char *const golden[] = { "svm", "sched", "loss", "late" };

	(void)state;
	for (size_t g = 0; g < 4 * sizeof(golden) / sizeof(golden[0]); g++) {
		struct page_query q = { .call = "events", .max = 1000000 };
		struct asked a;
		uint32_t cpu = 0;
		json_t *all, *rows;

		asked_open(&a, golden[g / 4]);
		if (g % 2) {
			q.cpus = &cpu;
			q.n_cpus = 1;
		}
		if (g % 4 > 1) {
			q.from_ns = a.length_ns / 4;
			q.to_ns = a.length_ns / 2;
		}
		ask(&a, q);
		all = json_incref(json_object_get(a.answer, "rows"));
		assert_true(g % 4 || json_array_size(all) > 0);
		assert_true(integer(&a, "total") == (double)json_array_size(all));
		for (size_t i = 0; i < 40; i++) {
			q.call = i % 2 ? "rows" : "events";
			q.offset = i * json_array_size(all) / 36;
			q.max = i % 7;
			ask(&a, q);
			rows = json_object_get(a.answer, "rows");
			if (i % 2)
				assert_null(json_object_get(a.answer, "total"));
			else
				assert_true(integer(&a, "total") == (double)json_array_size(all));
			for (size_t k = 0; k < q.max; k++)
				assert_true(
					q.offset + k >= json_array_size(all)
						? json_array_size(rows) <= k
						: json_equal(json_array_get(rows, k),
							     json_array_get(all, q.offset + k)));
			assert_true(json_array_size(rows) <= q.max);
		}
		json_decref(all);
		asked_close(&a);
	}
}

static double length_of(const struct asked *a, size_t row)
{
	const json_t *r = json_array_get(json_object_get(a->answer, "rows"), row);

	return (double)(json_integer_value(json_object_get(r, "to")) -
			json_integer_value(json_object_get(r, "from")));
}

static void a_block_of_a_heat_map_lists_its_longest_first(void **state)
{
	struct page_query q = { .call = "select", .max = 100000 };
	struct asked a;
	double longest, total, third;

	(void)state;
	asked_open(&a, "sched");
	q.kinds = 1u << page_engine_kind("run");
	ask(&a, q);
	total = integer(&a, "total");
	assert_true(total > 2);
	assert_true(total == (double)json_array_size(json_object_get(a.answer, "rows")));
	for (size_t i = 0; i + 1 < json_array_size(json_object_get(a.answer, "rows")); i++)
		assert_true(length_of(&a, i) >= length_of(&a, i + 1));
	longest = length_of(&a, 0);
	third = length_of(&a, 2);
	q.max = 2;
	ask(&a, q);
	assert_true(integer(&a, "total") == total);
	assert_int_equal(json_array_size(json_object_get(a.answer, "rows")), 2);
	assert_true(length_of(&a, 0) == longest);
	q.hi_ns = (uint64_t)third + 1;
	ask(&a, q);
	assert_true(length_of(&a, 0) == third);
	asked_close(&a);
}

static void ends_within_the_second_are_as_many_as_the_heat_map_has(void **state)
{
	struct page_query q = { .call = "subsecond", .columns = 16 };
	struct asked a;
	double sum = 0;

	(void)state;
	asked_open(&a, "sched");
	q.kinds = 1u << page_engine_kind("run");
	ask(&a, q);
	for (size_t i = 0; i < count_of(&a, "count"); i++)
		sum += number(&a, "count", i);
	assert_true(sum > 0);
	q.call = "bins";
	ask(&a, q);
	assert_true(
		json_integer_value(json_object_get(
			json_object_get(json_object_get(json_object_get(a.answer, "bins"), "heat"),
					"run"),
			"events")) == (json_int_t)sum);
	asked_close(&a);
}

/* Each wait within the limits of a bar is in it. */
static void bars_of_a_histogram_list_events_of_their_duration(void **state)
{
	struct page_query q = { .call = "histogram", .kinds = 1u << page_engine_kind("wakeup") };
	struct asked a;
	json_t *bars, *bar;
	size_t i, n = 0;

	(void)state;
	asked_open(&a, "sched");
	ask(&a, q);
	bars = json_incref(json_object_get(a.answer, "bars"));
	assert_true(json_array_size(bars) > 1);
	q.call = "select";
	json_array_foreach(bars, i, bar)
	{
		q.lo_ns = (uint64_t)json_integer_value(json_object_get(bar, "from_ns"));
		q.hi_ns = (uint64_t)json_integer_value(json_object_get(bar, "to_ns"));
		ask(&a, q);
		assert_true(integer(&a, "total") ==
			    (double)json_integer_value(json_object_get(bar, "count")));
		n += (size_t)integer(&a, "total");
	}
	q.lo_ns = q.hi_ns = 0;
	ask(&a, q);
	assert_true(n > 0 && integer(&a, "total") == (double)n);
	json_decref(bars);
	asked_close(&a);
}

static void steps_of_any_length_give_the_same_answer(void **state)
{
	static const char *const calls[] = { "figures", "exits", "coremap", "pieces",
					     "states",  "marks", "bins",    "checksum" };

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct page_query q = { .call = calls[i], .max = 100000, .kinds = 31 };
		struct asked a;
		char *whole, *steps;

		asked_open(&a, "svm");
		ask(&a, q);
		whole = json_dumps(a.answer, JSON_COMPACT);
		ask_in_steps(&a, q, 1);
		steps = json_dumps(a.answer, JSON_COMPACT);
		assert_string_equal(whole, steps);
		free(whole);
		free(steps);
		asked_close(&a);
	}
}

/* Data read for previous ranges, earlier and later ones, gives the same as data read anew. */
static void earlier_queries_change_no_answer(void **state)
{
	static const char *const calls[] = { "figures", "states", "exits" };
	struct asked a, fresh;
	uint64_t rnd = 1;

	(void)state;
	asked_open(&a, "svm");
	for (unsigned i = 0; i < 120; i++) {
		struct page_query q = { .call = calls[i % 3], .max = 100000 };
		char *again, *anew;

		rnd = rnd * 6364136223846793005u + 1442695040888963407u;
		q.from_ns = a.length_ns / 64 * (rnd >> 58);
		q.to_ns = q.from_ns + a.length_ns / 100;
		ask(&a, q);
		again = json_dumps(a.answer, JSON_COMPACT);
		asked_open(&fresh, "svm");
		ask(&fresh, q);
		anew = json_dumps(fresh.answer, JSON_COMPACT);
		assert_string_equal(again, anew);
		free(again);
		free(anew);
		asked_close(&fresh);
	}
	asked_close(&a);
}

static void a_question_may_be_given_up_for_another(void **state)
{
	struct page_query q = { .call = "checksum" }, other = { .call = "states", .max = 100000 };
	struct asked a;
	double crc;

	(void)state;
	asked_open(&a, "svm");
	ask(&a, q);
	crc = integer(&a, "crc");
	other.to_ns = a.length_ns;
	assert_int_equal(page_engine_ask(a.e, &other, NULL), 0);
	assert_int_equal(page_engine_step(a.e, 1, NULL), 1);
	ask(&a, q);
	assert_true(integer(&a, "crc") == crc);
	asked_close(&a);
}

static void a_bit_that_is_not_the_same_shows(void **state)
{
	struct asked a, b;

	(void)state;
	asked_open(&a, "svm");
	asked_open(&b, "sched");
	ask(&a, (struct page_query){ .call = "checksum" });
	ask(&b, (struct page_query){ .call = "checksum" });
	assert_true(integer(&a, "crc") != integer(&b, "crc"));
	asked_close(&a);
	asked_close(&b);
}

static void invalid_queries_are_refused(void **state)
{
	struct page_query nothing = { .call = "nothing" }, late = { .call = "pieces" };
	struct cdict_error err = { 0 };
	struct page_engine *e;
	struct asked a;

	(void)state;
	asked_open(&a, "svm");
	assert_int_equal(page_engine_ask(a.e, &nothing, &err), CDICT_EUSAGE);
	assert_string_equal(err.text, "unknown call \"nothing\"");
	late.to_ns = a.length_ns + 1;
	assert_int_equal(page_engine_ask(a.e, &late, NULL), CDICT_EUSAGE);
	assert_int_equal(page_engine_kind("piece"), -1);
	assert_int_equal(page_engine_open(&e, "no cdict", 8, NULL), CDICT_EFORMAT);
	assert_null(e);
	asked_close(&a);
}

static json_int_t sum_of(const json_t *numbers)
{
	json_int_t sum = 0;
	const json_t *v;
	size_t i;

	json_array_foreach(numbers, i, v) sum += json_integer_value(v);
	return sum;
}

/* The texts in the array @key of a table of the answer, separated by blanks. */
static char *texts_of(const struct asked *a, const char *table, const char *key)
{
	struct buf text = { 0 };
	const json_t *name;
	size_t i;

	json_array_foreach(
		json_object_get(json_object_get(json_object_get(a->answer, "tables"), table), key),
		i, name) buf_printf(&text, "%s ", json_string_value(name));
	buf_u8(&text, 0);
	assert_false(text.failed);
	return (char *)text.data;
}

/* doc/page.md, "Tables": what names a task is folded into one column, but not where a row may be of
 * several tasks. */
static void rows_of_exits_are_of_a_task_a_reason_or_a_vm(void **state)
{
	static const struct {
		const char *table, *identity, *begin;
	} tables[] = {
		{ "exits", "name tid pid vm vcpu ", "task reason " },
		{ "exit_reasons", "", "name tid pid vm vcpu reason " },
		{ "exits_vm", "", "name tid pid vm vcpu reason " },
	};
	struct asked a;

	(void)state;
	asked_open(&a, "svm");
	ask(&a, (struct page_query){ .call = "exits" });
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		char *identity = texts_of(&a, tables[i].table, "identity");
		char *columns = texts_of(&a, tables[i].table, "columns");

		assert_string_equal(identity, tables[i].identity);
		assert_memory_equal(columns, tables[i].begin, strlen(tables[i].begin));
		free(identity);
		free(columns);
	}
	asked_close(&a);
}

/* For one task a reason has the figures of its row; for all tasks it has more, which are in no
 * other table. */
static void exits_by_reason_are_those_of_the_chosen_tasks(void **state)
{
	static const char *const figures[] = { "count", "time_ns", "p50_ns", "p99_ns", "max_ns" };
	struct page_query q = { .call = "exits" };
	struct asked a;
	json_int_t all, one;
	char *reason;
	uint32_t chosen;

	(void)state;
	asked_open(&a, "svm");
	ask(&a, q);
	all = sum_of(column(&a, "exit_reasons", "count"));
	assert_true(all > 0);
	assert_int_equal(sum_of(column(&a, "exits", "count")), all);
	chosen = (uint32_t)json_integer_value(json_array_get(column(&a, "exits", "task"), 0));
	q.tasks = &chosen;
	q.n_tasks = 1;
	ask(&a, q);
	assert_true(sum_of(column(&a, "exit_reasons", "count")) < all);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		assert_true(json_equal(column(&a, "exit_reasons", figures[i]),
				       column(&a, "exits", figures[i])));
	/* for one reason the sums are those of its rows */
	reason = strdup(json_string_value(json_array_get(column(&a, "exit_reasons", "reason"), 0)));
	assert_non_null(reason);
	q.reasons = (const char *const *)&reason;
	q.n_reasons = 1;
	one = json_integer_value(json_array_get(column(&a, "exit_reasons", "count"), 0));
	ask(&a, q);
	assert_int_equal(sum_of(column(&a, "exits_sums", "count")), 2 * one);
	assert_int_equal(sum_of(column(&a, "exits_vm_sums", "count")), 2 * one);
	assert_true(sum_of(column(&a, "exits", "count")) > one);
	free(reason);
	asked_close(&a);
}

/* The exits of each reason whose end was seen are those of its row, and their sum is that without a
 * selection. */
static void a_block_of_exits_is_of_the_chosen_reasons(void **state)
{
	struct page_query q = { .call = "figures" };
	json_t *names, *counts, *open;
	struct asked a;
	double all, sum = 0;

	(void)state;
	asked_open(&a, "svm");
	ask(&a, q);
	names = json_incref((json_t *)column(&a, "exit_reasons", "reason"));
	counts = json_incref((json_t *)column(&a, "exit_reasons", "count"));
	open = json_incref((json_t *)column(&a, "exit_reasons", "unpaired"));
	q = (struct page_query){ .call = "select", .max = 1000 };
	q.kinds = 1u << page_engine_kind("exit");
	ask(&a, q);
	all = integer(&a, "total");
	for (size_t i = 0; i < json_array_size(names); i++) {
		const char *name = json_string_value(json_array_get(names, i));
		json_int_t whole = json_integer_value(json_array_get(counts, i)) -
				   json_integer_value(json_array_get(open, i));

		q.reasons = &name;
		q.n_reasons = 1;
		ask(&a, q);
		assert_true(integer(&a, "total") == (double)whole);
		sum += (double)whole;
	}
	assert_true(json_array_size(names) > 1 && all > 1 && sum == all);
	json_decref(names);
	json_decref(counts);
	json_decref(open);
	asked_close(&a);
}

static void rows_of_vms_are_of_the_chosen_vcpus(void **state)
{
	struct page_query q = { .call = "figures" };
	struct asked a;
	json_int_t all, sum = 0;
	uint32_t task;
	json_t *tasks;

	(void)state;
	asked_open(&a, "vmx");
	ask(&a, q);
	all = sum_of(column(&a, "delays", "behind_ns"));
	tasks = json_incref((json_t *)column(&a, "vcpu", "task"));
	q.call = "vcpus";
	q.tasks = &task;
	q.n_tasks = 1;
	for (size_t i = 0; i < json_array_size(tasks); i++) {
		task = (uint32_t)json_integer_value(json_array_get(tasks, i));
		ask(&a, q);
		sum += sum_of(column(&a, "delays", "behind_ns"));
	}
	assert_true(json_array_size(tasks) > 1 && all > 0);
	assert_int_equal(sum, all);
	json_decref(tasks);
	asked_close(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_tile_every_cpu),
		cmocka_unit_test(more_rows_than_the_maximum_give_no_list),
		cmocka_unit_test(states_of_a_vcpu_add_up_to_the_range),
		cmocka_unit_test(only_selected_tasks_are_reported),
		cmocka_unit_test(an_exit_lasts_to_the_next_entry_of_its_thread),
		cmocka_unit_test(rows_of_exits_are_of_a_task_a_reason_or_a_vm),
		cmocka_unit_test(exits_by_reason_are_those_of_the_chosen_tasks),
		cmocka_unit_test(pages_of_events_are_parts_of_the_list),
		cmocka_unit_test(a_block_of_a_heat_map_lists_its_longest_first),
		cmocka_unit_test(a_block_of_exits_is_of_the_chosen_reasons),
		cmocka_unit_test(rows_of_vms_are_of_the_chosen_vcpus),
		cmocka_unit_test(ends_within_the_second_are_as_many_as_the_heat_map_has),
		cmocka_unit_test(bars_of_a_histogram_list_events_of_their_duration),
		cmocka_unit_test(steps_of_any_length_give_the_same_answer),
		cmocka_unit_test(earlier_queries_change_no_answer),
		cmocka_unit_test(a_question_may_be_given_up_for_another),
		cmocka_unit_test(a_bit_that_is_not_the_same_shows),
		cmocka_unit_test(invalid_queries_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Details of the page for a clicked object, and for pinned tasks. */
#include "tests/unit/page_asked.h"

static double of(const json_t *item, const char *key)
{
	const json_t *value = json_object_get(item, key);

	assert_true(json_is_integer(value));
	return (double)json_integer_value(value);
}

static const json_t *detail(struct asked *a, const char *kind, uint32_t task, double at)
{
	struct page_query q = { .call = "detail", .type = kind, .tasks = &task, .n_tasks = 1 };

	q.lo_ns = (uint64_t)at;
	return ask(a, q);
}

struct kept {
	double task, cpu, from, to;
};

/* All pieces whose task is known. */
static size_t pieces_of(struct asked *a, struct kept *out, size_t most)
{
	size_t n = 0;

	ask(a, (struct page_query){ .call = "pieces", .max = 100000 });
	for (size_t i = 0; i < count_of(a, "cpu"); i++) {
		if (number(a, "task", i) == UINT32_MAX)
			continue;
		assert_true(n < most);
		out[n++] = (struct kept){ number(a, "task", i), number(a, "cpu", i),
					  number(a, "from", i), number(a, "to", i) };
	}
	return n;
}

static void a_slice_is_whole_wherever_in_it_one_clicks(void **state)
{
	static const char *const golden[] = { "vmx", "svm", "sched", "loss", "late" };
	static struct kept all[100000];
	size_t seen = 0;

	(void)state;
	for (size_t g = 0; g < sizeof(golden) / sizeof(golden[0]); g++) {
		struct asked a;
		size_t n;

		asked_open(&a, golden[g]);
		n = pieces_of(&a, all, sizeof(all) / sizeof(all[0]));
		seen += n;
		for (size_t i = 0; i < n; i += 1 + n / 60) {
			const double places[] = { all[i].from, all[i].to - 1,
						  all[i].from + (all[i].to - all[i].from) / 2 };

			for (size_t k = 0; all[i].to > all[i].from && k < 3; k++) {
				const json_t *thing = json_object_get(
					detail(&a, "run", (uint32_t)all[i].task, places[k]),
					"thing");

				assert_true(of(thing, "from") == all[i].from);
				assert_true(of(thing, "to") == all[i].to);
				assert_true(of(thing, "cpu") == all[i].cpu);
				assert_true(of(thing, "ns") == all[i].to - all[i].from);
			}
		}
		asked_close(&a);
	}
	assert_true(seen > 20);
}

/* From the first of a task's slices by `after` to its last, and by `milder` from the longest to the shortest. */
static void neighbours_and_ranks_visit_every_slice_once(void **state)
{
	static struct kept all[100000];
	struct asked a;
	size_t n, own = 0, visited = 1;
	double first = -1, longest = 0, before_ns;
	uint32_t task;
	const json_t *answer, *next;

	(void)state;
	asked_open(&a, "sched");
	n = pieces_of(&a, all, sizeof(all) / sizeof(all[0]));
	task = (uint32_t)all[0].task; /* the first task of the first CPU is not IDLE */
	for (size_t i = 0; i < n; i++) {
		if (all[i].task != task || all[i].to == all[i].from)
			continue;
		own++;
		first = first < 0 || all[i].from < first ? all[i].from : first;
		longest = all[i].to - all[i].from > longest ? all[i].to - all[i].from : longest;
	}
	assert_true(own > 2);
	answer = detail(&a, "run", task, first);
	assert_true(json_is_null(json_object_get(answer, "before")));
	assert_true(of(answer, "of") == (double)own);
	while (json_is_object(next = json_object_get(answer, "after"))) {
		answer = detail(&a, "run", task, of(next, "from"));
		visited++;
	}
	assert_int_equal(visited, own);
	answer = detail(&a, "run", task, of(json_object_get(answer, "worst"), "from"));
	assert_true(of(json_object_get(answer, "thing"), "ns") == longest);
	assert_true(of(answer, "rank") == 1);
	before_ns = longest;
	for (visited = 1; json_is_object(next = json_object_get(answer, "milder")); visited++) {
		assert_true(of(next, "ns") <= before_ns);
		before_ns = of(next, "ns");
		answer = detail(&a, "run", task, of(next, "from"));
		assert_true(of(answer, "rank") == (double)visited + 1);
	}
	assert_int_equal(visited, own);
	asked_close(&a);
}

/* In sched a wake-up ends in a switch-in: the waker, the time, and what the waker did then. */
static void a_wait_shows_its_waker_and_the_task_that_ran_before(void **state)
{
	struct asked a;
	const json_t *answer, *stay, *woken, *in;
	size_t n, seen = 0;
	static struct kept woke[100000];

	(void)state;
	asked_open(&a, "sched");
	ask(&a, (struct page_query){ .call = "marks", .max = 100000 });
	n = count_of(&a, "what");
	for (size_t i = 0; i < n; i++)
		woke[i] = (struct kept){ number(&a, "task", i), number(&a, "what", i),
					 number(&a, "at", i), number(&a, "dur", i) };
	for (size_t i = 0; i < n; i++) {
		if (woke[i].cpu != 0 || !(woke[i].to > 0))
			continue; /* no wake-up, or not switched in */
		answer = detail(&a, "wait", (uint32_t)woke[i].task, woke[i].from);
		assert_true(of(json_object_get(answer, "thing"), "from") == woke[i].from);
		assert_true(of(json_object_get(answer, "thing"), "ns") == woke[i].to);
		stay = json_object_get(answer, "stay");
		assert_true(json_is_false(json_object_get(stay, "on")));
		woken = json_object_get(stay, "woken");
		in = json_object_get(stay, "in");
		assert_true(of(woken, "at") == woke[i].from);
		assert_true(of(in, "at") == woke[i].from + woke[i].to);
		seen++;
	}
	assert_int_equal(seen, 2);
	asked_close(&a);
}

static void a_query_for_something_missing_gives_nothing(void **state)
{
	struct asked a;
	struct page_query q = { .call = "detail", .type = "walk" };
	uint32_t task = 0;

	(void)state;
	asked_open(&a, "sched");
	q.to_ns = a.length_ns;
	assert_true(page_engine_ask(a.e, &q, NULL) < 0);
	assert_true(json_is_null(
		json_object_get(detail(&a, "guest", task, (double)a.length_ns), "thing")));
	asked_close(&a);
}

/* The columns of each pinned task add up to the range, and so do its intervals. */
static void tracks_add_up_to_the_range(void **state)
{
	static const char *const golden[] = { "svm", "sched", "loss", "late" };

	(void)state;
	for (size_t g = 0; g < sizeof(golden) / sizeof(golden[0]); g++) {
		uint32_t tasks[64];
		struct asked a;
		size_t n = 0, columns = 128;
		struct page_query q = {
			.call = "tracks", .tasks = tasks, .max = 100000, .columns = 128
		};
		double each, sum, ran = 0;

		asked_open(&a, golden[g]);
		for (int k = 0; k < 2; k++) {
			q.from_ns = k ? a.length_ns / 3 : 0;
			q.to_ns = k ? a.length_ns - a.length_ns / 4 : a.length_ns;
			for (n = 0; n < 24; n++)
				tasks[n] = (uint32_t)n;
			q.n_tasks = n;
			ask(&a, q);
			n = json_array_size(json_object_get(a.answer, "tasks"));
			each = (double)(q.to_ns - q.from_ns);
			assert_int_equal(count_of(&a, "ns"), n * 10 * columns);
			for (size_t row = 0; row < n; row++) {
				sum = 0;
				for (size_t i = 0; i < 10 * columns; i++)
					sum += number(&a, "ns", row * 10 * columns + i);
				ran += sum;
				/* time before a task was seen belongs to no task */
				assert_true(sum <= each);
			}
			sum = 0;
			for (size_t i = 0; i < count_of(&a, "task"); i++)
				sum += number(&a, "to", i) - number(&a, "from", i);
			for (size_t i = 0; i < count_of(&a, "ns"); i++)
				sum -= number(&a, "ns", i);
			assert_true(sum == 0);
		}
		assert_true(ran > 0);
		asked_close(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slice_is_whole_wherever_in_it_one_clicks),
		cmocka_unit_test(neighbours_and_ranks_visit_every_slice_once),
		cmocka_unit_test(a_wait_shows_its_waker_and_the_task_that_ran_before),
		cmocka_unit_test(a_query_for_something_missing_gives_nothing),
		cmocka_unit_test(tracks_add_up_to_the_range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

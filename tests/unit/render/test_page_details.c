/* SPDX-License-Identifier: GPL-2.0-only */
/* Details of the page for a clicked object, and for pinned tasks. */
#include "tests/unit/page_asked.h"

static double of_value(const json_t *value)
{
	assert_true(json_is_integer(value));
	return (double)json_integer_value(value);
}

static double of(const json_t *item, const char *key)
{
	return of_value(json_object_get(item, key));
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

/* The longest wait of a task is the first by length, and is found, whole, in a window that ends during it. */
static void the_longest_wait_of_a_task_is_found_even_if_it_is_open(void **state)
{
	static const char *const golden[] = { "vmx", "sched", "loss" };
	size_t seen = 0;

	(void)state;
	for (size_t g = 0; g < sizeof(golden) / sizeof(golden[0]); g++) {
		struct asked a;
		const json_t *task, *at, *ns, *thing;
		json_t *all;

		asked_open(&a, golden[g]);
		all = json_incref((json_t *)ask(&a, (struct page_query){ .call = "tasks" }));
		task = column(&a, "tasks", "task");
		at = column(&a, "tasks", "worst_at_ns");
		ns = column(&a, "tasks", "worst_ns");
		for (size_t i = 0; i < json_array_size(ns); i++) {
			const uint32_t who = (uint32_t)of_value(json_array_get(task, i));
			struct page_query cut = {
				.call = "detail", .type = "wait", .tasks = &who, .n_tasks = 1
			};
			double worst, from;

			if (!json_integer_value(json_array_get(ns, i)))
				continue;
			worst = of_value(json_array_get(ns, i));
			from = of_value(json_array_get(at, i));
			thing = json_object_get(detail(&a, "wait", who, from), "thing");
			assert_true(of(thing, "from") == from && of(thing, "ns") == worst);
			assert_true(of(a.answer, "rank") == 1);
			cut.lo_ns = (uint64_t)from;
			cut.to_ns = (uint64_t)(from + worst / 2) + 1;
			thing = json_object_get(ask(&a, cut), "thing");
			assert_true(of(thing, "from") == from && of(thing, "ns") == worst);
			seen++;
		}
		json_decref(all);
		asked_close(&a);
	}
	assert_int_equal(seen, 6);
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

/* A cell of the table "cpus" of the latest answer; -1: empty. */
static double cell_of_cpu(const struct asked *a, uint32_t cpu, const char *key)
{
	const json_t *t = json_object_get(json_object_get(a->answer, "tables"), "cpus");
	const json_t *names = json_object_get(t, "columns"), *all = json_object_get(t, "by_column");

	for (size_t i = 0; i < json_array_size(names); i++) {
		const json_t *cpus = json_array_get(all, 0), *column = json_array_get(all, i);

		if (strcmp(json_string_value(json_array_get(names, i)), key))
			continue;
		for (size_t row = 0; row < json_array_size(cpus); row++)
			if (json_integer_value(json_array_get(cpus, row)) == cpu)
				return json_is_integer(json_array_get(column, row))
					       ? of_value(json_array_get(column, row))
					       : -1;
	}
	return -1;
}

struct waits {
	size_t n;
	struct kept all[4096];
	double ready[4096];
};

static void waits_of(struct asked *a, struct page_query q, struct waits *out)
{
	q.call = "queues";
	q.max = 4096;
	ask(a, q);
	out->n = count_of(a, "task");
	for (size_t i = 0; i < out->n; i++) {
		out->all[i] = (struct kept){ number(a, "task", i), number(a, "cpu", i),
					     number(a, "from", i), number(a, "to", i) };
		out->ready[i] = number(a, "ready", i);
		assert_true(out->ready[i] <= out->all[i].from);
		assert_true(out->all[i].from < out->all[i].to);
	}
}

static size_t length_at(const struct waits *w, double cpu, double t)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += w->all[i].cpu == cpu && w->all[i].from <= t && t < w->all[i].to;
	return n;
}

/* The time with two or more waits for the CPU, from begin or end to begin or end. */
static double above_1(const struct waits *w, double cpu)
{
	double sum = 0, from = -1;

	for (;;) {
		double next = -1;

		for (size_t i = 0; i < w->n; i++) {
			const double ends[] = { w->all[i].from, w->all[i].to };

			for (int k = 0; k < 2; k++)
				if (w->all[i].cpu == cpu && ends[k] > from &&
				    (next < 0 || ends[k] < next))
					next = ends[k];
		}
		if (next < 0)
			return sum;
		if (from >= 0 && length_at(w, cpu, from) > 1)
			sum += next - from;
		from = next;
	}
}

/* The waits of a range give the columns of the same answer and the figures of the command's table; at each of their begins
 * the same tasks wait, as long, by the answer about that moment alone. */
static void queues_are_those_of_the_table(void **state)
{
	static const char *const golden[] = { "vmx", "svm", "sched", "loss", "late" };
	static struct waits range, moment;
	enum { COLUMNS = 128 };
	size_t seen = 0, gaps = 0;

	(void)state;
	for (size_t g = 0; g < 2 * sizeof(golden) / sizeof(golden[0]); g++) {
		struct page_query q = { .columns = COLUMNS };
		double ns[64] = { 0 }, most[64] = { 0 }, above[64] = { 0 }, unknown = 0;
		struct asked a;

		asked_open(&a, golden[g / 2]);
		assert_true(a.cpus <= 64);
		q.from_ns = g % 2 ? a.length_ns / 3 : 0;
		q.to_ns = g % 2 ? a.length_ns - a.length_ns / 4 : a.length_ns;
		waits_of(&a, q, &range);
		seen += range.n;
		for (size_t i = 0; i < range.n; i++)
			ns[(size_t)range.all[i].cpu] += range.all[i].to - range.all[i].from;
		for (uint32_t cpu = 0; cpu < a.cpus; cpu++)
			above[cpu] = above_1(&range, cpu);
		for (size_t i = 0; i < count_of(&a, "unknown_from"); i++)
			unknown += number(&a, "unknown_to", i) - number(&a, "unknown_from", i);
		assert_true(unknown <= (double)(q.to_ns - q.from_ns));
		gaps += unknown > 0;
		for (size_t i = 0; i < count_of(&a, "ns"); i++) {
			ns[i / COLUMNS] -= number(&a, "ns", i);
			if (number(&a, "most", i) > most[i / COLUMNS])
				most[i / COLUMNS] = number(&a, "most", i);
		}
		for (uint32_t cpu = 0; cpu < a.cpus; cpu++)
			assert_true(ns[cpu] == 0);
		q.call = "figures";
		ask(&a, q);
		for (uint32_t cpu = 0; cpu < a.cpus; cpu++) {
			double longest = cell_of_cpu(&a, cpu, "queue_max");

			assert_true(longest < 0 || longest == most[cpu]);
			assert_true(longest < 0 ||
				    cell_of_cpu(&a, cpu, "queue_above_1_ns") == above[cpu]);
		}
		for (size_t i = 0; i < range.n; i++) {
			struct page_query then = { .from_ns = (uint64_t)range.all[i].from };

			then.to_ns = then.from_ns + 1;
			waits_of(&a, then, &moment);
			assert_int_equal(length_at(&moment, range.all[i].cpu, range.all[i].from),
					 length_at(&range, range.all[i].cpu, range.all[i].from));
			for (size_t k = 0; k < moment.n; k++)
				if (moment.all[k].task == range.all[i].task)
					assert_true(moment.ready[k] == range.ready[i]);
		}
		asked_close(&a);
	}
	assert_true(seen > 20 && gaps > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slice_is_whole_wherever_in_it_one_clicks),
		cmocka_unit_test(neighbours_and_ranks_visit_every_slice_once),
		cmocka_unit_test(a_wait_shows_its_waker_and_the_task_that_ran_before),
		cmocka_unit_test(the_longest_wait_of_a_task_is_found_even_if_it_is_open),
		cmocka_unit_test(a_query_for_something_missing_gives_nothing),
		cmocka_unit_test(tracks_add_up_to_the_range),
		cmocka_unit_test(queues_are_those_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

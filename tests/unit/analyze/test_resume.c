/* SPDX-License-Identifier: GPL-2.0-only */
/* Windows of a file, walked from its begin and resumed from digests: the right figures both times. Times are
 * ns. */
#include "analyze/sched/coremap.h"
#include "analyze/sched/tasks.h"
#include "analyze/walk/internal.h"
#include "analyze/windows/resume.h"
#include "tests/unit/cdictfile.h"

enum { WAKEUP_NEW = ODD + 1 };
enum { R = 0, S = 1 };

struct step {
	uint64_t t_ns;
	uint32_t cpu;
	unsigned type;
	int32_t prev; /* or the waker */
	uint64_t state;
	int32_t next; /* or the task woken */
};

static void put(struct file *f, const struct cdict_schema *schema, const struct step *step)
{
	struct cdict_sample s = { .t_ns = step->t_ns,
				  .cpu = step->cpu,
				  .tid = step->prev,
				  .pid = step->prev,
				  .mode = 1 };
	struct payload p;

	payload_init(&p, schema, step->type);
	payload_number(&p, "common_pid", (uint64_t)step->prev);
	if (step->type == SWITCH) {
		payload_number(&p, "prev_pid", (uint64_t)step->prev);
		payload_number(&p, "prev_state", step->state);
		payload_number(&p, "next_pid", (uint64_t)step->next);
	} else {
		payload_number(&p, "pid", (uint64_t)step->next);
		payload_number(&p, "target_cpu", step->cpu);
	}
	file_event(f, &s, &p);
}

static struct cdict_reader *captured(struct buf *bytes, const struct step *steps, size_t n,
				     const struct cdict_loss *losses, size_t n_losses)
{
	struct cdict_schema *schema = usual_schema();
	struct file f;

	assert_int_equal(add_type(schema, "sched", "sched_wakeup_new", 4, waking_fields,
				  COUNT(waking_fields)),
			 WAKEUP_NEW);
	file_begin(&f, schema);
	for (size_t i = 0; i < n; i++)
		put(&f, schema, &steps[i]);
	for (size_t i = 0; i < n_losses; i++)
		assert_int_equal(cdict_writer_loss(f.w, &losses[i], NULL), 0);
	file_end(&f);
	cdict_schema_free(schema);
	*bytes = f.bytes;
	return open_bytes(bytes->data, bytes->len);
}

struct walk {
	struct digests *digests;
	struct analyze_engine *eng;
	struct analyze_tasks *tasks;
	struct analyze_coremap *map;
};

/* @resumed: the walk must begin after the capture does. */
static void walk(struct walk *w, struct cdict_reader *r, uint64_t from_ns, uint64_t to_ns,
		 bool resumed)
{
	struct analyze_options opts = { .from_ns = from_ns, .to_ns = to_ns };

	*w = (struct walk){ 0 };
	if (resumed) {
		assert_int_equal(digests_new(&w->digests, r, 2, NULL), 0);
		assert_non_null(w->digests);
		opts.digests = w->digests;
	}
	assert_int_equal(analyze_engine_new(&w->eng, &opts, NULL), 0);
	assert_int_equal(analyze_tasks_new(&w->tasks, w->eng, NULL, NULL), 0);
	assert_int_equal(analyze_coremap_new(&w->map, w->eng, NULL), 0);
	assert_int_equal(analyze_engine_run_reader(w->eng, r, NULL), 0);
	assert_int_equal(w->eng->begin_ns > w->eng->walk_from_ns, resumed);
}

static void walk_fini(struct walk *w)
{
	analyze_tasks_free(w->tasks);
	analyze_coremap_free(w->map);
	analyze_engine_free(w->eng);
	digests_free(w->digests);
}

static const struct analyze_task_row *row(const struct walk *w, int32_t tid)
{
	for (size_t i = 0; i < analyze_tasks_row_count(w->tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(w->tasks, i);

		if (analyze_engine_task(w->eng, row->task)->tid == tid)
			return row;
	}
	return NULL;
}

/* No sched_wakeup: 10 was woken at 150 on its way off the CPU, and waits from 160 to 400. */
static void a_wait_that_began_before_the_window_is_found(void **state)
{
	static const struct step steps[] = {
		{ 100, 0, SWITCH, 11, S, 10 }, { 120, 1, SWITCH, 20, R, 21 },
		{ 150, 1, WAKING, 21, 0, 10 }, { 160, 0, SWITCH, 10, S, 12 },
		{ 180, 1, SWITCH, 21, R, 20 }, { 400, 0, SWITCH, 12, R, 10 },
		{ 500, 0, SWITCH, 10, S, 12 }, { 700, 1, SWITCH, 20, R, 21 },
	};
	struct buf bytes;
	struct cdict_reader *r = captured(&bytes, steps, COUNT(steps), NULL, 0);

	(void)state;
	for (int resumed = 0; resumed < 2; resumed++) {
		struct walk w;

		walk(&w, r, 200, 600, resumed);
		assert_int_equal(row(&w, 10)->delayed_ns, 200);
		assert_int_equal(row(&w, 10)->delays, 1);
		assert_int_equal(row(&w, 10)->latency.max, 240);
		assert_int_equal(row(&w, 10)->run_ns, 100);
		walk_fini(&w);
	}
	cdict_reader_close(r);
	buf_fini(&bytes);
}

/* 10 was woken at 90 for its slice from 100 on, and not since: it sleeps from 160 to 400. */
static void the_wake_up_of_an_earlier_slice_begins_no_wait(void **state)
{
	static const struct step steps[] = {
		{ 50, 0, SWITCH, 11, R, 10 },  { 60, 0, SWITCH, 10, S, 12 },
		{ 70, 0, SWITCH, 12, R, 10 },  { 80, 0, SWITCH, 10, S, 11 },
		{ 90, 1, WAKING, 20, 0, 10 },  { 100, 0, SWITCH, 11, S, 10 },
		{ 120, 1, SWITCH, 20, R, 21 }, { 160, 0, SWITCH, 10, S, 12 },
		{ 400, 0, SWITCH, 12, R, 10 }, { 500, 0, SWITCH, 10, S, 12 },
		{ 700, 1, SWITCH, 21, R, 20 },
	};
	struct buf bytes;
	struct cdict_reader *r = captured(&bytes, steps, COUNT(steps), NULL, 0);

	(void)state;
	for (int resumed = 0; resumed < 2; resumed++) {
		struct walk w;

		walk(&w, r, 200, 600, resumed);
		assert_int_equal(row(&w, 10)->delayed_ns, 0);
		assert_int_equal(row(&w, 10)->off_ns[ANALYZE_OFF_SLEEP], 200 + 100);
		walk_fini(&w);
	}
	cdict_reader_close(r);
	buf_fini(&bytes);
}

/* 10 was woken on its CPU, but it is the wake-up at 250 that it waits since. */
static void a_later_wake_up_begins_the_wait(void **state)
{
	static const unsigned types[] = { WAKING, WAKEUP_NEW };

	(void)state;
	for (size_t i = 0; i < COUNT(types); i++) {
		const struct step steps[] = {
			{ 100, 0, SWITCH, 11, S, 10 }, { 150, 1, WAKING, 21, 0, 10 },
			{ 160, 0, SWITCH, 10, S, 12 }, { 250, 1, types[i], 21, 0, 10 },
			{ 400, 0, SWITCH, 12, R, 10 }, { 500, 0, SWITCH, 10, S, 12 },
		};
		struct buf bytes;
		struct cdict_reader *r = captured(&bytes, steps, COUNT(steps), NULL, 0);
		struct walk w;

		walk(&w, r, 0, 0, false);
		assert_int_equal(row(&w, 10)->delayed_ns, 150);
		assert_int_equal(row(&w, 10)->latency.max, 150);
		assert_int_equal(row(&w, 10)->off_ns[ANALYZE_OFF_SLEEP], 240);
		walk_fini(&w);
		cdict_reader_close(r);
		buf_fini(&bytes);
	}
}

/* 10 ran on CPU 0 up to the loss at 300, so that it did not run on CPU 1 since the loss there ended, and
 * from when on it did is unknown. */
static void a_task_is_lost_since_the_loss_on_its_cpu(void **state)
{
	static const struct step steps[] = {
		{ 100, 0, SWITCH, 11, S, 10 },
		{ 110, 1, SWITCH, 20, R, 21 },
		{ 500, 1, SWITCH, 10, R, 20 },
		{ 700, 1, SWITCH, 20, R, 21 },
	};
	static const struct cdict_loss losses[] = {
		{ CDICT_LOSS_RING, 0, CDICT_TYPE_ANY, 300, 350, 9 },
		{ CDICT_LOSS_RING, 1, CDICT_TYPE_ANY, 150, 200, 9 },
	};
	struct buf bytes;
	struct cdict_reader *r = captured(&bytes, steps, COUNT(steps), losses, COUNT(losses));

	(void)state;
	for (int resumed = 0; resumed < 2; resumed++) {
		struct walk w;

		walk(&w, r, 400, 600, resumed);
		assert_int_equal(row(&w, 10)->run_ns, 0);
		assert_int_equal(analyze_engine_cpu_unknown_ns(w.eng, 1), 100);
		walk_fini(&w);
	}
	cdict_reader_close(r);
	buf_fini(&bytes);
}

/* 10 is not on CPU 0 any more when 12 leaves it at 160; it waits since 200, not since 265. With a loss between
 * the two, in which it may have run, its wait is unknown. */
static void the_first_wake_up_since_a_missed_switch_out_begins_the_wait(void **state)
{
	static const struct step steps[] = {
		{ 100, 0, SWITCH, 11, S, 10 }, { 120, 1, SWITCH, 20, R, 21 },
		{ 160, 0, SWITCH, 12, S, 13 }, { 180, 1, SWITCH, 21, R, 20 },
		{ 200, 1, WAKING, 20, 0, 10 }, { 265, 1, WAKING, 20, 0, 10 },
		{ 270, 1, SWITCH, 20, R, 21 }, { 280, 0, SWITCH, 13, R, 14 },
		{ 290, 1, SWITCH, 21, R, 20 }, { 400, 0, SWITCH, 14, R, 10 },
		{ 500, 0, SWITCH, 10, S, 12 }, { 700, 1, SWITCH, 20, R, 21 },
	};
	static const struct cdict_loss loss = { CDICT_LOSS_RING, 0, CDICT_TYPE_ANY, 250, 260, 9 };

	(void)state;
	for (int i = 0; i < 4; i++) {
		bool resumed = i % 2, lossy = i / 2;
		struct buf bytes;
		struct cdict_reader *r = captured(&bytes, steps, COUNT(steps), &loss, lossy);
		struct walk w;

		walk(&w, r, 300, 600, resumed);
		assert_int_equal(row(&w, 10)->delayed_ns, lossy ? 0 : 400 - 300);
		assert_int_equal(row(&w, 10)->delays, !lossy);
		assert_int_equal(row(&w, 10)->latency.max, lossy ? 0 : 400 - 200);
		assert_int_equal(row(&w, 10)->run_ns, 100);
		walk_fini(&w);
		cdict_reader_close(r);
		buf_fini(&bytes);
	}
}

/* 10 sleeps since 100 and is woken twice, 700 us later, then its CPU loses events: whichever wake-up was the first, its
 * state is unknown afterwards. A window there does not begin at its switch-out, however many events ago that was. */
static void a_loss_after_the_wake_ups_makes_the_first_one_irrelevant(void **state)
{
	enum { BUSY = 100000, WOKEN = 700000, FROM = 900000, TO = 950000 };
	static const struct cdict_loss loss = { CDICT_LOSS_RING, 0,           CDICT_TYPE_ANY,
						WOKEN + 250,     WOKEN + 400, 9 };
	struct step *steps = calloc(BUSY + 10, sizeof(*steps));
	struct cdict_reader *r;
	struct buf bytes;
	size_t n = 0;

	(void)state;
	assert_non_null(steps);
	steps[n++] = (struct step){ 50, 0, SWITCH, 11, R, 10 };
	steps[n++] = (struct step){ 100, 0, SWITCH, 10, S, 11 };
	for (uint64_t i = 0; i < BUSY; i++) {
		uint64_t t = 105 + 10 * i;

		if (t - 10 < WOKEN && t >= WOKEN) {
			steps[n++] = (struct step){ WOKEN + 1, 1, WAKING, 20, 0, 10 };
			steps[n++] = (struct step){ WOKEN + 3, 1, WAKING, 20, 0, 10 };
		}
		if (t - 10 < FROM - 9 && t >= FROM - 9)
			steps[n++] = (struct step){ FROM - 9, 0, SWITCH, 12, R, 13 };
		steps[n++] = i % 2 ? (struct step){ t, 1, SWITCH, 20, R, 21 }
				   : (struct step){ t, 1, SWITCH, 21, R, 20 };
	}
	r = captured(&bytes, steps, n, &loss, 1);
	for (int resumed = 0; resumed < 2; resumed++) {
		struct walk w;

		walk(&w, r, FROM, TO, resumed);
		assert_true(!resumed || w.eng->begin_ns > WOKEN);
		assert_int_equal(row(&w, 10)->delayed_ns, 0);
		assert_int_equal(row(&w, 10)->delays, 0);
		assert_int_equal(row(&w, 10)->unknown_ns, TO - FROM);
		walk_fini(&w);
	}
	cdict_reader_close(r);
	buf_fini(&bytes);
	free(steps);
}

/* 10 is preempted at 100, CPU 0 loses events, and 10 is woken at 200: it waits for CPU 1 since then. */
static void a_wake_up_after_a_loss_begins_a_wait_of_a_task_that_was_preempted(void **state)
{
	static const struct step steps[] = {
		{ 50, 0, SWITCH, 11, R, 10 },  { 60, 1, SWITCH, 20, R, 21 },
		{ 100, 0, SWITCH, 10, R, 12 }, { 110, 1, SWITCH, 21, R, 20 },
		{ 180, 1, SWITCH, 20, R, 21 }, { 200, 1, WAKING, 21, 0, 10 },
		{ 220, 1, SWITCH, 21, S, 20 }, { 300, 0, SWITCH, 13, S, 14 },
		{ 500, 1, SWITCH, 20, S, 10 }, { 700, 1, SWITCH, 10, S, 20 },
	};
	static const struct cdict_loss loss = { CDICT_LOSS_RING, 0, CDICT_TYPE_ANY, 120, 150, 9 };
	struct buf bytes;
	struct cdict_reader *r = captured(&bytes, steps, COUNT(steps), &loss, 1);

	(void)state;
	for (int resumed = 0; resumed < 2; resumed++) {
		const struct analyze_core_queue *queue;
		struct walk w;

		walk(&w, r, 400, 600, resumed);
		queue = &analyze_coremap_cpu(w.map, 1)->queue;
		assert_int_equal(queue->max, 1);
		assert_int_equal(queue->waited_ns, 500 - 400);
		assert_int_equal(row(&w, 10)->latency.max, 500 - 200);
		walk_fini(&w);
	}
	cdict_reader_close(r);
	buf_fini(&bytes);
}

/* Sampled on CPU 1 before its first switch; whether its switch-out was missed. */
static void a_task_is_lost_unless_switched_since(void **state)
{
	const struct digest_when never = { ANALYZE_NO_TIME, CDICT_CPU_UNKNOWN }, at = { 50, 1 };
	struct digest_cpu cpus[] = { { .switch_ns = 70 }, { .switch_ns = 60 } };
	struct digest d = { .cpus = cpus, .n_cpus = 2 };
	struct digest_row plain = { .tid = 10,
				    .early = at,
				    .in = { never, never },
				    .out = { never, never } },
			  row = plain;

	(void)state;
	assert_true(resume_is_lost(&d, &row));
	row.in[0] = (struct digest_when){ 70, 0 }; /* once */
	assert_false(resume_is_lost(&d, &row));
	row = plain;
	row.out[0] = (struct digest_when){ 60, 1 };
	assert_false(resume_is_lost(&d, &row));
	row = plain;
	row.early = never;
	assert_false(resume_is_lost(&d, &row));
	cpus[1].switch_ns = ANALYZE_NO_TIME; /* it still runs there */
	assert_false(resume_is_lost(&d, &plain));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_that_began_before_the_window_is_found),
		cmocka_unit_test(the_wake_up_of_an_earlier_slice_begins_no_wait),
		cmocka_unit_test(a_later_wake_up_begins_the_wait),
		cmocka_unit_test(the_first_wake_up_since_a_missed_switch_out_begins_the_wait),
		cmocka_unit_test(a_loss_after_the_wake_ups_makes_the_first_one_irrelevant),
		cmocka_unit_test(a_wake_up_after_a_loss_begins_a_wait_of_a_task_that_was_preempted),
		cmocka_unit_test(a_task_is_lost_since_the_loss_on_its_cpu),
		cmocka_unit_test(a_task_is_lost_unless_switched_since),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* What digests keep of blocks: the latest two wakeups of each task, switches that are missing, and which tasks are in the
 * list. */
#include "cdict/digest.h"
#include "format/digest.h"
#include "format/digest/digest_book.h"
#include "format/file/writer.h"
#include "tests/unit/cdictfile.h"

enum { WAKEUP = 2, TASKS = 6, FIRST = 10 };

/* An event of @tid, of a type of usual_schema(): a switch from @prev to @pid, or what names @pid. */
static void put_of(struct format_encoder *enc, const struct cdict_schema *schema, unsigned type,
		   uint64_t t_ns, int32_t tid, int32_t prev, int32_t pid)
{
	struct cdict_sample s = { .t_ns = t_ns, .tid = tid, .pid = tid, .mode = 1 };
	struct payload p;

	payload_init(&p, schema, type);
	payload_number(&p, "common_pid", (uint64_t)prev);
	if (type == SWITCH) {
		payload_number(&p, "prev_pid", (uint64_t)prev);
		payload_number(&p, "next_pid", (uint64_t)pid);
	} else {
		payload_number(&p, "pid", (uint64_t)pid);
		payload_number(&p, "target_cpu", 3);
	}
	assert_int_equal(format_encoder_add(enc, &s, p.type->index, p.data, p.size), 0);
}

static void put(struct format_encoder *enc, const struct cdict_schema *schema, unsigned type,
		uint64_t t_ns, int32_t pid)
{
	put_of(enc, schema, type, t_ns, 1, 1, pid);
}

static void end_block(struct file *f, struct format_encoder *enc)
{
	struct buf payload = { 0 };
	struct format_block info;
	struct block_digest *digest;

	assert_int_equal(format_encoder_finish(enc, &payload, &info, &digest), 0);
	assert_int_equal(format_writer_put(f->w, payload.data, payload.len, &info, digest, NULL),
			 0);
	free(digest);
	buf_fini(&payload);
}

/* A block that is large enough for digests, which take no more than their share of the file. */
static void put_first(struct file *f, struct format_encoder *enc, const struct cdict_schema *schema)
{
	format_writer_digests(f->w, 1000000);
	for (unsigned i = 0, t_ns = 0; i < 300; i++)
		put(enc, schema, WAKING, t_ns += 1 + i * i % 3, 1000);
	end_block(f, enc);
}

/* Every second task is woken twice; each sched_wakeup is 5 ns after its sched_waking. */
static uint64_t waking_ns(int i, int round)
{
	return 1000 + 1000 * (uint64_t)round + 10 * (uint64_t)i;
}

static struct cdict_reader *capture(struct file *f, const struct cdict_schema *schema)
{
	struct format_encoder *enc = format_encoder_new(schema);
	struct cdict_reader *r;

	file_begin(f, schema);
	put_first(f, enc, schema);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < TASKS; i += 1 + round) {
			put(enc, schema, WAKING, waking_ns(i, round), FIRST + i);
			put(enc, schema, WAKEUP, waking_ns(i, round) + 5, FIRST + i);
		}
	end_block(f, enc);
	put(enc, schema, SWITCH, 5000, 2);
	end_block(f, enc);
	format_encoder_free(enc);
	file_end(f);
	assert_int_equal(cdict_reader_parse(&r, f->bytes.data, f->bytes.len, NULL), 0);
	return r;
}

static void each_row_has_its_tasks_latest_two_wakeups(void **state)
{
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
	struct cdict_digests *d;
	struct cdict_reader *r;
	struct file f;
	unsigned found = 0;

	(void)state;
	add_type(schema, "sched", "sched_switch", 1, switch_fields, COUNT(switch_fields));
	add_type(schema, "sched", "sched_waking", 2, waking_fields, COUNT(waking_fields));
	add_type(schema, "sched", "sched_wakeup", 3, waking_fields, COUNT(waking_fields));
	r = capture(&f, schema);
	assert_int_equal(cdict_reader_digests(r, &d, NULL), 0);
	assert_non_null(d);
	assert_true(d->wakes_apart && d->up_ns);
	for (size_t i = 0; i < d->n_rows; i++) {
		int task = d->rows[i].tid - FIRST;

		if (task < 0 || task >= TASKS)
			continue;
		found++;
		assert_int_equal(d->rows[i].wake_ns[0], waking_ns(task, task % 2 == 0));
		assert_int_equal(d->rows[i].wake_ns[1],
				 task % 2 ? CDICT_NEVER : waking_ns(task, 0));
		assert_int_equal(d->rows[i].wake_cpu, 3);
		assert_int_equal(d->up_ns[i][0], waking_ns(task, task % 2 == 0) + 5);
		assert_int_equal(d->up_ns[i][1], task % 2 ? CDICT_NEVER : waking_ns(task, 0) + 5);
	}
	assert_int_equal(found, TASKS);
	cdict_digests_free(d);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

struct switched {
	int32_t tid, prev, next; /* the sample's task, and the switch's; next 0: not a switch */
};

/* The missing switches of a block with these events. */
static uint64_t missing(const struct switched *events, size_t n)
{
	struct cdict_schema *schema = usual_schema();
	struct format_encoder *enc = format_encoder_new(schema);
	struct cdict_digests *d;
	struct cdict_reader *r;
	uint64_t sum = 0;
	struct file f;

	file_begin(&f, schema);
	put_first(&f, enc, schema);
	for (size_t i = 0; i < n; i++)
		put_of(enc, schema, events[i].next ? SWITCH : WAKING, 1000 + i, events[i].tid,
		       events[i].prev, events[i].next ? events[i].next : 1000);
	end_block(&f, enc);
	format_encoder_free(enc);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_int_equal(cdict_reader_digests(r, &d, NULL), 0);
	assert_non_null(d);
	for (size_t i = 0; i < d->n_cuts; i++)
		sum += d->cuts[i].missing;
	cdict_digests_free(d);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
	return sum;
}

#define MISSING(...)                                                                               \
	missing((const struct switched[]){ __VA_ARGS__ },                                          \
		COUNT(((const struct switched[]){ __VA_ARGS__ })))

/* perf gives -1 for the task of a sample that is exiting. */
static void a_switch_is_missing_where_another_task_runs_than_was_switched_in(void **state)
{
	(void)state;
	assert_int_equal(MISSING({ 5, 5, 6 }, { 6, 6, 7 }, { 7, 7, 5 }), 0);
	/* before the first switch anything may have been */
	assert_int_equal(MISSING({ 4, 5, 6 }, { 6, 6, 7 }), 0);
	assert_int_equal(MISSING({ 4, 0, 0 }, { 5, 5, 6 }), 0);
	assert_int_equal(MISSING({ -1, 5, 6 }, { 6, 6, 7 }), 0);
	/* the task that was switched in exits */
	assert_int_equal(MISSING({ 5, 5, 6 }, { -1, 6, 7 }, { 7, 7, 5 }), 0);
	assert_int_equal(MISSING({ 5, 5, 6 }, { -1, 0, 0 }, { -1, 6, 7 }), 0);
	/* another one exits, or goes */
	assert_int_equal(MISSING({ 5, 5, 6 }, { -1, 8, 7 }, { 7, 7, 5 }), 1);
	assert_int_equal(MISSING({ 5, 5, 6 }, { 8, 8, 7 }, { 7, 7, 5 }), 1);
	assert_int_equal(MISSING({ 5, 5, 6 }, { 8, 0, 0 }, { 8, 8, 7 }), 1);
	assert_int_equal(MISSING({ 5, 5, 6 }, { 8, 8, 7 }, { 9, 9, 5 }), 2);
}

/* The digests of a file with these many recorded tasks, the first of them @first, and some events. */
static bool has_digests(int32_t first, int32_t n)
{
	struct cdict_schema *schema = usual_schema();
	struct format_encoder *enc = format_encoder_new(schema);
	struct cdict_digests *d;
	struct cdict_reader *r;
	struct file f;
	bool has;

	file_begin(&f, schema);
	put_first(&f, enc, schema);
	for (int32_t i = 0; i < n; i++) {
		struct cdict_task_event ev = {
			.t_ns = 5000, .what = CDICT_TASK_FORK, .pid = first + i, .tid = first + i
		};

		assert_int_equal(cdict_writer_task(f.w, &ev, NULL), 0);
	}
	put(enc, schema, WAKING, 6000, 1000);
	end_block(&f, enc);
	format_encoder_free(enc);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_int_equal(cdict_reader_digests(r, &d, NULL), 0);
	has = d;
	if (has) /* tasks 1 and 1000 are in events */
		assert_int_equal(d->n_lives, first == 1 ? n - 1 : n);
	cdict_digests_free(d);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
	return has;
}

static void tasks_that_are_only_recorded_are_known_up_to_a_limit(void **state)
{
	(void)state;
	assert_true(has_digests(1, 1)); /* init, too */
	assert_true(has_digests(2000, 3));
	assert_true(has_digests(2000, BOOK_TASKS_MAX - 2));
	assert_false(has_digests(2000, BOOK_TASKS_MAX - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_has_its_tasks_latest_two_wakeups),
		cmocka_unit_test(a_switch_is_missing_where_another_task_runs_than_was_switched_in),
		cmocka_unit_test(tasks_that_are_only_recorded_are_known_up_to_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

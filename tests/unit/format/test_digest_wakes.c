/* SPDX-License-Identifier: GPL-2.0-only */
/* Where sched_waking and sched_wakeup are recorded, a digest has the latest two sched_wakeup of each task. */
#include "cdict/digest.h"
#include "format/digest.h"
#include "format/file/writer.h"
#include "tests/unit/cdictfile.h"

enum { WAKEUP = 2, TASKS = 6, FIRST = 10 };

static void put(struct format_encoder *enc, const struct cdict_schema *schema, unsigned type,
		uint64_t t_ns, int32_t pid)
{
	struct cdict_sample s = { .t_ns = t_ns, .tid = 1, .pid = 1, .mode = 1 };
	struct payload p;

	payload_init(&p, schema, type);
	payload_number(&p, "common_pid", 1);
	if (type == SWITCH) {
		payload_number(&p, "prev_pid", 1);
		payload_number(&p, "next_pid", (uint64_t)pid);
	} else {
		payload_number(&p, "pid", (uint64_t)pid);
		payload_number(&p, "target_cpu", 3);
	}
	assert_int_equal(format_encoder_add(enc, &s, p.type->index, p.data, p.size), 0);
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
	format_writer_digests(f->w, 1000000);
	/* digests take no more than their share of the file */
	for (unsigned i = 0, t_ns = 0; i < 300; i++)
		put(enc, schema, WAKING, t_ns += 1 + i * i % 3, 1000);
	end_block(f, enc);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_has_its_tasks_latest_two_wakeups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Contents of the flight recorder: the last seconds, the last bytes, and the names of tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "convert/ingest/snapshot.h"

#define MS UINT64_C(1000000)
#define S UINT64_C(1000000000)

/* A block of @bytes whose events end at @last_ns; the fork and the name of @tid go before it. */
static void put(struct snapshot_ring *k, uint64_t last_ns, size_t bytes, int32_t tid,
		const char *comm)
{
	struct store_item item = { 0 };
	struct cdict_error err = { 0 };
	uint8_t *room = buf_room(&item.payload, bytes);

	assert_non_null(room);
	memset(room, 'x', bytes);
	item.payload.len = bytes;
	if (tid) {
		struct cdict_task_event name = { .t_ns = last_ns,
						 .what = CDICT_TASK_COMM,
						 .pid = tid,
						 .tid = tid,
						 .comm = comm };

		rows_add_task(&item.rows, &name);
	}
	if (last_ns) {
		item.parts = calloc(1, sizeof(*item.parts));
		assert_non_null(item.parts);
		item.n_parts = 1;
		item.parts[0].size = bytes;
		item.parts[0].info = (struct format_block){
			.cpu = 0, .events = 1, .first_ns = last_ns, .last_ns = last_ns
		};
	}
	assert_int_equal(snapshot_ring_put(k, &item, &err), 0);
	assert_null(item.parts); /* taken */
	assert_null(item.payload.data);
}

static size_t held(struct snapshot_ring *k, uint64_t *first_ns)
{
	struct cdict_error err = { 0 };
	struct snapshot s;
	size_t n;

	assert_int_equal(snapshot_ring_take(k, &s, &err), 0);
	n = s.n;
	*first_ns = n ? snapshot_item(s.items[0])->parts[0].info.last_ns : 0;
	snapshot_free(k, &s);
	return n;
}

static void data_older_than_the_limit_is_dropped(void **state)
{
	struct snapshot_ring *k = snapshot_ring_new(2 * S, 0);
	uint64_t first, held_ns;

	(void)state;
	for (uint64_t t = 1; t <= 100; t++)
		put(k, t * 100 * MS, 1000, 0, NULL);
	/* All blocks that ended in the last two seconds, including the edge. */
	assert_int_equal(held(k, &first), 21);
	assert_int_equal(first, 8 * S);
	assert_false(snapshot_ring_full(k, &held_ns));
	snapshot_ring_free(k);
}

static void data_that_does_not_fit_is_dropped_and_reported(void **state)
{
	struct snapshot_ring *k = snapshot_ring_new(10 * S, 20 * 1200);
	uint64_t first, held_ns;
	size_t n;

	(void)state;
	for (uint64_t t = 1; t <= 15; t++)
		put(k, t * 100 * MS, 1000, 0, NULL);
	assert_int_equal(held(k, &first), 15);
	assert_false(snapshot_ring_full(k, &held_ns));
	for (uint64_t t = 16; t <= 100; t++)
		put(k, t * 100 * MS, 1000, 0, NULL);
	n = held(k, &first);
	assert_true(n >= 15 && n <= 20); /* each weighs a little more than its payload */
	assert_true(snapshot_ring_full(k, &held_ns));
	assert_int_equal(held_ns, n * 100 * MS);
	assert_int_equal(first, 10 * S - (n - 1) * 100 * MS);
	/* A long calm: the dropped data is older than the time asked for. */
	put(k, 60 * S, 1000, 0, NULL);
	assert_false(snapshot_ring_full(k, &held_ns));
	snapshot_ring_free(k);
}

static void one_block_is_held_however_large(void **state)
{
	struct snapshot_ring *k = snapshot_ring_new(0, 100);
	uint64_t first, held_ns;

	(void)state;
	put(k, 1 * S, 5000, 0, NULL);
	assert_int_equal(held(k, &first), 1);
	put(k, 2 * S, 6000, 0, NULL);
	assert_int_equal(held(k, &first), 1);
	assert_int_equal(first, 2 * S);
	assert_false(snapshot_ring_full(k, &held_ns)); /* no time was asked for */
	snapshot_ring_free(k);
}

static void a_snapshot_stays_while_recording_goes_on(void **state)
{
	struct snapshot_ring *k = snapshot_ring_new(1 * S, 0);
	struct cdict_error err = { 0 };
	struct snapshot s;
	uint64_t first;

	(void)state;
	put(k, 1 * S, 1000, 0, NULL);
	put(k, 2 * S, 1000, 0, NULL);
	assert_int_equal(snapshot_ring_take(k, &s, &err), 0);
	for (uint64_t t = 3; t <= 100; t++)
		put(k, t * S, 1000, 0, NULL);
	assert_int_equal(s.n, 2);
	for (size_t i = 0; i < s.n; i++) {
		const struct store_item *item = snapshot_item(s.items[i]);

		assert_int_equal(item->parts[0].info.last_ns, (i + 1) * S);
		assert_int_equal(item->payload.len, 1000);
		assert_int_equal(item->payload.data[999], 'x');
	}
	snapshot_free(k, &s);
	assert_int_equal(held(k, &first), 2);
	snapshot_ring_free(k);
}

static void the_names_of_tasks_are_never_dropped(void **state)
{
	struct snapshot_ring *k = snapshot_ring_new(1 * S, 0);
	struct cdict_error err = { 0 };
	struct snapshot s;
	bool seven = false;

	(void)state;
	put(k, 1 * S, 1000, 7, "first");
	put(k, 2 * S, 1000, 7, "second");
	for (uint64_t t = 10; t <= 20; t++)
		put(k, t * S, 1000, (int32_t)t, "other");
	assert_int_equal(snapshot_ring_take(k, &s, &err), 0);
	for (size_t i = 0; i < rows_tasks(&s.before); i++) {
		const struct task_row *row = rows_task(&s.before, i);

		assert_int_equal(row->t_ns, 0);
		if (row->tid == 7) {
			assert_string_equal(rows_comm(&s.before, row), "second");
			seven = true;
		}
	}
	assert_true(seven);
	/* Those of the held blocks are kept with them. */
	assert_int_equal(s.n, 2);
	assert_int_equal(rows_task(&snapshot_item(s.items[1])->rows, 0)->tid, 20);
	snapshot_free(k, &s);
	snapshot_ring_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(data_older_than_the_limit_is_dropped),
		cmocka_unit_test(data_that_does_not_fit_is_dropped_and_reported),
		cmocka_unit_test(one_block_is_held_however_large),
		cmocka_unit_test(a_snapshot_stays_while_recording_goes_on),
		cmocka_unit_test(the_names_of_tasks_are_never_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

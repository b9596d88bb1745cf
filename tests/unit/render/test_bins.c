/* SPDX-License-Identifier: GPL-2.0-only */
/* Bins of time and duration, and lanes of the tasks that had a CPU: nothing is lost between
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include <cmocka.h>

#include "render/bins/bins.h"
#include "render/bins/lanes.h"

static uint64_t rows_sum(const struct bins_grid *g)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < (size_t)g->rows * g->columns; i++)
		sum += g->cells[i];
	return sum;
}

static bool is_even(void *ctx, uint32_t owner)
{
	(void)ctx;
	return owner % 2 == 0;
}

static void the_edges_ascend_and_powers_of_ten_are_exact(void **state)
{
	(void)state;
	assert_true(bins_edge(0) == 1);
	assert_true(bins_edge(3 * BINS_PER_DECADE) == 1000);
	assert_true(bins_edge(9 * BINS_PER_DECADE) == 1000000000);
	assert_true(bins_edge(BINS_ROWS) == 1000000000000);
	/* below 10 ns several rows begin at the same ns */
	for (unsigned row = 0; row < BINS_ROWS; row++)
		assert_true(bins_edge(row) <= bins_edge(row + 1));
	for (unsigned row = 2 * BINS_PER_DECADE; row < BINS_ROWS; row++)
		assert_true(bins_edge(row) < bins_edge(row + 1));
}

static void a_duration_is_in_the_row_whose_edges_hold_it(void **state)
{
	struct bins_rows rows;
	uint64_t dur = 1;

	(void)state;
	bins_rows_init(&rows);
	for (int i = 0; i < 3000; i++, dur += 1 + dur / 97) {
		unsigned row = bins_row(&rows, dur);

		if (row == BINS_ROWS) {
			assert_true(dur >= bins_edge(BINS_ROWS));
			continue;
		}
		assert_true(bins_edge(row) <= dur && dur < bins_edge(row + 1));
	}
	assert_int_equal(bins_row(&rows, 999), 3 * BINS_PER_DECADE - 1);
	assert_int_equal(bins_row(&rows, 1000), 3 * BINS_PER_DECADE);
	assert_int_equal(bins_row(&rows, UINT64_MAX), BINS_ROWS);
}

static void cells_and_overflow_add_up_to_the_events(void **state)
{
	static const unsigned per_decade[] = { 1, 2, 3, 4, 6, 8, 12, 24 };
	struct bins *b = bins_new(1000, 2000000, 37);
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		assert_int_equal(bins_add(b, (uint32_t)(seed >> 60), 900 + (seed >> 20) % 2000200,
					  (seed >> 3) % ((uint64_t)1 << (seed >> 58))),
				 0);
	}
	for (int i = 0; i < 7; i++)
		assert_int_equal(bins_unplaced(b, 3), 0);
	for (size_t i = 0; i < sizeof(per_decade) / sizeof(per_decade[0]); i++) {
		struct bins_grid g;

		assert_int_equal(bins_sum(b, NULL, NULL, per_decade[i], &g), 0);
		assert_true(g.events == 5007);
		assert_true(g.unplaced == 7);
		assert_true(g.shorter > 0 && g.longer > 0 && g.outside > 0);
		assert_true(rows_sum(&g) == g.in_cells);
		assert_true(g.in_cells + g.shorter + g.longer + g.outside + g.unplaced == g.events);
		bins_grid_fini(&g);
	}
	bins_free(b);
}

static void only_the_owners_wanted_are_summed(void **state)
{
	struct bins *b = bins_new(0, 10, 10);
	struct bins_grid g;

	(void)state;
	for (uint32_t owner = 0; owner < 10; owner++)
		for (uint32_t i = 0; i <= owner; i++)
			bins_add(b, owner, 5, 2000);
	assert_int_equal(bins_sum(b, is_even, NULL, 4, &g), 0);
	assert_true(g.events == 1 + 3 + 5 + 7 + 9);
	assert_true(g.max == 25);
	bins_grid_fini(&g);
	bins_free(b);
}

static void an_event_stands_in_its_time_and_duration(void **state)
{
	struct bins *b = bins_new(100, 200, 10);
	struct bins_grid g;

	(void)state;
	bins_add(b, 1, 100, 1000);  /* the first column */
	bins_add(b, 1, 139, 20000); /* the fourth, a decade and a bit up */
	bins_add(b, 1, 200, 99999); /* the window's end is the last column's */
	assert_int_equal(bins_sum(b, NULL, NULL, 2, &g), 0);
	assert_int_equal(g.lo_decade, 3);
	assert_int_equal(g.rows, 4); /* 1 to 100 µs */
	assert_true(g.cells[0 * 10 + 0] == 1);
	assert_true(g.cells[2 * 10 + 3] == 1);
	assert_true(g.cells[3 * 10 + 9] == 1);
	bins_grid_fini(&g);
	bins_free(b);
}

static void an_empty_grid_has_rows_to_draw_and_a_window_of_no_length_is_no_fault(void **state)
{
	struct bins *b = bins_new(7, 7, 3);
	struct bins_grid g;

	(void)state;
	assert_int_equal(bins_sum(b, NULL, NULL, 1, &g), 0);
	assert_int_equal(g.rows, 3);
	assert_true(g.events == 0 && g.max == 0);
	bins_grid_fini(&g);
	bins_add(b, 0, 7, 50);
	assert_int_equal(bins_sum(b, NULL, NULL, 1, &g), 0);
	assert_true(g.in_cells == 1);
	bins_grid_fini(&g);
	bins_free(b);
}

static void a_lane_belongs_to_the_task_that_had_it_longest(void **state)
{
	struct lanes *l = lanes_new(1000, 2000, 10, 2);

	(void)state;
	assert_int_equal(lanes_add(l, 0, 7, false, 1000, 1140),
			 0); /* column 0, and 40 of column 1 */
	assert_int_equal(lanes_add(l, 0, 8, false, 1140, 1200), 0); /* the other 60 */
	assert_int_equal(lanes_add(l, 0, 7, false, 1900, 2000), 0);
	assert_int_equal(lanes_add(l, 5, 7, false, 1000, 2000), 0); /* no such CPU: nothing */
	assert_int_equal(lanes_majority(l, 0)[0], 7);
	assert_int_equal(lanes_majority(l, 0)[1], 8);
	assert_true(lanes_majority(l, 0)[2] == LANES_NONE);
	assert_int_equal(lanes_majority(l, 0)[9], 7);
	assert_true(lanes_majority(l, 1)[0] == LANES_NONE);
	lanes_free(l);
}

static void many_short_pieces_outweigh_a_long_one(void **state)
{
	struct lanes *l = lanes_new(0, 100, 1, 1);

	(void)state;
	lanes_add(l, 0, 1, false, 0, 40);
	for (uint64_t t = 40; t < 100; t += 10)
		lanes_add(l, 0, 2, false, t, t + 10);
	assert_int_equal(lanes_majority(l, 0)[0], 2);
	lanes_free(l);
}

static void a_cpu_that_many_share_is_not_idle(void **state)
{
	struct lanes *l = lanes_new(0, 300, 3, 1);

	(void)state;
	lanes_add(l, 0, 0, true, 0, 22);
	for (uint32_t i = 1; i <= 6; i++)
		lanes_add(l, 0, i, false, 9 + 13 * i,
			  22 + 13 * i); /* the longest has 13 of 100 ns */
	assert_int_equal(lanes_majority(l, 0)[0], 1);
	lanes_add(l, 0, 5, false, 100, 120);
	lanes_add(l, 0, 0, true, 120, 171);
	lanes_add(l, 0, 6, false, 171, 200);
	assert_int_equal(lanes_majority(l, 0)[1], 0); /* 51 of 100 */
	lanes_add(l, 0, 0, true, 200, 250);
	lanes_add(l, 0, 7, false, 250, 300);
	assert_int_equal(lanes_majority(l, 0)[2], 7);
	lanes_free(l);
}

static int group_by_ten(void *ctx, uint32_t task, uint64_t *key)
{
	*key = task / 10;
	return ctx ? -ENOMEM : 0;
}

static void a_lane_belongs_to_the_group_that_had_it_longest(void **state)
{
	struct lanes *l = lanes_new(0, 400, 4, 2);
	uint32_t got[8];

	(void)state;
	memset(got, 0xff, sizeof(got));
	lanes_keep(l);
	/* 40 for a task of group 1, 60 for three of group 2 */
	lanes_add(l, 1, 10, false, 0, 40);
	lanes_add(l, 1, 21, false, 40, 55);
	lanes_add(l, 1, 22, false, 55, 80);
	lanes_add(l, 1, 23, false, 80, 100);
	/* the group has the time, the task most of it */
	lanes_add(l, 1, 11, false, 100, 200);
	/* mostly idle */
	lanes_add(l, 1, 0, true, 200, 260);
	lanes_add(l, 1, 10, false, 260, 275);
	lanes_add(l, 1, 20, false, 275, 287);
	lanes_add(l, 1, 21, false, 287, 300);
	/* the last column is closed, too: 34 of group 1, 33 + 33 of group 3 */
	lanes_add(l, 1, 10, false, 300, 334);
	lanes_add(l, 1, 32, false, 334, 367);
	lanes_add(l, 1, 31, false, 367, 400);
	assert_int_equal(lanes_majority(l, 1)[0], 10);
	assert_int_equal(lanes_groups(l, group_by_ten, NULL, got), 0);
	assert_true(got[0] == LANES_NONE);
	assert_int_equal(got[4], 22);
	/* certain without the tasks' times: left as they were */
	assert_true(got[5] == LANES_NONE && lanes_majority(l, 1)[1] == 11);
	assert_true(got[6] == LANES_NONE && lanes_majority(l, 1)[2] == 0);
	assert_int_equal(got[7], 31); /* of equals the lower number */
	assert_int_equal(lanes_groups(l, group_by_ten, l, got), -ENOMEM);
	lanes_free(l);
}

static void pieces_that_tile_the_window_fill_every_lane(void **state)
{
	struct lanes *l = lanes_new(3, 1003, 7, 1);
	uint64_t t = 3;

	(void)state;
	for (uint32_t i = 0; t < 1003; i++) {
		uint64_t to = t + 1 + i % 13;

		to = to > 1003 ? 1003 : to;
		lanes_add(l, 0, i % 3, false, t, to);
		t = to;
	}
	for (unsigned c = 0; c < 7; c++)
		assert_true(lanes_majority(l, 0)[c] != LANES_NONE);
	lanes_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_edges_ascend_and_powers_of_ten_are_exact),
		cmocka_unit_test(a_duration_is_in_the_row_whose_edges_hold_it),
		cmocka_unit_test(cells_and_overflow_add_up_to_the_events),
		cmocka_unit_test(only_the_owners_wanted_are_summed),
		cmocka_unit_test(an_event_stands_in_its_time_and_duration),
		cmocka_unit_test(
			an_empty_grid_has_rows_to_draw_and_a_window_of_no_length_is_no_fault),
		cmocka_unit_test(a_lane_belongs_to_the_task_that_had_it_longest),
		cmocka_unit_test(many_short_pieces_outweigh_a_long_one),
		cmocka_unit_test(a_cpu_that_many_share_is_not_idle),
		cmocka_unit_test(a_lane_belongs_to_the_group_that_had_it_longest),
		cmocka_unit_test(pieces_that_tile_the_window_fill_every_lane),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of very many tasks: packed or not they keep their values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyze/walk/sparse.h"

struct row {
	uint32_t task, cpu;
	uint64_t n[6];
	uint8_t odd;
	char *own;
};

enum { ROWS = 1000 };

static unsigned finished;

static void row_fini(void *row)
{
	finished++;
	free(((struct row *)row)->own);
}

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Each change is made to a row and to its copy in an array. */
static void change(struct row *a, struct row *b)
{
	unsigned i = rnd() % 6;
	uint64_t by = rnd() >> (rnd() % 64);

	a->n[i] += by;
	b->n[i] += by;
	a->task = b->task = (uint32_t)by;
	a->odd = b->odd = (uint8_t)(by >> 3);
}

static void rows_hold_what_was_put_into_them_however_few_stand_unpacked(void **state)
{
	static const uint32_t most[] = { 1, 2, 7, ROWS, 0 };
	static const struct row fresh = { .cpu = UINT32_MAX };

	(void)state;
	for (size_t m = 0; m < sizeof(most) / sizeof(most[0]); m++) {
		struct sparse s = { .size = sizeof(struct row), .most = most[m], .fresh = &fresh };
		struct row *like = calloc(ROWS, sizeof(*like)), copy;
		unsigned made = 0;

		assert_non_null(like);
		for (unsigned k = 0; k < 30 * ROWS; k++) {
			uint32_t i = (uint32_t)(rnd() % ROWS) / 2 * 2; /* not the odd ones */
			bool there = sparse_has(&s, i);
			struct row *row = sparse_row(&s, i);

			assert_non_null(row);
			if (!there) {
				made++;
				assert_memory_equal(row, &fresh, sizeof(*row));
				like[i] = fresh;
				like[i].own = row->own = malloc(1);
			}
			assert_memory_equal(row, &like[i], sizeof(*row));
			change(row, &like[i]);
		}
		for (uint32_t i = 0; i < ROWS + 1; i++) {
			assert_int_equal(sparse_read(&s, i, &copy), i < ROWS && i % 2 == 0);
			assert_int_equal(sparse_has(&s, i), i < ROWS && i % 2 == 0);
			if (i < ROWS && i % 2 == 0)
				assert_memory_equal(&copy, &like[i], sizeof(copy));
		}
		assert_int_equal(made, ROWS / 2);
		finished = 0;
		sparse_fini(&s, row_fini);
		assert_int_equal(finished, made);
		free(like);
	}
}

/* Packed rows are given back: rows that are asked for again and again take no more room. */
static void the_room_of_packed_rows_is_used_again(void **state)
{
	struct sparse s = { .size = sizeof(struct row), .most = 10 };
	uint32_t end = 0;

	(void)state;
	for (unsigned round = 0; round < 50; round++) {
		for (uint32_t i = 0; i < ROWS; i++) {
			struct row *row = sparse_row(&s, i);

			assert_non_null(row);
			row->n[round % 2] = 1 + i % 100;
		}
		if (round == 2)
			end = s.end;
	}
	assert_true(end && s.end == end);
	/* a byte of the mask each, and one or two for each of the two numbers */
	assert_true(s.end <= ROWS);
	sparse_fini(&s, NULL);
}

static void there_is_no_row_of_the_number_of_no_memory(void **state)
{
	struct sparse s = { .size = sizeof(struct row) };

	(void)state;
	assert_null(sparse_row(&s, UINT32_MAX));
	assert_false(sparse_has(&s, UINT32_MAX));
	sparse_fini(&s, NULL);
}

static void what_ended_may_be_used_again(void **state)
{
	struct sparse s = { .size = sizeof(struct row) };

	(void)state;
	for (int round = 0; round < 2; round++) {
		assert_false(sparse_has(&s, 5));
		assert_non_null(sparse_row(&s, 5));
		assert_true(sparse_has(&s, 5));
		sparse_fini(&s, NULL);
	}
	sparse_fini(&s, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_hold_what_was_put_into_them_however_few_stand_unpacked),
		cmocka_unit_test(the_room_of_packed_rows_is_used_again),
		cmocka_unit_test(there_is_no_row_of_the_number_of_no_memory),
		cmocka_unit_test(what_ended_may_be_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

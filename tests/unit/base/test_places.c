/* SPDX-License-Identifier: GPL-2.0-only */
/* Places of keys in an array: every added key is found, whatever the keys are, and wherever they
 * are put. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "analyze/walk/index.h"

enum { MANY = 50000 };

static void key_at(const void *array, uint32_t place, uint64_t ab[2])
{
	ab[0] = ((const uint64_t *)array)[place];
	ab[1] = 0;
}

static bool find(const struct places *p, const uint64_t *keys, uint64_t key, size_t *at,
		 uint32_t *place)
{
	for (*at = places_begin(p, key, 0); places_at(p, *at, place); *at = places_next(p, *at))
		if (keys[*place] == key)
			return true;
	return false;
}

static void keys_are_found_where_they_stand_and_where_they_were_moved_to(void **state)
{
	uint64_t *keys = calloc(2 * MANY, sizeof(*keys));
	struct places p = { 0 };
	size_t at, steps = 0;
	uint32_t place;

	(void)state;
	assert_non_null(keys);
	assert_false(find(&p, keys, 0, &at, &place));
	for (uint32_t i = 0; i < MANY; i++) {
		keys[i] = (uint64_t)i << 40 | i; /* differs in the high bits alone, nearly */
		assert_false(find(&p, keys, keys[i], &at, &place));
		assert_int_equal(places_room(&p, key_at, keys, sizeof(*keys)), 0);
		places_add(&p, keys[i], 0, i);
	}
	for (uint32_t i = 0; i < MANY; i += 2) {
		keys[MANY + i] = keys[i];
		assert_true(find(&p, keys, keys[i], &at, &place));
		places_move(&p, at, MANY + i);
		keys[i] = UINT64_MAX;
	}
	/* it grows, and moved keys stay where they are */
	for (uint32_t i = 1; i < MANY; i += 2) {
		keys[MANY + i] = ~(uint64_t)i << 1;
		assert_int_equal(places_room(&p, key_at, keys, sizeof(*keys)), 0);
		places_add(&p, keys[MANY + i], 0, MANY + i);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		assert_true(find(&p, keys, (uint64_t)i << 40 | i, &at, &place));
		assert_int_equal(place, i % 2 ? i : MANY + i);
		for (size_t k = places_begin(&p, (uint64_t)i << 40 | i, 0); k != at;
		     k = places_next(&p, k))
			steps++;
	}
	assert_int_equal(p.n, MANY + MANY / 2);
	assert_true(2 * p.n <= p.n_slots);
	/* half full a look-up passes one other key on average */
	assert_true(steps < 3 * MANY);
	places_fini(&p);
	free(keys);
}

static void pairs_are_numbered_in_the_order_in_which_they_come(void **state)
{
	struct index ix = { 0 };

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < MANY; i++)
			assert_int_equal(index_take(&ix, i % 100, i / 100 * UINT64_C(1000000007)),
					 i);
		assert_int_equal(ix.keys.n, MANY);
	}
	assert_int_equal(index_take(&ix, 100, 0), MANY);
	assert_true(ix.keys.at[4321].a == 21 && ix.keys.at[4321].b == 43 * UINT64_C(1000000007));
	index_fini(&ix);
	assert_int_equal(index_take(&ix, 5, 5), 0);
	index_fini(&ix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_found_where_they_stand_and_where_they_were_moved_to),
		cmocka_unit_test(pairs_are_numbered_in_the_order_in_which_they_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

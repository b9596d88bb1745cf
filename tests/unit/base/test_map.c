/* SPDX-License-Identifier: GPL-2.0-only */
/* The map: every added key is found, whatever the keys are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory/map.h"

enum { MANY = 100000 };

static uint64_t one_after_the_other(uint64_t i)
{
	return i;
}

static uint64_t only_in_the_high_bits(uint64_t i)
{
	return i << 44;
}

static uint64_t pages_apart(uint64_t i)
{
	return i * 4096;
}

static uint64_t negative(uint64_t i)
{
	return UINT64_MAX - i;
}

/* Keys that a map without a seed would mix badly: all high bits are alike. */
static uint64_t undone(uint64_t i)
{
	/* the inverse of the first odd factor in hash_of(), by Newton's iteration */
	static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t inverse = factor;

	for (int n = 0; n < 6; n++)
		inverse *= 2 - factor * inverse;
	return i * inverse;
}

static void added_keys_are_found_and_similar_keys_do_not_crowd(void **state)
{
	static uint64_t (*const keys[])(uint64_t) = { one_after_the_other, only_in_the_high_bits,
						      pages_apart, negative, undone };

	(void)state;
	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		for (int second = 0; second < 2; second++) {
			struct map m = { 0 };

			assert_null(map_find(&m, 0, 0));
			for (uint32_t i = 0; i < MANY; i++) {
				uint64_t key = keys[k](i);
				uint32_t *v = second ? map_add(&m, 5, key) : map_add(&m, key, 0);

				assert_non_null(v);
				assert_int_equal(*v, MAP_NEW);
				*v = i;
			}
			assert_int_equal(m.n, MANY);
			for (uint32_t i = 0; i < MANY; i++) {
				uint64_t key = keys[k](i);
				uint32_t *v = second ? map_find(&m, 5, key) : map_find(&m, key, 0);

				assert_non_null(v);
				assert_int_equal(*v, i);
				assert_ptr_equal(second ? map_add(&m, 5, key) : map_add(&m, key, 0),
						 v);
			}
			assert_int_equal(m.n, MANY);
			assert_null(map_find(&m, 6, 1));
			/* half full and evenly spread it is about 60 */
			assert_true(map_longest_run(&m) < 300);
			map_fini(&m);
			assert_null(map_find(&m, 0, 0));
		}
	}
}

static void the_two_words_of_a_key_are_not_exchanged(void **state)
{
	struct map m = { 0 };

	(void)state;
	*map_add(&m, 1, 2) = 12;
	assert_null(map_find(&m, 2, 1));
	assert_null(map_find(&m, 1, 0));
	assert_null(map_find(&m, 3, 0));
	*map_add(&m, 2, 1) = 21;
	assert_int_equal(*map_find(&m, 1, 2), 12);
	assert_int_equal(*map_find(&m, 2, 1), 21);
	map_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(added_keys_are_found_and_similar_keys_do_not_crowd),
		cmocka_unit_test(the_two_words_of_a_key_are_not_exchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The growable array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory/array.h"

struct point {
	int x, y;
};

static void added_elements_stay_in_order(void **state)
{
	ARRAY(struct point) a = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct point *p = array_add(&a);

		assert_non_null(p);
		assert_int_equal(p->x, 0);
		assert_int_equal(p->y, 0);
		*p = (struct point){ i, -i };
		assert_int_equal(array_push(&a, (struct point){ i, i }), 0);
	}
	assert_int_equal(a.n, 2000);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(a.at[2 * i].x, i);
		assert_int_equal(a.at[2 * i].y, -i);
		assert_int_equal(a.at[2 * i + 1].y, i);
	}
	array_fini(&a);
	assert_null(a.at);
	assert_int_equal(a.n + a.cap, 0);
}

static void an_element_added_where_one_was_is_zeroed(void **state)
{
	ARRAY(uint64_t) a = { 0 };

	(void)state;
	assert_int_equal(array_push(&a, 7), 0);
	a.n = 0;
	assert_int_equal(*array_add(&a), 0);
	a.at[0] = 7;
	assert_int_equal(array_resize(&a, 0), 0);
	assert_int_equal(array_resize(&a, 100), 0);
	for (size_t i = 0; i < a.n; i++)
		assert_int_equal(a.at[i], 0);
	assert_int_equal(a.n, 100);
	array_fini(&a);
}

static void reserved_elements_are_not_moved(void **state)
{
	ARRAY(int) a = { 0 };
	int *at;

	(void)state;
	assert_int_equal(array_reserve(&a, 1000), 0);
	at = a.at;
	assert_int_equal(a.n, 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(array_push(&a, i), 0);
	assert_ptr_equal(a.at, at);
	array_fini(&a);
}

static void a_size_that_no_memory_has_is_out_of_memory_and_nothing_changes(void **state)
{
	static const size_t counts[] = { SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / sizeof(struct point),
					 SIZE_MAX / sizeof(struct point) + 2,
					 PTRDIFF_MAX / sizeof(struct point) + 1 };
	ARRAY(struct point) a = { 0 };

	(void)state;
	assert_int_equal(array_push(&a, (struct point){ 1, 2 }), 0);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct point *at = a.at;
		size_t cap = a.cap;

		assert_int_equal(array_reserve(&a, counts[i]), -ENOMEM);
		assert_int_equal(array_resize(&a, counts[i]), -ENOMEM);
		assert_ptr_equal(a.at, at);
		assert_int_equal(a.cap, cap);
		assert_int_equal(a.n, 1);
		assert_int_equal(a.at[0].y, 2);
	}
	array_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(added_elements_stay_in_order),
		cmocka_unit_test(an_element_added_where_one_was_is_zeroed),
		cmocka_unit_test(reserved_elements_are_not_moved),
		cmocka_unit_test(a_size_that_no_memory_has_is_out_of_memory_and_nothing_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

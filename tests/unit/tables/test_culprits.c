/* SPDX-License-Identifier: GPL-2.0-only */
/* Of the groups that a vCPU waited behind, the one with most time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory/array.h"
#include "tables/names/culprits.h"

static void the_crowd_with_most_time_is_found_wherever_it_stands(void **state)
{
	(void)state;
	for (size_t most = 0; most < 4; most++) {
		struct culprits_crowds crowds = { 0 };
		const struct culprits_crowd *first;

		assert_null(culprits_most(&crowds, NULL));
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(
				array_push(&crowds.all,
					   ((struct culprits_crowd){ .ns = i == most ? 9 : i })),
				0);
		first = culprits_most(&crowds, NULL);
		assert_ptr_equal(first, &crowds.all.at[most]);
		assert_ptr_equal(culprits_most(&crowds, first), &crowds.all.at[most == 3 ? 2 : 3]);
		culprits_crowds_fini(&crowds);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_crowd_with_most_time_is_found_wherever_it_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

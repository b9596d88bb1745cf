/* SPDX-License-Identifier: GPL-2.0-only */
/* The tasks beside each vCPU, in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyze/kvm/siblings.h"

static void put(struct siblings *s, uint32_t vcpu, uint32_t task, uint64_t ns)
{
	uint64_t *sum = row_at(&s->ns, index_take(&s->index, vcpu, task));

	assert_non_null(sum);
	*sum += ns;
}

/* Task 0 is the first one seen, maybe a vCPU. */
static void each_vcpu_has_the_tasks_beside_it_the_longest_first(void **state)
{
	for (unsigned n = 0; n <= 3; n++) {
		struct analyze_vcpu_row rows[] = { { .task = 2 }, { .task = 0 }, { .task = 5 } };
		struct analyze_beside *all;
		struct siblings s = { 0 };

		if (n > 0) {
			put(&s, 0, 7, 20);
			put(&s, 0, 4, 20);
			put(&s, 0, 9, 30);
		}
		if (n > 1)
			put(&s, 2, 0, 10);
		if (n > 2)
			put(&s, 9, 0, 50); /* no row */
		assert_int_equal(siblings_sort(&s, rows, 3, &all), 0);
		assert_int_equal(rows[0].n_beside, n > 1);
		assert_int_equal(rows[1].n_beside, n > 0 ? 3 : 0);
		assert_int_equal(rows[2].n_beside, 0);
		if (n > 1)
			assert_true(rows[0].beside[0].task == 0 && rows[0].beside[0].ns == 10);
		if (n > 0) {
			assert_true(rows[1].beside[0].task == 9 && rows[1].beside[0].ns == 30);
			assert_true(rows[1].beside[1].task == 4 && rows[1].beside[1].ns == 20);
			assert_true(rows[1].beside[2].task == 7 && rows[1].beside[2].ns == 20);
		}
		free(all);
		siblings_fini(&s);
	}
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_vcpu_has_the_tasks_beside_it_the_longest_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

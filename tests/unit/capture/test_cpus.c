/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU lists as written by the kernel, and as in INFO. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/record/info.h"
#include "capture/host/host.h"

/* The list that is read and written again gives the last text; NULL: it is not a list. */
static const struct list {
	const char *text, *again;
} lists[] = {
	{ "0", "0" },         { "0-1", "0-1" },
	{ "0-3,8", "0-3,8" }, { "0,2-3,5,7-9", "0,2-3,5,7-9" },
	{ "0,1,2", "0-2" },   { "5-5", "5" },
	{ "0-2\n", "0-2" },   { "0-1,4-", "0-1" }, /* the first part, which can be read */
	{ "3-1", NULL },      { "-1", NULL },
	{ "", NULL },         { "x", NULL },
	{ "99999999", NULL }, { "0-4000000000", NULL },
};

static void lists_are_read_and_written(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		bool set[16] = { false };
		struct record_info h = { 0 };
		int *cpus, n = host_cpu_list(lists[i].text, &cpus);

		print_message("# %s\n", lists[i].text);
		if (!lists[i].again) {
			assert_int_equal(n, 0);
			assert_null(cpus);
			continue;
		}
		assert_true(n > 0);
		for (int k = 0; k < n; k++) {
			assert_true(cpus[k] < 16);
			assert_true(!k || cpus[k] > cpus[k - 1]);
			set[cpus[k]] = true;
		}
		free(cpus);
		record_info_cpus(&h, set, 16);
		assert_string_equal((const char *)h.cpus.data, lists[i].again);
		/* One more was added: it is filled again. */
		set[15] = true;
		record_info_cpus(&h, set, 16);
		assert_memory_equal(h.cpus.data, lists[i].again, strlen(lists[i].again));
		assert_string_equal((const char *)h.cpus.data + strlen(lists[i].again), ",15");
		record_info_fini(&h);
	}
	assert_int_equal(host_cpu_list(NULL, &(int *){ NULL }), 0);
}

static void this_machine_has_the_cpus_that_are_online(void **state)
{
	struct cdict_error err;
	int *cpus, n = host_cpus(&cpus, &err);

	(void)state;
	assert_true(n > 0);
	assert_true((size_t)cpus[n - 1] < host_cpus_possible());
	/* A CPU keeps its identity until it goes offline. */
	assert_int_equal(host_cpu_birth(cpus[0]), host_cpu_birth(cpus[0]));
	assert_int_equal(host_cpu_birth(65535), 0);
	free(cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read_and_written),
		cmocka_unit_test(this_machine_has_the_cpus_that_are_online),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

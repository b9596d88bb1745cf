/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of CPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/cpulist.h"

static void a_list_is_read_as_far_as_it_is_one(void **state)
{
	static const struct {
		const char *text, *ranges, *rest;
	} cases[] = {
		{ "0-3,8", "0-3 8-8 ", "" },
		{ "0", "0-0 ", "" },
		{ "", "", "" },
		{ "5,", "5-5 ", "," },
		{ "1,,2", "1-1 ", ",,2" },
		{ "0-1 2-3", "0-1 ", " 2-3" },
		{ "3-1", "", "3-1" },
		{ "-1", "", "-1" },
		{ "1-", "", "1-" },
		{ "7,2-x", "7-7 ", "2-x" },
		{ "65535", "65535-65535 ", "" },
		{ "65536", "", "65536" },
		{ "0-99999999999999999999", "", "0-99999999999999999999" },
		{ "4294967296", "", "4294967296" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *p = cases[i].text;
		char got[128] = "";
		uint32_t from, to;
		size_t n = 0;

		while (cpulist_next(&p, &from, &to))
			n += (size_t)snprintf(got + n, sizeof(got) - n, "%u-%u ", from, to);
		assert_string_equal(got, cases[i].ranges);
		assert_string_equal(p, cases[i].rest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_read_as_far_as_it_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

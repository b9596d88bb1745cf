/* SPDX-License-Identifier: GPL-2.0-only */
/* --time as perf takes it; the capture lasts from 1000 to 2000 ns unless stated otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text/timespec.h"

#define S UINT64_C(1000000000)

struct example {
	const char *text;
	uint64_t first_ns, last_ns;
	size_t n; /* 0: refused */
	struct timespec_window w[4];
};

static const struct example examples[] = {
	{ "1.5,2", 0, 9 * S, 1, { { 1500000000, 2 * S } } },
	{ "1.000000001,1.000000002", 0, 9 * S, 1, { { S + 1, S + 2 } } },
	{ ",2", S, 9 * S, 1, { { S, 2 * S } } },
	{ "2,", S, 9 * S, 1, { { 2 * S, 9 * S } } },
	{ ",", S, 9 * S, 1, { { S, 9 * S } } },
	{ "3,4 1,2", 0, 9 * S, 2, { { S, 2 * S }, { 3 * S, 4 * S } } },
	{ "1,3 2,4", 0, 9 * S, 1, { { S, 4 * S } } },
	{ "20,", 0, 9 * S, 1, { { 20 * S, 20 * S } } },
	/* percentages, as perf cuts them: neighbours share no instant */
	{ "10%", 1000, 2000, 1, { { 1000, 1099 } } },
	{ "10%/2", 1000, 2000, 1, { { 1100, 1199 } } },
	{ "10%/10", 1000, 2000, 1, { { 1900, 2000 } } },
	{ "10%-20%", 1000, 2000, 1, { { 1100, 1199 } } },
	{ "0%-100%", 1000, 2000, 1, { { 1000, 2000 } } },
	{ "100%", 1000, 2000, 1, { { 1000, 2000 } } },
	{ "10%/1,10%/3", 1000, 2000, 2, { { 1000, 1099 }, { 1200, 1299 } } },
	{ "10%/1,10%/2", 1000, 2000, 1, { { 1000, 1199 } } },
	{ "0%-10%,30%-40%", 1000, 2000, 2, { { 1000, 1099 }, { 1300, 1399 } } },
	{ "12.5%", 1000, 2000, 1, { { 1000, 1124 } } },
	/* refused */
	{ "", 0, S, 0, { { 0, 0 } } },
	{ "1", 0, S, 0, { { 0, 0 } } },
	{ "a,b", 0, S, 0, { { 0, 0 } } },
	{ "2,1", 0, S, 0, { { 0, 0 } } },
	{ "1,2,3", 0, S, 0, { { 0, 0 } } },
	{ "1.0000000001,2", 0, S, 0, { { 0, 0 } } },
	{ "-1,2", 0, S, 0, { { 0, 0 } } },
	{ "99999999999999999999,", 0, S, 0, { { 0, 0 } } },
	{ "10%/0", 0, S, 0, { { 0, 0 } } },
	{ "10%/11", 0, S, 0, { { 0, 0 } } },
	{ "20%-10%", 0, S, 0, { { 0, 0 } } },
	{ "90%-110%", 0, S, 0, { { 0, 0 } } },
	{ "10%x", 0, S, 0, { { 0, 0 } } },
	{ "%", 0, S, 0, { { 0, 0 } } },
	{ "nan%", 0, S, 0, { { 0, 0 } } },
	{ "10%,", 0, S, 0, { { 0, 0 } } },
};

static void every_form_is_read_as_perf_reads_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		const struct example *e = &examples[i];
		struct timespec_set set = { 0 };
		struct cdict_error err = { 0 };
		int rc = timespec_parse(&set, e->text, e->first_ns, e->last_ns, &err);

		if (rc != (e->n ? 0 : CDICT_EUSAGE))
			fail_msg("'%s' gives %d: %s", e->text, rc, err.text);
		if (set.n != e->n)
			fail_msg("'%s' gives %zu windows", e->text, set.n);
		for (size_t w = 0; w < e->n; w++) {
			if (set.windows[w].from_ns != e->w[w].from_ns ||
			    set.windows[w].to_ns != e->w[w].to_ns)
				fail_msg("'%s' gives %llu to %llu", e->text,
					 (unsigned long long)set.windows[w].from_ns,
					 (unsigned long long)set.windows[w].to_ns);
		}
		timespec_fini(&set);
	}
}

static void a_set_covers_its_windows_with_both_ends(void **state)
{
	struct timespec_set set;

	(void)state;
	assert_int_equal(timespec_parse(&set, "1,2 3,4", 0, 9 * S, NULL), 0);
	assert_false(timespec_covers(&set, S - 1));
	assert_true(timespec_covers(&set, S));
	assert_true(timespec_covers(&set, 2 * S));
	assert_false(timespec_covers(&set, 2 * S + 1));
	assert_true(timespec_covers(&set, 3 * S));
	assert_false(timespec_covers(&set, 4 * S + 1));
	timespec_fini(&set);
}

static void clipping_drops_what_lies_outside(void **state)
{
	struct timespec_set set;

	(void)state;
	assert_int_equal(timespec_parse(&set, "1,2 3,4 6,7", 0, 9 * S, NULL), 0);
	timespec_clip(&set, 2 * S, 5 * S);
	assert_int_equal(set.n, 2);
	assert_int_equal(set.windows[0].from_ns, 2 * S);
	assert_int_equal(set.windows[0].to_ns, 2 * S);
	assert_int_equal(set.windows[1].to_ns, 4 * S);
	timespec_clip(&set, 8 * S, 9 * S);
	assert_int_equal(set.n, 0);
	timespec_fini(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_read_as_perf_reads_it),
		cmocka_unit_test(a_set_covers_its_windows_with_both_ends),
		cmocka_unit_test(clipping_drops_what_lies_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

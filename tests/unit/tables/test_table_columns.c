/* SPDX-License-Identifier: GPL-2.0-only */
/* Columns of tables: which one a name means, and which ones a total has in OpenMetrics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tables/columns/table.h"

/* Keys come before headings, headings before those without their unit, then keys without theirs. */
static void a_name_that_two_columns_have_means_the_surer_one(void **state)
{
	static const struct {
		const char *name;
		struct {
			const char *key, *title;
		} is, other;
	} cases[] = {
		{ "wait", { "wait", "time ms" }, { "wait_ns", "wait" } },
		{ "wait", { "wait", "time ms" }, { "b", "wait ms" } },
		{ "wait", { "wait", "time ms" }, { "wait_ns", "b" } },
		{ "Wait", { "a_ns", "wait" }, { "b_ns", "wait ms" } },
		{ "wait", { "a_ns", "wait" }, { "wait_percent", "b" } },
		{ "WAIT", { "a_ns", "wait ms" }, { "wait_percent", "b" } },
		{ "WAIT", { "a_ns", "wait us" }, { "wait_ns", "b" } },
		{ "wait", { "wait_ns", "a" }, { "b", "waiting ms" } },
		{ "wait", { "wait_ns", "a" }, { "wait_nsec", "wait h" } },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const size_t is = 1 + i % 2, other = 2 - i % 2;
		struct table_column columns[] = {
			{ "name", "task", TABLE_TEXT, 0, NULL, 0 },
			{ NULL, NULL, TABLE_COUNT, 0, NULL, 0 },
			{ NULL, NULL, TABLE_COUNT, 0, NULL, 0 },
			TABLE_COLUMNS_END,
		};
		struct table *t;

		columns[is].key = cases[i / 2].is.key;
		columns[is].title = cases[i / 2].is.title;
		columns[other].key = cases[i / 2].other.key;
		columns[other].title = cases[i / 2].other.title;
		t = table_new("rows", columns);
		assert_non_null(t);
		for (uint64_t k = 1; k <= 2; k++) {
			table_row(t);
			table_u64(t, is, k);
			table_u64(t, other, 3 - k);
		}
		assert_int_equal(table_sort(t, cases[i / 2].name, NULL), 0);
		assert_int_equal(table_at(t, 0, is)->u64, 2);
		table_free(t);
	}
}

/* Figures and times, as families of their own, so that they are not added to the rows; no names and identities. */
static void a_total_has_its_figures_in_openmetrics(void **state)
{
	static const struct table_column columns[] = {
		{ "name", "task", TABLE_TEXT, 0, NULL, 0 },
		{ "tid", "tid", TABLE_INTEGER, 0, NULL, 0 },
		{ "run_ns", "run ms", TABLE_MS, 0, NULL, 0 },
		{ "max_ns", "max us", TABLE_US, 0, NULL, 0 },
		{ "max_at_ns", "at s", TABLE_TIME, 0, NULL, 0 },
		{ "run_percent", "run %", TABLE_PERCENT, 0, NULL, 0 },
		{ "seen", "seen", TABLE_COUNT, 0, NULL, 0 },
		{ "bar", "bar", TABLE_COUNT, TABLE_HUMAN, NULL, 0 },
		TABLE_COLUMNS_END,
	};
	static const char want[] = "cdict_rows_all_run_seconds 1.5\n"
				   "cdict_rows_all_max_at_seconds 2.25\n"
				   "cdict_rows_all_run_ratio 0.125\n"
				   "cdict_rows_all_seen 7\n";
	const struct table_frame frame = { .command = "rows", .file = "x" };
	struct table *t = table_new("rows", columns);
	char *text, got[1024] = "";
	struct sink s;

	(void)state;
	assert_non_null(t);
	table_total(t);
	table_text(t, 0, "total");
	table_i64(t, 1, 5);
	table_u64(t, 2, 1500000000);
	table_u64(t, 4, 2250000000);
	table_percent(t, 5, 12.5);
	table_u64(t, 6, 7);
	table_u64(t, 7, 8);
	sink_to_memory(&s);
	assert_int_equal(table_print(&s, TABLE_AS_OPENMETRICS, &frame, &t, 1), 0);
	text = sink_take(&s, NULL);
	table_free(t);
	assert_non_null(text);
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
		if (!strncmp(line, "cdict_rows_all_", 15))
			strncat(got, line, (size_t)(end - line) + 1);
	assert_string_equal(got, want);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_two_columns_have_means_the_surer_one),
		cmocka_unit_test(a_total_has_its_figures_in_openmetrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

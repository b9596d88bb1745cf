/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of a table, added up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tables/columns/table.h"

enum { NAME, CPU, REASON, COUNT, RUN, SHARE, P99 };

static const struct table_column columns[] = {
	[NAME] = { .key = "name", .kind = TABLE_TEXT },
	[CPU] = { .key = "cpu", .kind = TABLE_INTEGER },
	[REASON] = { .key = "reason", .kind = TABLE_TEXT },
	[COUNT] = { .key = "count", .kind = TABLE_COUNT },
	[RUN] = { .key = "run_ns", .kind = TABLE_MS },
	[SHARE] = { .key = "run_percent", .kind = TABLE_PERCENT },
	[P99] = { .key = "p99_ns", .kind = TABLE_US },
	TABLE_COLUMNS_END,
};

/* Tasks 7 and 8 are both called "a"; the task and the time of the last row are unknown. */
static struct table *usual(void)
{
	static const struct {
		const char *name;
		uint32_t task;
		int64_t cpu;
		const char *reason;
		uint64_t count, run_ns;
		bool lossy;
	} rows[] = {
		{ "a", 7, 0, "io", 1, 10, false },  { "a", 8, 0, "io", 2, 20, true },
		{ "a", 7, 1, "hlt", 4, 40, false }, { "b", 9, 1, "io", 8, 80, false },
		{ NULL, 0, 1, "io", 16, 0, false },
	};
	struct table *t = table_new("t", columns);

	assert_non_null(t);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		table_row(t);
		table_text(t, NAME, rows[i].name);
		if (rows[i].task)
			table_task(t, NAME, rows[i].task);
		table_i64(t, CPU, rows[i].cpu);
		table_text(t, REASON, rows[i].reason);
		table_u64(t, COUNT, rows[i].count);
		if (rows[i].run_ns)
			table_u64(t, RUN, rows[i].run_ns);
		table_percent(t, SHARE, (double)rows[i].count / 4);
		table_u64(t, P99, 5);
		table_lossy(t, rows[i].lossy);
	}
	return table_done(t);
}

static bool is_io(void *ctx, const struct table *t, size_t row)
{
	return ctx || !strcmp(table_at(t, row, REASON)->text, "io");
}

static struct table *sums_by(const char *const *by, bool all)
{
	struct table *t = usual(), *sums = table_new("sums", columns);

	assert_non_null(sums);
	table_add_sums(sums, t, by, is_io, all ? t : NULL);
	table_free(t);
	sums = table_done(sums);
	assert_non_null(sums);
	return sums;
}

static void assert_row(const struct table *t, size_t row, uint64_t count, uint64_t run_ns)
{
	const struct table_cell *cells = t->cells + row * t->n_columns;

	assert_int_equal(cells[COUNT].u64, count);
	assert_true(cells[SHARE].percent == (double)count / 4);
	assert_int_equal(cells[RUN].set ? cells[RUN].u64 : 0, run_ns);
	assert_false(cells[P99].set);
}

static void tasks_of_one_name_stay_apart(void **state)
{
	struct table *t = sums_by((const char *const[]){ "name", NULL }, true);

	(void)state;
	assert_int_equal(t->n_rows, 4);
	assert_row(t, 0, 1 + 4, 50);
	assert_row(t, 1, 2, 20);
	assert_row(t, 2, 8, 80);
	assert_row(t, 3, 16, 0);
	assert_false(t->cells[3 * t->n_columns + RUN].set); /* unknown: not 0 */
	assert_string_equal(t->cells[0].text, "a");
	assert_int_equal(t->cells[0].task, 7 + 1);
	assert_false(t->cells[CPU].set);
	assert_false(t->cells[0].lossy);
	assert_true(t->cells[t->n_columns].lossy);
	table_free(t);
}

static void several_columns_identify_a_row(void **state)
{
	struct table *t = sums_by((const char *const[]){ "cpu", "reason", NULL }, true);

	(void)state;
	assert_int_equal(t->n_rows, 3);
	assert_row(t, 0, 1 + 2, 30);
	assert_row(t, 1, 4, 40);
	assert_row(t, 2, 8 + 16, 80);
	assert_int_equal(t->cells[2 * t->n_columns + CPU].i64, 1);
	assert_string_equal(t->cells[2 * t->n_columns + REASON].text, "io");
	assert_true(t->cells[0].lossy);
	table_free(t);
}

static void only_selected_rows_count(void **state)
{
	struct table *t = sums_by((const char *const[]){ NULL }, false);

	(void)state;
	assert_int_equal(t->n_rows, 1);
	assert_row(t, 0, 1 + 2 + 8 + 16, 110);
	table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_of_one_name_stay_apart),
		cmocka_unit_test(several_columns_identify_a_row),
		cmocka_unit_test(only_selected_rows_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

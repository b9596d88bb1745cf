/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of cdict top, of a capture of KVM. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/memory/buf.h"
#include "cmd/top/top.h"
#include "convert/convert.h"

#define SECOND UINT64_C(1000000000)

static struct buf file;

static int collect(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

static int convert(void **state)
{
	struct convert_options how = { .jobs = 1 };
	struct convert_report report = { 0 };
	struct perfdata *pd;
	char path[4096];
	int ret;

	(void)state;
	snprintf(path, sizeof(path), "%s/kvm-small.data", getenv("DATA"));
	if (perfdata_open(&pd, path, NULL))
		return -1;
	ret = convert_run(pd, &how, collect, &file, &report, NULL);
	convert_report_fini(&report);
	perfdata_close(pd);
	return ret < 0 ? ret : 0;
}

static int drop(void **state)
{
	(void)state;
	buf_fini(&file);
	return 0;
}

static void vms_are_folded_and_sums_stay(void **state)
{
	struct top_rows folded, all;
	uint64_t cpu[2] = { 0 }, exits[2] = { 0 }, guest[2] = { 0 };

	(void)state;
	assert_int_equal(top_rows_fill(&folded, file.data, file.len, SECOND, true, NULL), 0);
	assert_int_equal(top_rows_fill(&all, file.data, file.len, SECOND, false, NULL), 0);
	assert_int_equal(folded.rows.n, 5); /* four VMs and the host */
	assert_true(all.rows.n > 20);
	for (size_t i = 0; i < folded.rows.n; i++) {
		cpu[0] += folded.rows.at[i].cpu_ns;
		exits[0] += folded.rows.at[i].exits;
		guest[0] += folded.rows.at[i].guest_ns;
	}
	for (size_t i = 0; i < all.rows.n; i++) {
		cpu[1] += all.rows.at[i].cpu_ns;
		exits[1] += all.rows.at[i].exits;
		guest[1] += all.rows.at[i].guest_ns;
	}
	assert_int_equal(cpu[0], cpu[1]);
	assert_int_equal(exits[0], exits[1]);
	assert_int_equal(guest[0], guest[1]);
	assert_true(exits[0] > 1000 && guest[0] > 0);
	top_rows_fini(&folded);
	top_rows_fini(&all);
}

static void the_largest_come_first(void **state)
{
	struct top_rows t;
	struct sink s;
	char *text;

	(void)state;
	assert_int_equal(top_rows_fill(&t, file.data, file.len, SECOND, true, NULL), 0);
	for (int by = TOP_BY_WAITING; by <= TOP_BY_CPU; by++) {
		top_rows_sort(&t, (enum top_by)by);
		for (size_t i = 1; i < t.rows.n; i++) {
			const struct top_row *a = &t.rows.at[i - 1], *b = &t.rows.at[i];

			assert_true(by == TOP_BY_WAITING ? a->waiting_ns >= b->waiting_ns
				    : by == TOP_BY_EXITS ? a->exits >= b->exits
							 : a->cpu_ns >= b->cpu_ns);
		}
	}
	sink_to_memory(&s);
	top_rows_print(&t, &s, TOP_BY_CPU, 4, 40, "|");
	text = sink_take(&s, NULL);
	/* title, head and two rows, cut */
	assert_non_null(text);
	assert_int_equal(strlen(text), 4 * 41);
	free(text);
	top_rows_fini(&t);
}

static void an_empty_result_has_no_row(void **state)
{
	struct top_rows t;

	(void)state;
	assert_int_not_equal(top_rows_fill(&t, "no cdict", 8, SECOND, true, NULL), 0);
	assert_int_equal(t.rows.n, 0);
	top_rows_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vms_are_folded_and_sums_stay),
		cmocka_unit_test(the_largest_come_first),
		cmocka_unit_test(an_empty_result_has_no_row),
	};

	return cmocka_run_group_tests(tests, convert, drop);
}

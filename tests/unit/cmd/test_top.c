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

static int fill(struct top_rows *t, bool fold)
{
	struct top_choice choice = { .window_ns = SECOND, .fold = fold };

	return top_rows_fill(t, file.data, file.len, &choice, NULL);
}

static void vms_are_folded_and_sums_stay(void **state)
{
	struct top_rows folded, all;
	uint64_t cpu[2] = { 0 }, exits[2] = { 0 }, guest[2] = { 0 };

	(void)state;
	assert_int_equal(fill(&folded, true), 0);
	assert_int_equal(fill(&all, false), 0);
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
	struct top_view view = { .lines = 5, .rows = 20, .columns = 40, .eol = "|" };
	struct top_rows t;
	struct sink s;
	const char *end;
	char *text;
	int lines = 0;

	(void)state;
	assert_int_equal(fill(&t, true), 0);
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
	assert_int_equal(top_rows_list(&t, &s, &view), 0);
	text = sink_take(&s, NULL);
	/* columns, rule, two rows, "3 more rows" */
	assert_non_null(text);
	for (const char *at = text; (end = strchr(at, '|')); at = end + 1, lines++)
		assert_true(end - at <= 40);
	assert_int_equal(lines, 5);
	free(text);
	top_rows_fini(&t);
}

static char *listed(const struct top_rows *t, size_t columns)
{
	struct top_view view = { .lines = 1000, .rows = 1000, .columns = columns, .eol = "\n" };
	struct sink s;

	sink_to_memory(&s);
	assert_int_equal(top_rows_list(t, &s, &view), 0);
	return sink_take(&s, NULL);
}

static void columns_of_guests_and_whom_a_vm_waited_for(void **state)
{
	struct top_rows t;
	char *text;

	(void)state;
	assert_int_equal(fill(&t, true), 0);
	for (size_t i = 0; i < t.rows.n; i++) {
		const struct top_row *row = &t.rows.at[i];

		assert_int_equal(row->guests, strcmp(row->name, "(host)") != 0);
		assert_true(!row->guests || row->pid > 0);
		assert_true(!row->worst_ns || row->behind);
	}
	text = listed(&t, 0);
	assert_non_null(strstr(text, "exits  guest %  exit %  halted %"));
	free(text);
	/* at 80 columns how long, behind whom, and the exits stay; the names of the VMs fit */
	text = listed(&t, 80);
	assert_non_null(strstr(text, "waited %"));
	assert_non_null(strstr(text, "behind"));
	assert_non_null(strstr(text, "exits"));
	free(text);
	/* without VMs */
	for (size_t i = 0; i < t.rows.n; i++)
		t.rows.at[i].guests = false;
	text = listed(&t, 0);
	assert_null(strstr(text, "exits"));
	assert_null(strstr(text, "guest"));
	free(text);
	top_rows_fini(&t);
}

static void only_the_chosen_tasks_have_rows(void **state)
{
	struct top_choice choice = { .window_ns = SECOND };
	struct top_rows all, one;
	int32_t tid, pid;

	(void)state;
	assert_int_equal(fill(&all, false), 0);
	top_rows_sort(&all, TOP_BY_WAITING);
	tid = all.rows.at[0].tid;
	pid = all.rows.at[0].pid;
	choice.tids = &tid;
	choice.n_tids = 1;
	assert_int_equal(top_rows_fill(&one, file.data, file.len, &choice, NULL), 0);
	assert_int_equal(one.rows.n, 1);
	/* with the same figures as among all */
	assert_int_equal(one.rows.at[0].waiting_ns, all.rows.at[0].waiting_ns);
	assert_string_equal(one.rows.at[0].behind, all.rows.at[0].behind);
	top_rows_fini(&one);
	choice = (struct top_choice){ .window_ns = SECOND, .pids = &pid, .n_pids = 1 };
	assert_int_equal(top_rows_fill(&one, file.data, file.len, &choice, NULL), 0);
	assert_true(one.rows.n > 1);
	for (size_t i = 0; i < one.rows.n; i++)
		assert_int_equal(one.rows.at[i].pid, pid);
	top_rows_fini(&one);
	top_rows_fini(&all);
}

static void an_empty_result_has_no_row(void **state)
{
	struct top_choice choice = { .window_ns = SECOND };
	struct top_rows t;

	(void)state;
	assert_int_not_equal(top_rows_fill(&t, "no cdict", 8, &choice, NULL), 0);
	assert_int_equal(t.rows.n, 0);
	top_rows_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vms_are_folded_and_sums_stay),
		cmocka_unit_test(the_largest_come_first),
		cmocka_unit_test(columns_of_guests_and_whom_a_vm_waited_for),
		cmocka_unit_test(only_the_chosen_tasks_have_rows),
		cmocka_unit_test(an_empty_result_has_no_row),
	};

	return cmocka_run_group_tests(tests, convert, drop);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables in their four formats, around a made capture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/memory/buf.h"
#include "base/text/json.h"
#include "cdict/writer.h"
#include "tables/columns/number.h"
#include "tables/columns/table.h"

enum { NAME, TID, RUN, MAX, AT, SHARE, COUNT, SECRET, WIDE };

static const struct table_column columns[] = {
	[NAME] = { "name", "task", TABLE_TEXT, 0, NULL, 0 },
	[TID] = { "tid", "tid", TABLE_INTEGER, 0, NULL, 0 },
	[RUN] = { "run_ns", "run ms", TABLE_MS, 0, NULL, 0 },
	[MAX] = { "max_ns", "max us", TABLE_US, 0, NULL, 0 },
	[AT] = { "at_ns", "at s", TABLE_TIME, 0, NULL, 0 },
	[SHARE] = { "share_percent", "share %", TABLE_PERCENT, 0, NULL, 0 },
	[COUNT] = { "count", "count", TABLE_COUNT, 0, NULL, 0 },
	[SECRET] = { "comm", "comm", TABLE_TEXT, TABLE_MACHINE, NULL, 0 },
	[WIDE] = { "wide", "wide", TABLE_COUNT, TABLE_WIDE, NULL, 0 },
	TABLE_COLUMNS_END,
};

static struct buf file;
static struct cdict_reader *reader;

static int collect(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

static int make_capture(void **state)
{
	static const struct cdict_loss losses[] = {
		{ CDICT_LOSS_RING, 1, CDICT_TYPE_ANY, 1500000000, 1600000000, 7 },
		{ CDICT_LOSS_RING, 0, CDICT_TYPE_ANY, 9000000000, 9100000000, 1000 },
	};
	struct cdict_writer *w;

	(void)state;
	if (cdict_writer_open(&w, collect, &file, NULL) ||
	    cdict_writer_info(w, "host.name", "host\x1b[1m", NULL) ||
	    cdict_writer_loss(w, &losses[0], NULL) || cdict_writer_loss(w, &losses[1], NULL) ||
	    cdict_writer_finish(w, NULL))
		return -1;
	cdict_writer_close(w);
	return cdict_reader_parse(&reader, file.data, file.len, NULL);
}

static int drop_capture(void **state)
{
	(void)state;
	cdict_reader_close(reader);
	buf_fini(&file);
	return 0;
}

static void add(struct table *t, const char *name, int64_t tid, uint64_t run)
{
	table_row(t);
	table_text(t, NAME, name);
	table_i64(t, TID, tid);
	table_u64(t, RUN, run);
	table_text(t, SECRET, name);
}

static struct table *example(void)
{
	struct table *t = table_new("rows", columns);

	assert_non_null(t);
	add(t, "b,\"|<\n", 10, 1500499);
	table_u64(t, MAX, 12345678);
	table_u64(t, AT, 1234567890);
	table_percent(t, SHARE, 12.345);
	table_u64(t, COUNT, UINT64_MAX);
	add(t, "a9", 9, 999999999);
	add(t, "a10", -1, 0);
	table_share(t, SHARE, 1, 0); /* of nothing: stays empty */
	table_total(t);
	table_text(t, NAME, "total");
	table_u64(t, RUN, 1001500498);
	return t;
}

static char *print(struct table *t, int format)
{
	const struct table_frame frame = { .command = "rows",
					   .file = "x.cdict",
					   .reader = reader,
					   .from_ns = 1000000000,
					   .to_ns = 2000000000 };
	struct sink s;
	char *text;

	sink_to_memory(&s);
	assert_int_equal(table_print(&s, format, &frame, &t, 1), 0);
	text = sink_take(&s, NULL);
	assert_non_null(text);
	table_free(t);
	return text;
}

static void text_is_aligned_and_reports_the_loss_of_its_window(void **state)
{
	char *got = print(example(), TABLE_AS_TEXT);

	(void)state;
	assert_string_equal(
		got,
		"x.cdict: host\\x1b[1m, 1.000000 s from 1.000000, 0 events, 0 CPUs\n"
		"\n"
		"task       tid    run ms    max us      at s  share %                       count\n"
		"---------------------------------------------------------------------------------\n"
		"b,\"|<\\x0a   10     1.500  12345.68  1.234567    12.35  18,446,744,073,709,551,615\n"
		"a9           9  1000.000\n"
		"a10         -1     0.000\n"
		"---------------------------------------------------------------------------------\n"
		"total           1001.500\n"
		"\n"
		"loss: 7 events lost while recording (100.00 % of all), on CPU 1 between 1.500000 and "
		"1.600000 s\n");
	free(got);
}

/* On a terminal durations have their own units: the heads have none, wherever it stands. */
static void heads_of_durations_lose_their_unit_alone(void **state)
{
	static const struct table_column heads[] = {
		{ "a", "worst ms was", TABLE_MS, 0, NULL, 0 },
		{ "b", "worst ms is", TABLE_MS, 0, NULL, 0 },
		{ "c", "run ms", TABLE_MS, 0, NULL, 0 },
		{ "d", "max us", TABLE_US, 0, NULL, 0 },
		{ "e", "held for", TABLE_MS, 0, NULL, 0 },
		TABLE_COLUMNS_END,
	};
	const struct table_frame frame = { .columns = 80, .live = true };
	struct table *t = table_new("heads", heads);
	struct sink s;
	char *got;

	(void)state;
	table_row(t);
	for (size_t c = 0; c < 5; c++)
		table_u64(t, c, 1500000);
	t = table_done(t);
	assert_non_null(t);
	sink_to_memory(&s);
	table_print_text_table(&s, &frame, t);
	got = sink_take(&s, NULL);
	table_free(t);
	assert_string_equal(got, "worst was  worst is      run      max  held for\n"
				 "-----------------------------------------------\n"
				 "  1.50 ms   1.50 ms  1.50 ms  1.50 ms   1.50 ms\n");
	free(got);
}

/* base/text/shorten.h has this example. */
static void names_that_are_cut_stay_different(void **state)
{
	static const char *const names[] = { "instance-0000001b.vcpu1", "instance-0000001e.vcpu1",
					     "instance-0000001b.vcpu2" };
	struct table_frame frame = { .command = "rows", .file = "x", .columns = 14 };
	struct table *t = table_new("rows", columns);
	struct sink s;
	char *text;

	(void)state;
	assert_non_null(t);
	for (size_t i = 0; i < 3; i++) {
		table_row(t);
		table_text(t, NAME, names[i]);
	}
	sink_to_memory(&s);
	table_print_text_table(&s, &frame, t);
	text = sink_take(&s, NULL);
	assert_non_null(text);
	assert_string_equal(text, "task\n"
				  "--------------\n"
				  "insta..b.vcpu1\n"
				  "insta..e.vcpu1\n"
				  "insta..b.vcpu2\n");
	free(text);
	table_free(t);
}

/* doc/page.md, "Tables": a table of tasks names them by number, and its total has none. */
static void a_page_numbers_tasks_and_drops_what_identifies_them(void **state)
{
	static const char want[] =
		"{\"rows\": {\n"
		"    \"identity\": [\"name\", \"tid\", \"comm\"],\n"
		"    \"columns\": [\"task\", \"run_ns\", \"max_ns\", \"at_ns\", \"share_percent\", "
		"\"count\", \"wide\", \"lossy\"],\n"
		"    \"by_column\": [\n"
		"      [null, null, null],\n"
		"      [1500499, 999999999, 0],\n"
		"      [12345678, null, null],\n"
		"      [234567890, null, null],\n"
		"      [12.345, null, null],\n"
		"      [18446744073709551615, null, null],\n"
		"      [null, null, null],\n"
		"      [false, false, false]\n"
		"    ],\n"
		"    \"total\": [null, 1001500498, null, null, null, null, null, false]\n"
		"  }}\n";
	struct table *t = table_done(example());
	struct json j;
	struct sink s;
	char *text;

	(void)state;
	sink_to_memory(&s);
	json_init(&j, &s);
	json_open(&j, NULL, '{', false);
	table_page_json(&j, "rows", t, 1000000000, NULL);
	json_close(&j);
	text = sink_take(&s, NULL);
	assert_non_null(text);
	assert_string_equal(text, want);
	free(text);
	table_free(t);
}

static void csv_has_every_digit_and_no_total(void **state)
{
	char *got = print(example(), TABLE_AS_CSV);

	(void)state;
	assert_string_equal(
		got, "name,tid,run_ns,max_ns,at_ns,share_percent,count,comm,wide,lossy\r\n"
		     "\"b,\"\"|<\\x0a\",10,1500499,12345678,1234567890,12.345,18446744073709551615,"
		     "\"b,\"\"|<\\x0a\",,false\r\n"
		     "a9,9,999999999,,,,,a9,,false\r\n"
		     "a10,-1,0,,,,,a10,,false\r\n");
	free(got);
}

static void json_is_one_object_with_exact_integers(void **state)
{
	char *got = print(example(), TABLE_AS_JSON);

	(void)state;
	assert_non_null(strstr(got, "\"schema\": {\"name\": \"cdict-rows\", \"version\": 1}"));
	assert_non_null(strstr(got, "\"host\": \"host\\\\x1b[1m\""));
	assert_non_null(strstr(got, "\"window_ns\": {\"from\": 1000000000, \"to\": 2000000000, "
				    "\"length\": 1000000000}"));
	assert_non_null(strstr(got, "\"lost\": 7,"));
	assert_non_null(strstr(got, "\"name\": \"b,\\\"|<\\\\x0a\""));
	assert_non_null(strstr(got, "\"count\": 18446744073709551615"));
	assert_non_null(strstr(got, "\"wide\": null"));
	assert_non_null(strstr(got, "\"total\": {\"name\": \"total\""));
	assert_string_equal(got + strlen(got) - 3, "\n}\n");
	free(got);
}

static void markdown_keeps_its_cells(void **state)
{
	char *got = print(example(), TABLE_AS_MD);

	(void)state;
	assert_non_null(strstr(got, "| task | tid | run ms |"));
	assert_non_null(strstr(got, "| --- | ---: | ---: |"));
	assert_non_null(strstr(got, "| b,\"\\|&lt;\\\\x0a | 10 | 1.500 |"));
	assert_non_null(strstr(got, "| **total** |  | **1001.500** |"));
	free(got);
}

static const char *order(struct table *t)
{
	static char names[64];

	names[0] = '\0';
	for (size_t r = 0; r < t->shown; r++) {
		strcat(names, table_at(t, r, NAME)->text);
		strcat(names, " ");
	}
	return names;
}

static void sorting_follows_the_kind_of_the_column(void **state)
{
	static const struct {
		const char *spec, *want;
	} cases[] = {
		{ "run_ns", "c2 c1 c10 c3 " }, /* figures descend, equal ones keep their order */
		{ "run_ns:asc", "c3 c1 c10 c2 " },
		{ "tid", "c10 c3 c2 c1 " },  /* identities ascend */
		{ "name", "c1 c2 c3 c10 " }, /* with their numbers */
		{ "name:desc", "c10 c3 c2 c1 " },
		{ "count,name", "c3 c1 c2 c10 " }, /* empty cells come last */
		{ "count:asc,name", "c3 c1 c2 c10 " },
		{ "run_ns,name:desc", "c2 c10 c1 c3 " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct table *t = table_new("rows", columns);

		add(t, "c1", 40, 5);
		add(t, "c10", 1, 5);
		add(t, "c2", 30, 9);
		add(t, "c3", 20, 0);
		table_u64(t, COUNT, 1);
		assert_int_equal(table_sort(t, cases[i].spec, NULL), 0);
		assert_string_equal(order(t), cases[i].want);
		table_top(t, 2);
		assert_int_equal(t->shown, 2);
		table_top(t, 0);
		assert_int_equal(t->shown, 4);
		table_free(t);
	}
}

static void a_column_without_a_cell_is_not_shown_to_people(void **state)
{
	struct table *t = table_new("rows", columns);
	char *got;

	(void)state;
	add(t, "a", 1, 2000000);
	got = print(t, TABLE_AS_TEXT);
	assert_non_null(strstr(got, "\ntask  tid  run ms\n"));
	free(got);
}

/* ---- rows that are filled on demand ---- */

enum { MANY = 300 };

static void fill_cell(struct table *t, size_t column, uint32_t id)
{
	char text[24];

	switch (column) {
	case NAME:
		snprintf(text, sizeof(text), "c%u", id * 7 % 113);
		table_text(t, NAME, text);
		snprintf(text, sizeof(text), "group %u", id * 5 % 7);
		table_order(t, NAME, id % 4 == 1 ? text : NULL);
		table_task(t, NAME, id);
		break;
	case TID:
		if (id % 5)
			table_i64(t, TID, (int64_t)(id * 37 % 11) - 5);
		break;
	case RUN:
		table_u64(t, RUN, id * 97 % 101);
		break;
	case SHARE:
		if (id % 7)
			table_percent(t, SHARE, ((double)(id * 29 % 17) - 8) * -0.25);
		break;
	default:
		break;
	}
}

static void fill_later(void *ctx, struct table *t, size_t column, uint32_t id)
{
	(void)ctx;
	fill_cell(t, column, id);
}

static bool lossy_later(void *ctx, uint32_t id)
{
	(void)ctx;
	return id % 9 == 0;
}

static void free_later(void *ctx)
{
	++*(int *)ctx;
}

/* The same rows, filled at once; then one more. */
static struct table *many(bool later, int *freed)
{
	struct table *t = table_new("rows", columns);

	if (later)
		table_later(t, &(struct table_later){ .ctx = freed,
						      .fill = fill_later,
						      .lossy = lossy_later,
						      .free = free_later });
	for (uint32_t id = 0; id < MANY; id++) {
		if (later) {
			table_row_later(t, id);
			continue;
		}
		table_row(t);
		for (size_t c = 0; c < t->n_columns; c++)
			fill_cell(t, c, id);
		table_lossy(t, lossy_later(NULL, id));
	}
	add(t, "one more", 3, 50);
	table_total(t);
	table_text(t, NAME, "total");
	return t;
}

static void rows_that_are_filled_later_are_printed_and_sorted_as_others(void **state)
{
	static const char *const specs[] = { "run_ns", "tid,name:desc", "share_percent,tid:desc",
					     "name", "name:desc,run_ns:asc" };

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		for (int format = TABLE_AS_TEXT; format <= TABLE_AS_OPENMETRICS; format++) {
			int freed = 0;
			struct table *now = many(false, NULL), *later = many(true, &freed);
			char *want, *got;

			assert_int_equal(table_sort(now, specs[i], NULL), 0);
			assert_int_equal(table_sort(later, specs[i], NULL), 0);
			assert_int_equal(later->n_filled, 1);
			table_top(later, format == TABLE_AS_MD ? 7 : 0);
			table_top(now, format == TABLE_AS_MD ? 7 : 0);
			want = print(now, format);
			got = print(later, format);
			assert_string_equal(got, want);
			assert_int_equal(freed, 1);
			free(want);
			free(got);
		}
	}
}

/* After sorting, no row comes before one that sorts before it. */
static void many_rows_are_in_the_order_of_all_keys(void **state)
{
	int freed = 0;
	struct table *t = many(true, &freed);
	struct table_cell before[3] = { { 0 } };

	(void)state;
	assert_int_equal(table_sort(t, "share_percent,tid,run_ns:asc", NULL), 0);
	for (size_t r = 0; r < t->n_rows; r++) {
		struct table_cell now[3] = { *table_at(t, r, SHARE), *table_at(t, r, TID),
					     *table_at(t, r, RUN) };
		bool same;

		if (r) {
			assert_true(before[0].set || !now[0].set);
			same = before[0].set == now[0].set;
			if (same && now[0].set) {
				assert_true(before[0].percent >= now[0].percent);
				same = before[0].percent == now[0].percent;
			}
			assert_true(!same || before[1].set || !now[1].set);
			same = same && before[1].set == now[1].set;
			if (same && now[1].set) {
				assert_true(before[1].i64 <= now[1].i64);
				same = before[1].i64 == now[1].i64;
			}
			assert_true(!same || before[2].u64 <= now[2].u64);
		}
		memcpy(before, now, sizeof(now));
	}
	table_free(t);
}

static void a_settled_table_does_not_need_its_sources(void **state)
{
	int freed = 0;
	struct table *t = many(true, &freed);
	char *want = print(many(false, NULL), TABLE_AS_CSV), *got;

	(void)state;
	table_settle(t);
	assert_int_equal(freed, 1);
	assert_int_equal(t->n_rows, MANY + 1);
	assert_string_equal(table_cells(t, 7)[NAME].text, "c49");
	assert_int_equal(table_at(t, 7, NAME)->task, 7 + 1);
	assert_true(table_row_lossy(t, 9));
	got = print(t, TABLE_AS_CSV);
	assert_string_equal(got, want);
	assert_int_equal(freed, 1);
	free(want);
	free(got);
}

static void an_unknown_sort_key_is_wrong_usage(void **state)
{
	static const char *const specs[] = { "nonsense", "", "ru", "run_ns:up", "run_ns,", ":asc" };

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct cdict_error err = { 0 };
		struct table *t = example();

		assert_int_equal(table_sort(t, specs[i], &err), CDICT_EUSAGE);
		assert_true(err.text[0] != '\0');
		table_free(t);
	}
}

static void numbers_are_rounded_once(void **state)
{
	char room[NUMBER_ROOM];

	(void)state;
	assert_string_equal(number_grouped(room, 0), "0");
	assert_string_equal(number_grouped(room, 999), "999");
	assert_string_equal(number_grouped(room, 1000), "1,000");
	assert_string_equal(number_grouped(room, 1234567), "1,234,567");
	assert_string_equal(number_scaled(room, 1499999, 1000000, 3), "1.500");
	assert_string_equal(number_scaled(room, 999999600, 1000000, 3), "1000.000");
	assert_string_equal(number_scaled(room, UINT64_MAX, 1000000, 3), "18446744073709.552");
	assert_string_equal(number_seconds(room, 1999999999), "1.999999");
	assert_string_equal(number_bytes(room, 999), "999 bytes");
	assert_string_equal(number_bytes(room, 1000), "1.00 kB");
	assert_string_equal(number_bytes(room, 66166), "66.2 kB");
	assert_string_equal(number_bytes(room, 999500), "1.00 MB");
	assert_string_equal(number_duration(room, UINT64_C(999499999999)), "999 s");
	assert_string_equal(number_duration(room, UINT64_C(999500000000)), "1,000 s");
	assert_string_equal(number_duration(room, UINT64_C(86400000000000)), "86,400 s");
	assert_string_equal(number_utc(room, 0), "1970-01-01 00:00:00.000000000 UTC");
}

static uint32_t task_later(void *ctx, uint32_t id)
{
	(void)ctx;
	return id + 7;
}

static void a_rows_task_is_that_of_its_source_or_of_its_first_cell(void **state)
{
	struct table *t = table_new("rows", columns);
	int freed = 0;

	(void)state;
	table_later(t, &(struct table_later){ &freed, fill_later, lossy_later, task_later,
					      free_later, NULL, 0, false });
	table_row_later(t, 3);
	add(t, "one", 3, 50);
	table_task(t, NAME, 41);
	assert_int_equal(table_row_task(t, 0), 10);
	assert_int_equal(table_row_task(t, 1), 42);
	table_free(t);
}

static bool begins_with_c1(void *ctx, const struct table *t, size_t row)
{
	++*(int *)ctx;
	return !strncmp(table_at(t, row, 0)->text, "c1", 2);
}

static void rows_that_are_not_kept_are_gone_and_the_others_in_order(void **state)
{
	struct table *t = table_new("rows", columns);
	int asked = 0;

	(void)state;
	add(t, "c1", 40, 5);
	add(t, "c2", 30, 9);
	add(t, "c10", 1, 7);
	add(t, "c11", 2, 6);
	assert_int_equal(table_sort(t, "run_ns", NULL), 0);
	table_keep(t, 2, begins_with_c1, &asked);
	assert_string_equal(order(t), "c10 c11 ");
	assert_int_equal(t->n_rows, 2);
	assert_int_equal(t->shown, 2);
	assert_int_equal(asked, 3); /* enough are kept */
	table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_aligned_and_reports_the_loss_of_its_window),
		cmocka_unit_test(a_rows_task_is_that_of_its_source_or_of_its_first_cell),
		cmocka_unit_test(heads_of_durations_lose_their_unit_alone),
		cmocka_unit_test(names_that_are_cut_stay_different),
		cmocka_unit_test(a_page_numbers_tasks_and_drops_what_identifies_them),
		cmocka_unit_test(csv_has_every_digit_and_no_total),
		cmocka_unit_test(json_is_one_object_with_exact_integers),
		cmocka_unit_test(markdown_keeps_its_cells),
		cmocka_unit_test(sorting_follows_the_kind_of_the_column),
		cmocka_unit_test(a_column_without_a_cell_is_not_shown_to_people),
		cmocka_unit_test(rows_that_are_filled_later_are_printed_and_sorted_as_others),
		cmocka_unit_test(many_rows_are_in_the_order_of_all_keys),
		cmocka_unit_test(a_settled_table_does_not_need_its_sources),
		cmocka_unit_test(an_unknown_sort_key_is_wrong_usage),
		cmocka_unit_test(numbers_are_rounded_once),
		cmocka_unit_test(rows_that_are_not_kept_are_gone_and_the_others_in_order),
	};

	return cmocka_run_group_tests(tests, make_capture, drop_capture);
}

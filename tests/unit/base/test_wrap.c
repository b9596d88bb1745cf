/* SPDX-License-Identifier: GPL-2.0-only */
/* base/text/wrap.h and tables/columns/table_fit.h: what fits a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/wrap.h"
#include "tables/columns/table_fit.h"

static void becomes(const char *text, struct wrap how, const char *want)
{
	struct sink s;
	char *got;

	sink_to_memory(&s);
	wrap_text(&s, text, strlen(text), &how);
	got = sink_take(&s, NULL);
	assert_string_equal(got, want);
	free(got);
}

static void lines_are_broken_at_blanks_where_they_would_be_too_long(void **state)
{
	(void)state;
	becomes("one two three\n", (struct wrap){ 0, 0, 0, false }, "one two three\n");
	becomes("one two three\n", (struct wrap){ 13, 0, 0, false }, "one two three\n");
	becomes("one two three\n", (struct wrap){ 12, 0, 0, false }, "one two\nthree\n");
	becomes("one two three", (struct wrap){ 7, 0, 2, false }, "one two\n  three");
	/* text before it on its line counts, and only there */
	becomes("one two\none two", (struct wrap){ 7, 4, 0, false }, "one\ntwo\none two");
	/* runs of blanks are kept inside a line, and dropped at its end */
	becomes("a   b   c", (struct wrap){ 5, 0, 0, false }, "a   b\nc");
	becomes("  key  value", (struct wrap){ 8, 0, 2, false }, "  key\n  value");
}

static void a_number_keeps_its_unit(void **state)
{
	(void)state;
	becomes("worst 165 ms at", (struct wrap){ 11, 0, 0, false }, "worst\n165 ms at");
	becomes("worst 165 ms.", (struct wrap){ 10, 0, 0, false }, "worst\n165 ms.");
	becomes("half 50 %, rest", (struct wrap){ 8, 0, 0, false }, "half\n50 %,\nrest");
	becomes("8 more", (struct wrap){ 4, 0, 0, false }, "8\nmore");
	becomes("in 2 steps", (struct wrap){ 6, 0, 0, false }, "in 2\nsteps");
}

static void words_are_never_broken(void **state)
{
	(void)state;
	becomes("longer than", (struct wrap){ 3, 0, 0, false }, "longer\nthan");
	becomes("longer", (struct wrap){ 3, 0, 0, false }, "longer");
	becomes("\n\nx\n", (struct wrap){ 3, 0, 0, false }, "\n\nx\n");
}

static void a_word_wider_than_a_line_is_broken_at_its_commas(void **state)
{
	(void)state;
	becomes("a,bb,ccc,d", (struct wrap){ 5, 0, 0, false }, "a,bb,\nccc,d");
	becomes("-e a,bb,ccc,d x", (struct wrap){ 6, 0, 1, false }, "-e\n a,bb,\n ccc,d\n x");
	/* or anywhere */
	becomes("longer", (struct wrap){ 4, 0, 1, true }, "long\n er");
	becomes("日本語", (struct wrap){ 5, 0, 0, true }, "日本\n語");
	becomes("x long", (struct wrap){ 4, 0, 0, true }, "x\nlong");
}

static void a_wide_character_takes_two_columns(void **state)
{
	(void)state;
	becomes("日本 x", (struct wrap){ 6, 0, 0, false }, "日本 x");
	becomes("日本 x", (struct wrap){ 5, 0, 0, false }, "日本\nx");
}

static void the_least_important_columns_go_first_of_equals_the_last(void **state)
{
	struct table_room rooms[] = {
		{ .width = 10, .text = true },
		{ .width = 5, .rank = 1 },
		{ .width = 5, .rank = 2 },
		{ .width = 5, .rank = 1 },
	};

	(void)state;
	assert_int_equal(table_fit_width(rooms, 4), 31);
	assert_int_equal(table_fit(rooms, 4, 31, SIZE_MAX), 0);
	assert_int_equal(table_fit(rooms, 4, 24, SIZE_MAX), 1);
	assert_true(rooms[2].hidden);
	assert_int_equal(table_fit(rooms, 4, 20, SIZE_MAX), 1);
	assert_true(rooms[3].hidden && !rooms[1].hidden);
	assert_int_equal(table_fit(rooms, 4, 9, SIZE_MAX), 1);
	assert_int_equal(rooms[0].width, 9);
}

static void texts_are_cut_before_a_column_goes_when_they_stay_readable(void **state)
{
	struct table_room rooms[] = {
		{ .width = 30, .text = true, .rank = 1 },
		{ .width = 20, .text = true, .rank = 1 },
		{ .width = 5, .rank = 1 },
	};

	(void)state;
	assert_int_equal(table_fit(rooms, 3, 41, 16), 0);
	assert_int_equal(rooms[0].width, 16);
	assert_int_equal(rooms[1].width, 16);
	assert_int_equal(table_fit(rooms, 3, 40, 16), 1);
	assert_true(rooms[2].hidden);
}

static void texts_get_back_the_room_of_columns_that_went(void **state)
{
	struct table_room rooms[] = {
		{ .width = 30, .text = true },
		{ .width = 30, .text = true, .rank = 1 },
		{ .width = 20, .rank = 2 },
	};

	(void)state;
	assert_int_equal(table_fit(rooms, 3, 50, 16), 1); /* 16 + 2 + 16 without the third */
	assert_true(rooms[2].hidden);
	assert_int_equal(rooms[0].width, 24);
	assert_int_equal(rooms[1].width, 24);
	assert_int_equal(rooms[2].width, 20);
	/* but not more than they need */
	rooms[0] = (struct table_room){ .width = 20, .text = true };
	rooms[1] = (struct table_room){ .width = 17, .text = true };
	rooms[2] = (struct table_room){ .width = 40, .rank = 1 };
	assert_int_equal(table_fit(rooms, 3, 60, 16), 1);
	assert_int_equal(rooms[0].width, 20);
	assert_int_equal(rooms[1].width, 17);
}

static void a_text_that_is_cut_ends_with_dots_and_no_half_character(void **state)
{
	struct sink s;
	char *got;

	(void)state;
	sink_to_memory(&s);
	assert_int_equal(table_fit_text(&s, "exact", 5), 5);
	assert_int_equal(table_fit_text(&s, "longer", 5), 5);
	assert_int_equal(table_fit_text(&s, "日本語", 5), 4);
	assert_int_equal(table_fit_safe(&s, "a\\x1b", 5), 5);
	got = sink_take(&s, NULL);
	assert_string_equal(got, "exactlon..日..a\\x1b");
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_broken_at_blanks_where_they_would_be_too_long),
		cmocka_unit_test(a_number_keeps_its_unit),
		cmocka_unit_test(words_are_never_broken),
		cmocka_unit_test(a_word_wider_than_a_line_is_broken_at_its_commas),
		cmocka_unit_test(a_wide_character_takes_two_columns),
		cmocka_unit_test(the_least_important_columns_go_first_of_equals_the_last),
		cmocka_unit_test(texts_are_cut_before_a_column_goes_when_they_stay_readable),
		cmocka_unit_test(texts_get_back_the_room_of_columns_that_went),
		cmocka_unit_test(a_text_that_is_cut_ends_with_dots_and_no_half_character),
	};

	return cmocka_run_group_tests_name("wrap", tests, NULL, NULL);
}

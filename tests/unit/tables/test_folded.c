/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks as a tree, and logs of calls: figures worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tables/stacks/calllog.h"
#include "tables/stacks/folded.h"
#include "tables/stacks/functions.h"

static struct cdict_error err;

static char *written(const struct folded *f)
{
	struct sink s;

	sink_to_memory(&s);
	folded_write(f, NULL, &s);
	return sink_take(&s, NULL);
}

static void parse(struct folded *f, const char *text, size_t *ignored)
{
	*ignored = 0;
	assert_int_equal(folded_init(f), 0);
	f->parts = 100;
	assert_int_equal(folded_parse(f, text, strlen(text), ignored, &err), 0);
	assert_int_equal(folded_done(f), 0);
}

static void a_frame_is_what_its_stacks_add_up_to(void **state)
{
	struct folded f;
	size_t ignored;

	(void)state;
	parse(&f, "a;b;c 2\na;b 1.25\na;x 4\nz 3\n", &ignored);
	assert_int_equal(ignored, 0);
	assert_int_equal(f.nodes.n, 6);
	/* depth first, callees by name: all, a, b, c, x, z */
	static const struct {
		const char *name;
		uint64_t total, value;
		unsigned depth;
	} want[] = { { "", 1025, 0, 0 },   { "a", 725, 0, 1 },   { "b", 325, 125, 2 },
		     { "c", 200, 200, 3 }, { "x", 400, 400, 2 }, { "z", 300, 300, 1 } };
	for (size_t i = 0; i < 6; i++) {
		const struct folded_node *n = &f.nodes.at[f.order[i]];

		assert_string_equal(n->name, want[i].name);
		assert_int_equal(n->total, want[i].total);
		assert_int_equal(n->value, want[i].value);
		assert_int_equal(n->depth, want[i].depth);
	}
	assert_int_equal(f.sum, 1025);
	/* the largest first: x before b */
	static const char *const by_size[] = { "", "a", "x", "b", "c", "z" };
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(f.nodes.at[f.by_size[i]].name, by_size[i]);
	folded_fini(&f);
}

static void written_stacks_are_read_back_unchanged(void **state)
{
	struct folded f, again;
	size_t ignored;
	char *text, *second;

	(void)state;
	parse(&f, "b;c d;e 1.05\r\na 2\n;x; 0.5\na 1", &ignored);
	text = written(&f);
	assert_string_equal(text, "[unknown];x;[unknown] 0.50\na 3\nb;c d;e 1.05\n");
	parse(&again, text, &ignored);
	second = written(&again);
	assert_string_equal(second, text);
	free(text);
	free(second);
	folded_fini(&f);
	folded_fini(&again);
}

static void lines_that_are_not_stacks_are_counted(void **state)
{
	struct folded f;
	size_t ignored;

	(void)state;
	parse(&f, "a b\n12\n 7\na -3\na 1e5\na 1.\nb .5\na 184467440737095516.16\n\n", &ignored);
	assert_int_equal(ignored, 6);
	assert_int_equal(f.sum, 150);
	folded_fini(&f);
}

static void comments_are_not_stacks(void **state)
{
	static const char text[] =
		"# duration: 23873\r\n#!/x 2\n#\nmain;work 12\r\n#1 3\nmain;# x 4\n# 5\n";
	struct folded f;
	size_t ignored;
	char *out;

	(void)state;
	parse(&f, text, &ignored);
	assert_int_equal(ignored, 0);
	assert_int_equal(f.sum, 1900);
	out = written(&f);
	assert_string_equal(out, "#1 3\nmain;# x 4\nmain;work 12\n");
	free(out);
	folded_fini(&f);
	/* a task may have such a name, and is read back */
	folded_init(&f);
	folded_add(&f,
		   folded_child(&f, folded_child(&f, 0, "# a", 3, FOLDED_TASK), "b", 1,
				FOLDED_PLAIN),
		   7, 1, &err);
	assert_int_equal(folded_done(&f), 0);
	out = written(&f);
	assert_string_equal(out, "\\x23 a;b 7\n");
	free(out);
	folded_fini(&f);
}

/* As difffolded.pl writes them: before, after. */
static void two_numbers_a_line_are_a_comparison(void **state)
{
	static const char text[] = "# both\nmain;work 31 56\r\nmain;idle 6 0\nmain;new 0 2.5\n";
	struct folded before, after;
	size_t ignored = 0;
	struct sink s;
	char *out;

	(void)state;
	assert_true(folded_is_comparison(text, strlen(text)));
	assert_false(folded_is_comparison("", 0));
	assert_false(folded_is_comparison("# 1 2\n", 6));
	assert_false(folded_is_comparison("a 1 2\nb 3\n", 10));
	assert_false(folded_is_comparison("1 2\n", 4));
	folded_init(&before);
	folded_init(&after);
	before.parts = after.parts = 100;
	assert_int_equal(
		folded_parse_comparison(&before, &after, text, strlen(text), &ignored, &err), 0);
	assert_int_equal(folded_done(&before), 0);
	assert_int_equal(folded_done(&after), 0);
	assert_int_equal(ignored, 0);
	assert_int_equal(before.sum, 3700);
	assert_int_equal(after.sum, 5850);
	assert_int_equal(after.nodes.n, before.nodes.n);
	sink_to_memory(&s);
	folded_write(&after, &before, &s);
	out = sink_take(&s, NULL);
	assert_string_equal(out, "main;idle 6 0\nmain;new 0 2.50\nmain;work 31 56\n");
	free(out);
	folded_fini(&before);
	folded_fini(&after);
}

static void numbers_are_rounded_to_hundredths(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
	} good[] = { { "0", 0 },
		     { "1.5", 150 },
		     { "1.05", 105 },
		     { "1.005", 101 },
		     { "1.00499", 100 },
		     { "0.999", 100 },
		     { "184467440737095516.15", UINT64_MAX } };
	static const char *const bad[] = { "", ".", "1.2.3", "1,5", "0x1", " 1", "inf", "-1" };
	uint64_t v;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(folded_read_number(good[i].text, strlen(good[i].text), &v));
		assert_int_equal(v, good[i].value);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(folded_read_number(bad[i], strlen(bad[i]), &v));
}

static void names_end_neither_frames_nor_lines(void **state)
{
	struct folded f;
	uint32_t at;
	char *text;

	(void)state;
	assert_int_equal(folded_init(&f), 0);
	at = folded_child(&f, FOLDED_ROOT, "a;b\nc", 5, FOLDED_TASK);
	at = folded_child(&f, at, "d\xff", 2, FOLDED_USER);
	assert_int_equal(folded_add(&f, at, 3, 1, &err), 0);
	assert_int_equal(folded_done(&f), 0);
	text = written(&f);
	assert_string_equal(text, "a:b\\x0ac;d\\xff 3\n");
	free(text);
	folded_fini(&f);
}

static void a_sum_that_is_too_large_is_refused(void **state)
{
	struct folded f;

	(void)state;
	assert_int_equal(folded_init(&f), 0);
	assert_int_equal(folded_add(&f, FOLDED_ROOT, UINT64_MAX, 1, &err), 0);
	assert_int_equal(folded_add(&f, FOLDED_ROOT, 1, 1, &err), CDICT_ELIMIT);
	folded_fini(&f);
}

/* a calls b, b calls b and c: b has all below it once. */
static void a_function_has_its_own_share_and_that_of_its_callees(void **state)
{
	static const struct {
		const char *name;
		double self, self_percent, total, total_percent;
	} want[] = {
		{ "a", 0.5, 6.25, 5, 62.5 },
		{ "b", 3, 37.5, 4.5, 56.25 },
		{ "c", 1.5, 18.75, 1.5, 18.75 },
		{ "z", 3, 37.5, 3, 37.5 },
	};
	struct folded f;
	struct table *t;
	size_t ignored;

	(void)state;
	parse(&f, "a 0.5\na;b 1\na;b;b 2\na;b;c 1.5\nz 3\n", &ignored);
	t = functions_table(&f, -1);
	assert_non_null(t);
	assert_int_equal(t->n_rows, sizeof(want) / sizeof(want[0]));
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		assert_string_equal(table_at(t, i, 0)->text, want[i].name);
		assert_true(table_at(t, i, 3)->percent == want[i].self);
		assert_true(table_at(t, i, 4)->percent == want[i].self_percent);
		assert_true(table_at(t, i, 5)->percent == want[i].total);
		assert_true(table_at(t, i, 6)->percent == want[i].total_percent);
	}
	table_free(t);
	folded_fini(&f);
}

static void log_of(struct calllog *log, const char *const *files, size_t n, enum calllog_figure of)
{
	assert_int_equal(calllog_init(log), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(calllog_read(log, files[i], strlen(files[i]), &err), 0);
	assert_int_equal(calllog_done(log, of, &err), 0);
}

static void every_thread_has_its_own_stack(void **state)
{
	static const char *const files[] = {
		"+,a,f,1,1,1,1\n+,b,g,2,2,2,2\n++,a,h,3,3,3,3\n++,b,h,4,4,4,4\n",
	};
	struct calllog log;
	char *text;

	(void)state;
	log_of(&log, files, 1, CALLLOG_CALLS);
	text = written(&log.tree);
	assert_string_equal(text, "f 1\nf;h 3\ng 2\ng;h 4\n");
	free(text);
	calllog_fini(&log);
}

static void no_stack_goes_on_in_the_next_file(void **state)
{
	static const char *const files[] = { "+,a,f,1,1,1,1\n", "++,a,h,3,3,3,3\n" };
	struct calllog log;
	char *text;

	(void)state;
	log_of(&log, files, 2, CALLLOG_NS);
	text = written(&log.tree);
	assert_string_equal(text, "f 1\nh 3\n");
	free(text);
	calllog_fini(&log);
}

/* 0.01 and 0.02: 0.015, 0.02 and 0.03: 0.025, to the even hundredth; 1, 2, 2: 1.67 */
static void the_same_stack_is_averaged(void **state)
{
	static const char *const files[] = {
		"+,a,f,1,0.01,1,0.02\n+,a,g,1,1,1,1\n",
		"+,b,f,2,0.02,2,0.03\n",
		"text\n+,c,f,2,0.015,9,0.025\n",
	};
	struct calllog log;
	uint32_t f;

	(void)state;
	log_of(&log, files, 2, CALLLOG_PERCENT);
	f = log.tree.order[1];
	assert_string_equal(log.tree.nodes.at[f].name, "f");
	assert_int_equal(log.sums.at[f].of[CALLLOG_CALLS].hundredths, 150);
	assert_int_equal(log.sums.at[f].of[CALLLOG_PERCENT].hundredths, 2);
	assert_int_equal(log.sums.at[f].of[CALLLOG_NS].hundredths, 2);
	calllog_fini(&log);
	log_of(&log, files, 3, CALLLOG_CYCLES);
	f = log.tree.order[1];
	assert_int_equal(log.sums.at[f].of[CALLLOG_CALLS].hundredths, 167);
	assert_int_equal(log.tree.nodes.at[f].value, 400);
	calllog_fini(&log);
}

/* In double precision, as pandas: 0.575 times 100 is less than 57.5. */
static void ties_round_as_in_double_precision(void **state)
{
	static const char *const files[] = {
		"+,a,f,1,0.57,1.005,2.00449\n+,a,f,1,0.58,1.005,2.00551\n"
	};
	struct calllog log;
	uint32_t f;

	(void)state;
	log_of(&log, files, 1, CALLLOG_PERCENT);
	f = log.tree.order[1];
	assert_int_equal(log.sums.at[f].of[CALLLOG_PERCENT].hundredths, 57);
	assert_int_equal(log.sums.at[f].of[CALLLOG_CYCLES].hundredths, 100);
	/* figures are not rounded before they are averaged: 2.005 */
	assert_int_equal(log.sums.at[f].of[CALLLOG_NS].hundredths, 200);
	calllog_fini(&log);
}

/* A line with a missing figure still is a caller, and has its other figures. */
static void a_missing_figure_is_left_out_of_its_mean(void **state)
{
	static const char *const files[] = {
		"+,a,\"f<a, b>\",1,NaN,4,\n++,a,g,1,1,1,1\n+,a,\"f<a, b>\",2,3,8,inf\n"
		"+,a,\"f<a, b>\",3,3,8,nan\n+,a,z,1,-1,1,1\n+,a,z,1,0x1,1,1\n+,a,z,1,1e99,1,1\n"
	};
	struct calllog log;
	char *text;
	uint32_t f;

	(void)state;
	log_of(&log, files, 1, CALLLOG_PERCENT);
	assert_int_equal(log.lines, 3);
	assert_int_equal(log.ignored, 4); /* infinite, negative, hexadecimal, too large */
	f = log.tree.order[1];
	assert_string_equal(log.tree.nodes.at[f].name, "f<a, b>");
	assert_int_equal(log.sums.at[f].lines, 2);
	assert_int_equal(log.sums.at[f].of[CALLLOG_CALLS].hundredths, 200);
	assert_int_equal(log.sums.at[f].of[CALLLOG_PERCENT].n, 1);
	assert_int_equal(log.sums.at[f].of[CALLLOG_PERCENT].hundredths, 300);
	assert_int_equal(log.sums.at[f].of[CALLLOG_NS].n, 0);
	text = written(&log.tree);
	assert_string_equal(text, "f<a, b> 3\nf<a, b>;g 1\n");
	free(text);
	calllog_fini(&log);
}

/* As csv.writer writes it. */
static void quotes_are_doubled_in_quotes(void **state)
{
	static const char *const files[] = {
		"+,a,\"say \"\"a, b\"\" \"\"\"\" twice\",1,1,1,1\n"
		"++,a,\"\"\"x\"\"\",1,1,1,2\n++,a,\"\",1,1,1,3\n++,a,\"x,1,1,1,4\n",
	};
	struct calllog log;
	char *text;

	(void)state;
	log_of(&log, files, 1, CALLLOG_NS);
	text = written(&log.tree);
	/* a field of two characters or without its end is as it stands */
	assert_string_equal(text,
			    "say \"a, b\" \"\" twice 1\nsay \"a, b\" \"\" twice;\"\" 3\n"
			    "say \"a, b\" \"\" twice;\"x 4\nsay \"a, b\" \"\" twice;\"x\" 2\n");
	free(text);
	calllog_fini(&log);
}

static void depth_one_begins_a_new_stack(void **state)
{
	static const char *const files[] = {
		"+,a,f,1,1,1,1\n++,a,g,1,1,1,1\n+++,a,h,1,1,1,1\n++,a,i,1,1,1,1\n"
		"+++++,a,deep,1,1,1,1\n+,a,j,1,1,1,1\n++,a,g,1,1,1,1\n",
	};
	struct calllog log;
	char *text;

	(void)state;
	log_of(&log, files, 1, CALLLOG_NS);
	text = written(&log.tree);
	assert_string_equal(text, "f 1\nf;g 1\nf;g;h 1\nf;i 1\nf;i;deep 1\nj 1\nj;g 1\n");
	free(text);
	calllog_fini(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_what_its_stacks_add_up_to),
		cmocka_unit_test(written_stacks_are_read_back_unchanged),
		cmocka_unit_test(lines_that_are_not_stacks_are_counted),
		cmocka_unit_test(comments_are_not_stacks),
		cmocka_unit_test(two_numbers_a_line_are_a_comparison),
		cmocka_unit_test(numbers_are_rounded_to_hundredths),
		cmocka_unit_test(names_end_neither_frames_nor_lines),
		cmocka_unit_test(a_sum_that_is_too_large_is_refused),
		cmocka_unit_test(a_function_has_its_own_share_and_that_of_its_callees),
		cmocka_unit_test(every_thread_has_its_own_stack),
		cmocka_unit_test(no_stack_goes_on_in_the_next_file),
		cmocka_unit_test(the_same_stack_is_averaged),
		cmocka_unit_test(ties_round_as_in_double_precision),
		cmocka_unit_test(a_missing_figure_is_left_out_of_its_mean),
		cmocka_unit_test(quotes_are_doubled_in_quotes),
		cmocka_unit_test(depth_one_begins_a_new_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* argv to options, as in perf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/core/options.h"
#include "cmd/core/parse.h"

struct look_opts {
	struct options_shared shared;
	bool deep, deeper;
	int kind;
	uint64_t width;
	const char *turn;
};

static const char *const kinds[] = { "round", "square", NULL };

static const struct cmd_option look_options[] = {
	OPTION_OUTPUT,
	OPTION_EVENT,
	OPTION_CPU,
	OPTION_TID,
	OPTION_MAX_LOSS,
	OPTIONS_WINDOW,
	CMD_FLAG('d', "deep", struct look_opts, deep, "look deep"),
	CMD_FLAG(0, "deeper", struct look_opts, deeper, "look deeper"),
	CMD_CHOICE(0, "kind", struct look_opts, kind, "KIND", kinds, "square", "what to look at"),
	CMD_CHOOSE("square", struct look_opts, kind, kinds, "a square one"),
	CMD_MAYBE(0, "turn", struct look_opts, turn, "TIME", "turn it"),
	CMD_UINT('w', "width", struct look_opts, width, "N", "80", "columns"),
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

/* Options of another program, which are accepted or refused. */
static const struct cmd_foreign look_foreign[] = {
	{ 'b', "branch-any", CMD_FOREIGN_NONE, true, "nothing branches here" },
	{ 'R', "raw-samples", CMD_FOREIGN_NONE, false, "always" },
	{ 'z', "compression-level", CMD_FOREIGN_MAYBE, false, "always" },
	{ 0, "affinity", CMD_FOREIGN_ONE, false, "none" },
	{ 0, NULL, CMD_FOREIGN_NONE, false, NULL },
};

static const struct cmd look = {
	.name = "look",
	.brief = "look",
	.operands = "FILE",
	.min_operands = 1,
	.max_operands = 2,
	.options = look_options,
	.foreign = look_foreign,
	.opts_size = sizeof(struct look_opts),
};

static struct cmd_args args;
static struct cdict_error err;

#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })
static int parse(const char *const *argv)
{
	cmd_args_fini(&args, &look);
	err = (struct cdict_error){ 0 };
	return cmd_parse(&args, &look, argv, &err);
}

static const struct look_opts *opts(void)
{
	return args.opts;
}

static int clean(void **state)
{
	(void)state;
	cmd_args_fini(&args, &look);
	return 0;
}

static void presets_hold_without_options(void **state)
{
	(void)state;
	assert_int_equal(PARSE("file"), 0);
	assert_int_equal(args.n_operands, 1);
	assert_string_equal(args.operands[0], "file");
	assert_int_equal(opts()->kind, 1);
	assert_int_equal(opts()->width, 80);
	assert_true(opts()->shared.max_loss_pct == 5.0);
	assert_false(opts()->deep);
	assert_null(opts()->shared.cpus.bits);
}

static void every_spelling_gives_the_same(void **state)
{
	static const char *const spellings[][4] = {
		{ "-w", "7", "-d", "f" },       { "-dw", "7", "f", NULL },
		{ "-dw7", "f", NULL, NULL },    { "f", "-w7", "-d", NULL },
		{ "--width", "7", "-d", "f" },  { "--width=7", "--deep", "f", NULL },
		{ "--wid=7", "-d", "f", NULL }, { "-d", "-w7", "--", "f" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		const char *argv[5] = { spellings[i][0], spellings[i][1], spellings[i][2],
					spellings[i][3], NULL };

		assert_int_equal(parse(argv), 0);
		assert_int_equal(opts()->width, 7);
		assert_true(opts()->deep);
		assert_false(opts()->deeper); /* --deep is exact, not an abbreviation */
		assert_int_equal(args.n_operands, 1);
		assert_string_equal(args.operands[0], "f");
	}
}

static void dashes_can_be_operands(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-"), 0);
	assert_string_equal(args.operands[0], "-");
	assert_int_equal(PARSE("--", "-d", "--"), 0);
	assert_int_equal(args.n_operands, 2);
	assert_string_equal(args.operands[0], "-d");
	assert_string_equal(args.operands[1], "--");
	assert_false(opts()->deep);
}

static void dashes_part_operands_where_a_command_has_sides(void **state)
{
	struct cmd sides = look;

	(void)state;
	assert_int_equal(PARSE("a", "--", "-d"), 0);
	assert_int_equal(args.n_before, 1);
	assert_int_equal(PARSE("a", "b"), 0);
	assert_int_equal(args.n_before, 2);
	sides.dashes_part_operands = true;
	sides.max_operands = 3;
	cmd_args_fini(&args, &look);
	assert_int_equal(cmd_parse(&args, &sides,
				   (const char *const[]){ "a", "--", "b", "-d", NULL }, &err),
			 0);
	assert_int_equal(args.n_before, 1);
	assert_int_equal(args.n_operands, 2);
	assert_true(opts()->deep);
	/* before any operand, and the second time, it ends the options */
	cmd_args_fini(&args, &look);
	assert_int_equal(
		cmd_parse(&args, &sides, (const char *const[]){ "--", "a", "-d", NULL }, &err), 0);
	assert_int_equal(args.n_before, 0);
	assert_int_equal(args.n_operands, 2);
	cmd_args_fini(&args, &look);
	assert_int_equal(cmd_parse(&args, &sides,
				   (const char *const[]){ "a", "--", "b", "--", "-d", NULL }, &err),
			 0);
	assert_int_equal(args.n_before, 1);
	assert_int_equal(args.n_operands, 3);
	assert_string_equal(args.operands[2], "-d");
}

static void lists_add_up(void **state)
{
	(void)state;
	assert_int_equal(PARSE("f", "-e", "sched:*,kvm:kvm_exit", "-e", "irq:*", "-C", "0-2,64",
			       "--cpu=70", "--tid", "9,3", "--tid=5", "-vv", "-v"),
			 0);
	assert_int_equal(opts()->shared.events.n, 3);
	assert_string_equal(opts()->shared.events.at[1], "kvm:kvm_exit");
	assert_string_equal(opts()->shared.events.at[2], "irq:*");
	assert_int_equal(opts()->shared.cpus.n, 128);
	assert_int_equal(opts()->shared.cpus.bits[0], 7);
	assert_int_equal(opts()->shared.cpus.bits[1], 1 | 1 << 6);
	assert_int_equal(opts()->shared.tids.n, 3);
	assert_int_equal(opts()->shared.tids.at[0], 3);
	assert_int_equal(opts()->shared.tids.at[2], 9);
	assert_int_equal(opts()->shared.verbose, 3);
}

static void options_of_perf_are_accepted_with_their_arguments(void **state)
{
	(void)state;
	assert_int_equal(PARSE("f", "-R", "-z3", "-Rz", "--compression-level=7", "--affinity",
			       "cpu", "--affinity=node", "--no-raw-samples", "-dw9"),
			 0);
	assert_int_equal(args.n_operands, 1);
	assert_true(opts()->deep);
	assert_int_equal(opts()->width, 9);
}

static void an_optional_value_comes_after_the_equals_sign(void **state)
{
	(void)state;
	assert_int_equal(PARSE("f"), 0);
	assert_null(opts()->turn);
	assert_int_equal(PARSE("f", "--turn", "g"), 0);
	assert_string_equal(opts()->turn, "");
	assert_int_equal(args.n_operands, 2);
	assert_int_equal(PARSE("f", "--turn=30s"), 0);
	assert_string_equal(opts()->turn, "30s");
	assert_int_equal(PARSE("f", "--square"), 0);
	assert_int_equal(opts()->kind, 1);
}

static void help_stops_everything(void **state)
{
	(void)state;
	assert_int_equal(PARSE("-dh", "--nonsense"), 0);
	assert_true(args.help);
	assert_int_equal(PARSE("--help"), 0);
	assert_true(args.help);
}

static void wrong_usage_is_reported_in_one_line(void **state)
{
	static const struct {
		const char *argv[3];
		const char *text;
	} cases[] = {
		{ { NULL }, "needs FILE" },
		{ { "a", "b", "c" }, "unexpected operand 'c'" },
		{ { "f", "--nonsense" }, "unknown option '--nonsense'" },
		{ { "f", "--dep" }, "unknown option '--dep' (did you mean '--deep'?)" },
		{ { "f", "--widht" }, "unknown option '--widht' (did you mean '--width'?)" },
		{ { "f", "--branch-any" }, "option --branch-any: nothing branches here" },
		{ { "f", "-b" }, "option --branch-any: nothing branches here" },
		{ { "f", "-x" }, "unknown option '-x'" },
		{ { "f", "-dx" }, "unknown option '-x'" },
		{ { "f", "--wid" }, "option --width needs an argument (N)" },
		{ { "f", "-w" }, "option -w needs an argument (N)" },
		{ { "f", "--deep=1" }, "option --deep takes no argument" },
		{ { "f", "--de" }, "option '--de' could be --deep or --deeper" },
		{ { "f", "-w", "7x" }, "option --width takes a whole number, not '7x'" },
		{ { "f", "-w-1" }, "option --width takes a whole number, not '-1'" },
		{ { "f", "-w", "18446744073709551616" },
		  "option --width takes a whole number, not '18446744073709551616'" },
		{ { "f", "--kind", "oval" }, "option --kind takes round or square, not 'oval'" },
		{ { "f", "--max-loss=x" }, "option --max-loss takes a number, not 'x'" },
		{ { "f", "--max-loss=1e3" }, "option --max-loss takes a number, not '1e3'" },
		{ { "f", "-C", "3-1" },
		  "option --cpu takes a list of CPUs as in 0-3,8, not '3-1'" },
		{ { "f", "-C", "1," }, "option --cpu takes a list of CPUs as in 0-3,8, not '1,'" },
		{ { "f", "-C", "99999999" },
		  "option --cpu takes a list of CPUs as in 0-3,8, not '99999999'" },
		{ { "f", "--tid=x" }, "option --tid takes a list of ids as in 17,23, not 'x'" },
		{ { "f", "-e", "a,,b" },
		  "option --event takes a comma-separated list, not 'a,,b'" },
		{ { "f", "-o", "" }, "option --output takes a non-empty text, not ''" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *argv[4] = { cases[i].argv[0], cases[i].argv[1], cases[i].argv[2],
					NULL };

		assert_int_equal(parse(argv), CDICT_EUSAGE);
		assert_string_equal(err.text, cases[i].text);
	}
}

static void milliseconds_have_six_decimals(void **state)
{
	uint64_t ns = 1;

	(void)state;
	assert_int_equal(options_ms("0", &ns, NULL), 0);
	assert_int_equal(ns, 0);
	assert_int_equal(options_ms("12.5", &ns, NULL), 0);
	assert_int_equal(ns, 12500000);
	assert_int_equal(options_ms("0.000001", &ns, NULL), 0);
	assert_int_equal(ns, 1);
	assert_int_equal(options_ms("0.0000001", &ns, NULL), CDICT_EUSAGE);
	assert_int_equal(options_ms("-1", &ns, NULL), CDICT_EUSAGE);
	assert_int_equal(options_ms("", &ns, NULL), CDICT_EUSAGE);
	assert_int_equal(options_ms("1s", &ns, NULL), CDICT_EUSAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(presets_hold_without_options),
		cmocka_unit_test(every_spelling_gives_the_same),
		cmocka_unit_test(dashes_can_be_operands),
		cmocka_unit_test(dashes_part_operands_where_a_command_has_sides),
		cmocka_unit_test(lists_add_up),
		cmocka_unit_test(options_of_perf_are_accepted_with_their_arguments),
		cmocka_unit_test(an_optional_value_comes_after_the_equals_sign),
		cmocka_unit_test(help_stops_everything),
		cmocka_unit_test(wrong_usage_is_reported_in_one_line),
		cmocka_unit_test(milliseconds_have_six_decimals),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}

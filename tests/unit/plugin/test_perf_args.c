/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that the plugin takes from perf script's command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The plugin is not a library: its source file is included. */
#include "plugin/perf_args.c"

static const struct line {
	const char *words; /* blanks between; '|' stands for one inside a word */
	const char *input;
	bool filtered, guest, symbols;
} lines[] = {
	{ "perf script", NULL, false, false, false },
	{ "perf script -i a.data", "a.data", false, false, false },
	{ "perf script -ia.data", "a.data", false, false, false },
	{ "perf script --input a.data", "a.data", false, false, false },
	{ "perf script --input=a.data", "a.data", false, false, false },
	{ "perf script --inp a.data", "a.data", false, false, false },
	{ "perf script -fvi a.data", "a.data", false, false, false },
	{ "perf script -i -", "-", false, false, false },
	{ "perf script -i a.data -i b.data", "b.data", false, false, false },
	{ "perf --no-pager script -i a.data", "a.data", false, false, false },
	{ "/usr/bin/perf script --dlfilter x.so --dlarg -i --dlarg=out=y -i a.data", "a.data",
	  false, false, false },
	{ "perf script -F comm,tid -G --ns --guest-code -i a.data", "a.data", false, true, false },
	{ "perf script --guestmount=/x -i a.data", "a.data", true, true, false },
	{ "perf script -k vmlinux -i a.data", "a.data", false, false, true },
	{ "perf script --symfs /x -i a.data", "a.data", false, false, true },
	{ "perf script --no-demangle --no-inline", NULL, false, false, false },
	{ "perf script --time 1,2 -i a.data", "a.data", true, false, false },
	{ "perf script -C 0 -i a.data", "a.data", true, false, false },
	{ "perf script -fC0 -i a.data", "a.data", true, false, false },
	{ "perf script --tid=5", NULL, true, false, false },
	{ "perf script -S main", NULL, true, false, false },
	{ "perf script report x", NULL, true, false, false },
	{ "perf script -i", NULL, false, false, false },
	{ "perf script -i a|b.data", "a b.data", false, false, false },
	{ "perf", NULL, false, false, false },
	{ "", NULL, false, false, false },
};

static void command_lines_are_understood(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const struct line *l = &lines[i];
		char *text = strdup(l->words);
		size_t len = strlen(text);
		struct perf_args p;

		for (size_t k = 0; k < len; k++)
			text[k] = text[k] == ' ' ? 0 : text[k] == '|' ? ' ' : text[k];
		assert_int_equal(perf_args_parse(&p, text, len ? len + 1 : 0, NULL), 0);
		if (p.filtered != l->filtered || p.guest_code != l->guest ||
		    p.symbols != l->symbols || !p.input != !l->input)
			print_message("%s: input %s, filtered %d, guest %d, symbols %d\n", l->words,
				      p.input ? p.input : "none", p.filtered, p.guest_code,
				      p.symbols);
		assert_int_equal(p.filtered, l->filtered);
		assert_int_equal(p.guest_code, l->guest);
		assert_int_equal(p.symbols, l->symbols);
		assert_int_equal(!p.input, !l->input);
		if (l->input)
			assert_string_equal(p.input, l->input);
		perf_args_fini(&p);
		free(text);
	}
}

static void a_cut_word_is_left_out(void **state)
{
	static const char text[] = "perf\0script\0-i\0a.data\0--ti";
	struct perf_args p;

	(void)state;
	assert_int_equal(perf_args_parse(&p, text, sizeof(text) - 1, NULL), 0);
	assert_string_equal(p.input, "a.data");
	assert_false(p.filtered);
	perf_args_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines_are_understood),
		cmocka_unit_test(a_cut_word_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Foreign text in every context where it is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text/escape.h"

typedef void escape_fn(struct sink *s, const char *text, size_t len);

struct example {
	const char *text, *want;
};

static void check(escape_fn *fn, const struct example *examples, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sink s;
		size_t len;
		char *got;

		sink_to_memory(&s);
		fn(&s, examples[i].text, strlen(examples[i].text));
		got = sink_take(&s, &len);
		assert_non_null(got);
		assert_string_equal(got, examples[i].want);
		assert_int_equal(len, strlen(examples[i].want));
		free(got);
	}
}
#define CHECK(fn, examples) check(fn, examples, sizeof(examples) / sizeof(examples[0]))

static void a_terminal_obeys_nothing(void **state)
{
	static const struct example examples[] = {
		{ "", "" },
		{ "qemu-system-x86", "qemu-system-x86" },
		{ "\x1b[2J\x07", "\\x1b[2J\\x07" },
		{ "a\nb\tc\r\x7f", "a\\x0ab\\x09c\\x0d\\x7f" },
		{ "\xc2\x9b"
		  "31m",
		  "\\xc2\\x9b31m" }, /* C1's CSI */
		{ "M\xc3\xbcller", "M\xc3\xbcller" },
		{ "\xff\xfe", "\\xff\\xfe" },
		{ "cut\xe2\x82", "cut\\xe2\\x82" },
		{ "\xc0\xaf", "\\xc0\\xaf" },          /* overlong */
		{ "\xed\xa0\x80", "\\xed\\xa0\\x80" }, /* surrogate */
		{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
		{ "a\xe2\x80\xae"
		  "b",
		  "a<U+202E>b" },
		{ "\xe2\x81\xa6", "<U+2066>" },
		{ "\xe2\x80\x8b", "<U+200B>" },
		{ "\xf3\xa0\x80\xa1", "<U+E0021>" },
		{ "<b>&", "<b>&" },
	};

	(void)state;
	CHECK(escape_terminal, examples);
}

static void the_width_is_that_of_the_text_shown(void **state)
{
	static const char *const texts[] = {
		"",     "abc",      "\x1b[m",       "M\xc3\xbcller",
		"\xff", "\xc2\x9b", "\xe2\x80\xae", "\xf3\xa0\x80\xa1"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sink s;
		size_t len, width = 0;
		char *got;

		sink_to_memory(&s);
		escape_terminal(&s, texts[i], strlen(texts[i]));
		got = sink_take(&s, &len);
		assert_non_null(got);
		for (size_t b = 0; b < len; b++)
			width += (got[b] & 0xc0) != 0x80;
		assert_int_equal(escape_width(texts[i], strlen(texts[i])), width);
		free(got);
	}
	assert_int_equal(escape_width("\xe4\xb8\xad", 3), 2); /* a wide character */
	assert_int_equal(escape_width("e\xcc\x81", 3), 1);    /* a combining one */
}

static void json_stays_json(void **state)
{
	static const struct example examples[] = {
		{ "a\"b\\c/", "a\\\"b\\\\c/" },
		{ "\n\t\x01\x1f\x7f", "\\\\x0a\\\\x09\\\\x01\\\\x1f\\\\x7f" },
		{ "\xc2\x9b", "\\\\xc2\\\\x9b" },
		{ "\xff"
		  "x",
		  "\xef\xbf\xbdx" },
		{ "\xe2\x80\xa8", "<U+2028>" },
		{ "a\xe2\x80\xae"
		  "b",
		  "a<U+202E>b" },
		{ "</script>&", "</script>&" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
	};

	(void)state;
	CHECK(escape_json, examples);
}

/* A reader of the output gets the original value. */
static void a_value_in_json_is_itself_again(void **state)
{
	static const struct example examples[] = {
		{ "\n\t\x01\x7f\xc2\x9b", "\\n\\t\\u0001\\u007f\\u009b" },
		{ "a\"\\", "a\\\"\\\\" },
		{ "\xe2\x80\xae", "\\u202e" },
		{ "\xf3\xa0\x80\xa1", "\\udb40\\udc21" },
		{ "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
	};

	(void)state;
	CHECK(escape_json_exact, examples);
}

static void a_script_element_is_not_left(void **state)
{
	static const struct example examples[] = {
		{ "</script><script>", "\\u003c/script\\u003e\\u003cscript\\u003e" },
		{ "<!--&", "\\u003c!--\\u0026" },
		{ "\xe2\x80\xae", "\\u003cU+202E\\u003e" },
		{ "\n\x1b\xe2\x80\xa8", "\\n\\u001b\\u2028" },
		{ "\"\\", "\\\"\\\\" },
	};

	(void)state;
	CHECK(escape_json_script, examples);
}

static void xml_text_and_attributes_are_not_left(void **state)
{
	static const struct example text[] = {
		{ "<svg onload=\"x\">&amp;", "&lt;svg onload=\"x\"&gt;&amp;amp;" },
		{ "]]>", "]]&gt;" },
		{ "a\x01"
		  "b\xff",
		  "a\xef\xbf\xbd"
		  "b\xef\xbf\xbd" },
		{ "a\tb\nc", "a\tb\nc" },
		{ "\xef\xbf\xbf", "\xef\xbf\xbd" },
	};
	static const struct example attr[] = {
		{ "a\"b'c<d>&", "a&quot;b&#39;c&lt;d&gt;&amp;" },
		{ "a\tb\nc", "a&#9;b&#10;c" },
	};

	(void)state;
	CHECK(escape_xml_text, text);
	CHECK(escape_xml_attr, attr);
}

static void a_csv_cell_stays_one(void **state)
{
	static const struct example examples[] = {
		{ "plain", "plain" },
		{ "", "" },
		{ "a,b", "\"a,b\"" },
		{ "say \"x\"", "\"say \"\"x\"\"\"" },
		{ " lead", "\" lead\"" },
		{ "a\r\nb", "a\\x0d\\x0ab" },
		{ "\xff,", "\"\\xff,\"" },
		{ "\xe2\x80\xae", "<U+202E>" },
		{ "=1+1", "'=1+1" },
		{ "@x", "'@x" },
		{ "-x,", "\"'-x,\"" },
		{ "a=1", "a=1" },
		{ "+", "'+" },
	};

	(void)state;
	CHECK(escape_csv, examples);
}

static void a_markdown_cell_stays_one(void **state)
{
	static const struct example examples[] = {
		{ "a|b", "a\\|b" },
		{ "<script>", "&lt;script&gt;" },
		{ "*x* _y_ `z` [a](b)", "\\*x\\* \\_y\\_ \\`z\\` \\[a\\](b)" },
		{ "a\nb", "a\\\\x0ab" },
		{ "\xe2\x80\xae", "&lt;U+202E&gt;" },
	};

	(void)state;
	CHECK(escape_md, examples);
}

/* No byte that a context forbids is written. */
static void every_byte_is_safe_everywhere(void **state)
{
	static escape_fn *const fns[] = { escape_terminal,    escape_json, escape_json_exact,
					  escape_json_script, escape_csv,  escape_md,
					  escape_xml_attr };

	(void)state;
	for (size_t f = 0; f < sizeof(fns) / sizeof(fns[0]); f++) {
		for (unsigned a = 1; a < 256; a++) {
			for (unsigned b = 1; b < 256; b++) {
				char in[3] = { (char)a, (char)b, 0 };
				struct sink s;
				size_t len;
				char *got;

				sink_to_memory(&s);
				fns[f](&s, in, 2);
				got = sink_take(&s, &len);
				assert_non_null(got);
				for (size_t i = 0; i < len; i++)
					assert_true((unsigned char)got[i] >= 0x20 &&
						    got[i] != 0x7f);
				for (size_t i = 0; i < len;) {
					uint32_t cp;
					size_t n = escape_decode(got + i, len - i, &cp);

					assert_true(n > 0);
					i += n;
				}
				free(got);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_terminal_obeys_nothing),
		cmocka_unit_test(the_width_is_that_of_the_text_shown),
		cmocka_unit_test(json_stays_json),
		cmocka_unit_test(a_value_in_json_is_itself_again),
		cmocka_unit_test(a_script_element_is_not_left),
		cmocka_unit_test(xml_text_and_attributes_are_not_left),
		cmocka_unit_test(a_csv_cell_stays_one),
		cmocka_unit_test(a_markdown_cell_stays_one),
		cmocka_unit_test(every_byte_is_safe_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

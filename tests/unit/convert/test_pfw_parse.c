/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of an I/O trace: strings and numbers of any length, and broken lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "convert/pfw/parse.h"

/* A part of one text, which it points into. */
struct parsed {
	struct pfw_part part;
	char *text;
};

/* The text ends where its memory does, so that a sanitizer notices reads beyond it. */
static void parse(struct parsed *p, const char *text)
{
	size_t len = strlen(text);

	*p = (struct parsed){ .text = malloc(len + PFW_PADDING) };
	assert_non_null(p->text);
	memcpy(p->text, text, len);
	memset(p->text + len, 0, PFW_PADDING);
	assert_int_equal(pfw_parse(&p->part, p->text, len), 0);
}

static void fini(struct parsed *p)
{
	pfw_part_fini(&p->part);
	free(p->text);
}

/* Returns the argument @value of an event that has only this one. */
static const struct pfw_arg *one(struct parsed *p, const char *key, const char *value)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "{\"name\":\"n\",\"cat\":\"c\",\"ts\":1,\"dur\":2,\"args\":{\"%s\":%s}}\n", key,
		 value);
	parse(p, text);
	if (p->part.broken || !p->part.events.n)
		return NULL;
	assert_int_equal(p->part.events.n, 1);
	return p->part.events.at[0].n_args ? &p->part.args.at[0] : NULL;
}

static void numbers(void **state)
{
	static const struct {
		const char *key, *value;
		bool number;
		int64_t is;
	} cases[] = {
		{ "a", "0", true, 0 },
		{ "a", "7", true, 7 },
		{ "a", "12345678", true, 12345678 },
		{ "a", "123456789", true, 123456789 },
		{ "a", "1234567812345678", true, 1234567812345678 },
		{ "a", "123456789012345678", true, 123456789012345678 },
		{ "a", "1234567890123456789", true, 1234567890123456789 },
		{ "a", "9223372036854775807", true, INT64_MAX },
		{ "a", "9223372036854775808", false, 0 },
		{ "a", "-9223372036854775807", true, -INT64_MAX },
		{ "a", "-9223372036854775808", false, 0 }, /* what stands for none */
		{ "a", "1e6", true, 1000000 },
		{ "a", "1E+6", true, 1000000 },
		{ "a", "-4.096e3", true, -4096 },
		{ "a", "4096.0", true, 4096 },
		{ "a", "120e-1", true, 12 },
		{ "a", "125e-1", false, 0 },
		{ "a", "0e999999999999", true, 0 },
		{ "a", "1e18", true, 1000000000000000000 },
		{ "a", "1e19", false, 0 },
		{ "a", "1e999999999999", false, 0 },
		{ "a", "1e-999999999999", false, 0 },
		{ "a", "1e", false, 0 },
		{ "a", "1.e3", false, 0 },
		{ "a", "NaN", false, 0 },
		{ "a", "\"1e6\"", false, 0 },
		{ "size", "1.048576e+06", true, 1048576 },
		{ "ret", "4096.0", true, 4096 },
		{ "a", "123456789012345678901234567890", false, 0 },
		{ "a", "-5", true, -5 },
		{ "a", "-0", false, 0 },
		{ "a", "-", false, 0 },
		{ "a", "007", false, 0 },
		{ "a", "1.5", false, 0 },
		{ "a", "12 ", true, 12 },
		{ "a", "12x", false, 0 },
		{ "a", "\"4096\"", true, 4096 },
		{ "a", "\"-4096\"", true, -4096 },
		{ "a", "\"4\\u0030\"", true, 40 },
		{ "a", "\"40 \"", false, 0 },
		{ "a", "\"\"", false, 0 },
		{ "fname", "\"12\"", false, 0 },
		{ "time", "2", true, 2000000000 },
		{ "time", "7.86e-07", true, 786 },
		{ "time", "9223372036", true, 9223372036000000000 },
		{ "time", "9223372037", false, 0 },
		{ "time", "1e400", false, 0 },
		/* A text that is not a number stays as it was. */
		{ "time", "1.5e", false, 0 },
		{ "time", "-1.5", true, -1500000000 },
		{ "time", "-2", true, -2000000000 },
		{ "time", "1.5e-9", true, 2 },
		{ "time", "0.00000000049", true, 0 },
		{ "time", "1.5.5", false, 0 },
		{ "time", "12z", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parsed p;
		const struct pfw_arg *a = one(&p, cases[i].key, cases[i].value);

		if (!a || (a->form == PFW_NUMBER) != cases[i].number)
			fail_msg("%s: %s", cases[i].key, cases[i].value);
		if (cases[i].number)
			assert_int_equal(a->number, cases[i].is);
		else
			assert_int_equal(strncmp(cases[i].value + (*cases[i].value == '"'), a->text,
						 a->len),
					 0);
		fini(&p);
	}
}

static void times_of_the_line(void **state)
{
	static const struct {
		const char *ts, *dur;
		bool broken;
		uint64_t end_ns;
	} cases[] = {
		{ "1", "2", false, 3000 },
		{ "\"1698352095942673\"", "\"348\"", false, 1698352095943021000 },
		{ "1.5", "0.0004", false, 1500 },
		{ "1.0019", "0", false, 1001 },
		{ "9223372036854775", "0", false, 9223372036854775000 },
		{ "9223372036854776", "0", true, 0 },
		{ "9223372036854775", "1", true, 0 },
		{ "1234567890123456789", "0", true, 0 },
		{ "-1", "0", true, 0 },
		{ "100", "1e+06", false, 1000100000 },
		{ "1e2", "1E6", false, 1000100000 },
		{ "1.698352095942673e15", "3.48e2", false, 1698352095943021000 },
		{ "\"1.5e3\"", "\"25e-1\"", false, 1502500 },
		{ "1234567.8919e-3", "0", false, 1234567 },
		{ "1.0000000000000000000000000000000000001", "0e5", false, 1000 },
		{ "-0.0", "-0", false, 0 },
		{ "0.000000000000000000000000000000000000000001e45", "0", false, 1000000 },
		{ "9.223372036854775e15", "0", false, 9223372036854775000 },
		{ "9.223372036854776e15", "0", true, 0 },
		{ "1e300", "0", true, 0 },
		{ "1e-300", "1e-999999999999", false, 0 },
		{ "1", "-1e0", true, 0 },
		{ "1e", "0", true, 0 },
		{ "1e+", "0", true, 0 },
		{ "1e1.5", "0", true, 0 },
		{ "NaN", "0", true, 0 },
		{ "Infinity", "0", true, 0 },
		{ "1e5x", "0", true, 0 },
		{ "", "0", true, 0 },
		{ "\"1", "0", true, 0 },
		{ "1x", "0", true, 0 },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parsed p;

		snprintf(text, sizeof(text),
			 "{\"name\":\"n\",\"cat\":\"c\",\"ts\":%s,\"dur\":%s}\n"
			 "{\"name\":\"n\",\"cat\":\"c\",\"ts\":5}\n",
			 cases[i].ts, cases[i].dur);
		parse(&p, text);
		assert_int_equal(p.part.lines, 2);
		assert_int_equal(p.part.broken, cases[i].broken);
		assert_int_equal(p.part.events.n, 2 - cases[i].broken);
		assert_int_equal(p.part.events.at[p.part.events.n - 1].end_ns, 5000);
		if (!cases[i].broken)
			assert_int_equal(p.part.events.at[0].end_ns, cases[i].end_ns);
		fini(&p);
	}
}

/* Whole numbers in any form, quoted or not; of negative and larger ones the lower 31 bits. */
static void ids_of_the_line(void **state)
{
	static const struct {
		const char *id;
		bool broken;
		int32_t is;
	} cases[] = {
		{ "42", false, 42 },
		{ "\"42\"", false, 42 },
		{ "1e3", false, 1000 },
		{ "\"1e3\"", false, 1000 },
		{ "\"4.2e1\"", false, 42 },
		{ "4.20E+1", false, 42 },
		{ "\"42.0\"", false, 42 },
		{ "4294967297", false, 1 },
		{ "4294967297.0", false, 1 },
		{ "-3", false, INT32_MAX - 2 },
		{ "\"-3.0\"", false, INT32_MAX - 2 },
		{ "1.5", true, 0 },
		{ "\"1.5\"", true, 0 },
		{ "1e", true, 0 },
		{ "1e30", true, 0 },
		{ "\"1e3", true, 0 },
		{ "\"1e3x\"", true, 0 },
		{ "\"\"", true, 0 },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const char *id = cases[i / 2].id, *key = i % 2 ? "tid" : "pid";
		struct parsed p;

		snprintf(text, sizeof(text),
			 "{\"name\":\"n\",\"cat\":\"c\",\"%s\":%s,\"ts\":1}\n"
			 "{\"name\":\"n\",\"cat\":\"c\",\"ts\":5,\"%s\":%s}\n",
			 key, id, key, id);
		parse(&p, text);
		assert_int_equal(p.part.broken, cases[i / 2].broken ? 2 : 0);
		assert_int_equal(p.part.events.n, cases[i / 2].broken ? 0 : 2);
		for (size_t k = 0; k < p.part.events.n; k++) {
			const struct pfw_event *e = &p.part.events.at[k];

			assert_int_equal(i % 2 ? e->tid : e->pid, cases[i / 2].is);
		}
		fini(&p);
	}
}

/* A string of every length up to three reads, its quote, escape and letters beyond ASCII at every place. */
static void strings(void **state)
{
	char text[128], want[128];

	(void)state;
	for (unsigned len = 1; len < 50; len++) {
		for (unsigned at = 0; at < len; at++) {
			for (unsigned kind = 0; kind < 4; kind++) {
				static const char *const written[] = { "x", "\\\"", "\xc3",
								       "\\\xff" };
				static const char plain[] = "x\"\xc3\xff";
				struct parsed p;
				const struct pfw_arg *a;

				snprintf(
					text, sizeof(text), "\"%.*s%s%.*s\"", (int)at,
					"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
					written[kind], (int)(len - 1 - at),
					"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb");
				memset(want, 'a', at);
				want[at] = plain[kind];
				memset(want + at + 1, 'b', len - 1 - at);
				a = one(&p, "fname", text);
				assert_non_null(a);
				assert_int_equal(a->len, len);
				assert_memory_equal(a->text, want, len);
				assert_int_equal(p.part.beyond, kind >= 2);
				fini(&p);
			}
		}
	}
}

static void escapes(void **state)
{
	static const char *const cases[][2] = {
		{ "\"a\\n\\t\\/\\\\b\"", "a\n\t/\\b" },
		{ "\"\\u00e9\"", "\xc3\xa9" },
		{ "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
		/* the first and last of each length of UTF-8 */
		{ "\"\\u0001\\u007f\"", "\x01\x7f" },
		{ "\"\\u0080\\u07ff\"", "\xc2\x80\xdf\xbf" },
		{ "\"\\u0800\\ud7ff\\ue000\\uffff\"",
		  "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf" },
		{ "\"\\ud800\\udc00\\udbff\\udfff\"", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" },
		{ "\"\\udc00\\udfff\"", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\"\\ud83dx\"", "\xef\xbf\xbdx" },
		{ "\"\\ud83d\\ue000\"", "\xef\xbf\xbd\xee\x80\x80" },
		{ "\"\\u00E9\\u00eF\"", "\xc3\xa9\xc3\xaf" },
		{ "\"\\ud83d\"", "\xef\xbf\xbd" },
		{ "\"\\u0000\"", "\xef\xbf\xbd" },
		/* A sequence that is not an escape stands for itself, and takes no more room than
		 * before. */
		{ "\"\\um\"", "um" },
		{ "\"\\u\\u\\u1\"", "uuu1" },
		{ "\"\\q\"", "q" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parsed p;
		const struct pfw_arg *a = one(&p, "fname", cases[i][0]);

		assert_non_null(a);
		assert_int_equal(a->len, strlen(cases[i][1]));
		assert_memory_equal(a->text, cases[i][1], a->len);
		fini(&p);
	}
}

/* Keys in any order, blanks, a comma at the end: as in existing writers. */
static void lines(void **state)
{
	struct parsed p;

	(void)state;
	parse(&p,
	      "[\n"
	      "{\"ph\":\"X\",\"args\":{\"size\":3,\"fname\":\"/a\"},\"dur\":1,\"ts\":2,\"cat\":\"io\",\"name\":\"read\"},\n"
	      " { \"name\" : \"read\" , \"cat\" : \"io\" , \"ts\" : 7 ,\t\"args\" : { \"fname\" : \"/b\" , \"size\" : 4 } }\r\n"
	      "\n"
	      "{\"name\":\"read\",\"cat\":\"io\",\"ts\":9,\"other\":{\"a\":[1,\"}\"]},\"pid\":-3,\"tid\":\"4294967297\"}\n"
	      "{\"name\":\"read\",\"cat\":\"io\",\"ts\":9,\"args\":{\"fname\":\"/c\n"
	      "{\"name\":\"read\",\"cat\":\"io\",\"ts\":9,\"args\":{\"fname\":\"/c\"\n"
	      "{\"name\":\"read\",\"cat\":\"io\",\"ts\":9,\"args\" \"fname\"}\n"
	      "{\"name\":\"read\",\"ts\":9}\n"
	      "{\"name\":\"read\",\"cat\":\"io\"}\n"
	      "{\"ph\":\"M\",\"name\":\"FH\",\"cat\":\"dftracer\",\"args\":{\"name\":\"/d\",\"value\":\"h1\"}}\n"
	      "]\n");
	assert_int_equal(p.part.lines, 12);
	assert_int_equal(p.part.broken, 5);
	assert_int_equal(p.part.first_broken, 6);
	assert_int_equal(p.part.events.n, 3);
	assert_int_equal(p.part.n_kinds, 1);
	assert_int_equal(p.part.kinds.at[0].keys.n, 3); /* size, fname, other */
	assert_int_equal(p.part.events.at[0].end_ns, 3000);
	assert_int_equal(p.part.events.at[1].n_args, 2);
	/* The second has them in reverse order: its first is the second of the kind. */
	assert_int_equal(p.part.args.at[p.part.events.at[1].first_arg].key, 1);
	assert_int_equal(p.part.args.at[p.part.events.at[2].first_arg].form, PFW_RAW);
	assert_int_equal(p.part.definitions.n, 1);
	assert_int_equal(p.part.definitions.at[0].what, PFW_DEFINES_FILE);
	assert_int_equal(p.part.definitions.at[0].len, 2);
	fini(&p);
}

/* Its events are members of an object, of which the rest is not read. */
static void chromes_form(void **state)
{
	static const char *const begins[] = { "{\"traceEvents\":[", "{\"traceEvents\": [ ",
					      "  {\"traceEvents\":[\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		char text[256];
		struct parsed p;

		snprintf(text, sizeof(text),
			 "%s{\"name\":\"a\",\"cat\":\"c\",\"ts\":1},\n"
			 "{\"name\":\"b\",\"cat\":\"c\",\"ts\":2}],\"displayTimeUnit\":\"ms\"}\n",
			 begins[i]);
		parse(&p, text);
		assert_int_equal(p.part.broken, 0);
		assert_int_equal(p.part.events.n, 2);
		assert_int_equal(p.part.events.at[0].end_ns, 1000);
		assert_int_equal(p.part.events.at[1].end_ns, 2000);
		fini(&p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),         cmocka_unit_test(times_of_the_line),
		cmocka_unit_test(ids_of_the_line), cmocka_unit_test(strings),
		cmocka_unit_test(escapes),         cmocka_unit_test(lines),
		cmocka_unit_test(chromes_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

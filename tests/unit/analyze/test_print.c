/* SPDX-License-Identifier: GPL-2.0-only */
/* Print formats: the text printed for an event, and the formats that are rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyze/printing/expr.h"
#include "analyze/printing/print.h"

static const char fields[] =
	"name: x\nID: 77\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:short s;\toffset:12;\tsize:2;\tsigned:1;\n"
	"\tfield:u8 b;\toffset:14;\tsize:1;\tsigned:0;\n"
	"\tfield:u64 l;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:24;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] dyn;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u8[] data;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:48;\tsize:4;\tsigned:0;\n\n";

struct values {
	int32_t i;
	int16_t s;
	uint8_t b;
	uint64_t l;
	const char *comm, *dyn, *data, *rel;
};

static struct cdict_schema *schema_of(const char *print, bool big)
{
	struct cdict_schema *schema = cdict_schema_new(big, 8, 4096);
	struct cdict_error err;
	struct buf text = { 0 };

	buf_printf(&text, "%sprint fmt: %s\n", fields, print);
	assert_int_equal(cdict_schema_add(schema, "test", (char *)text.data, text.len, &err), 0);
	buf_fini(&text);
	return schema;
}

/* Returns the printed text, or "-" when the format is rejected, "?" when this event is. */
static char *printed(const char *print, const struct values *v)
{
	struct cdict_schema *schema = schema_of(print, false);
	struct printer *p = printer_new(schema);
	int named = printer_symbols(p, "1000 10 first\n1010 10 second\n");
	const char *texts[] = { v->comm, v->dyn, v->data, v->rel };
	uint64_t values[12] = {
		77, 0, 0, 1, (uint64_t)(int64_t)v->i, (uint64_t)(int64_t)v->s, v->b, v->l,
		0,  1, 2, 3
	};
	struct cdict_bytes bytes[4];
	struct cdict_event ev = { .t_ns = 5, .values = values, .bytes = bytes };
	struct buf out = { 0 };

	for (int i = 0; i < 4; i++)
		bytes[i] = (struct cdict_bytes){ (const uint8_t *)(texts[i] ? texts[i] : ""),
						 texts[i] ? strlen(texts[i]) : 0 };
	assert_int_equal(named, 0);
	ev.type = cdict_schema_at(schema, 0);
	if (!printer_knows(p, 0))
		buf_add(&out, "-", 1);
	else if (!printer_text(p, &ev, &out))
		buf_add(&out, "?", 1);
	buf_u8(&out, 0);
	printer_free(p);
	cdict_schema_free(schema);
	return (char *)out.data;
}

struct row {
	const char *print, *text;
	struct values values;
};

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *text = printed(rows[i].print, &rows[i].values);

		if (strcmp(text, rows[i].text))
			fail_msg("%s\n  prints   %s\n  expected %s", rows[i].print, text,
				 rows[i].text);
		free(text);
	}
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof((rows)[0]))

static void numbers_are_printed_as_printf_does(void **state)
{
	static const struct row rows[] = {
		{ "\"a=%d b=%u\", REC->i, REC->i", "a=-5 b=4294967291", { .i = -5 } },
		/* a field is read without its sign */
		{ "\"%d %lld\", REC->s, REC->i", "65535 4294967295", { .s = -1, .i = -1 } },
		{ "\"%hd %hhu %hu\", REC->s, REC->l, REC->l", "-1 44 300", { .s = -1, .l = 300 } },
		{ "\"[%5d][%-5d][%05d]\", REC->i, REC->i, REC->i",
		  "[  -42][-42  ][-0042]",
		  { .i = -42 } },
		{ "\"%llx %#llx %#llx %016llx\", REC->l, REC->l, REC->b, REC->l",
		  "c0ffee 0xc0ffee 0 0000000000c0ffee",
		  { .l = 0xc0ffee } },
		{ "\"%#08x|%#-8x|%#8x|%X\", REC->b, REC->b, REC->b, REC->b",
		  "0x0000ab|0xab    |    0xab|AB",
		  { .b = 0xab } },
		{ "\"%.3d|%8.4x|%-8.4x|%.0d\", REC->b, REC->b, REC->b, REC->i",
		  "007|    0007|0007    |",
		  { .b = 7 } },
		{ "\"%o %Lu %li\", REC->b, REC->l, REC->l",
		  "17 18446744073709551615 -1",
		  { .b = 15, .l = UINT64_MAX } },
		{ "\"%p %p %ps\", REC->l, REC->b, REC->l",
		  "0xffff0000 (nil) 0xffff0000",
		  { .l = 0xffff0000 } },
		{ "\"%ps %pS %pf %pF\", REC->l, REC->l, REC->l, REC->l",
		  "first first+0xf first first+0xf",
		  { .l = 0x100f } },
		{ "\"100%% %d\\n\\t\\\"\", REC->i", "100% 3\n\t\"", { .i = 3 } },
		{ "\"%d\", REC->i, REC->b", "3", { .i = 3 } },
		{ "\"nothing\"", "nothing", { 0 } },
	};

	(void)state;
	CHECK(rows);
}

static void expressions_have_the_precedence_of_c(void **state)
{
	static const struct row rows[] = {
		{ "\"%d\", REC->i + 2 * REC->b", "11", { .i = 5, .b = 3 } },
		{ "\"%d\", (REC->i + 2) / REC->b", "2", { .i = 5, .b = 3 } },
		{ "\"%d\", 1 | REC->b << 3", "25", { .b = 3 } },
		{ "\"%s\", REC->i == 1 && REC->b & 2 ? \"yes\" : \"no\"", "-", { 0 } },
		{ "\"%s\", (REC->i == 1 && REC->b & 2) ? \"yes\" : \"no\"",
		  "yes",
		  { .i = 1, .b = 2 } },
		{ "\"%s\", !REC->b ? \"none\" : \"some\"", "none", { 0 } },
		/* without signs -1 is large */
		{ "\"%s\", REC->i < 0 ? \"early\" : \"late\"", "late", { .i = -1 } },
		{ "\"%d\", (REC->i & ((((0 | 1 | 2 | 4) + 1) << 1) - 1))", "9", { .i = 25 } },
		{ "\"%llu %llu\", (u8)REC->l, (unsigned int)(REC->l >> 4)",
		  "255 16777215",
		  { .l = 0xfffffff } },
		{ "\"%llu\", (__u8)REC->l", "300", { .l = 300 } },
		{ "\"%d\", REC->i / REC->b", "0", { .i = 5 } },
		{ "\"%s\", (REC->b ? (REC->i ? \"a\" : \"b\") : \"c\")", "b", { .b = 1 } },
		{ "\"%d\", __get_dynamic_array_len(dyn)", "4", { .dyn = "abc" } },
		/* libtraceevent would group these otherwise: REC->i - (REC->b - 1) */
		{ "\"%d\", REC->i - REC->b - 1", "-", { 0 } },
		{ "\"%d\", REC->b * (REC->i + 1)", "-", { 0 } },
		{ "\"%d\", REC->b ? 1 : REC->i ? 2 : 3", "-", { 0 } },
		{ "\"%d\", REC->b ? 1 : REC->i + 2", "-", { 0 } },
		{ "\"%d\", REC->i - REC->b * 2 + 1", "-", { 0 } },
		{ "\"%d\", REC->i + REC->b - 1", "6", { .i = 5, .b = 2 } },
	};

	(void)state;
	CHECK(rows);
}

static void texts_end_at_their_nul(void **state)
{
	static const struct row rows[] = {
		{ "\"%s|%-6s|%6s|%.2s\", REC->comm, REC->comm, REC->comm, REC->comm",
		  "abc|abc   |   abc|ab",
		  { .comm = "abc" } },
		{ "\"%s %s\", __get_str(dyn), __get_rel_str(rel)",
		  "one two",
		  { .dyn = "one", .rel = "two" } },
		{ "\"%s\", \"a\" \"b\"", "ab", { 0 } },
		/* bytes without a NUL: the bytes after them in the record would be printed */
		{ "\"%s\", __get_str(data)", "?", { .data = "xy" } },
		{ "\"%s %s\", __print_hex(__get_dynamic_array(data), 2), __print_hex_str(REC->comm, 3)",
		  "78 79 610000",
		  { .data = "xyz", .comm = "a" } },
		{ "\"%s\", __print_hex(__get_dynamic_array(data), REC->b)",
		  "?",
		  { .data = "xyz", .b = 9 } },
		{ "\"%s|\", __print_hex(REC->comm, REC->b)", "|", { .comm = "a" } },
	};

	(void)state;
	CHECK(rows);
}

static void tables_give_names_and_else_the_number(void **state)
{
#define SYMBOLIC                                                                                   \
	"\"%s|\", __print_symbolic(REC->i, { 1, \"one\" }, { 1 << 2 | 1, \"five\" }, { -1, \"none\" })"
#define FLAGS "\"%s|\", __print_flags(REC->l, \"+\", { 1, \"A\" }, { 0x6, \"BC\" }, { 2, \"B\" })"
	static const struct row rows[] = {
		{ SYMBOLIC, "one|", { .i = 1 } },
		{ SYMBOLIC, "five|", { .i = 5 } },
		{ SYMBOLIC, "0x7|", { .i = 7 } },
		{ SYMBOLIC, "0xffffffff|", { .i = -1 } },
		{ "\"%s\", __print_symbolic(REC->l, { WORD, \"w\" })", "w", { .l = UINT64_MAX } },
		{ "\"%s\", __print_symbolic(REC->l, { -3, \"three\" })",
		  "three",
		  { .l = UINT64_MAX } },
		{ "\"%6s|\", __print_symbolic(REC->i, { 1, \"one\" })", "   one|", { .i = 1 } },
		{ "\"%6s|\", __print_symbolic(REC->i, { 1, \"one\" })", "0x2|", { .i = 2 } },
		{ FLAGS, "A+BC|", { .l = 7 } },
		{ FLAGS, "B|", { .l = 2 } },
		{ FLAGS, "A+0x10|", { .l = 17 } },
		{ FLAGS, "0x10|", { .l = 16 } },
		{ FLAGS, "|", { .l = 0 } },
	};

	(void)state;
	CHECK(rows);
}

static void unsupported_formats_are_rejected(void **state)
{
	static const char *const prints[] = {
		"",
		"x",
		"\"",
		"\"%d\"",
		"\"%d\", REC->nothing",
		"\"%d\", REC->comm",
		"\"%s\", REC->i",
		"\"%d\", \"text\"",
		"\"%c\", REC->b",
		"\"%zu\", REC->b",
		"\"%*d\", 3, REC->b",
		"\"%pI4\", REC->data",
		"\"%+d\", REC->b",
		"\"%d\", REC->b ^ 1",
		"\"%d\", sizeof(REC->b)",
		"\"%d\", REC->b REC->b",
		"\"%s\", __print_symbolic(REC->i, { 1, \"one\" )",
		"\"%s\", __print_symbolic(REC->i, { 1, \"one\" }, { 2, \"two\" )",
		"\"%d\", (REC->b",
		"\"%d\", REC->b)",
		"\"%d\", - -",
		"\"%s\", __print_symbolic(REC->i, { })",
		"\"%s\", __print_symbolic(REC->i, { 2 * 3, \"six\" })",
		"\"%s\", __print_symbolic(REC->i, { HRTIMER_RESTART, \"known there\" })",
		"\"%s\", __print_symbolic(REC->i, { NET_RX_SOFTIRQ, \"known there\" })",
		"\"%s\", __print_array(REC->comm, 4, 4)",
		"\"%s\", __get_str(comm)",
		"\"%d\", --REC->b",
		"\"%d\", REC->b\njunk",
		"\"%d\", 99999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
		char *text = printed(prints[i], &(const struct values){ 0 });

		if (strcmp(text, "-"))
			fail_msg("%s prints %s", prints[i], text);
		free(text);
	}
}

static void only_the_printed_fields_are_read(void **state)
{
	struct cdict_schema *schema = schema_of("\"%d %s\", REC->i, REC->comm", false);
	struct printer *p = printer_new(schema);

	(void)state;
	assert_true(printer_fields(p, 0)[0] == (1u << 4 | 1u << 8));
	printer_free(p);
	cdict_schema_free(schema);
	/* This may need libtraceevent, which needs all fields. */
	schema = schema_of("\"%s\", __get_str(dyn)", false);
	p = printer_new(schema);
	assert_null(printer_fields(p, 0));
	printer_free(p);
	cdict_schema_free(schema);
}

static void a_line_begins_as_perf_script_s(void **state)
{
	static const struct {
		struct cdict_event ev;
		const char *head;
	} cases[] = {
		{ { .tid = 7, .cpu = 3, .t_ns = 5 }, "    7 [003]     0.000000005: test:x: " },
		{ { .tid = -1, .cpu = 1000, .t_ns = UINT64_C(123456999999999) },
		  "   -1 [1000] 123456.999999999: test:x: " },
		{ { .tid = 123456, .cpu = CDICT_CPU_UNKNOWN, .t_ns = UINT64_C(123456000000010) },
		  "123456 [-01] 123456.000000010: test:x: " },
		{ { .t_ns = UINT64_MAX }, "    0 [000] 18446744073.709551615: test:x: " },
	};
	struct cdict_schema *schema = schema_of("\"\"", false);
	struct printer *p = printer_new(schema);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_event ev = cases[i].ev;
		struct buf out = { 0 };

		ev.type = cdict_schema_at(schema, 0);
		printer_head(p, &ev, &out);
		buf_u8(&out, 0);
		assert_string_equal((char *)out.data, cases[i].head);
		buf_fini(&out);
	}
	printer_free(p);
	cdict_schema_free(schema);
}

/* Deep nesting and long chains are read to their limit, and take no time. */
static void nesting_has_a_limit_and_length_has_none(void **state)
{
	struct buf b = { 0 };
	char *text;

	(void)state;
	buf_printf(&b, "\"%%d\", ");
	for (int i = 0; i < 100000; i++)
		buf_u8(&b, '(');
	buf_printf(&b, "1");
	buf_u8(&b, 0);
	text = printed((char *)b.data, &(const struct values){ 0 });
	assert_string_equal(text, "-");
	free(text);
	b.len = 0;
	buf_printf(&b, "\"%%d\", 0");
	for (int i = 0; i < 20000; i++)
		buf_printf(&b, " | REC->b");
	buf_u8(&b, 0);
	text = printed((char *)b.data, &(const struct values){ .b = 5 });
	assert_string_equal(text, "5");
	free(text);
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_printed_as_printf_does),
		cmocka_unit_test(expressions_have_the_precedence_of_c),
		cmocka_unit_test(texts_end_at_their_nul),
		cmocka_unit_test(tables_give_names_and_else_the_number),
		cmocka_unit_test(unsupported_formats_are_rejected),
		cmocka_unit_test(only_the_printed_fields_are_read),
		cmocka_unit_test(a_line_begins_as_perf_script_s),
		cmocka_unit_test(nesting_has_a_limit_and_length_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

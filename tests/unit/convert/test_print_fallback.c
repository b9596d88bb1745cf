/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that libtraceevent prints, where analyze/printing/print.h takes no format: arrays in either byte order, and what
 * libtraceevent 1.7 crashes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyze/printing/print.h"
#include "base/memory/buf.h"
#include "convert/print.h"

static const char fields[] =
	"name: x%d\nID: %d\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int i;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u8 b;\toffset:12;\tsize:1;\tsigned:0;\n"
	"\tfield:u16 three[3];\toffset:14;\tsize:6;\tsigned:0;\n"
	"\tfield:u8 ip[4];\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] list;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc u64[] rel;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] dyn;\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:char *text;\toffset:40;\tsize:8;\tsigned:0;\n\n";

enum { FIRST_ID = 77, ADDRESS = 0x1000 };

/* A capture of one type for each of @prints. */
static struct cdict_schema *schema_of(const char *const *prints, size_t n, bool big)
{
	struct cdict_schema *schema = cdict_schema_new(big, 8, 4096);
	struct cdict_error err;

	for (size_t i = 0; i < n; i++) {
		struct buf text = { 0 };

		buf_printf(&text, fields, (int)i, FIRST_ID + (int)i);
		buf_printf(&text, "print fmt: %s\n", prints[i]);
		assert_int_equal(cdict_schema_add(schema, "test", (char *)text.data, text.len,
						  &err),
				 (int)i);
		buf_fini(&text);
	}
	return schema;
}

static size_t put_numbers(uint8_t *at, const uint64_t *values, size_t n, unsigned size, bool big)
{
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < size; k++)
			at[i * size + (big ? size - 1 - k : k)] = (uint8_t)(values[i] >> 8 * k);
	return n * size;
}

/* Returns the text printed for an event of @type with b = @b and i = @i; "?" if nothing is printed. */
static char *printed(struct print *p, const struct cdict_schema *schema, size_t type, int32_t i,
		     uint8_t b)
{
	bool big = cdict_schema_big_endian(schema);
	uint8_t three[6], list[8], rel[16];
	const struct cdict_bytes bytes[] = {
		{ three, put_numbers(three, (const uint64_t[]){ 1, 0x203, 3 }, 3, 2, big) },
		{ (const uint8_t *)"\x0a\x01\x02\x03", 4 },
		{ list, put_numbers(list, (const uint64_t[]){ 10, 0x10203 }, 2, 4, big) },
		{ rel, put_numbers(rel, (const uint64_t[]){ 20, UINT64_C(1) << 40 }, 2, 8, big) },
		{ (const uint8_t *)"text", 4 },
	};
	const uint64_t values[] = {
		FIRST_ID + type, 0, 0, 1, (uint64_t)(int64_t)i, b, 0, 1, 2, 3, 4, ADDRESS
	};
	const struct cdict_event ev = {
		.t_ns = 5, .values = values, .bytes = bytes, .type = cdict_schema_at(schema, type)
	};
	struct buf out = { 0 };

	buf_add(&out, "before:", 7);
	if (!print_text(p, &ev, &out)) {
		assert_int_equal(out.len, 7);
		buf_u8(&out, '?');
	}
	assert_false(out.failed);
	buf_u8(&out, 0);
	memmove(out.data, out.data + 7, out.len - 7);
	return (char *)out.data;
}

static void assert_printed(struct print *p, const struct cdict_schema *schema, size_t type,
			   int32_t i, uint8_t b, const char *expected)
{
	char *text = printed(p, schema, type, i, b);

	if (strcmp(text, expected))
		fail_msg("%s\n  prints   %s\n  expected %s",
			 strstr(cdict_schema_at(schema, type)->format, "print fmt:"), text,
			 expected);
	free(text);
}

static const struct {
	const char *print, *text;
} rows[] = {
	{ "\"%zu\", REC->b", "65" },
	{ "\"%d\", REC->i + 2 * REC->b", "125" },
	{ "\"%pI4\", REC->ip", "10.1.2.3" },
	{ "\"%s\", __print_array(REC->three, 3, 2)", "1 515 3" },
	{ "\"%s|%s\", __print_array(REC->three, 3, 2), __print_array(REC->three, 2, 2)",
	  "1 515 3|1 515" },
	{ "\"%s\", __print_array(REC->three, 4, REC->i)", "BAD SIZE" },
	{ "\"%s\", __print_array(REC->ip, 4, 1)", "10 1 2 3" },
	{ "\"%s\", __print_array(REC->nothing, 4, 2)", "" },
	{ "\"%s\", __print_array(__get_dynamic_array(list), 2, 4)", "10 66051" },
	{ "\"%s\", __print_array(__get_rel_dynamic_array(rel), 2, 8)", "20 1099511627776" },
	{ "\"%s %zu\", __get_str(dyn), REC->b", "text 65" },
	{ "\"%s %zu\", REC->text, REC->b", "a name 65" },
	/* formats that it cannot parse are printed field by field */
	{ "\"%s\", __print_symbolic(REC->b, ", "[FAILED TO PARSE] i=-5 b=65 " },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void formats_are_printed_alike_in_both_byte_orders(void **state)
{
	const char *prints[ROWS];

	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		prints[i] = rows[i].print;
	for (int big = 0; big < 2; big++) {
		struct cdict_schema *schema = schema_of(prints, ROWS, big);
		struct print *p = print_new(schema, "0x1000 : \"a name\"\nno colon\n0x2000 :\n");

		print_begin(p);
		/* the second time the child knows the type */
		for (size_t i = 0; i < 2 * (size_t)ROWS; i++) {
			const char *expected = rows[i % ROWS].text;
			char *text = printed(p, schema, i % ROWS, -5, 65);

			/* it reads addresses in its own byte order */
			if (expected[0] == 'a' && big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) {
				free(text);
				continue;
			}
			/* libtraceevent 1.8 prints arrays of numbers differently: {0x1,0x203} */
			if (strstr(prints[i % ROWS], "__print_array") && strchr(text, '{')) {
				free(text);
				continue;
			}
			if (strncmp(expected, "BAD", 3) && expected[0] != '[') {
				assert_string_equal(text, expected);
			} else if (!strstr(text, expected)) {
				fail_msg("%s prints %s", prints[i % ROWS], text);
			}
			free(text);
		}
		print_free(p);
		cdict_schema_free(schema);
	}
}

/* Where an array begins is read wherever the format puts it: here before all else. */
static void an_array_is_found_by_a_field_at_the_begin(void **state)
{
	static const char format[] =
		"name: first\nID: 77\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:4;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:6;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:7;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:8;\tsize:4;\tsigned:1;\n\n"
		"\tfield:__data_loc u32[] list;\toffset:0;\tsize:4;\tsigned:0;\n\n"
		"print fmt: \"%s\", __print_array(__get_dynamic_array(list), 2, 4)\n";
	static const uint64_t values[] = { FIRST_ID, 0, 0, 1, 0 };

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct cdict_schema *schema = cdict_schema_new(big, 8, 4096);
		uint8_t list[8];
		const struct cdict_bytes bytes = {
			list, put_numbers(list, (const uint64_t[]){ 10, 0x10203 }, 2, 4, big)
		};
		struct cdict_event ev = { .t_ns = 5, .values = values, .bytes = &bytes };
		struct buf out = { 0 };
		struct cdict_error err;
		struct print *p;

		assert_int_equal(cdict_schema_add(schema, "test", format, strlen(format), &err), 0);
		ev.type = cdict_schema_at(schema, 0);
		p = print_new(schema, NULL);
		assert_true(print_text(p, &ev, &out));
		buf_u8(&out, 0);
		/* libtraceevent 1.8 prints {0xa,0x10203} */
		if (out.data[0] != '{')
			assert_string_equal((char *)out.data, "10 66051");
		buf_fini(&out);
		print_free(p);
		cdict_schema_free(schema);
	}
}

/* The name of the function that an address is in; outside of all of them the number. */
static void addresses_of_functions_are_printed_as_names(void **state)
{
	static const char *const prints[] = { "\"%ps %d\", REC->text, REC->i",
					      "\"%ps %d\", (void *)(REC->text + REC->b), REC->i",
					      "\"%ps %d\", (void *)(REC->text - REC->b), REC->i" };
	struct cdict_schema *schema = schema_of(prints, 3, false);
	struct print *p = print_new(schema, NULL);

	(void)state;
	print_symbols(p, "1000 10 first\n1010 10 second\n");
	assert_printed(p, schema, 0, -7, 0, "first -7");
	assert_printed(p, schema, 1, -7, 15, "first -7");
	assert_printed(p, schema, 1, -7, 16, "second -7");
	assert_printed(p, schema, 1, -7, 32, "0x1020 -7");
	assert_printed(p, schema, 2, -7, 1, "0xfff -7");
	print_free(p);
	cdict_schema_free(schema);
}

/* libtraceevent 1.7 crashes on these, on some in certain events only: the caller survives, and
 * other types are printed. */
static void a_crash_costs_its_type_alone(void **state)
{
	static const char *const prints[] = {
		"\"%zu\", REC->b",
		"\"%d %zu\", 100 / REC->b, REC->b",
		"\"%zu %s\", REC->b, __print_hex(REC->three, REC->i)",
		"\"%*d %zu\", 2000000000, REC->b, REC->b", /* a width without end */
		"\"%2000000d %zu\", REC->b, REC->b",       /* too long to be a text */
	};
	struct cdict_schema *schema = schema_of(prints, 5, false);
	struct print *p = print_new(schema, NULL);

	(void)state;
	assert_printed(p, schema, 1, 1, 50, "2 50");
#ifndef __aarch64__ /* which divides by 0 and continues */
	assert_printed(p, schema, 1, 1, 0, "?");
	assert_printed(p, schema, 1, 1, 50, "?");
#endif
	assert_printed(p, schema, 2, 3, 9, "9 01 00 03");
	assert_printed(p, schema, 2, -1, 9, "?");
	assert_printed(p, schema, 3, 1, 9, "?");
	assert_printed(p, schema, 4, 1, 9, "?");
	assert_printed(p, schema, 0, 1, 9, "9");
	print_free(p);
	cdict_schema_free(schema);
}

/* The limit of this process's only child, as in /proc/PID/limits. */
static uint64_t limit_of_child(const char *name)
{
	char path[64], line[256], limit[32] = "";
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	f = fopen(path, "r");
	if (!f)
		skip(); /* a kernel without CONFIG_PROC_CHILDREN */
	assert_int_equal(fscanf(f, "%d", &child), 1);
	fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/limits", child);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)))
			assert_int_equal(sscanf(line + strlen(name), "%31s", limit), 1);
	fclose(f);
	assert_true(limit[0] >= '0' && limit[0] <= '9');
	return strtoull(limit, NULL, 10);
}

/* The address space of this process. */
static uint64_t space(void)
{
	unsigned long long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llu", &pages), 1);
	fclose(f);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Formats are untrusted: what libtraceevent allocates for one may not be the machine's memory, and its
 * crashes leave no files. */
static void the_printing_process_has_limits(void **state)
{
	static const char *const prints[] = { "\"%zu\", REC->b" };
	struct cdict_schema *schema = schema_of(prints, 1, false);
	struct print *p = print_new(schema, NULL);

	(void)state;
	assert_printed(p, schema, 0, 1, 9, "9");
	/* what it had when it began, and 256 MiB; this process may have a limit of its own */
	assert_in_range(limit_of_child("Max address space"), UINT64_C(256) << 20,
			space() + (UINT64_C(512) << 20));
	assert_int_equal(limit_of_child("Max core file size"), 0);
	print_free(p);
	cdict_schema_free(schema);
}

/* A capture whose types all crash does not need a process for each. */
static void many_crashes_end_the_trials(void **state)
{
	enum { TYPES = 40 };
	const char *prints[TYPES];
	struct cdict_schema *schema;
	struct print *p;

	(void)state;
	for (int i = 0; i < TYPES; i++)
		prints[i] = i % 2 ? "\"%s %zu\", __print_hex(REC->three, REC->i), REC->b"
				  : "\"%zu\", REC->b";
	schema = schema_of(prints, TYPES, false);
	p = print_new(schema, NULL);
	assert_printed(p, schema, 0, 1, 9, "9");
	for (size_t i = 1; i < TYPES; i += 2)
		assert_printed(p, schema, i, -1, 0, "?");
	assert_printed(p, schema, 0, 1, 9, "?");
	print_free(p);
	cdict_schema_free(schema);
}

static void nothing_is_printed_of_nothing(void **state)
{
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
	struct print *p = print_new(schema, NULL);

	(void)state;
	print_free(p);
	print_free(NULL);
	cdict_schema_free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_printed_alike_in_both_byte_orders),
		cmocka_unit_test(an_array_is_found_by_a_field_at_the_begin),
		cmocka_unit_test(addresses_of_functions_are_printed_as_names),
		cmocka_unit_test(a_crash_costs_its_type_alone),
		cmocka_unit_test(the_printing_process_has_limits),
		cmocka_unit_test(many_crashes_end_the_trials),
		cmocka_unit_test(nothing_is_printed_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

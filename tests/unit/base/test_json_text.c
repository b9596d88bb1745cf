/* SPDX-License-Identifier: GPL-2.0-only */
/* Foreign texts that may be copied into JSON unchanged; and MessagePack's numbers at the limits of
 * their formats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/json_text.h"
#include "query/export/msgpack_write.h"

static void objects_are_taken(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{ }",
		"{\"a\":1}",
		"{\"a\": -0.5e+3 , \"b\":[1,[],{\"c\":null}],\"d\":{}}",
		"{\"\\u00e9\\n\\\\\":\"\xc3\xa9\"}",
		"{\"a\":[true,false,\"\\\"}\"]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_true(json_text_is_object(texts[i], strlen(texts[i])));
}

static void json_that_could_break_out_of_its_place_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"[]",
		"1",
		"{",
		"}",
		"{}}",
		"{}{}",
		"{},\"evil\":1",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1,}",
		"{,}",
		"{a:1}",
		"{\"a\":01}",
		"{\"a\":1.}",
		"{\"a\":.5}",
		"{\"a\":nul}",
		"{\"a\":[1}",
		"{\"a\":[1]]",
		"{\"a\":[,]}",
		"{\"a\":\"\n\"}",
		"{\"a\":\"\x1b\"}",
		"{\"a\":\"\xff\"}",
		"{\"a\":\"\\x\"}",
		"{\"a\":\"\\u12\"}",
		"{\"a\":\"",
		"{\"a\":1 2}",
		"{\"a\":[1 2]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (json_text_is_object(texts[i], strlen(texts[i])))
			fail_msg("taken: %s", texts[i]);
	assert_false(json_text_is_object("{\"a\":\"\0\"}", 9));
	assert_false(json_text_is_object("{\"a\":\"\\\0\"}", 10));
}

static void depth_has_an_end(void **state)
{
	char text[512];
	size_t n;

	(void)state;
	for (unsigned deep = 63; deep <= 64; deep++) {
		n = 0;
		memcpy(text, "{\"a\":", 5);
		n = 5;
		memset(text + n, '[', deep);
		n += deep;
		memset(text + n, ']', deep);
		n += deep;
		text[n++] = '}';
		assert_int_equal(json_text_is_object(text, n), deep == 63);
	}
}

static void numbers_take_the_shortest_form(void **state)
{
	static const struct {
		int64_t v;
		size_t len;
		uint8_t bytes[9];
	} cases[] = {
		{ 0, 1, { 0x00 } },
		{ 127, 1, { 0x7f } },
		{ 128, 2, { 0xcc, 0x80 } },
		{ 255, 2, { 0xcc, 0xff } },
		{ 256, 3, { 0xcd, 0x01, 0x00 } },
		{ 65536, 5, { 0xce, 0x00, 0x01, 0x00, 0x00 } },
		{ INT64_C(1) << 32, 9, { 0xcf, 0, 0, 0, 1, 0, 0, 0, 0 } },
		{ -1, 1, { 0xff } },
		{ -32, 1, { 0xe0 } },
		{ -33, 2, { 0xd0, 0xdf } },
		{ -129, 3, { 0xd1, 0xff, 0x7f } },
		{ INT64_MIN, 9, { 0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sink s;
		size_t len;
		char *out;

		sink_to_memory(&s);
		msgpack_int(&s, cases[i].v);
		out = sink_take(&s, &len);
		assert_non_null(out);
		assert_int_equal(len, cases[i].len);
		assert_memory_equal(out, cases[i].bytes, len);
		free(out);
	}
}

static void text_that_is_not_utf8_is_converted(void **state)
{
	struct sink s;
	size_t len;
	char *out;

	(void)state;
	sink_to_memory(&s);
	msgpack_text(&s, "a\xff");
	msgpack_text(&s, "0123456789012345678901234567890\xc3");
	out = sink_take(&s, &len);
	assert_non_null(out);
	assert_int_equal(len, 1 + 4 + 2 + 34);
	assert_memory_equal(out,
			    "\xa4"
			    "a\xef\xbf\xbd\xd9\x22",
			    7);
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_taken),
		cmocka_unit_test(json_that_could_break_out_of_its_place_is_refused),
		cmocka_unit_test(depth_has_an_end),
		cmocka_unit_test(numbers_take_the_shortest_form),
		cmocka_unit_test(text_that_is_not_utf8_is_converted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

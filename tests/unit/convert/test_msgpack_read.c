/* SPDX-License-Identifier: GPL-2.0-only */
/* MessagePack, format by format: spec.md of github.com/msgpack/msgpack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "convert/perfwhiz/msgpack_read.h"

static size_t pack(uint8_t *to, size_t room, const void *data, size_t size)
{
	uLongf n = (uLongf)room;

	assert_int_equal(compress2(to, &n, data, (uLong)size, 9), Z_OK);
	return n;
}

static const struct {
	const char *bytes;
	size_t size;
	enum msgpack_type type;
	int64_t i;
	double f;
	uint32_t n;
	const char *text;
} cases[] = {
	{ "\x00", 1, MSGPACK_INT, 0, 0, 0, NULL },
	{ "\x7f", 1, MSGPACK_INT, 127, 0, 0, NULL },
	{ "\xe0", 1, MSGPACK_INT, -32, 0, 0, NULL },
	{ "\xff", 1, MSGPACK_INT, -1, 0, 0, NULL },
	{ "\xc0", 1, MSGPACK_NIL, 0, 0, 0, NULL },
	{ "\xc2", 1, MSGPACK_BOOL, 0, 0, 0, NULL },
	{ "\xc3", 1, MSGPACK_BOOL, 1, 0, 0, NULL },
	{ "\xcc\xff", 2, MSGPACK_INT, 255, 0, 0, NULL },
	{ "\xcd\x01\x02", 3, MSGPACK_INT, 258, 0, 0, NULL },
	{ "\xce\xff\xff\xff\xff", 5, MSGPACK_INT, 4294967295, 0, 0, NULL },
	{ "\xcf\x00\x00\x00\x01\x00\x00\x00\x02", 9, MSGPACK_INT, 4294967298, 0, 0, NULL },
	{ "\xcf\xff\xff\xff\xff\xff\xff\xff\xff", 9, MSGPACK_INT, INT64_MAX, 0, 0, NULL },
	{ "\xd0\x80", 2, MSGPACK_INT, -128, 0, 0, NULL },
	{ "\xd1\xff\xfe", 3, MSGPACK_INT, -2, 0, 0, NULL },
	{ "\xd2\x80\x00\x00\x00", 5, MSGPACK_INT, -2147483648ll, 0, 0, NULL },
	{ "\xd3\x80\x00\x00\x00\x00\x00\x00\x00", 9, MSGPACK_INT, INT64_MIN, 0, 0, NULL },
	{ "\xca\x3f\x80\x00\x00", 5, MSGPACK_FLOAT, 0, 1.0, 0, NULL },
	{ "\xcb\xbf\xe0\x00\x00\x00\x00\x00\x00", 9, MSGPACK_FLOAT, 0, -0.5, 0, NULL },
	{ "\xa0", 1, MSGPACK_TEXT, 0, 0, 0, "" },
	{ "\xa3"
	  "cpu",
	  4, MSGPACK_TEXT, 0, 0, 3, "cpu" },
	{ "\xd9\x01"
	  "a",
	  3, MSGPACK_TEXT, 0, 0, 1, "a" },
	{ "\xda\x00\x02"
	  "ab",
	  5, MSGPACK_TEXT, 0, 0, 2, "ab" },
	{ "\xdb\x00\x00\x00\x01"
	  "z",
	  6, MSGPACK_TEXT, 0, 0, 1, "z" },
	{ "\xc4\x01"
	  "b",
	  3, MSGPACK_TEXT, 0, 0, 1, "b" },
	{ "\xc5\x00\x01"
	  "b",
	  4, MSGPACK_TEXT, 0, 0, 1, "b" },
	{ "\x93", 1, MSGPACK_ARRAY, 0, 0, 3, NULL },
	{ "\xdc\x01\x00", 3, MSGPACK_ARRAY, 0, 0, 256, NULL },
	{ "\xdd\x00\x01\x00\x00", 5, MSGPACK_ARRAY, 0, 0, 65536, NULL },
	{ "\x82", 1, MSGPACK_MAP, 0, 0, 2, NULL },
	{ "\xde\x00\x10", 3, MSGPACK_MAP, 0, 0, 16, NULL },
	{ "\xd4\x01\x02", 3, MSGPACK_EXT, 0, 0, 0, NULL },
	{ "\xd6\x01\x02\x03\x04\x05", 6, MSGPACK_EXT, 0, 0, 0, NULL },
	{ "\xc7\x02\x01\x02\x03", 5, MSGPACK_EXT, 0, 0, 0, NULL },
};

static void every_format_is_read_to_its_last_byte_and_not_beyond(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		uint8_t plain[32], packed[128];
		struct msgpack_reader m;
		struct msgpack_value v;

		memcpy(plain, cases[k].bytes, cases[k].size);
		plain[cases[k].size] = 42;
		for (size_t size = 0; size <= cases[k].size + 1; size++) {
			size_t n = pack(packed, sizeof(packed), plain, size);

			assert_true(msgpack_read_open(&m, packed, n));
			if (size < cases[k].size) {
				assert_false(msgpack_next(&m, &v));
				assert_false(msgpack_next(&m, &v));
			} else {
				assert_true(msgpack_next(&m, &v));
				assert_int_equal(v.type, cases[k].type);
				assert_int_equal(v.n, cases[k].n);
				if (v.type == MSGPACK_INT || v.type == MSGPACK_BOOL)
					assert_true(v.i == cases[k].i);
				if (v.type == MSGPACK_FLOAT)
					assert_true(v.f == cases[k].f);
				if (cases[k].text)
					assert_string_equal(v.text, cases[k].text);
				assert_int_equal(msgpack_next(&m, &v), size > cases[k].size);
				if (size > cases[k].size)
					assert_int_equal(v.i, 42);
			}
			msgpack_read_close(&m);
		}
	}
}

static void a_value_is_left_out_with_all_that_is_in_it(void **state)
{
	/* { "a": [1, {2: [[]]}, "xy"], nil: 2.0 }, 7 */
	static const char bytes[] = "\x82\xa1"
				    "a\x93\x01\x81\x02\x91\x90\xa2xy\xc0\xca\x40\x00\x00\x00\x07";
	struct msgpack_reader m;
	struct msgpack_value v;
	uint8_t packed[128];
	size_t n = pack(packed, sizeof(packed), bytes, sizeof(bytes) - 1);

	(void)state;
	assert_true(msgpack_read_open(&m, packed, n));
	assert_true(msgpack_skip(&m));
	assert_true(msgpack_next(&m, &v));
	assert_int_equal(v.i, 7);
	assert_false(msgpack_skip(&m));
	msgpack_read_close(&m);
}

static void nesting_takes_no_stack_and_a_long_text_no_memory(void **state)
{
	const size_t deep = 1000000;
	uint8_t *plain = malloc(deep + 6), *packed = malloc(deep);
	struct msgpack_reader m;
	struct msgpack_value v;
	size_t n;

	(void)state;
	assert_non_null(plain);
	assert_non_null(packed);
	memset(plain, 0x91, deep);
	plain[deep] = 0xc0;
	plain[deep + 1] = 9;
	n = pack(packed, deep, plain, deep + 2);
	assert_true(msgpack_read_open(&m, packed, n));
	assert_true(msgpack_skip(&m));
	assert_true(msgpack_next(&m, &v));
	assert_int_equal(v.i, 9);
	msgpack_read_close(&m);

	memcpy(plain, "\xdb\x00\x0f\x42\x40", 5); /* a million letters */
	memset(plain + 5, 'x', deep);
	plain[deep + 5] = 9;
	n = pack(packed, deep, plain, deep + 6);
	assert_true(msgpack_read_open(&m, packed, n));
	assert_true(msgpack_next(&m, &v));
	assert_int_equal(v.n, deep);
	assert_int_equal(strlen(v.text), MSGPACK_TEXT_MAX);
	assert_true(msgpack_next(&m, &v));
	assert_int_equal(v.i, 9);
	msgpack_read_close(&m);
	free(plain);
	free(packed);
}

static void data_that_is_not_zlib_or_has_no_format_fails(void **state)
{
	struct msgpack_reader m;
	struct msgpack_value v;
	uint8_t packed[32];
	size_t n = pack(packed, sizeof(packed), "\xc1", 1);

	(void)state;
	assert_true(msgpack_read_open(&m, packed, n));
	assert_false(msgpack_next(&m, &v));
	assert_false(m.no_memory);
	msgpack_read_close(&m);
	assert_true(msgpack_read_open(&m, "no zlib", 7));
	assert_false(msgpack_next(&m, &v));
	msgpack_read_close(&m);
	assert_true(msgpack_read_open(&m, NULL, 0));
	assert_false(msgpack_next(&m, &v));
	msgpack_read_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_is_read_to_its_last_byte_and_not_beyond),
		cmocka_unit_test(a_value_is_left_out_with_all_that_is_in_it),
		cmocka_unit_test(nesting_takes_no_stack_and_a_long_text_no_memory),
		cmocka_unit_test(data_that_is_not_zlib_or_has_no_format_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

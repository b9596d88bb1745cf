/* SPDX-License-Identifier: GPL-2.0-only */
/* The bounded cursor: values that fit are read in the input's byte order, a value that does not fit
 * fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cursor.h"

static const uint8_t one_to_eight[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static void values_are_read_in_the_byte_order_of_the_input(void **state)
{
	struct cursor little = cursor_init(one_to_eight, sizeof(one_to_eight), false);
	struct cursor big = cursor_init(one_to_eight, sizeof(one_to_eight), true);

	(void)state;
	assert_int_equal(cursor_u16(&little), 0x0201);
	assert_int_equal(cursor_u32(&little), 0x06050403);
	assert_int_equal(cursor_u16(&big), 0x0102);
	assert_int_equal(cursor_u32(&big), 0x03040506);
	little = cursor_init(one_to_eight, sizeof(one_to_eight), false);
	big = cursor_init(one_to_eight, sizeof(one_to_eight), true);
	assert_true(cursor_u64(&little) == 0x0807060504030201);
	assert_true(cursor_u64(&big) == 0x0102030405060708);
	assert_true(cursor_ok(&little) && cursor_ok(&big));
}

static void a_read_past_the_end_fails_and_moves_nothing(void **state)
{
	struct cursor c = cursor_init(one_to_eight, 3, false);

	(void)state;
	assert_int_equal(cursor_u32(&c), 0);
	assert_false(cursor_ok(&c));
	assert_int_equal(cursor_pos(&c), 0);
}

static void a_failed_cursor_reads_nothing_more(void **state)
{
	struct cursor c = cursor_init(one_to_eight, 3, false);

	(void)state;
	assert_null(cursor_take(&c, 4));
	assert_int_equal(cursor_u8(&c), 0);
	assert_null(cursor_take(&c, 0));
	assert_null(cursor_text(&c, NULL));
	assert_true(cursor_varint(&c) == 0);
	assert_int_equal(cursor_pos(&c), 0);
}

static void a_count_near_the_end_of_the_address_space_is_refused(void **state)
{
	struct cursor c = cursor_init(one_to_eight, sizeof(one_to_eight), false);

	(void)state;
	assert_true(cursor_skip(&c, 5));
	assert_null(cursor_take(&c, SIZE_MAX));
	assert_false(cursor_ok(&c));
}

static void a_varint_holds_up_to_64_bits_and_no_more(void **state)
{
	static const struct {
		uint8_t bytes[11];
		size_t size;
		uint64_t value;
		bool ok;
	} cases[] = {
		{ { 0x00 }, 1, 0, true },
		{ { 0x7f }, 1, 127, true },
		{ { 0x80, 0x01 }, 2, 128, true },
		{ { 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 }, 10, UINT64_MAX, true },
		/* a 65th bit */
		{ { 255, 255, 255, 255, 255, 255, 255, 255, 255, 2 }, 10, 0, false },
		/* an eleventh byte */
		{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0 }, 11, 0, false },
		/* the input ends inside */
		{ { 0x80 }, 1, 0, false },
		{ { 0 }, 0, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cursor c = cursor_init(cases[i].bytes, cases[i].size, false);

		assert_true(cursor_varint(&c) == cases[i].value);
		assert_int_equal(cursor_ok(&c), cases[i].ok);
		if (cases[i].ok)
			assert_int_equal(cursor_pos(&c), cases[i].size);
	}
}

static void a_signed_varint_keeps_both_ends_of_its_range(void **state)
{
	static const uint8_t lowest[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01
	};
	static const uint8_t minus_one[] = { 0x01 };
	struct cursor c = cursor_init(lowest, sizeof(lowest), false);

	(void)state;
	assert_true(cursor_svarint(&c) == INT64_MIN);
	c = cursor_init(minus_one, sizeof(minus_one), false);
	assert_true(cursor_svarint(&c) == -1);
}

static void a_text_must_end_inside_the_input(void **state)
{
	static const char bytes[] = { 'c', 'p', 'u', 0, 'x', 'y' };
	struct cursor c = cursor_init(bytes, sizeof(bytes), false);
	size_t len = 0;

	(void)state;
	assert_string_equal(cursor_text(&c, &len), "cpu");
	assert_int_equal(len, 3);
	assert_int_equal(cursor_pos(&c), 4);
	assert_null(cursor_text(&c, &len));
	assert_false(cursor_ok(&c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read_in_the_byte_order_of_the_input),
		cmocka_unit_test(a_read_past_the_end_fails_and_moves_nothing),
		cmocka_unit_test(a_failed_cursor_reads_nothing_more),
		cmocka_unit_test(a_count_near_the_end_of_the_address_space_is_refused),
		cmocka_unit_test(a_varint_holds_up_to_64_bits_and_no_more),
		cmocka_unit_test(a_signed_varint_keeps_both_ends_of_its_range),
		cmocka_unit_test(a_text_must_end_inside_the_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

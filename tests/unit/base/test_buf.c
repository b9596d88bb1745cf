/* SPDX-License-Identifier: GPL-2.0-only */
/* The growing buffer: reading back with the cursor, and the memory of a failed allocation. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "base/memory/buf.h"

static void appended_bytes_are_read_back_by_the_cursor(void **state)
{
	static const uint64_t values[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX };
	static const int64_t signed_values[] = { 0, -1, 63, -64, 64, INT64_MAX, INT64_MIN };
	struct buf b = { 0 };
	struct cursor c;

	(void)state;
	buf_u8(&b, 0xab);
	buf_le32(&b, 0x01020304);
	buf_le64(&b, 0x1122334455667788);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		buf_varint(&b, values[i]);
	for (size_t i = 0; i < sizeof(signed_values) / sizeof(signed_values[0]); i++)
		buf_svarint(&b, signed_values[i]);
	assert_false(b.failed);

	c = cursor_init(b.data, b.len, false);
	assert_int_equal(cursor_u8(&c), 0xab);
	assert_int_equal(cursor_u32(&c), 0x01020304);
	assert_true(cursor_u64(&c) == 0x1122334455667788);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_true(cursor_varint(&c) == values[i]);
	for (size_t i = 0; i < sizeof(signed_values) / sizeof(signed_values[0]); i++)
		assert_true(cursor_svarint(&c) == signed_values[i]);
	assert_true(cursor_ok(&c));
	assert_int_equal(c.left, 0);
	buf_fini(&b);
}

static void growing_keeps_what_was_there(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (unsigned i = 0; i < 100000; i++)
		buf_u8(&b, (uint8_t)(i * 7));
	assert_int_equal(b.len, 100000);
	assert_true(b.len <= b.cap);
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(b.data[i], (uint8_t)(i * 7));
	buf_fini(&b);
	assert_null(b.data);
	assert_int_equal(b.len, 0);
}

static void a_printed_text_takes_no_room_for_its_nul(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_printf(&b, "%s-%d", "cpu", 3);
	buf_printf(&b, "/%u", 12u);
	assert_int_equal(b.len, 8);
	assert_memory_equal(b.data, "cpu-3/12", 8);
	buf_fini(&b);
}

static void a_request_that_cannot_be_met_is_remembered(void **state)
{
	struct buf b = { 0 };

	(void)state;
	buf_u8(&b, 1);
	assert_null(buf_room(&b, SIZE_MAX / 2));
	assert_true(b.failed);
	assert_int_equal(b.len, 1);
	buf_fini(&b);
}

static void a_file_is_read_to_its_end_or_as_far_as_wanted(void **state)
{
	static const char text[] = "some text of a pipe";
	struct buf b = { 0 };
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], text, sizeof(text)), sizeof(text));
	assert_int_equal(buf_read(&b, fds[0], 4), 0);
	assert_int_equal(b.len, 4);
	assert_memory_equal(b.data, "some", 4);
	close(fds[1]);
	assert_int_equal(buf_read(&b, fds[0], 1000), 0);
	assert_int_equal(b.len, sizeof(text));
	assert_memory_equal(b.data, text, sizeof(text));
	close(fds[0]);
	assert_int_equal(buf_read(&b, fds[0], 1000), -EBADF);
	assert_int_equal(b.len, sizeof(text));
	buf_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_to_its_end_or_as_far_as_wanted),
		cmocka_unit_test(appended_bytes_are_read_back_by_the_cursor),
		cmocka_unit_test(growing_keeps_what_was_there),
		cmocka_unit_test(a_printed_text_takes_no_room_for_its_nul),
		cmocka_unit_test(a_request_that_cannot_be_met_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

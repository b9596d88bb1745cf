/* SPDX-License-Identifier: GPL-2.0-only */
/* Packed data is in the deflate format: zlib restores it, whatever bytes it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/memory/buf.h"
#include "format/coding/huffman.h"

static uint64_t dice_now = 3;

static unsigned dice(unsigned n)
{
	dice_now = dice_now * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(dice_now >> 33) % n;
}

/* Packs after other data; returns 0 when that would take more room. */
static size_t there_and_back(const uint8_t *data, size_t size)
{
	static uint8_t back[1 << 17];
	struct buf out = { 0 };
	z_stream z = { 0 };
	size_t n;

	buf_add(&out, "ab", 2);
	n = huffman_deflate(data, size, &out);
	assert_false(out.failed);
	assert_memory_equal(out.data, "ab", 2);
	if (n) {
		assert_true(out.len >= 2 + n);
		assert_int_equal(inflateInit2(&z, -15), Z_OK);
		z.next_in = out.data + 2;
		z.avail_in = (unsigned)n;
		z.next_out = back;
		z.avail_out = sizeof(back);
		assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
		assert_int_equal(z.avail_in, 0);
		assert_int_equal(z.total_out, size);
		assert_memory_equal(back, data, size);
		inflateEnd(&z);
	}
	buf_fini(&out);
	return n;
}

static void any_bytes_come_back(void **state)
{
	static uint8_t data[100000];
	size_t packed = 0;

	(void)state;
	for (unsigned trial = 0; trial < 600; trial++) {
		/* few or many bytes, with equal or falling frequencies, apart or adjacent */
		unsigned kinds = 1 + dice(trial % 3 ? 256 : 12), step = 1 + dice(9), bias = dice(6);
		unsigned first = dice(256);
		size_t size = trial % 10 ? 1 + dice(3000) : 1 + dice(sizeof(data));

		for (size_t i = 0; i < size; i++) {
			unsigned k = dice(kinds);

			for (unsigned b = 0; b < bias; b++)
				k = dice(k + 1);
			data[i] = (uint8_t)(first + k * step);
		}
		packed += there_and_back(data, size) > 0;
	}
	assert_true(packed > 300);
}

/* Each as often as all before it together: the longest codes there can be. */
static void bytes_with_long_codes_come_back(void **state)
{
	static uint8_t data[1 << 17];

	(void)state;
	for (unsigned n = 2; n < 18; n++) {
		size_t size = 0;

		for (unsigned k = 0; k < n; k++)
			for (size_t i = 0; i < (k ? (size_t)1 << (k - 1) : 1); i++)
				data[size++] = (uint8_t)(k * 7);
		there_and_back(data, size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_bytes_come_back),
		cmocka_unit_test(bytes_with_long_codes_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

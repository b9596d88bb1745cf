/* SPDX-License-Identifier: GPL-2.0-only */
/* gzip members in parts of every size, with every field of a header, and damaged: by ISA-L, where it is, and by zlib. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "convert/pfw/gunzip.h"

#define TEXT_MAX 70000u

struct way {
	const char *name;
	int (*open)(struct gunzip *g);
};

static const struct way ways[] = { { "as installed", gunzip_open }, { "zlib", gunzip_open_zlib } };

/* One member of @text: level 0 stores it. With an extra field, name, comment and check sum of the header, or none. */
static size_t member(uint8_t *out, size_t room, const uint8_t *text, size_t n, int level,
		     bool fields)
{
	uint8_t extra[300];
	char name[] = "a name", comment[] = "and a comment";
	gz_header header = { .extra = extra,
			     .extra_len = sizeof(extra),
			     .name = (Bytef *)name,
			     .comment = (Bytef *)comment,
			     .hcrc = 1 };
	z_stream z = { 0 };

	memset(extra, 7, sizeof(extra));
	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	if (fields)
		assert_int_equal(deflateSetHeader(&z, &header), Z_OK);
	z.next_in = (Bytef *)text;
	z.avail_in = (uInt)n;
	z.next_out = out;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

/* The sanitizers fill and check an inflater's memory each time: they get only some of the places of
 * damage. */
#ifdef __SANITIZE_ADDRESS__
#define STEP 23
#else
#define STEP 1
#endif

/* The output for @data in parts of @in bytes with room for @out; *used: bytes consumed. */
static enum gunzip_state run(const struct way *way, const uint8_t *data, size_t n, size_t in,
			     size_t out, uint8_t *text, size_t *len, size_t *used)
{
	/* of their exact size, so that a sanitizer notices reads or writes beyond; made once, since
	 * allocating is slow there */
	uint8_t *from = NULL, *to = malloc(out);
	enum gunzip_state state = GUNZIP_MORE;
	size_t at = 0, idle = 0, part = 0;
	struct gunzip g;

	*len = 0;
	assert_int_equal(way->open(&g), 0);
	g.avail_in = 0;
	while (state == GUNZIP_MORE && idle < 2) {
		size_t left;

		if (!g.avail_in) {
			part = n - at < in ? n - at : in;
			free(from);
			from = malloc(part ? part : 1);
			memcpy(from, data + at, part);
			g.next_in = from;
			g.avail_in = part;
		}
		left = g.avail_in;
		g.next_out = to;
		g.avail_out = out;
		state = gunzip_run(&g);
		assert_true(*len + (out - g.avail_out) <= TEXT_MAX);
		memcpy(text + *len, to, out - g.avail_out);
		idle = g.avail_out == out && g.avail_in == left ? idle + 1 : 0;
		*len += out - g.avail_out;
		at += left - g.avail_in;
		assert_ptr_equal(g.next_in, from + (part - g.avail_in));
		assert_ptr_equal(g.next_out, to + (out - g.avail_out));
	}
	free(from);
	free(to);
	gunzip_close(&g);
	*used = at;
	return state;
}

/* Half of it repeats itself, half does not. */
static void some_text(uint8_t *text, size_t n)
{
	uint32_t x = 1;

	for (size_t i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		text[i] = i / 512 % 2 ? (uint8_t)(x >> 24)
				      : (uint8_t) "{\"name\":\"read\"}\n"[i % 16];
	}
}

static void parts(void **state)
{
	static const size_t sizes[] = { 1, 2, 7, 100, 4096, 1 << 17 };
	static uint8_t text[TEXT_MAX], data[TEXT_MAX + 1000], got[TEXT_MAX];

	(void)state;
	some_text(text, sizeof(text));
	for (size_t w = 0; w < 2; w++)
		for (int how = 0; how < 6; how++) {
			size_t n = how / 2 ? TEXT_MAX : 0, len, used;
			size_t size =
				member(data, sizeof(data), text, n, how / 2 == 1 ? 0 : 6, how % 2);

			memcpy(data + size, "\x1f\x8b and more", 12);
			for (size_t i = 0; i < 6; i++)
				for (size_t o = 0; o < 6; o++) {
					if (n && sizes[i] < 7 && sizes[o] < 7)
						continue; /* long */
					assert_int_equal(run(&ways[w], data, size + 12, sizes[i],
							     sizes[o], got, &len, &used),
							 GUNZIP_END);
					assert_int_equal(len, n);
					assert_memory_equal(got, text, n);
					assert_int_equal(used, size);
				}
		}
}

static void members(void **state)
{
	static uint8_t text[TEXT_MAX], data[TEXT_MAX + 1000], got[TEXT_MAX];

	(void)state;
	some_text(text, 3000);
	for (size_t w = 0; w < 2; w++) {
		size_t size = 0, len = 0;
		struct gunzip g;

		for (int i = 0; i < 3; i++)
			size += member(data + size, sizeof(data) - size, text + i * 1000, 1000,
				       i * 3, i == 1);
		assert_int_equal(ways[w].open(&g), 0);
		g.next_in = data;
		g.avail_in = size;
		for (int i = 0; i < 3; i++) {
			g.next_out = got + len;
			g.avail_out = sizeof(got) - len;
			assert_int_equal(gunzip_run(&g), GUNZIP_END);
			len = (size_t)(g.next_out - got);
			assert_int_equal(len, 1000 * (i + 1));
			gunzip_next(&g);
		}
		assert_int_equal(g.avail_in, 0);
		assert_memory_equal(got, text, 3000);
		gunzip_close(&g);
	}
}

/* Cut anywhere it waits for more; a changed bit is found by both, or changes nothing in the
 * output. */
static void damage(void **state)
{
	static uint8_t text[TEXT_MAX], data[6000], got[TEXT_MAX], other[TEXT_MAX];
	size_t size, len, used, other_len;

	(void)state;
	some_text(text, 3000);
	size = member(data, sizeof(data), text, 3000, 6, true);
	for (size_t w = 0; w < 2; w++)
		for (size_t n = 0; n < size; n += STEP) {
			assert_int_equal(run(&ways[w], data, n, 4096, 4096, got, &len, &used),
					 GUNZIP_MORE);
			assert_memory_equal(got, text, len);
		}
	for (size_t bit = 0; bit < size * 8; bit += STEP) {
		enum gunzip_state zlib, isal;

		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		zlib = run(&ways[1], data, size, 4096, 4096, other, &other_len, &used);
		isal = run(&ways[0], data, size, 4096, 4096, got, &len, &used);
		if (isal != zlib)
			fail_msg("bit %zu: %s says %d, zlib %d", bit, ways[0].name, (int)isal,
				 (int)zlib);
		if (zlib == GUNZIP_END) {
			assert_int_equal(len, 3000);
			assert_memory_equal(got, text, 3000);
			assert_memory_equal(other, text, 3000);
		}
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

/* Refused within its last bytes: ISA-L has then counted more bytes than there are. */
static void refused_at_the_end(void **state)
{
	static const uint8_t data[] = {
		0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x6d, 0x8f, 0x41, 0x6b,
		0xc4, 0x20, 0x10, 0x85, 0xef, 0xfb, 0x33, 0xe6, 0x2c, 0xcb, 0xa8, 0xd1, 0xa8, 0x3f,
		0xa2, 0x94, 0x9e, 0x4a, 0x9b, 0x3d, 0xb8, 0xeb, 0xa4, 0x59, 0xd8, 0xc6, 0x10, 0x13,
		0x28, 0x84, 0xfc, 0xf7, 0x8e, 0x69, 0xe9, 0xa9, 0x07, 0xe5, 0x9b, 0xc7, 0xf3, 0xf9,
		0xc6, 0x38, 0x10, 0x90, 0xd6, 0x19, 0x02, 0x54, 0x9a, 0x06, 0x86, 0x57, 0x86, 0x38,
		0x7f, 0x14, 0x08, 0x01, 0xfa, 0x1b, 0x0c, 0x43, 0x2c, 0xac, 0x69, 0xd9, 0x38, 0xe5,
		0xac, 0xf3, 0xd2, 0x7b, 0x85, 0x5e, 0x3a, 0xa5, 0x5a, 0x63, 0x75, 0xc7, 0xcb, 0xe9,
		0x1b, 0x99, 0xcc, 0xea, 0x86, 0x68, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	};
	uint8_t got[TEXT_MAX];
	size_t len, used;

	(void)state;
	for (size_t w = 0; w < 2; w++) {
		assert_int_equal(run(&ways[w], data, sizeof(data), 4096, 4096, got, &len, &used),
				 GUNZIP_DAMAGED);
		assert_true(used <= sizeof(data));
	}
}

/* A match that begins before the member: it gives no data from memory or from a previous member. */
static void begins_before_the_member(void **state)
{
	static const uint8_t data[] = {
		0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x8d, 0x51, 0xc1, 0x6e,
		0xc2, 0x30, 0x0c, 0xbd, 0xf3, 0x19, 0x3e, 0x47, 0xe0, 0xa4, 0x6d, 0x48, 0xfa, 0x01,
		0x13, 0x3b, 0x6c, 0x43, 0xdb, 0x05, 0x0d, 0x10, 0x0a, 0x24, 0x5d, 0x91, 0xba, 0xb6,
		0x4a, 0xdb, 0x69, 0x12, 0xea, 0xbf, 0xcf, 0x01, 0x56, 0xd0, 0xc4, 0x24, 0x0e, 0x49,
		0xec, 0x17, 0xc7, 0xef, 0x3d, 0x67, 0x39, 0x3a, 0x40, 0x69, 0x3e, 0x1d, 0xa4, 0x30,
		0x9b, 0x01, 0x83, 0x9d, 0x69, 0x29, 0xb4, 0x59, 0xeb, 0xcd, 0xce, 0x79, 0x02, 0xea,
		0x9c, 0xf2, 0x27, 0x0a, 0x8c, 0xff, 0x68, 0x20, 0x1d, 0xaa, 0xcb, 0xca, 0x3a, 0x4e,
		0xf0, 0x97, 0x29, 0x3a, 0x29, 0xb4, 0x59, 0xeb, 0xcd, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x20,
		0x33, 0x37, 0x38, 0x31, 0x38, 0x2c, 0x20, 0x22, 0x74, 0x69, 0xce, 0x79, 0x02, 0xea,
		0x9c, 0x3b, 0x63, 0x07,
	};
	uint8_t text[3000], first[6000], got[4096], again[4096];
	size_t size, len = 0, again_len = 0;

	(void)state;
	memset(text, 'x', sizeof(text));
	size = member(first, sizeof(first), text, sizeof(text), 6, false);
	for (int before = 0; before < 2; before++) {
		uint8_t *out = before ? again : got;
		struct gunzip g;

		assert_int_equal(gunzip_open(&g), 0);
		if (before) {
			g.next_in = first;
			g.avail_in = size;
			g.next_out = out;
			g.avail_out = 4096;
			assert_int_equal(gunzip_run(&g), GUNZIP_END);
			gunzip_next(&g);
		}
		memset(out, 'y', 4096);
		g.next_in = data;
		g.avail_in = sizeof(data);
		g.next_out = out;
		g.avail_out = 4096;
		assert_int_equal(gunzip_run(&g), GUNZIP_DAMAGED);
		*(before ? &again_len : &len) = 4096 - g.avail_out;
		gunzip_close(&g);
	}
	assert_int_equal(len, again_len);
	assert_memory_equal(got, again, len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),
		cmocka_unit_test(members),
		cmocka_unit_test(damage),
		cmocka_unit_test(refused_at_the_end),
		cmocka_unit_test(begins_before_the_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

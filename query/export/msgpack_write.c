/* SPDX-License-Identifier: GPL-2.0-only */
/* See msgpack_write.h; the bytes are those of the specification at msgpack.org. */
#include "query/export/msgpack_write.h"

#include <string.h>

#include "base/text/utf8.h"

/* Writes the type's byte and @v in @n bytes after it, big-endian. */
static void head(struct sink *s, uint8_t type, uint64_t v, unsigned n)
{
	uint8_t bytes[9] = { type };

	for (unsigned i = 0; i < n; i++)
		bytes[1 + i] = (uint8_t)(v >> 8 * (n - 1 - i));
	sink_add(s, bytes, n + 1);
}

/* log2 of the bytes that hold @v: 1, 2, 4 or 8; their types are in this order. */
static unsigned doublings(uint64_t v)
{
	return v <= UINT8_MAX ? 0 : v <= UINT16_MAX ? 1 : v <= UINT32_MAX ? 2 : 3;
}

/* Writes @v as type @of_one, for one byte, or as a later, larger type. */
static void number(struct sink *s, uint8_t of_one, uint64_t v)
{
	head(s, (uint8_t)(of_one + doublings(v)), v, 1u << doublings(v));
}

/* Writes a count: a small one in the type's byte, else in two or four bytes. */
static void members(struct sink *s, uint8_t few, uint8_t of_two, uint32_t n)
{
	if (n < 16)
		head(s, few | (uint8_t)n, 0, 0);
	else if (n <= UINT16_MAX)
		head(s, of_two, n, 2);
	else
		head(s, of_two + 1, n, 4);
}

void msgpack_map(struct sink *s, uint32_t n)
{
	members(s, 0x80, 0xde, n);
}

void msgpack_array(struct sink *s, uint32_t n)
{
	members(s, 0x90, 0xdc, n);
}

void msgpack_nil(struct sink *s)
{
	head(s, 0xc0, 0, 0);
}

void msgpack_int(struct sink *s, int64_t v)
{
	/* a negative number takes as many bytes as twice its distance from -1 */
	unsigned n = doublings(2 * ~(uint64_t)v);

	if (v >= -32 && v < 128)
		head(s, (uint8_t)v, 0, 0);
	else if (v >= 0)
		number(s, 0xcc, (uint64_t)v);
	else
		head(s, (uint8_t)(0xd0 + n), (uint64_t)v, 1u << n);
}

void msgpack_text(struct sink *s, const char *text)
{
	size_t len = strlen(text), n, size = utf8_size(text, len);
	const char *piece;

	if (size < 32)
		head(s, (uint8_t)(0xa0 | size), 0, 0);
	else
		number(s, 0xd9, size);
	for (size_t at = 0; at < len;) {
		at += utf8_piece(text + at, len - at, &piece, &n);
		sink_add(s, piece, n);
	}
}

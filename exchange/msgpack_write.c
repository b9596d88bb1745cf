/* SPDX-License-Identifier: GPL-2.0-only */
/* See msgpack_write.h; the bytes are those of the specification at msgpack.org. */
#include "exchange/msgpack_write.h"

#include <string.h>

#include "exchange/utf8.h"

/* The type's byte and @v in the @n bytes behind it, the first one first. */
static void head(struct sink *s, uint8_t type, uint64_t v, unsigned n)
{
	uint8_t bytes[9] = { type };

	for (unsigned i = 0; i < n; i++)
		bytes[1 + i] = (uint8_t)(v >> 8 * (n - 1 - i));
	sink_add(s, bytes, n + 1);
}

void msgpack_map(struct sink *s, uint32_t n)
{
	if (n < 16)
		head(s, (uint8_t)(0x80 | n), 0, 0);
	else
		head(s, n > UINT16_MAX ? 0xdf : 0xde, n, n > UINT16_MAX ? 4 : 2);
}

void msgpack_array(struct sink *s, uint32_t n)
{
	if (n < 16)
		head(s, (uint8_t)(0x90 | n), 0, 0);
	else
		head(s, n > UINT16_MAX ? 0xdd : 0xdc, n, n > UINT16_MAX ? 4 : 2);
}

void msgpack_nil(struct sink *s)
{
	head(s, 0xc0, 0, 0);
}

void msgpack_int(struct sink *s, int64_t v)
{
	if (v >= -32 && v < 128)
		head(s, (uint8_t)v, 0, 0);
	else if (v >= 0)
		head(s,
		     v <= UINT8_MAX    ? 0xcc
		     : v <= UINT16_MAX ? 0xcd
		     : v <= UINT32_MAX ? 0xce
				       : 0xcf,
		     (uint64_t)v,
		     v <= UINT8_MAX    ? 1
		     : v <= UINT16_MAX ? 2
		     : v <= UINT32_MAX ? 4
				       : 8);
	else
		head(s,
		     v >= INT8_MIN    ? 0xd0
		     : v >= INT16_MIN ? 0xd1
		     : v >= INT32_MIN ? 0xd2
				      : 0xd3,
		     (uint64_t)v,
		     v >= INT8_MIN    ? 1
		     : v >= INT16_MIN ? 2
		     : v >= INT32_MIN ? 4
				      : 8);
}

static void text_head(struct sink *s, size_t len)
{
	if (len < 32)
		head(s, (uint8_t)(0xa0 | len), 0, 0);
	else
		head(s,
		     len <= UINT8_MAX    ? 0xd9
		     : len <= UINT16_MAX ? 0xda
					 : 0xdb,
		     len,
		     len <= UINT8_MAX    ? 1
		     : len <= UINT16_MAX ? 2
					 : 4);
}

void msgpack_text(struct sink *s, const char *text)
{
	size_t len = strlen(text), n;
	const char *piece;

	text_head(s, utf8_size(text, len));
	for (size_t at = 0; at < len;) {
		at += utf8_piece(text + at, len - at, &piece, &n);
		sink_add(s, piece, n);
	}
}

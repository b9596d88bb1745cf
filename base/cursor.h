/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * cursor.h - a bounded walk over untrusted bytes, in the input's byte order.
 *
 * Every read either succeeds or leaves the cursor in its failed state: later
 * reads return 0 / NULL, so a parser may read a whole structure and test
 * cursor_ok() once.  The one bounds test neither adds nor subtracts.
 */
#ifndef BASE_CURSOR_H
#define BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* This machine's byte order. */
#define NATIVE_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

struct cursor {
	const uint8_t *at; /* next byte */
	size_t left;       /* bytes from @at on */
	const uint8_t *start;
	bool big;    /* input is big-endian */
	bool failed; /* a read went past the end */
};

static inline struct cursor cursor_init(const void *data, size_t size, bool big)
{
	return (struct cursor){ .at = data, .left = size, .start = data, .big = big };
}

static inline bool cursor_ok(const struct cursor *c)
{
	return !c->failed;
}

/* Bytes consumed since cursor_init(). */
static inline size_t cursor_pos(const struct cursor *c)
{
	return (size_t)(c->at - c->start);
}

/* cursor_take - @n bytes, borrowed from the input, or NULL. */
static inline const uint8_t *cursor_take(struct cursor *c, size_t n)
{
	const uint8_t *p = c->at;

	if (n > c->left || c->failed) {
		c->failed = true;
		return NULL;
	}
	c->at += n;
	c->left -= n;
	return p;
}

static inline bool cursor_skip(struct cursor *c, size_t n)
{
	return cursor_take(c, n) != NULL;
}

static inline uint16_t load16(const void *p, bool big)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	if (big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		v = __builtin_bswap16(v);
	return v;
}

static inline uint32_t load32(const void *p, bool big)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	if (big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		v = __builtin_bswap32(v);
	return v;
}

static inline uint64_t load64(const void *p, bool big)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	if (big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		v = __builtin_bswap64(v);
	return v;
}

static inline uint32_t le32(const void *p)
{
	return load32(p, false);
}

static inline uint64_t le64(const void *p)
{
	return load64(p, false);
}

static inline void put_le32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static inline void put_le64(uint8_t *p, uint64_t v)
{
	put_le32(p, (uint32_t)v);
	put_le32(p + 4, (uint32_t)(v >> 32));
}

static inline uint8_t cursor_u8(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 1);

	return p ? *p : 0;
}

static inline uint16_t cursor_u16(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 2);

	return p ? load16(p, c->big) : 0;
}

static inline uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 4);

	return p ? load32(p, c->big) : 0;
}

static inline uint64_t cursor_u64(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, 8);

	return p ? load64(p, c->big) : 0;
}

/* cursor_varint - LEB128, at most ten bytes, rejected when it does not fit 64 bits. */
static inline uint64_t cursor_varint(struct cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (c->left && !c->failed) {
		uint8_t b = *c->at++;

		c->left--;
		if (shift == 63 && b > 1)
			break;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
		shift += 7;
		if (shift > 63)
			break;
	}
	c->failed = true;
	return 0;
}

/* cursor_svarint - zigzag LEB128. */
static inline int64_t cursor_svarint(struct cursor *c)
{
	uint64_t v = cursor_varint(c);

	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

/* cursor_text - a NUL-terminated string inside the input (borrowed), its
 * length without the NUL in *@len; NULL when no NUL comes before the end. */
static inline const char *cursor_text(struct cursor *c, size_t *len)
{
	const uint8_t *p = c->at;
	const uint8_t *nul = c->left && !c->failed ? memchr(p, 0, c->left) : NULL;

	if (!nul) {
		c->failed = true;
		return NULL;
	}
	if (len)
		*len = (size_t)(nul - p);
	c->left -= (size_t)(nul - p) + 1;
	c->at = nul + 1;
	return (const char *)p;
}

#endif

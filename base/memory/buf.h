/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * buf.h - a growing byte buffer.  A failed allocation is remembered
 * (buf->failed) and later appends do nothing, so writers test it once.
 */
#ifndef BASE_MEMORY_BUF_H
#define BASE_MEMORY_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct buf {
	uint8_t *data;
	size_t len, cap;
	bool failed;
};

/* buf_room - makes room for @n more bytes; NULL (and failed) when it cannot. */
uint8_t *buf_room_slow(struct buf *b, size_t n);
/* buf_read - appends bytes from @fd, until its end or until @most bytes are there; 0 or -errno. */
int buf_read(struct buf *b, int fd, size_t most);
/* buf_write - appends to a struct buf; usable as a write callback: 0 or -ENOMEM. */
int buf_write(void *buf, const void *data, size_t size);
void buf_fini(struct buf *b);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static inline uint8_t *buf_room(struct buf *b, size_t n)
{
	if (n <= b->cap - b->len)
		return b->data + b->len;
	return buf_room_slow(b, n);
}

static inline void buf_add(struct buf *b, const void *data, size_t n)
{
	uint8_t *p = n ? buf_room(b, n) : NULL;

	if (p) {
		memcpy(p, data, n);
		b->len += n;
	}
}

static inline void buf_u8(struct buf *b, uint8_t v)
{
	uint8_t *p = buf_room(b, 1);

	if (p) {
		*p = v;
		b->len++;
	}
}

static inline void buf_le32(struct buf *b, uint32_t v)
{
	uint8_t le[4] = { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24) };

	buf_add(b, le, 4);
}

static inline void buf_le64(struct buf *b, uint64_t v)
{
	buf_le32(b, (uint32_t)v);
	buf_le32(b, (uint32_t)(v >> 32));
}

/* LEB128. */
static inline void buf_varint(struct buf *b, uint64_t v)
{
	uint8_t *p = buf_room(b, 10);

	if (!p)
		return;
	while (v >= 0x80) {
		*p++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8_t)v;
	b->len = (size_t)(p - b->data);
}

/* Zigzag LEB128. */
static inline void buf_svarint(struct buf *b, int64_t v)
{
	buf_varint(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

/* Length-prefixed bytes. */
static inline void buf_string(struct buf *b, const void *data, size_t n)
{
	buf_varint(b, n);
	buf_add(b, data, n);
}

#endif

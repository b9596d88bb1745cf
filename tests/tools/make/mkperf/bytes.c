// SPDX-License-Identifier: GPL-2.0-only
/* bytes.c - numbers, texts and record headers in the byte order of the capture. */
#include <string.h>

#include "tests/tools/make/mkperf/mkperf.h"

void put_mem(struct buf *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = (b->n + n) * 2;
		b->p = grow(b->p, b->cap, 1);
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

void set_num(unsigned char *p, uint64_t v, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[g.big ? size - 1 - i : i] = (unsigned char)(v >> (8 * i));
}

void put_num(struct buf *b, uint64_t v, unsigned int size)
{
	unsigned char raw[8];

	set_num(raw, v, size);
	put_mem(b, raw, size);
}

void put16(struct buf *b, uint64_t v)
{
	put_num(b, v, 2);
}
void put32(struct buf *b, uint64_t v)
{
	put_num(b, v, 4);
}
void put64(struct buf *b, uint64_t v)
{
	put_num(b, v, 8);
}

void put_zero(struct buf *b, size_t n)
{
	while (n--)
		put_mem(b, "", 1);
}

void put_align(struct buf *b, size_t from, size_t to)
{
	while ((b->n - from) % to)
		put_zero(b, 1);
}

size_t begin_record(struct buf *b, uint32_t type, uint16_t misc)
{
	size_t at = b->n;

	put32(b, type);
	put16(b, misc);
	put16(b, 0);
	return at;
}

void end_record(struct buf *b, size_t at)
{
	if (b->n - at > 65535)
		die("a record of %zu bytes does not fit", b->n - at);
	set_num(b->p + at + 6, b->n - at, 2);
}

void put_string(struct buf *b, const char *s)
{
	size_t n = strlen(s) + 1, padded = (n + 63) / 64 * 64;

	put32(b, padded);
	put_mem(b, s, n);
	put_zero(b, padded - n);
}

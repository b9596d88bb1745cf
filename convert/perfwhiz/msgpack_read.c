/* SPDX-License-Identifier: GPL-2.0-only */
/* github.com/msgpack/msgpack, spec.md. */
#include "convert/perfwhiz/msgpack_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

#define OUT_SIZE (64u << 10)
#define IN_PORTION (1u << 30)

bool msgpack_read_open(struct msgpack_reader *m, const void *packed, size_t size)
{
	*m = (struct msgpack_reader){ .packed = packed, .left = size };
	m->out = malloc(OUT_SIZE);
	m->open = m->out && inflateInit(&m->z) == Z_OK;
	m->failed = m->no_memory = !m->open;
	return m->open;
}

void msgpack_read_close(struct msgpack_reader *m)
{
	if (m->open)
		inflateEnd(&m->z);
	free(m->out);
	*m = (struct msgpack_reader){ .failed = true };
}

static bool fail(struct msgpack_reader *m)
{
	m->failed = true;
	m->at = m->end = NULL;
	return false;
}

/* Unpacks more bytes, when all are consumed. */
static bool fill_buffer(struct msgpack_reader *m)
{
	int ret = Z_OK;

	if (m->failed)
		return false;
	m->z.next_out = m->out;
	m->z.avail_out = OUT_SIZE;
	while (m->z.avail_out == OUT_SIZE && ret == Z_OK) {
		if (!m->z.avail_in && m->left) {
			m->z.next_in = (uint8_t *)(uintptr_t)m->packed;
			m->z.avail_in = (uInt)(m->left < IN_PORTION ? m->left : IN_PORTION);
			m->packed += m->z.avail_in;
			m->left -= m->z.avail_in;
		}
		ret = inflate(&m->z, Z_NO_FLUSH);
	}
	m->no_memory = ret == Z_MEM_ERROR;
	if (m->z.avail_out == OUT_SIZE)
		return fail(m);
	m->at = m->out;
	m->end = m->out + (OUT_SIZE - m->z.avail_out);
	return true;
}

/* Reads @n bytes to @to, or (NULL) skips them. */
static bool take_bytes(struct msgpack_reader *m, uint8_t *to, size_t n)
{
	while (n) {
		size_t part = (size_t)(m->end - m->at);

		if (!part) {
			if (!fill_buffer(m))
				return false;
			continue;
		}
		if (part > n)
			part = n;
		if (to) {
			memcpy(to, m->at, part);
			to += part;
		}
		m->at += part;
		n -= part;
	}
	return true;
}

/* Reads a big-endian unsigned number of @size bytes. */
static uint64_t number(struct msgpack_reader *m, size_t size)
{
	uint8_t b[8] = { 0 };

	return take_bytes(m, b + 8 - size, size) ? load64(b, true) : 0;
}

static int64_t extend(uint64_t v, size_t size)
{
	unsigned shift = 64 - 8 * (unsigned)size;

	return (int64_t)(v << shift) >> shift;
}

static bool text(struct msgpack_reader *m, struct msgpack_value *v, uint64_t n)
{
	size_t kept = n < MSGPACK_TEXT_MAX ? (size_t)n : MSGPACK_TEXT_MAX;

	v->type = MSGPACK_TEXT;
	v->n = (uint32_t)n;
	v->text[0] = '\0';
	if (m->failed || !take_bytes(m, (uint8_t *)v->text, kept))
		return false;
	v->text[kept] = '\0';
	return take_bytes(m, NULL, (size_t)n - kept);
}

static bool ext(struct msgpack_reader *m, struct msgpack_value *v, uint64_t n)
{
	v->type = MSGPACK_EXT;
	return !m->failed && take_bytes(m, NULL, (size_t)n + 1); /* plus a byte for its type */
}

static bool members(struct msgpack_reader *m, struct msgpack_value *v, enum msgpack_type type,
		    uint64_t n)
{
	v->type = type;
	v->n = (uint32_t)n;
	return !m->failed;
}

static bool whole(struct msgpack_reader *m, struct msgpack_value *v, int64_t i)
{
	v->type = MSGPACK_INT;
	v->i = i;
	return !m->failed;
}

static bool real(struct msgpack_reader *m, struct msgpack_value *v, size_t size)
{
	uint64_t bits = number(m, size);
	uint32_t half = (uint32_t)bits;
	float f;

	v->type = MSGPACK_FLOAT;
	if (size == 8) {
		memcpy(&v->f, &bits, 8);
	} else {
		memcpy(&f, &half, 4);
		v->f = f;
	}
	return !m->failed;
}

/* Handles the formats 0xc0 to 0xdf. */
static bool marked(struct msgpack_reader *m, struct msgpack_value *v, uint8_t mark)
{
	uint64_t u;

	switch (mark) {
	case 0xc0:
		v->type = MSGPACK_NIL;
		return true;
	case 0xc2:
	case 0xc3:
		v->type = MSGPACK_BOOL;
		v->i = mark & 1;
		return true;
	case 0xc4: /* bin */
	case 0xc5:
	case 0xc6:
		return text(m, v, number(m, (size_t)1 << (mark - 0xc4)));
	case 0xc7: /* ext */
	case 0xc8:
	case 0xc9:
		return ext(m, v, number(m, (size_t)1 << (mark - 0xc7)));
	case 0xca:
	case 0xcb:
		return real(m, v, mark == 0xca ? 4 : 8);
	case 0xcc: /* unsigned */
	case 0xcd:
	case 0xce:
	case 0xcf:
		u = number(m, (size_t)1 << (mark - 0xcc));
		return whole(m, v, u > INT64_MAX ? INT64_MAX : (int64_t)u);
	case 0xd0: /* signed */
	case 0xd1:
	case 0xd2:
	case 0xd3: {
		size_t size = (size_t)1 << (mark - 0xd0);

		return whole(m, v, extend(number(m, size), size));
	}
	case 0xd4: /* ext of a fixed size */
	case 0xd5:
	case 0xd6:
	case 0xd7:
	case 0xd8:
		return ext(m, v, (uint64_t)1 << (mark - 0xd4));
	case 0xd9: /* str */
	case 0xda:
	case 0xdb:
		return text(m, v, number(m, (size_t)1 << (mark - 0xd9)));
	case 0xdc:
	case 0xdd:
		return members(m, v, MSGPACK_ARRAY, number(m, mark == 0xdc ? 2 : 4));
	case 0xde:
	case 0xdf:
		return members(m, v, MSGPACK_MAP, number(m, mark == 0xde ? 2 : 4));
	default: /* 0xc1 is never used */
		return fail(m);
	}
}

bool msgpack_next(struct msgpack_reader *m, struct msgpack_value *v)
{
	uint8_t mark;

	v->type = MSGPACK_NIL;
	v->n = 0;
	if (!take_bytes(m, &mark, 1))
		return false;
	if (mark < 0x80)
		return whole(m, v, mark);
	if (mark >= 0xe0)
		return whole(m, v, (int8_t)mark);
	if (mark >= 0xc0)
		return marked(m, v, mark);
	if (mark >= 0xa0)
		return text(m, v, mark & 31);
	return members(m, v, mark >= 0x90 ? MSGPACK_ARRAY : MSGPACK_MAP, mark & 15);
}

bool msgpack_skip(struct msgpack_reader *m)
{
	/* values still to skip; each takes a byte, so this cannot wrap */
	uint64_t n = 1;

	while (n--) {
		struct msgpack_value v;

		if (!msgpack_next(m, &v))
			return false;
		if (v.type == MSGPACK_ARRAY)
			n += v.n;
		else if (v.type == MSGPACK_MAP)
			n += 2ull * v.n;
	}
	return true;
}

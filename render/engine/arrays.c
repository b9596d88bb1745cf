/* SPDX-License-Identifier: GPL-2.0-only */
/* See arrays.h. */
#include "render/engine/arrays.h"

#include <string.h>

void page_number_json(struct json *j, const char *key, uint32_t n)
{
	if (n == UINT32_MAX)
		json_null(j, key);
	else
		json_u64(j, key, n);
}

void page_time_json(struct json *j, const char *key, uint64_t t_ns, uint64_t t0_ns)
{
	if (t_ns == UINT64_MAX)
		json_null(j, key);
	else
		json_i64(j, key, (int64_t)(t_ns - t0_ns));
}

/* Writes @v in little-endian, in @size bytes: 1, 2, 4 or (as a double) 8. */
static uint8_t *put_number(uint8_t *p, uint64_t v, unsigned size)
{
	double number = (double)v;

	if (size == 8)
		memcpy(&v, &number, sizeof(v));
	for (unsigned i = 0; i < size; i++)
		*p++ = (uint8_t)(v >> 8 * i);
	return p;
}

/* As few bytes as the largest number needs: half the page's numbers are small. */
static unsigned size_for(uint64_t most)
{
	return most <= UINT8_MAX ? 1 : most <= UINT16_MAX ? 2 : most <= UINT32_MAX ? 4 : 8;
}

/* Room for @n numbers of @size bytes, at a multiple of 8; NULL: out of memory, or no numbers. */
static uint8_t *place(struct arrays *a, const char *key, size_t n, unsigned size, bool steps)
{
	struct buf *buf = &a->out->buf;
	uint8_t *p;

	while (buf->len % 8 && !buf->failed)
		buf_u8(buf, 0);
	json_open(a->j, key, '{', false);
	json_open(a->j, steps ? "steps" : "array", '[', false);
	json_u64(a->j, NULL, buf->len);
	json_u64(a->j, NULL, n);
	json_u64(a->j, NULL, size);
	json_close(a->j);
	json_close(a->j);
	p = n ? buf_room(buf, n * size) : NULL;
	if (p)
		buf->len += n * size;
	return p;
}

/* The @i-th number of a column. */
static uint64_t number_at(const void *first, size_t i, size_t stride, unsigned bytes)
{
	const uint8_t *at = (const uint8_t *)first + i * stride;

	return bytes == 4 ? *(const uint32_t *)at : *(const uint64_t *)at;
}

void arrays_strided(struct arrays *a, const char *key, const void *first, size_t n, size_t stride,
		    unsigned bytes)
{
	uint64_t most = 0;
	unsigned size;
	uint8_t *p;

	for (size_t i = 0; i < n; i++) {
		uint64_t v = number_at(first, i, stride, bytes);

		most = v > most ? v : most;
	}
	size = size_for(most);
	p = place(a, key, n, size, false);
	for (size_t i = 0; p && i < n; i++)
		p = put_number(p, number_at(first, i, stride, bytes), size);
}

void arrays_steps(struct arrays *a, const char *key, const uint32_t *first, size_t n, size_t stride)
{
	uint64_t most = 0, before = 0, v;
	unsigned size;
	uint8_t *p;

	for (size_t i = 0; i < n; i++, before = v) {
		v = number_at(first, i, stride, 4);
		most = v - before > most ? v - before : most;
	}
	size = size_for(most);
	p = place(a, key, n, size, true);
	before = 0;
	for (size_t i = 0; p && i < n; i++, before = v) {
		v = number_at(first, i, stride, 4);
		p = put_number(p, v - before, size);
	}
}

void arrays_rows(struct arrays *a, const char *key, uint64_t *const *rows, size_t n_rows, size_t n)
{
	uint64_t most = 0;
	unsigned size;
	uint8_t *p;

	for (size_t r = 0; r < n_rows; r++) {
		for (size_t i = 0; rows[r] && i < n; i++)
			most = rows[r][i] > most ? rows[r][i] : most;
	}
	size = size_for(most);
	p = place(a, key, n_rows * n, size, false);
	for (size_t r = 0; p && r < n_rows; r++) {
		if (!rows[r]) {
			memset(p, 0, n * size);
			p += n * size;
			continue;
		}
		for (size_t i = 0; i < n; i++)
			p = put_number(p, rows[r][i], size);
	}
}

void arrays_double(struct arrays *a, const char *key, const double *first, size_t n, size_t stride)
{
	uint8_t *p = place(a, key, n, 8, false);

	for (size_t i = 0; p && i < n; i++) {
		uint64_t bits;

		memcpy(&bits, (const uint8_t *)first + i * stride, sizeof(bits));
		for (unsigned b = 0; b < 64; b += 8)
			*p++ = (uint8_t)(bits >> b);
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan.h - scans strings and numbers of a line of JSON, several bytes at a time.
 *
 * Every loop ends at the line's newline, so the end of the text is never checked; PFW_PADDING bytes
 * after the last newline may be read. Functions return the position after the item, NULL when it is
 * not there.
 */
#ifndef CONVERT_PFW_SCAN_H
#define CONVERT_PFW_SCAN_H

#include <string.h>

#include "base/cursor.h"
#include "convert/pfw/values.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define EVERY(byte) (0x0101010101010101ull * (byte))

/* Contents of a string other than plain text. */
enum { PFW_ESCAPED = 1, PFW_BEYOND = 2 /* ASCII */ };

#ifdef __SSE2__

/* Skips from @p to the first quote, backslash or newline. */
static inline char *pfw_plain(char *p, unsigned *holds)
{
	const __m128i quote = _mm_set1_epi8('"'), back = _mm_set1_epi8('\\'),
		      newline = _mm_set1_epi8('\n');

	for (;; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		__m128i ends = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote),
							 _mm_cmpeq_epi8(v, back)),
					    _mm_cmpeq_epi8(v, newline));
		unsigned hit = (unsigned)_mm_movemask_epi8(ends);
		unsigned beyond = (unsigned)_mm_movemask_epi8(v);

		if (beyond & (hit ? (hit & -hit) - 1 : 0xffff))
			*holds |= PFW_BEYOND;
		if (hit)
			return p + __builtin_ctz(hit);
	}
}

#else

/* The high bit of the first zero byte of @v; bits of later bytes may be wrong. */
static inline uint64_t pfw_zero_byte(uint64_t v)
{
	return (v - EVERY(1)) & ~v & EVERY(0x80);
}

static inline char *pfw_plain(char *p, unsigned *holds)
{
	for (;; p += 8) {
		uint64_t v = le64(p);
		uint64_t hit = pfw_zero_byte(v ^ EVERY('"')) | pfw_zero_byte(v ^ EVERY('\\')) |
			       pfw_zero_byte(v ^ EVERY('\n'));

		if (v & EVERY(0x80) & (hit ? (hit & -hit) - 1 : ~0ull))
			*holds |= PFW_BEYOND;
		if (hit)
			return p + __builtin_ctzll(hit) / 8;
	}
}

#endif

/* Skips from within a string to its closing quote. */
static inline char *pfw_string_end(char *p, unsigned *holds)
{
	for (;;) {
		p = pfw_plain(p, holds);
		if (*p != '\\')
			break;
		*holds |= PFW_ESCAPED;
		if (p[1] == '\n')
			return NULL;
		*holds |= p[1] & 0x80 ? PFW_BEYOND : 0;
		p += 2;
	}
	return *p == '"' ? p : NULL;
}

static inline char *pfw_blank(char *p)
{
	while (*p <= ' ' && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* Skips @c and the blanks around it. */
static inline char *pfw_past(char *p, char c)
{
	if (*p != c) {
		p = pfw_blank(p);
		if (*p != c)
			return NULL;
	}
	return pfw_blank(p + 1);
}

/* After a member of an object: skips to the next one, or to the closing bracket. */
static inline char *pfw_next(char *p)
{
	if (*p != ',') {
		p = pfw_blank(p);
		if (*p != ',')
			return *p == '}' ? p : NULL;
	}
	return pfw_blank(p + 1);
}

/* Whether @n bytes are equal; eight bytes may be read from each. */
static inline bool pfw_same(const char *a, const char *b, uint32_t n)
{
	if (n - 1 < 8)
		return !((le64(a) ^ le64(b)) << (64 - 8 * n));
	return !memcmp(a, b, n);
}

/* Parses a number of at most PFW_DIGITS_MAX digits, eight of them at a time. */
static inline char *pfw_digits(char *p, uint64_t *out)
{
	static const uint32_t powers[] = { 1,      10,      100,      1000,     10000,
					   100000, 1000000, 10000000, 100000000 };
	char *begin = p;
	uint64_t value = 0;
	unsigned n;

	do {
		/* Digits are 0 to 9 now; the first byte that is not a digit gives their number. */
		uint64_t v = le64(p) ^ EVERY('0');
		uint64_t other = ((v + EVERY(0x80 - 10)) | v) & EVERY(0x80);

		n = other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
		if (!n)
			break;
		/* Moves the last digit to the last byte, with zeros before the first; then adds up
		 * pairs, fours, eight. */
		v <<= 64 - 8 * n;
		v = (v * 10 + (v >> 8)) & 0x00ff00ff00ff00ffull;
		v = (v * 100 + (v >> 16)) & 0x0000ffff0000ffffull;
		v = (v * 10000 + (v >> 32)) & 0xffffffffull;
		value = value * powers[n] + v;
		p += n;
	} while (n == 8 && p - begin < (int)PFW_DIGITS_MAX);
	*out = value;
	return p == begin || p - begin > (int)PFW_DIGITS_MAX ? NULL : p;
}

/* Parses a time in µs, a number or a quoted one, to ns. */
static inline char *pfw_time(char *p, uint64_t *out)
{
	char *begin = p;
	bool quoted = *p == '"';
	uint64_t v;

	p = pfw_digits(p + quoted, &v);
	if (!p || v > INT64_MAX / 1000)
		return pfw_any_time(begin, out);
	v *= 1000;
	if (*p == '.') {
		unsigned part = 1000;

		for (p++; pfw_digit(*p); p++) {
			part /= 10;
			v += part * (uint64_t)(*p - '0');
		}
	}
	if (*p == 'e' || *p == 'E')
		return pfw_any_time(begin, out);
	if (quoted && *p++ != '"')
		return NULL;
	*out = v;
	return p;
}

static inline char *pfw_id(char *p, int64_t *out)
{
	char *begin = p;
	bool quoted = *p == '"', minus;
	uint64_t v;

	p += quoted;
	minus = *p == '-';
	p = pfw_digits(p + minus, &v);
	if (!p || *p == '.' || *p == 'e' || *p == 'E')
		return pfw_any_id(begin, out);
	if (quoted && *p++ != '"')
		return NULL;
	*out = minus ? -(int64_t)v : (int64_t)v;
	return p;
}

/* Parses a whole number in canonical form; *end is set after it. */
static inline bool pfw_number(char *p, char **end, int64_t *out)
{
	bool minus = *p == '-';
	uint64_t v;

	p += minus;
	*end = pfw_digits(p, &v);
	if (!*end || (*p == '0' && (*end - p > 1 || minus)))
		return false;
	*out = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings and numbers. */
#include "convert/pfw/values.h"

#include <stddef.h>

static int hex4(const char *p)
{
	int v = 0;

	for (int i = 0; i < 4; i++) {
		char c = p[i];

		v <<= 4;
		if (c >= '0' && c <= '9')
			v |= c - '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			v |= (c | 32) - 'a' + 10;
		else
			return -1;
	}
	return v;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 63));
		*to++ = (char)(0x80 | (c >> 6 & 63));
		*to++ = (char)(0x80 | (c & 63));
	}
	return to;
}

/* \uXXXX, after the u: a lone surrogate becomes U+FFFD, and so does NUL, which names cannot
 * contain. */
static char *unicode(char **from, char *to)
{
	int c = hex4(*from), low;

	if (c < 0) {
		*to++ = 'u'; /* as for unknown escapes; there is no room for more */
		return to;
	}
	*from += 4;
	if (c >= 0xd800 && c < 0xdc00 && (*from)[0] == '\\' && (*from)[1] == 'u' &&
	    (low = hex4(*from + 2)) >= 0xdc00 && low < 0xe000) {
		*from += 6;
		return put_utf8(to, 0x10000u + ((uint32_t)(c & 0x3ff) << 10 | (low & 0x3ff)));
	}
	return put_utf8(to, !c || (c >= 0xd800 && c < 0xe000) ? 0xfffd : (uint32_t)c);
}

uint32_t pfw_unescape(char *text, const char *end)
{
	char *from = text, *to = text;

	while (from < end) {
		char c = *from++;

		if (c != '\\') {
			*to++ = c;
			continue;
		}
		switch (c = *from++) {
		case 'n':
			*to++ = '\n';
			break;
		case 't':
			*to++ = '\t';
			break;
		case 'r':
			*to++ = '\r';
			break;
		case 'b':
			*to++ = '\b';
			break;
		case 'f':
			*to++ = '\f';
			break;
		case 'u':
			to = unicode(&from, to);
			break;
		default:
			*to++ = c;
		}
	}
	return (uint32_t)(to - text);
}

/* ---- numbers ---- */

/* digits * 10^exponent */
struct decimal {
	uint64_t digits; /* at most DIGITS_EXACT digits */
	int exponent;
	bool minus, more; /* more: further digits other than 0 were dropped */
};

enum { DIGITS_EXACT = 19, EXPONENT_MAX = 100000 };
enum rounding { DOWN, NEAREST, EXACT };

static const char *take_digits(const char *p, const char *end, struct decimal *d, bool fraction)
{
	for (; p < end && pfw_digit(*p); p++) {
		if (d->digits < 1000000000000000000u) { /* room for one more of DIGITS_EXACT */
			d->digits = d->digits * 10 + (uint64_t)(*p - '0');
			d->exponent -= fraction;
		} else {
			d->more |= *p != '0';
			d->exponent += !fraction && d->exponent < EXPONENT_MAX;
		}
	}
	return p;
}

/* Parses a JSON number; returns the position after it, NULL: not a number. */
static const char *take_decimal(const char *p, const char *end, struct decimal *d)
{
	const char *at;
	int e = 0;
	bool minus;

	*d = (struct decimal){ .minus = p < end && *p == '-' };
	at = p + d->minus;
	p = take_digits(at, end, d, false);
	if (p == at)
		return NULL;
	if (p < end && *p == '.') {
		at = p + 1;
		p = take_digits(at, end, d, true);
		if (p == at)
			return NULL;
	}
	if (p == end || (*p != 'e' && *p != 'E'))
		return p;
	p++;
	minus = p < end && *p == '-';
	p += p < end && (*p == '-' || *p == '+');
	for (at = p; p < end && pfw_digit(*p); p++)
		e = e < EXPONENT_MAX ? e * 10 + (*p - '0') : e;
	d->exponent += minus ? -e : e;
	return p == at ? NULL : p;
}

/* Multiplies by 10^@unit, without the sign; false: too large, or, with EXACT, not a whole number. */
static bool scale(const struct decimal *d, int unit, enum rounding how, uint64_t *out)
{
	int exponent = d->exponent + unit;
	uint64_t v = d->digits;
	unsigned last = 0;
	bool lost = d->more;

	for (; exponent > 0 && v; exponent--)
		if (__builtin_mul_overflow(v, 10, &v))
			return false;
	for (; exponent < 0 && v; exponent++) {
		lost |= last != 0;
		last = (unsigned)(v % 10);
		v /= 10;
	}
	if (exponent < 0) { /* less than 0.1 */
		lost |= last != 0;
		last = 0;
	}
	*out = v + (how == NEAREST && last >= 5);
	return how != EXACT || (!lost && !last);
}

/* False for -0, which an integer cannot represent. */
static bool sign(const struct decimal *d, uint64_t v, int64_t *out)
{
	if (v > INT64_MAX || (d->minus && !v))
		return false;
	*out = d->minus ? -(int64_t)v : (int64_t)v;
	return true;
}

bool pfw_seconds(const char *p, uint32_t len, int64_t *out)
{
	struct decimal d;
	uint64_t v;

	return take_decimal(p, p + len, &d) == p + len && scale(&d, 9, NEAREST, &v) &&
	       sign(&d, v, out);
}

bool pfw_whole(const char *p, uint32_t len, int64_t *out)
{
	struct decimal d;
	uint64_t v;

	return take_decimal(p, p + len, &d) == p + len && scale(&d, 0, EXACT, &v) &&
	       sign(&d, v, out);
}

/* The end of the longest possible number: its line ends with a newline. */
static const char *end_of(const char *p)
{
	while (pfw_digit(*p) || *p == '-' || *p == '+' || *p == '.' || *p == 'e' || *p == 'E')
		p++;
	return p;
}

char *pfw_any_time(char *p, uint64_t *out)
{
	bool quoted = *p == '"';
	struct decimal d;
	const char *end;

	p += quoted;
	end = take_decimal(p, end_of(p), &d);
	if (!end || !scale(&d, 3, DOWN, out) || *out > INT64_MAX || (d.minus && *out) ||
	    (quoted && *end++ != '"'))
		return NULL;
	return p + (end - p);
}

char *pfw_any_id(char *p, int64_t *out)
{
	bool quoted = *p == '"';
	struct decimal d;
	const char *end;
	uint64_t v;

	p += quoted;
	end = take_decimal(p, end_of(p), &d);
	if (!end || !scale(&d, 0, EXACT, &v) || (quoted && *end++ != '"'))
		return NULL;
	*out = (int64_t)(d.minus ? -v : v);
	return p + (end - p);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings and numbers. */
#include "exchange/pfw_values.h"

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

/* \uXXXX, behind its u: half a pair alone is U+FFFD, and so is a NUL, which no name can hold. */
static char *unicode(char **from, char *to)
{
	int c = hex4(*from), low;

	if (c < 0) {
		*to++ = 'u'; /* as of any escape that there is not; more has no room */
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

bool pfw_seconds(const char *p, uint32_t len, int64_t *out)
{
	const char *end = p + len;
	int exponent = 9, e = 0;
	uint64_t v = 0;
	bool point = false, minus = false;

	for (; p < end && (pfw_digit(*p) || (*p == '.' && !point)); p++) {
		if (*p == '.') {
			point = true;
		} else if (v < 100000000000000000ull) {
			v = v * 10 + (uint64_t)(*p - '0');
			exponent -= point;
		} else {
			exponent += !point;
		}
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		minus = p < end && *p == '-';
		p += p < end && (*p == '-' || *p == '+');
		for (; p < end && pfw_digit(*p); p++)
			e = e < 1000 ? e * 10 + (*p - '0') : e;
	}
	exponent += minus ? -e : e;
	for (; exponent > 0 && v; exponent--) {
		if (v > INT64_MAX / 10)
			return false;
		v *= 10;
	}
	for (; exponent < -1 && v; exponent++)
		v /= 10;
	if (exponent == -1)
		v = (v + 5) / 10;
	if (p != end)
		return false;
	*out = (int64_t)v;
	return true;
}

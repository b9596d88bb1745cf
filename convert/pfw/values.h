/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - JSON values of I/O traces: escapes in strings, numbers.
 */
#ifndef CONVERT_PFW_VALUES_H
#define CONVERT_PFW_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* A number of this many digits always fits in 63 bits. */
#define PFW_DIGITS_MAX 18u

static inline bool pfw_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* pfw_unescape - replaces the escapes in a string in place, up to its closing quote at @end; returns its length. */
uint32_t pfw_unescape(char *text, const char *end);
/* pfw_seconds - converts seconds, such as 7.86e-07 or -1, to ns, rounded; false: not a number, or
 * too large. */
bool pfw_seconds(const char *p, uint32_t len, int64_t *out);
/* pfw_whole - parses a whole number in any form, such as 1.5e+06; false: not a whole number, or
 * beyond 63 bits. */
bool pfw_whole(const char *p, uint32_t len, int64_t *out);
/* pfw_any_time - like pfw_time(), for numbers in any form; pfw_any_id - like pfw_id(). They return
 * the position after it; NULL: not a number, negative, or too large. */
char *pfw_any_time(char *p, uint64_t *out);
char *pfw_any_id(char *p, int64_t *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - values of JSON as I/O traces have them: what a string's escapes stand for, numbers.
 */
#ifndef EXCHANGE_PFW_VALUES_H
#define EXCHANGE_PFW_VALUES_H

#include <stdbool.h>
#include <stdint.h>

/* Digits that fit in 63 bits whatever they are. */
#define PFW_DIGITS_MAX 18u

static inline bool pfw_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* pfw_unescape - a string's content up to its closing quote at @end with its escapes undone, where it stands; its length. */
uint32_t pfw_unescape(char *text, const char *end);
/* pfw_seconds - seconds, as in 7.86e-07 or -1, to ns, rounded; false: it is no such number, or too large. */
bool pfw_seconds(const char *p, uint32_t len, int64_t *out);
/* pfw_whole - a number of any form, as in 1.5e+06, that is a whole one; false: it is none, or beyond 63 bits. */
bool pfw_whole(const char *p, uint32_t len, int64_t *out);
/* pfw_any_time - as pfw_time(), of a number of any form; pfw_any_id - as pfw_id(). What follows it; NULL:
 * it is none, negative, or too large. */
char *pfw_any_time(char *p, uint64_t *out);
char *pfw_any_id(char *p, int64_t *out);

#endif

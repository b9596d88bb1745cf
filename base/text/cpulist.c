/* SPDX-License-Identifier: LGPL-2.1-only */
/* See cpulist.h. */
#include "base/text/cpulist.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool number(const char **p, uint32_t *v)
{
	const char *at = *p;

	*v = 0;
	while (is_digit(*at) && *v < CPULIST_MAX)
		*v = *v * 10 + (uint32_t)(*at++ - '0');
	if (at == *p || *v >= CPULIST_MAX)
		return false;
	*p = at;
	return true;
}

bool cpulist_next(const char **p, uint32_t *from, uint32_t *to)
{
	const char *at = *p;

	if (!number(&at, from))
		return false;
	*to = *from;
	if (*at == '-' && (at++, !number(&at, to)))
		return false;
	if (*to < *from)
		return false;
	*p = *at == ',' && is_digit(at[1]) ? at + 1 : at;
	return true;
}

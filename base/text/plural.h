/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * plural.h - numbers in sentences: "12,004 events", "1 event"; none stands before the wrong form
 * (tests/lint/plural.sh), and none is without commas (tests/lint/grouped.sh).
 *
 *	sink_printf(s, "%s event%s", GROUPED(n), plural(n));
 */
#ifndef BASE_TEXT_PLURAL_H
#define BASE_TEXT_PLURAL_H

#include <stdint.h>

static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#define GROUPED_ROOM 32

/* grouped - writes the text at @out's end, and returns its begin. */
static inline char *grouped(char out[GROUPED_ROOM], uint64_t v)
{
	char *at = out + GROUPED_ROOM - 1;

	*at = 0;
	for (unsigned n = 0; !n || v; n++, v /= 10) {
		if (n && n % 3 == 0)
			*--at = ',';
		*--at = (char)('0' + v % 10);
	}
	return at;
}

/* Lives as long as the enclosing block. */
#define GROUPED(v) grouped((char[GROUPED_ROOM]){ 0 }, (v))

#endif

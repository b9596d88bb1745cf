/* SPDX-License-Identifier: LGPL-2.1-only */
/* plural.h - the "s" of "2 events"; a number never stands before the wrong form (tests/lint/plural.sh). */
#ifndef BASE_TEXT_PLURAL_H
#define BASE_TEXT_PLURAL_H

#include <stdint.h>

static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif

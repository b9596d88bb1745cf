/* SPDX-License-Identifier: LGPL-2.1-only */
/* ending.h - what names of files end with. */
#ifndef BASE_ENDING_H
#define BASE_ENDING_H

#include <string.h>

/* ending_cut - how many of the @len bytes of @path stand before @ending; @len when it does not end so, or is nothing
 * else. */
static inline size_t ending_cut(const char *path, size_t len, const char *ending)
{
	size_t n = strlen(ending);

	return len > n && !memcmp(path + len - n, ending, n) ? len - n : len;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/* ending.h - file name suffixes. */
#ifndef BASE_SYSTEM_ENDING_H
#define BASE_SYSTEM_ENDING_H

#include <string.h>

/* ending_cut - length of @path (@len bytes) without the suffix @ending; @len when it does not end with it, or consists
 * of nothing else. */
static inline size_t ending_cut(const char *path, size_t len, const char *ending)
{
	size_t n = strlen(ending);

	return len > n && !memcmp(path + len - n, ending, n) ? len - n : len;
}

#endif

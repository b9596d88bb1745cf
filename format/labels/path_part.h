/* SPDX-License-Identifier: LGPL-2.1-only */
/* One component of a path, not terminated. */
#ifndef FORMAT_LABELS_PATH_PART_H
#define FORMAT_LABELS_PATH_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct part {
	const char *at;
	size_t len;
};

static inline bool starts(struct part p, const char *text)
{
	size_t n = strlen(text);

	return p.len >= n && !memcmp(p.at, text, n);
}

/* And has something before. */
static inline bool ends(struct part p, const char *text)
{
	size_t n = strlen(text);

	return p.len > n && !memcmp(p.at + p.len - n, text, n);
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/* Suggests a name for a misspelt one. */
#include "base/text/suggest.h"

#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 64u

void suggest_begin(struct suggest *s, const char *asked, size_t len)
{
	*s = (struct suggest){ .asked = asked, .asked_len = len };
	/* allows one typing error per three letters */
	s->distance = (unsigned)(len < 4 ? 1 : len / 3) + 1;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Edit distance with insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned rows[3][NAME_MAX_LEN + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2], *spare;

	for (size_t j = 0; j <= m; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			now[j] = least(least(last[j], now[j - 1]) + 1,
				       last[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[m];
}

void suggest_try(struct suggest *s, const char *name)
{
	size_t len = strlen(name);
	unsigned d;

	if (!s->asked_len || len > NAME_MAX_LEN || s->asked_len > NAME_MAX_LEN)
		return;
	d = distance(s->asked, s->asked_len, name, len);
	/* an unfinished name: prefixes match */
	if (s->asked_len > 2 && len > s->asked_len && !strncmp(s->asked, name, s->asked_len))
		d = 1;
	if (d >= s->distance)
		return;
	s->distance = d;
	s->best = name;
}

const char *suggest_text(struct suggest *s, const char *before)
{
	s->text[0] = '\0';
	if (s->best)
		snprintf(s->text, sizeof(s->text), " (did you mean '%s%s'?)", before, s->best);
	return s->text;
}

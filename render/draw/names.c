/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that stay different when they are shortened. */
#include "render/draw/names.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/text/shorten.h"
#include "render/draw/text.h"

#define LEAST 8 /* columns, with fewer names may become alike */

/* Shortens to @columns; true: each has room. */
static bool fits(struct shorten *s, const char *const *names, size_t n, size_t columns, double size,
		 double room)
{
	bool ok = true;

	for (size_t i = 0; i < n; i++)
		shorten_add(s, names[i]);
	shorten_fit(s, columns);
	for (size_t i = 0; i < n && ok; i++)
		ok = text_width(shorten_find(s, names[i]), size) <= room;
	return ok || s->failed;
}

/* The most columns of which each name, shortened to them, has room. */
static void shorten_to(struct shorten *s, const char *const *names, size_t n, double size,
		       double room)
{
	double narrow = size > 0 ? text_width("i", size) : 1;
	size_t lo = LEAST, hi = (size_t)(room / narrow);

	while (hi > lo) {
		size_t half = lo + (hi - lo + 1) / 2;
		struct shorten tried = { 0 };

		if (fits(&tried, names, n, half, size, room))
			lo = half;
		else
			hi = half - 1;
		shorten_fini(&tried);
	}
	fits(s, names, n, lo, size, room);
}

char **names_fit(const char *const *names, size_t n, double size, double room)
{
	char **out = calloc(n + 1, sizeof(*out));
	struct shorten s = { 0 };
	bool whole = true, ok = out;

	for (size_t i = 0; i < n && whole; i++)
		whole = text_width(names[i], size) <= room;
	if (!whole)
		shorten_to(&s, names, n, size, room);
	for (size_t i = 0; i < n && ok; i++) {
		out[i] = text_fit(whole ? names[i] : shorten_find(&s, names[i]), size, room);
		ok = out[i] && !s.failed;
	}
	shorten_fini(&s);
	if (ok || !out)
		return out;
	names_free(out, n);
	return NULL;
}

void names_free(char **names, size_t n)
{
	for (size_t i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
}

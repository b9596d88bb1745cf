/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that stay different when they are shortened. */
#include "render/draw/names.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Where "  1122" begins, the tid at the end of a task's name; else its end. */
static size_t tid_at(const char *name)
{
	size_t len = strlen(name), at = len;

	while (at && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at < len && at > 2 && name[at - 1] == ' ' && name[at - 2] == ' ' ? at - 2 : len;
}

/* Copies of @names, each at most @room wide. */
static char **fit(const char *const *names, size_t n, double size, double room)
{
	char **out = calloc(n + 1, sizeof(*out));
	struct shorten s = { 0 };
	bool ok = out;

	shorten_to(&s, names, n, size, room);
	for (size_t i = 0; i < n && ok; i++) {
		out[i] = text_fit(shorten_find(&s, names[i]), size, room);
		ok = out[i] && !s.failed;
	}
	shorten_fini(&s);
	if (ok || !out)
		return out;
	names_free(out, n);
	return NULL;
}

/* Puts the tids of @full behind the shortened names in @heads. */
static bool add_tids(char **heads, const char *const *full, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *tid = full[i] + tid_at(full[i]);
		char *both = NULL;

		if (!*tid)
			continue;
		if (asprintf(&both, "%s%s", heads[i], tid) < 0)
			return false;
		free(heads[i]);
		heads[i] = both;
	}
	return true;
}

char **names_fit(const char *const *names, size_t n, double size, double room)
{
	char **heads = calloc(n + 1, sizeof(*heads)), **out = NULL;
	double tid = 0;
	bool whole = true, ok = heads;

	for (size_t i = 0; i < n && ok; i++) {
		size_t at = tid_at(names[i]);
		double w = text_width(names[i] + at, size);

		whole &= text_width(names[i], size) <= room;
		tid = w > tid ? w : tid;
		heads[i] = strndup(names[i], at);
		ok = heads[i];
	}
	/* without its tid a name must differ from others; where tids take most of the room they do */
	if (ok && !whole && room - tid < room / 2)
		out = fit(names, n, size, room);
	else if (ok && !whole)
		out = fit((const char *const *)heads, n, size, room - tid);
	if (out && room - tid >= room / 2 && !add_tids(out, names, n)) {
		names_free(out, n);
		out = NULL;
	}
	if (ok && whole) {
		ok = add_tids(heads, names, n);
		out = ok ? heads : NULL;
	}
	if (out != heads)
		names_free(heads, n);
	return out;
}

void names_free(char **names, size_t n)
{
	for (size_t i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
}

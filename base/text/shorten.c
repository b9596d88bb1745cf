/* SPDX-License-Identifier: LGPL-2.1-only */
/* Shortens texts so that different ones stay different. */
#include "base/text/shorten.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"
#include "base/text/sink.h"

#define ALIKE 4 /* texts that begin with the same so many bytes are alike */
#define DOTS 2  /* width of ".." */
#define WORTH 3 /* a shorter begin is not worth its place */
#define FORMS 7 /* ways to cut a text */

static size_t width_of(const char *text)
{
	return escape_width(text, strlen(text));
}

/* Bytes of the first character, or of a byte that starts none. */
static size_t step(const char *text, size_t len)
{
	uint32_t cp;
	size_t n = escape_decode(text, len, &cp);

	return n ? n : 1;
}

/* Bytes of as much of the begin of @text as @columns hold. */
static size_t begin_of(const char *text, size_t columns)
{
	size_t len = strlen(text), at = 0, used = 0;

	while (at < len) {
		size_t n = step(text + at, len - at);

		used += escape_width(text + at, n);
		if (used > columns)
			break;
		at += n;
	}
	return at;
}

/* Where the longest end of @text begins that @columns hold; never at a combining mark. */
static size_t end_of(const char *text, size_t columns)
{
	size_t len = strlen(text), at = 0, left = escape_width(text, len);

	while (at < len) {
		size_t n = step(text + at, len - at), width = escape_width(text + at, n);

		if (left <= columns && width)
			break;
		left -= width;
		at += n;
	}
	return at;
}

/* @t in form @form, in the set; NULL: out of memory. The forms, in order of preference: without
 * what all share; then more and more of its begin; then the place where it begins to differ, and
 * its end; last its begin only. */
static const char *in_form(struct shorten *s, const struct shorten_text *t, unsigned form)
{
	enum { SHARED, END, INSIDE = FORMS - 2 };
	size_t room = s->width > DOTS ? s->width - DOTS : 0, drop = width_of(t->full) - room;
	const size_t heads[FORMS] = { 0, 0, room / 3, room / 2, room * 2 / 3, 0, room };
	size_t head = heads[form], len;
	const char *text = t->full, *in_set;
	struct sink out;
	char *made;

	if (form == SHARED)
		head = !t->shared ? room / 3 : t->shared > drop ? t->shared - drop : 0;
	if (form == SHARED && head < WORTH)
		head = 0;
	sink_to_memory(&out);
	if (form == INSIDE) {
		sink_puts(&out, "..");
		room -= room > DOTS ? DOTS : room;
		head = room / 2;
		text += begin_of(text, t->shared);
	}
	len = begin_of(text, head);
	sink_add(&out, text, len);
	sink_puts(&out, "..");
	sink_puts(&out, text + end_of(text, room - escape_width(text, len)));
	made = sink_take(&out, &len);
	in_set = made ? stringset_add(&s->set, made, len) : NULL;
	free(made);
	s->failed |= !in_set;
	return in_set;
}

static bool is_taken(const struct shorten *s, const char *text)
{
	return map_find(&s->taken, (uintptr_t)text, 0) != NULL;
}

static void take(struct shorten *s, struct shorten_text *t, const char *is)
{
	uint32_t *n = map_add(&s->taken, (uintptr_t)is, 0);

	s->failed |= !n;
	t->is = is;
}

/* No part of the text tells it from the others: numbers it. */
static void number(struct shorten *s, struct shorten_text *t)
{
	char digits[16];
	const char *is;
	struct sink out;
	size_t len, n;
	char *made;

	do {
		n = (size_t)snprintf(digits, sizeof(digits), "..%u", ++s->last);
		sink_to_memory(&out);
		sink_add(&out, t->full, begin_of(t->full, s->width > n ? s->width - n : 0));
		sink_puts(&out, digits);
		made = sink_take(&out, &len);
		is = made ? stringset_add(&s->set, made, len) : NULL;
		free(made);
		s->failed |= !is;
	} while (is && is_taken(s, is));
	if (is)
		take(s, t, is);
}

static struct shorten_text *text_of(struct shorten *s, const char *text)
{
	const char *full = stringset_add(&s->set, text, strlen(text));
	uint32_t *n = full ? map_add(&s->index, (uintptr_t)full, 0) : NULL;
	struct shorten_text *t;

	if (n && *n != MAP_NEW)
		return &s->texts.at[*n];
	t = n ? array_add(&s->texts) : NULL;
	s->failed |= !t;
	if (!t)
		return NULL;
	*n = (uint32_t)(s->texts.n - 1);
	*t = (struct shorten_text){ .full = full };
	return t;
}

void shorten_add(struct shorten *s, const char *text)
{
	if (!s->failed)
		text_of(s, text);
}

static int by_text(const void *a, const void *b)
{
	const struct shorten_text *const *x = a, *const *y = b;

	return strcmp((*x)->full, (*y)->full);
}

/* The texts @all[0..n) begin alike: finds how much of their begin is the same. */
static void set_shared(struct shorten_text **all, size_t n)
{
	const char *first = all[0]->full, *last = all[n - 1]->full;
	size_t len = strlen(first), same = 0;

	/* sorted: what the first and the last share, all share */
	while (n > 1 && same < len) {
		size_t step_n = step(first + same, len - same);

		if (strncmp(first + same, last + same, step_n) != 0)
			break;
		same += step_n;
	}
	for (size_t i = 0; i < n; i++)
		all[i]->shared = escape_width(first, same);
}

/* One round: each text without a form gets @form if no other text has it. */
static void give_form(struct shorten *s, struct shorten_text **all, size_t n, unsigned form)
{
	const char **made = calloc(n + 1, sizeof(*made));
	struct map wanted = { 0 };

	s->failed |= !made;
	for (size_t i = 0; i < n && !s->failed; i++) {
		uint32_t *times;

		if (all[i]->is)
			continue;
		made[i] = in_form(s, all[i], form);
		times = made[i] ? map_add(&wanted, (uintptr_t)made[i], 0) : NULL;
		s->failed |= !times;
		if (times)
			*times = *times == MAP_NEW ? 1 : 2;
	}
	for (size_t i = 0; i < n && !s->failed; i++) {
		if (!all[i]->is && *map_find(&wanted, (uintptr_t)made[i], 0) == 1 &&
		    !is_taken(s, made[i]))
			take(s, all[i], made[i]);
	}
	map_fini(&wanted);
	free(made);
}

void shorten_fit(struct shorten *s, size_t width)
{
	struct shorten_text **all = calloc(s->texts.n + 1, sizeof(*all));
	size_t n = 0;

	s->width = width;
	s->failed |= !all;
	for (size_t i = 0; i < s->texts.n && !s->failed; i++) {
		struct shorten_text *t = &s->texts.at[i];

		if (width_of(t->full) <= width)
			take(s, t, t->full);
		else
			all[n++] = t;
	}
	if (n)
		qsort(all, n, sizeof(*all), by_text);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !strncmp(all[i]->full, all[end]->full, ALIKE);)
			end++;
		set_shared(all + i, end - i);
	}
	for (unsigned form = 0; form < FORMS && n && !s->failed; form++)
		give_form(s, all, n, form);
	for (size_t i = 0; i < n && !s->failed; i++) {
		if (!all[i]->is)
			number(s, all[i]);
	}
	free(all);
}

const char *shorten_find(struct shorten *s, const char *text)
{
	struct shorten_text *t = s->failed ? NULL : text_of(s, text);

	if (!t)
		return text;
	if (!t->is && width_of(text) <= s->width)
		take(s, t, t->full);
	for (unsigned form = 0; form < FORMS && !t->is && !s->failed; form++) {
		const char *made = in_form(s, t, form);

		if (made && !is_taken(s, made))
			take(s, t, made);
	}
	if (!t->is && !s->failed)
		number(s, t);
	return t->is ? t->is : text;
}

void shorten_fini(struct shorten *s)
{
	stringset_fini(&s->set);
	map_fini(&s->index);
	map_fini(&s->taken);
	array_fini(&s->texts);
	*s = (struct shorten){ 0 };
}

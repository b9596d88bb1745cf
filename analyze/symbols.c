// SPDX-License-Identifier: LGPL-2.1-only
/* symbols.c - see symbols.h. */
#include "analyze/symbols.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LEN = 128, DEPTH_MAX = 16 };

struct scan {
	const char *at, *end;
	int depth;
};

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end && isspace((unsigned char)*s->at))
		s->at++;
}

static bool take(struct scan *s, char c)
{
	skip_blanks(s);
	if (s->at < s->end && *s->at == c) {
		s->at++;
		return true;
	}
	return false;
}

static bool expression(struct scan *s, uint64_t *out);

static bool digits(struct scan *s, uint64_t *out)
{
	unsigned base = 10;
	const char *start;
	uint64_t v = 0;

	if (s->end - s->at > 2 && s->at[0] == '0' && (s->at[1] == 'x' || s->at[1] == 'X')) {
		base = 16;
		s->at += 2;
	} else if (s->end - s->at > 1 && s->at[0] == '0' && isdigit((unsigned char)s->at[1])) {
		base = 8;
	}
	for (start = s->at; s->at < s->end; s->at++) {
		unsigned char c = (unsigned char)*s->at;
		unsigned d = 99;

		if (isdigit(c))
			d = c - (unsigned)'0';
		else if (isxdigit(c))
			d = (unsigned)tolower(c) - 'a' + 10;

		if (d >= base)
			break;
		v = v * base + d;
	}
	if (s->at == start)
		return false;
	while (s->at < s->end && strchr("uUlL", *s->at))
		s->at++;
	*out = v;
	return true;
}

static bool unary(struct scan *s, uint64_t *out)
{
	if (++s->depth > DEPTH_MAX)
		return false;
	if (take(s, '-')) {
		if (!unary(s, out))
			return false;
		*out = -*out;
	} else if (take(s, '~')) {
		if (!unary(s, out))
			return false;
		*out = ~*out;
	} else if (take(s, '(')) {
		if (!expression(s, out) || !take(s, ')'))
			return false;
	} else if (!digits(s, out)) {
		return false;
	}
	s->depth--;
	return true;
}

/* Left to right without precedence: the kernel's lists need no more. */
static bool expression(struct scan *s, uint64_t *out)
{
	if (!unary(s, out))
		return false;
	for (;;) {
		uint64_t right;
		char op;

		skip_blanks(s);
		if (s->at >= s->end || !strchr("+-|&<>", *s->at))
			return true;
		op = *s->at++;
		if (op == '<' || op == '>') {
			if (s->at >= s->end || *s->at != op)
				return false;
			s->at++;
		}
		if (!unary(s, &right))
			return false;
		switch (op) {
		case '+':
			*out += right;
			break;
		case '-':
			*out -= right;
			break;
		case '|':
			*out |= right;
			break;
		case '&':
			*out &= right;
			break;
		case '<':
			*out = right < 64 ? *out << right : 0;
			break;
		default:
			*out = right < 64 ? *out >> right : 0;
		}
	}
}

bool symbols_number(const char **text, const char *end, uint64_t *out)
{
	struct scan s = { .at = *text, .end = end };

	if (!expression(&s, out))
		return false;
	*text = s.at;
	return true;
}

/* Adjacent string literals are one: "KVM_EXIT_" "IO". */
static bool string(struct scan *s, char *out, size_t room)
{
	size_t n = 0;
	bool any = false;

	while (take(s, '"')) {
		any = true;
		while (s->at < s->end && *s->at != '"') {
			if (*s->at == '\\' && s->end - s->at > 1)
				s->at++;
			if (n + 1 < room)
				out[n++] = *s->at;
			s->at++;
		}
		if (!take(s, '"'))
			return false;
	}
	out[n] = '\0';
	return any;
}

static int by_value(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static bool add(struct symbols *out, uint64_t value, const char *name)
{
	char *copy;

	for (size_t i = 0; i < out->n; i++)
		if (out->all[i].value == value)
			return true;
	if (out->n == out->cap) {
		size_t cap = out->cap ? 2 * out->cap : 32;
		struct symbol *all = realloc(out->all, cap * sizeof(*all));

		if (!all)
			return false;
		out->all = all;
		out->cap = cap;
	}
	copy = strdup(name);
	if (!copy)
		return false;
	out->all[out->n++] = (struct symbol){ .value = value, .name = copy };
	return true;
}

const char *symbols_parse(struct symbols *out, const char *text, const char *end)
{
	struct scan s = { .at = text, .end = end };
	char name[NAME_MAX_LEN];
	uint64_t value;

	while (take(&s, '{')) {
		s.depth = 0;
		if (!expression(&s, &value) || !take(&s, ',') || !string(&s, name, sizeof(name)) ||
		    !take(&s, '}'))
			break;
		if (!add(out, value, name)) {
			out->failed = true;
			break;
		}
		if (!take(&s, ','))
			break;
	}
	if (out->n)
		qsort(out->all, out->n, sizeof(*out->all), by_value);
	return s.at;
}

void symbols_fini(struct symbols *s)
{
	for (size_t i = 0; i < s->n; i++)
		free((char *)(uintptr_t)s->all[i].name);
	free(s->all);
	memset(s, 0, sizeof(*s));
}

const char *symbols_find(const struct symbols *s, uint64_t value)
{
	struct symbol key = { .value = value };
	struct symbol *hit = NULL;

	if (s->n)
		hit = bsearch(&key, s->all, s->n, sizeof(*s->all), by_value);
	return hit ? hit->name : NULL;
}

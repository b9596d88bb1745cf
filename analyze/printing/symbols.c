// SPDX-License-Identifier: LGPL-2.1-only
/* symbols.c - see symbols.h. */
#include "analyze/printing/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/printing/expr.h"

bool symbols_number(const char **text, const char *end, uint64_t *out, bool *no_memory)
{
	struct expr x = { .at = *text, .end = end };
	bool ok = expr_number(&x, out);

	if (ok)
		*text = x.at;
	*no_memory |= x.no_memory;
	expr_fini(&x);
	return ok;
}

static int by_value(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static int by_order(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return x->order < y->order ? -1 : 1;
}

/* Words that libtraceevent replaces by a number; it takes any other for -1. */
static bool known_word(const char *word, size_t n)
{
	static const char softirq[] = "_SOFTIRQ", hrtimer[] = "HRTIMER_";
	size_t len = sizeof(softirq) - 1;

	return n > len && (!memcmp(word + n - len, softirq, len) || !memcmp(word, hrtimer, len));
}

/* The number of an entry. */
static bool number(struct expr *x, uint64_t *value)
{
	const char *start = x->at, *word;
	size_t n = expr_name(x, &word);

	*value = UINT64_MAX;
	if (n && x->as_perf && expr_take(x, ','))
		return !known_word(word, n);
	x->at = start;
	if (!expr_number(x, value) || !expr_take(x, ','))
		return false;
	if (x->as_perf && !x->atom && (int64_t)*value < 0)
		*value = UINT64_MAX;
	return true;
}

static bool add_symbol(struct symbols *out, uint64_t value, const char *name, size_t len)
{
	char *copy = malloc(len + 1);
	struct symbol s = { value, copy, (uint32_t)len, (uint32_t)out->all.n };

	if (!copy || array_push(&out->all, s)) {
		free(copy);
		return false;
	}
	memcpy(copy, name, len);
	copy[len] = '\0';
	return true;
}

/* Of equal values the first one in the text is kept, as libtraceevent finds that. */
static void sort(struct symbols *s)
{
	size_t n = 0;

	qsort(s->all.at, s->all.n, sizeof(*s->all.at), by_value);
	for (size_t i = 0; i < s->all.n; i++) {
		if (n && s->all.at[i].value == s->all.at[n - 1].value)
			free((char *)(uintptr_t)s->all.at[i].name);
		else
			s->all.at[n++] = s->all.at[i];
	}
	s->all.n = n;
}

void symbols_read(struct symbols *out, struct expr *x)
{
	const char *name, *entry;
	uint64_t value;
	size_t len;

	while (entry = x->at, expr_take(x, '{')) {
		if (!number(x, &value) || !expr_string(x, &name, &len) || len > SYMBOL_LEN_MAX ||
		    !expr_take(x, '}')) {
			x->at = entry;
			break;
		}
		if (!add_symbol(out, value, name, len)) {
			out->failed = true;
			break;
		}
		if (!expr_take(x, ','))
			break;
	}
	out->failed |= x->no_memory;
	if (out->all.n)
		sort(out);
}

const char *symbols_parse(struct symbols *out, const char *text, const char *end)
{
	struct expr x = { .at = text, .end = end };

	symbols_read(out, &x);
	expr_fini(&x);
	return x.at;
}

void symbols_fini(struct symbols *s)
{
	for (size_t i = 0; i < s->all.n; i++)
		free((char *)(uintptr_t)s->all.at[i].name);
	array_fini(&s->all);
	*s = (struct symbols){ 0 };
}

void symbols_in_order(struct symbols *s)
{
	if (s->all.n)
		qsort(s->all.at, s->all.n, sizeof(*s->all.at), by_order);
}

const struct symbol *symbols_at(const struct symbols *s, uint64_t value)
{
	size_t lo = 0, hi = s->all.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->all.at[mid].value < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->all.n && s->all.at[lo].value == value ? &s->all.at[lo] : NULL;
}

const char *symbols_find(const struct symbols *s, uint64_t value)
{
	const struct symbol *hit = symbols_at(s, value);

	return hit ? hit->name : NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows of figures: sorting them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "tables/columns/table.h"

#define MAX_SORT_KEYS 8

struct sort_keys {
	const struct table *t;
	size_t n;
	struct {
		size_t column;
		bool descending;
	} key[MAX_SORT_KEYS];
};

static int unknown_key(const struct table *t, const char *key, size_t len, struct cdict_error *err)
{
	char known[400] = "";

	for (size_t c = 0; c < t->n_columns; c++) {
		if (t->columns[c].flags & TABLE_HUMAN)
			continue;
		if (known[0])
			strncat(known, " ", sizeof(known) - strlen(known) - 1);
		strncat(known, t->columns[c].key, sizeof(known) - strlen(known) - 1);
	}
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "cannot sort by '%.*s', only by: %s",
			  (int)len, key, known);
}

/* Whether @name is @whole, or what is before one of its units, whatever the case. */
static bool is_name(const char *whole, const char *const *units, const char *name, size_t len)
{
	if (strlen(whole) < len || strncasecmp(whole, name, len))
		return false;
	if (!whole[len])
		return true;
	for (; *units; units++)
		if (!strcmp(whole + len, *units))
			return true;
	return false;
}

/* The column with that key, else that heading, with or without its unit, else that key without its
 * unit; n_columns: none. */
static size_t find_column(const struct table *t, const char *name, size_t len)
{
	static const char *const none[] = { NULL };
	static const char *const of_titles[] = { " ms", " us", " ns", " s", " %", NULL };
	static const char *const of_keys[] = { "_ns", "_percent", NULL };
	size_t c;

	for (c = 0; c < t->n_columns; c++)
		if (!strncmp(t->columns[c].key, name, len) && !t->columns[c].key[len])
			return c;
	for (c = 0; c < t->n_columns && len; c++)
		if (is_name(t->columns[c].title, none, name, len))
			return c;
	for (c = 0; c < t->n_columns && len; c++)
		if (is_name(t->columns[c].title, of_titles, name, len))
			return c;
	for (c = 0; c < t->n_columns && len; c++)
		if (is_name(t->columns[c].key, of_keys, name, len))
			return c;
	return t->n_columns;
}

static int parse_keys(struct sort_keys *keys, const char *spec, struct cdict_error *err)
{
	const struct table *t = keys->t;

	for (const char *p = spec;; p++) {
		size_t whole = strcspn(p, ","), len = strcspn(p, ":,"), c = find_column(t, p, len);
		const char *order = p + len;
		size_t order_len = whole - len;

		if (c == t->n_columns)
			return unknown_key(t, p, len, err);
		if (keys->n == MAX_SORT_KEYS)
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "option --sort takes at most %d keys", MAX_SORT_KEYS);
		keys->key[keys->n].column = c;
		keys->key[keys->n].descending = t->columns[c].kind != TABLE_TEXT &&
						t->columns[c].kind != TABLE_INTEGER &&
						t->columns[c].kind != TABLE_CODE;
		if (order_len == 4 && !strncmp(order, ":asc", 4))
			keys->key[keys->n].descending = false;
		else if (order_len == 5 && !strncmp(order, ":desc", 5))
			keys->key[keys->n].descending = true;
		else if (order_len)
			return cdict_fail(
				err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"option --sort takes KEY, KEY:asc or KEY:desc, not '%.*s'",
				(int)whole, p);
		keys->n++;
		p += whole;
		if (!*p)
			return 0;
	}
}

/* A sort of the rows with one key. The keys are extracted first, as numbers if possible, because
 * access fills rows. */
struct pass {
	bool texts, descending;
	size_t n;
	union sort_by {
		uint64_t number;
		char *text;
	} * by;
	uint32_t *order, *room; /* places in @by */
};

/* Maps cells to numbers of the same order. */
static uint64_t number_of(enum table_kind kind, const struct table_cell *cell)
{
	const uint64_t sign = UINT64_C(1) << 63;
	double v = cell->percent + 0.0; /* not -0 */
	uint64_t bits;

	if (kind == TABLE_INTEGER)
		return (uint64_t)cell->i64 ^ sign;
	if (kind != TABLE_PERCENT)
		return cell->u64;
	memcpy(&bits, &v, sizeof(bits));
	return bits & sign ? ~bits : bits | sign;
}

/* Texts with an order of their own come first. */
enum { ORDERED = 1, UNORDERED };

static char *text_of(const struct table_cell *cell)
{
	const char *text = cell->ordered ? cell->text + strlen(cell->text) + 1 : cell->text;
	char *by = malloc(strlen(text) + 2);

	if (by) {
		by[0] = cell->ordered ? ORDERED : UNORDERED;
		strcpy(by + 1, text);
	}
	return by;
}

static int compare(const struct pass *p, uint32_t x, uint32_t y)
{
	const union sort_by *a = &p->by[x], *b = &p->by[y];
	int order;

	if (!p->texts)
		order = (a->number > b->number) - (a->number < b->number);
	else if (a->text[0] != b->text[0])
		order = a->text[0] - b->text[0];
	else
		order = a->text[0] == ORDERED ? strcmp(a->text + 1, b->text + 1)
					      : strverscmp(a->text + 1, b->text + 1);
	return p->descending ? -order : order;
}

/* Merges runs of twice the length each time: equal rows keep their order. */
static void merge_sort(struct pass *p)
{
	for (size_t width = 1; width < p->n; width *= 2) {
		uint32_t *merged = p->room;

		for (size_t from = 0; from < p->n; from += 2 * width) {
			size_t mid = from + width < p->n ? from + width : p->n;
			size_t end = mid + width < p->n ? mid + width : p->n;
			size_t a = from, b = mid;

			/* as in sorted rows and those with equal keys */
			if (mid == end || compare(p, p->order[mid - 1], p->order[mid]) <= 0) {
				memcpy(merged + from, p->order + from,
				       (end - from) * sizeof(*merged));
				continue;
			}
			for (size_t to = from; to < end; to++) {
				bool first = a < mid && (b == end ||
							 compare(p, p->order[a], p->order[b]) <= 0);

				merged[to] = p->order[first ? a++ : b++];
			}
		}
		p->room = p->order;
		p->order = merged;
	}
}

/* Sorts rows with the key to the front, in its order. */
static bool sort_by_key(struct table *t, struct pass *p, size_t column)
{
	uint32_t *ids = t->ids.at;
	size_t without = 0;

	p->n = 0;
	p->texts = t->columns[column].kind == TABLE_TEXT;
	for (size_t r = 0; r < t->n_rows; r++) {
		const struct table_cell *cell = table_at(t, r, column);

		if (!cell->set) {
			p->room[without++] = ids[r];
			continue;
		}
		if (p->texts)
			p->by[p->n].text = text_of(cell);
		else
			p->by[p->n].number = number_of(t->columns[column].kind, cell);
		if (p->texts && !p->by[p->n].text)
			return false;
		p->order[p->n] = (uint32_t)p->n;
		ids[p->n++] = ids[r];
	}
	memcpy(ids + p->n, p->room, without * sizeof(*ids));
	merge_sort(p);
	for (size_t i = 0; i < p->n; i++)
		p->room[i] = ids[p->order[i]];
	memcpy(ids, p->room, p->n * sizeof(*ids));
	return !table_failed(t);
}

int table_sort(struct table *t, const char *spec, struct cdict_error *err)
{
	struct sort_keys keys = { .t = t };
	struct pass p = { 0 };
	bool done;
	int rc;

	spec = spec ? spec : t->order;
	rc = spec ? parse_keys(&keys, spec, err) : 0;
	if (rc || !spec || t->n_rows < 2)
		return rc;
	p.by = calloc(t->n_rows, sizeof(*p.by));
	p.order = calloc(t->n_rows, sizeof(*p.order));
	p.room = calloc(t->n_rows, sizeof(*p.room));
	done = p.by && p.order && p.room;
	/* the last key first */
	for (size_t k = keys.n; k-- && done;) {
		p.descending = keys.key[k].descending;
		done = sort_by_key(t, &p, keys.key[k].column);
		for (size_t i = 0; p.texts && i < p.n; i++)
			free(p.by[i].text);
	}
	t->now = NULL;
	free(p.by);
	free(p.order);
	free(p.room);
	return done ? 0 : cdict_fail_nomem(err);
}

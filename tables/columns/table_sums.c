/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sums of a table's rows. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "tables/columns/table.h"

/* Groups of rows: each (group of the keys before, key) gets a number. */
struct groups {
	struct map next;        /* (number so far, key) -> number */
	struct stringset texts; /* the key of a text is its address in here */
	uint32_t n;
};

static bool next_group(struct groups *g, uint32_t *group, uint64_t key)
{
	uint32_t *number = map_add(&g->next, *group, key);

	if (!number)
		return false;
	if (*number == MAP_NEW)
		*number = ++g->n;
	*group = *number;
	return true;
}

static bool key_of(struct groups *g, const struct table_column *column,
		   const struct table_cell *cell, uint64_t *key)
{
	const char *text;

	*key = cell->set ? (uint64_t)cell->i64 + 1 : 0;
	if (column->kind != TABLE_TEXT || !cell->set)
		return true;
	/* A name stands for a task; other tasks may have the same name. */
	*key = cell->task;
	if (cell->task)
		return true;
	text = stringset_add(&g->texts, cell->text, strlen(cell->text));
	*key = (uintptr_t)text;
	return text;
}

static bool is_one_of(const struct table_column *column, const char *const *by)
{
	while (*by && strcmp(*by, column->key) != 0)
		by++;
	return *by;
}

/* Counts, times and shares add up; durations of single intervals (TABLE_US) do not. */
static bool adds_up(const struct table_column *c)
{
	return c->kind == TABLE_COUNT || c->kind == TABLE_MS || c->kind == TABLE_PERCENT;
}

/* Adds row @r of @t to the row being filled. Only these cells of @t are filled. */
static void add_cells(struct table *to, const struct table *t, size_t r, const bool *keys)
{
	bool lossy = table_row_lossy(t, r);

	for (size_t c = 0; c < to->n_columns && to->now; c++) {
		const struct table_column *column = &to->columns[c];
		struct table_cell *cell = &to->now[c];
		const struct table_cell *from;

		if (!adds_up(column) && (cell->set || !keys[c]))
			continue;
		from = table_at(t, r, c);
		if (!from->set)
			continue;
		if (column->kind == TABLE_PERCENT) {
			table_percent(to, c, (cell->set ? cell->percent : 0) + from->percent);
		} else if (adds_up(column)) {
			table_u64(to, c, (cell->set ? cell->u64 : 0) + from->u64);
		} else {
			if (column->kind == TABLE_TEXT)
				table_text(to, c, from->text);
			else
				table_i64(to, c, from->i64);
			cell->task = from->task;
		}
	}
	table_lossy(to, lossy || (to->now && to->now[0].lossy));
}

void table_add_sums(struct table *to, const struct table *t, const char *const *by,
		    bool (*pick)(void *ctx, const struct table *t, size_t row), void *ctx)
{
	bool *keys = calloc(t->n_columns + 1, sizeof(*keys));
	struct groups g = { 0 };
	struct map rows = { 0 };

	to->failed |= !keys;
	for (size_t c = 0; c < t->n_columns && keys; c++)
		keys[c] = is_one_of(&t->columns[c], by);
	for (size_t r = 0; r < t->n_rows && !to->failed; r++) {
		uint32_t group = 0, *at;
		uint64_t key;

		if (!pick(ctx, t, r))
			continue;
		for (size_t c = 0; c < t->n_columns; c++)
			if (keys[c])
				to->failed |=
					!key_of(&g, &t->columns[c], table_at(t, r, c), &key) ||
					!next_group(&g, &group, key);
		at = map_add(&rows, group, 0);
		if (!at || to->failed) {
			to->failed = true;
			break;
		}
		if (*at == MAP_NEW) {
			table_row(to);
			*at = (uint32_t)to->n_filled - 1;
		} else {
			to->now = to->cells + *at * to->n_columns;
		}
		add_cells(to, t, r, keys);
	}
	to->failed |= table_failed(t);
	free(keys);
	map_fini(&rows);
	map_fini(&g.next);
	stringset_fini(&g.texts);
}

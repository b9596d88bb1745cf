/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows that are filled on access. */
#include <stdlib.h>
#include <string.h>

#include "tables/columns/table.h"

static void later_free(struct table_later *later)
{
	if (later->free)
		later->free(later->ctx);
	table_free(later->row);
	free(later);
}

void table_later(struct table *t, const struct table_later *later)
{
	struct table_later *old = t->later;

	t->later = NULL;
	if (old)
		later_free(old);
	if (!later)
		return;
	t->later = malloc(sizeof(*later));
	if (!t->later) {
		later->free(later->ctx);
		t->failed = true;
		return;
	}
	*t->later = *later;
	t->later->row = table_new(t->name, t->columns);
	if (t->later->row)
		table_row(t->later->row);
	t->failed |= !t->later->row || t->later->row->failed;
}

void table_row_later(struct table *t, uint32_t id)
{
	t->now = NULL;
	if (t->failed || id >= TABLE_LATER || array_push(&t->ids, id | TABLE_LATER)) {
		t->failed = true;
		return;
	}
	t->any_lossy |= t->later->lossy(t->later->ctx, id);
	t->shown = t->n_rows = t->ids.n;
}

static const struct table_cell *fill_cell(const struct table *t, uint32_t id, size_t column)
{
	struct table_later *later = t->later;

	/* is_lossy stays false if no row is lossy. */
	if (t->any_lossy && later->asked != id + 1) {
		later->asked = id + 1;
		later->is_lossy = later->lossy(later->ctx, id);
	}
	table_clear(later->row, column);
	later->row->now[column].lossy = later->is_lossy;
	later->fill(later->ctx, later->row, column, id);
	return &later->row->now[column];
}

static const struct table_cell *filled(const struct table *t, uint32_t id)
{
	return t->cells + (size_t)id * t->n_columns;
}

const struct table_cell *table_at(const struct table *t, size_t row, size_t column)
{
	uint32_t id;

	if (row == TABLE_TOTAL)
		return &t->total[column];
	id = t->ids.at[row];
	return id & TABLE_LATER ? fill_cell(t, id & ~TABLE_LATER, column) : filled(t, id) + column;
}

const struct table_cell *table_cells(const struct table *t, size_t row)
{
	uint32_t id = t->ids.at[row];

	if (!(id & TABLE_LATER))
		return filled(t, id);
	for (size_t c = 0; c < t->n_columns; c++)
		fill_cell(t, id & ~TABLE_LATER, c);
	return t->later->row->now;
}

bool table_row_lossy(const struct table *t, size_t row)
{
	uint32_t id;

	if (row == TABLE_TOTAL)
		return t->total->lossy;
	id = t->ids.at[row];
	return t->any_lossy && (id & TABLE_LATER ? t->later->lossy(t->later->ctx, id & ~TABLE_LATER)
						 : filled(t, id)->lossy);
}

uint32_t table_row_task(const struct table *t, size_t row)
{
	uint32_t id = t->ids.at[row];

	if (id & TABLE_LATER && t->later->task)
		return t->later->task(t->later->ctx, id & ~TABLE_LATER);
	return table_at(t, row, 0)->task;
}

uint32_t table_id(const struct table *t, size_t row)
{
	return t->ids.at[row] & ~TABLE_LATER;
}

bool table_failed(const struct table *t)
{
	return t->failed || (t->later && t->later->row && t->later->row->failed);
}

void table_settle(struct table *t)
{
	size_t n = t->ids.n;

	for (size_t r = 0; r < n && t->later && !t->failed; r++) {
		struct table_cell *cells;

		if (!(t->ids.at[r] & TABLE_LATER))
			continue;
		cells = (struct table_cell *)table_cells(t, r);
		table_row(t);
		if (!t->now)
			return;
		/* moves the texts, too */
		memcpy(t->now, cells, t->n_columns * sizeof(*cells));
		memset(cells, 0, t->n_columns * sizeof(*cells));
		t->ids.at[r] = t->ids.at[--t->ids.n];
	}
	t->shown = t->n_rows = n;
	t->failed |= table_failed(t);
	table_later(t, NULL);
}

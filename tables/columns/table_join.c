/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables of several captures as one. */
#include <stdlib.h>
#include <string.h>

#include "tables/columns/table.h"

/* "file", then the columns of the parts; the caller frees them. */
static struct table_column *join_columns(const struct table *part)
{
	struct table_column *columns = calloc(part->n_columns + 2, sizeof(*columns));

	if (!columns)
		return NULL;
	columns[0] = (struct table_column){ .key = "file", .title = "file", .kind = TABLE_TEXT };
	memcpy(columns + 1, part->columns, (part->n_columns + 1) * sizeof(*columns));
	return columns;
}

static void move_rows(struct table *t, struct table *part, const char *file)
{
	for (size_t r = 0; r < part->n_rows; r++) {
		struct table_cell *row = (struct table_cell *)table_cells(part, r);

		table_row(t);
		table_text(t, 0, file);
		if (t->failed)
			return;
		t->now[0].lossy = table_row_lossy(part, r);
		t->any_lossy |= part->any_lossy;
		memcpy(t->now + 1, row, part->n_columns * sizeof(*row));
		memset(row, 0, part->n_columns * sizeof(*row));
	}
}

struct table *table_join(struct table *const *parts, const char *const *files, size_t n)
{
	struct table_column *columns = join_columns(parts[0]);
	struct table *t = columns ? table_new(parts[0]->name, columns) : NULL;

	if (!t) {
		free(columns);
		return NULL;
	}
	t->own_columns = columns;
	t->order = parts[0]->order;
	t->heading = parts[0]->heading;
	t->grouped = parts[0]->grouped;
	for (size_t i = 0; i < n; i++) {
		t->lacks |= parts[i]->lacks;
		move_rows(t, parts[i], files[i]);
		t->failed |= table_failed(parts[i]);
	}
	return table_done(t);
}

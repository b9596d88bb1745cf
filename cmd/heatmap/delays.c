/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap --view delays: draws the rows of cdict vcpu --by vm, or --by sibling, as a
 * matrix. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/heatmap/heatmap.h"
#include "render/draw/text.h"
#include "render/views/delays.h"
#include "tables/columns/tables.h"

/* The two variants: --by vm, and --by sibling. */
static const struct face {
	struct table *(*make)(const struct tables_walk *w);
	const char *other, *ns, *of; /* keys of columns in its table, in addition to "vm" */
	const char *sum, *foot, *none;
} faces[] = {
	{ .make = tables_delays,
	  .other = "behind",
	  .ns = "behind_ns",
	  .of = "vm_delayed_ns",
	  .sum = "waited",
	  .foot = "each row: time that a VM's vCPUs waited for a CPU, by antagonist",
	  .none = "no vCPU waited for a CPU in this window" },
	{ .make = tables_beside,
	  .other = "beside",
	  .ns = "beside_ns",
	  .of = "vm_beside_ns",
	  .sum = "in guest",
	  .foot = "each row: time of a VM's vCPUs in the guest, by what ran on the other thread "
		  "of the core",
	  .none = "no vCPU was in the guest in this window" },
};

/* The contents of the picture. */
struct matrix {
	ARRAY(struct delays_name) rows;
	ARRAY(struct delays_name) columns;
	ARRAY(struct delays_cell) cells;
	struct stringset texts;
	struct map row_of, column_of; /* by name */
};

/* The index of @name in the names, @n if it is new; UINT32_MAX: out of memory. */
static uint32_t number_of(struct matrix *m, struct map *map, const char *name, size_t n)
{
	const char *key = stringset_add(&m->texts, name, strlen(name));
	uint32_t *number = key ? map_add(map, (uintptr_t)key, 0) : NULL;

	if (!number)
		return UINT32_MAX;
	if (*number == MAP_NEW)
		*number = (uint32_t)n;
	return *number;
}

static int add_row(struct matrix *m, const char *vm, const char *other, uint64_t ns, uint64_t of)
{
	uint32_t row = number_of(m, &m->row_of, vm, m->rows.n);
	uint32_t column = number_of(m, &m->column_of, other, m->columns.n);

	if (row == UINT32_MAX || column == UINT32_MAX)
		return -ENOMEM;
	if (row == m->rows.n &&
	    array_push(&m->rows,
		       ((struct delays_name){ .name = text_clean(vm, strlen(vm)), .ns = of })))
		return -ENOMEM;
	if (column == m->columns.n &&
	    array_push(&m->columns,
		       ((struct delays_name){ .name = text_clean(other, strlen(other)) })))
		return -ENOMEM;
	if (!m->rows.at[row].name || !m->columns.at[column].name)
		return -ENOMEM;
	return array_push(&m->cells, ((struct delays_cell){ row, column, ns })) ? -ENOMEM : 0;
}

static int fill_cells(struct matrix *m, const struct table *t, const struct face *face)
{
	size_t vm = table_column(t, "vm"), other = table_column(t, face->other);
	size_t ns = table_column(t, face->ns), of = table_column(t, face->of);
	int rc = 0;

	for (size_t i = 0; i < t->n_rows && !rc; i++) {
		if (table_at(t, i, ns)->u64)
			rc = add_row(m, table_at(t, i, vm)->text, table_at(t, i, other)->text,
				     table_at(t, i, ns)->u64, table_at(t, i, of)->u64);
	}
	for (size_t i = 0; i < m->columns.n; i++)
		m->columns.at[i].row = UINT32_MAX;
	/* find columns that are rows, too */
	for (size_t i = 0; i < t->n_rows && !rc; i++) {
		const char *key = stringset_add(&m->texts, table_at(t, i, vm)->text,
						strlen(table_at(t, i, vm)->text));
		const uint32_t *row = key ? map_find(&m->row_of, (uintptr_t)key, 0) : NULL;
		const uint32_t *column = row ? map_find(&m->column_of, (uintptr_t)key, 0) : NULL;

		if (column)
			m->columns.at[*column].row = *row;
		rc = key ? 0 : -ENOMEM;
	}
	return rc;
}

static void matrix_fini(struct matrix *m)
{
	for (size_t i = 0; i < m->rows.n; i++)
		free(m->rows.at[i].name);
	for (size_t i = 0; i < m->columns.n; i++)
		free(m->columns.at[i].name);
	array_fini(&m->rows);
	array_fini(&m->columns);
	array_fini(&m->cells);
	map_fini(&m->row_of);
	map_fini(&m->column_of);
	stringset_fini(&m->texts);
}

/* The reason why the picture is empty. */
static const char *nothing(const struct heatmap *h, const struct face *face)
{
	const struct tables_walk *w = &h->f.walk;

	if (face->make == tables_beside && !w->smt)
		return tables_beside_text(w);
	if (!analyze_engine_summary(w->eng)->has_switch)
		return "no sched_switch events: cannot tell which task ran";
	return face->none;
}

int heatmap_draw_delays(struct heatmap *h)
{
	const struct tables_walk *w = &h->f.walk;
	const struct face *face = &faces[h->by];
	struct table *t = face->make(w);
	char *capacity = tables_capacity_text(w), *foot = NULL;
	struct matrix m = { 0 };
	struct cdict_error err;
	int rc = t && capacity && !table_sort(t, NULL, &err) ? 0 : -ENOMEM;

	if (!rc && asprintf(&foot, "%s; %s", capacity, face->foot) < 0) {
		foot = NULL;
		rc = -ENOMEM;
	}
	if (!rc)
		rc = fill_cells(&m, t, face);
	if (!rc) {
		const struct delays d = { .rows = m.rows.at,
					  .columns = m.columns.at,
					  .n_rows = m.rows.n,
					  .n_columns = m.columns.n,
					  .cells = m.cells.at,
					  .n_cells = m.cells.n,
					  .top = h->opts->top,
					  .sum = face->sum,
					  .foot = foot,
					  .lacks = nothing(h, face) };

		rc = view_delays(&h->m, &h->c, &h->cap.frame, &d);
	}
	matrix_fini(&m);
	table_free(t);
	free(capacity);
	free(foot);
	return rc;
}

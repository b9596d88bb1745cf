/* SPDX-License-Identifier: LGPL-2.1-only */
/* Makes a table from its declaration. */
#include "tables/columns/decl.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"

/* Tasks with a merged name. */
struct group {
	const char *name;
	uint32_t cpu;
	bool idle, lossy;
	void *row;
};

/* The source of the rows during the table's life: ids below first_group are rows of the analysis,
 * the others groups. */
struct making {
	const struct tables_walk *w;
	struct tables_decl decl;
	struct table *t;
	uint32_t first_group;
	ARRAY(struct group) groups;
	struct map by_name;
	struct stringset names;
	void *total;
	bool any; /* some row is in it */
	bool lossy;
	struct tables_row last; /* the row of last_id: its cells are filled one after the other */
	uint32_t last_id;       /* + 1 */
};

static const struct analyze_task *task_of(const struct making *m, const void *row)
{
	return analyze_engine_task(m->w->eng, *(const uint32_t *)row);
}

static uint32_t cpu_of(const struct making *m, const void *row)
{
	return *(const uint32_t *)((const char *)row + m->decl.cpu_at);
}

/* The group of the task, created if new; NULL: out of memory. */
static struct group *group_of(struct making *m, const struct analyze_task *task, uint32_t cpu)
{
	char *text = names_display(&m->w->names, task);
	const char *name = text ? stringset_add(&m->names, text, strlen(text)) : NULL;
	uint32_t *number = name ? map_add(&m->by_name, (uintptr_t)name, cpu) : NULL;
	struct group *g;

	free(text);
	if (!number)
		return NULL;
	if (*number != MAP_NEW)
		return &m->groups.at[*number];
	*number = (uint32_t)m->groups.n;
	g = array_add(&m->groups);
	if (!g)
		return NULL;
	*g = (struct group){ .name = name, .cpu = cpu, .row = calloc(1, m->decl.row_size) };
	return g->row ? g : NULL;
}

uint64_t tables_life_ns(const struct tables_decl *decl, const struct tables_walk *w,
			const void *row)
{
	return decl->life_ns ? decl->life_ns(row) : analyze_engine_summary(w->eng)->window_ns;
}

static struct tables_row row_of(const struct making *m, const void *row, size_t index,
				const struct analyze_task *task)
{
	return (struct tables_row){ .w = m->w,
				    .row = row,
				    .index = index,
				    .task = task,
				    .cpu = CDICT_CPU_UNKNOWN,
				    .idle = task && !task->tid,
				    .several = !task,
				    .window_ns = tables_life_ns(&m->decl, m->w, row) };
}

static void fill_cell(void *ctx, struct table *t, size_t column, uint32_t id)
{
	struct making *m = ctx;

	if (id < m->first_group) {
		/* the analysis may have returned another table's row since */
		const void *row = m->decl.at(m->w, id);

		if (m->last_id == id + 1)
			m->last.row = row;
		else
			m->last = row_of(m, row, id, task_of(m, row));
	} else if (m->last_id != id + 1) {
		const struct group *g = &m->groups.at[id - m->first_group];

		m->last = row_of(m, g->row, 0, NULL);
		m->last.name = g->name;
		m->last.cpu = g->cpu;
		m->last.idle = g->idle;
	}
	m->last_id = id + 1;
	cells_fill_known(t, column, &m->last);
}

static uint32_t task_number(void *ctx, uint32_t id)
{
	const struct making *m = ctx;

	return id < m->first_group ? *(const uint32_t *)m->decl.at(m->w, id) + 1 : 0;
}

static bool row_lossy(const struct making *m, const void *row)
{
	return tables_lossy(m->w, task_of(m, row)) || (m->decl.lossy && m->decl.lossy(row));
}

/* Whether more of the row is unknown than known. */
static bool row_unknown(const struct making *m, const void *row)
{
	return m->decl.unknown && m->decl.unknown(row);
}

static bool lossy(void *ctx, uint32_t id)
{
	const struct making *m = ctx;

	const struct group *g;

	if (id < m->first_group)
		return row_lossy(m, m->decl.at(m->w, id)) || row_unknown(m, m->decl.at(m->w, id));
	g = &m->groups.at[id - m->first_group];
	return g->lossy || row_unknown(m, g->row);
}

static void making_free(void *ctx)
{
	struct making *m = ctx;

	for (size_t i = 0; i < m->groups.n; i++) {
		if (m->groups.at[i].row)
			m->decl.fini(m->groups.at[i].row);
		free(m->groups.at[i].row);
	}
	free(m->total);
	array_fini(&m->groups);
	map_fini(&m->by_name);
	stringset_fini(&m->names);
	free(m);
}

static void one(struct making *m, const void *row, size_t index, bool per_cpu)
{
	const struct tables_decl *decl = &m->decl;
	const struct analyze_task *task = task_of(m, row);
	struct group *g;

	/* no figure mixes IDLE and tasks */
	if (decl->total && task->tid) {
		m->t->failed |= decl->merge(m->total, row) != 0;
		m->lossy |= row_lossy(m, row);
		m->any = true;
	}
	if (!decl->merged || !names_merged(&m->w->names, task)) {
		table_row_later(m->t, (uint32_t)index);
		return;
	}
	g = group_of(m, task, per_cpu ? cpu_of(m, row) : CDICT_CPU_UNKNOWN);
	if (!g) {
		m->t->failed = true;
		return;
	}
	m->t->failed |= decl->merge(g->row, row) != 0;
	g->idle = task->tid == 0;
	g->lossy |= row_lossy(m, row);
}

static void fill_total(struct making *m)
{
	struct tables_row r = row_of(m, m->total, 0, NULL);

	r.name = m->decl.total;
	r.total = true;
	table_total(m->t);
	cells_fill(m->t, &r);
	table_lossy(m->t, m->lossy || row_unknown(m, m->total));
	m->decl.fini(m->total);
}

/* Adds the rows of wanted tasks, then the groups. */
static void add_rows(struct making *m, bool per_cpu)
{
	/* a group whose creation failed has a number, but no row */
	for (uint32_t i = 0; i < m->first_group && !m->t->failed; i++) {
		const void *row = m->decl.at(m->w, i);
		const struct analyze_task *task = task_of(m, row);

		if ((task->tid || !m->decl.no_idle) && names_wanted(&m->w->names, task))
			one(m, row, i, per_cpu);
	}
	for (size_t i = 0; i < m->groups.n && m->groups.at[i].row; i++)
		table_row_later(m->t, m->first_group + (uint32_t)i);
}

struct table *tables_make(const struct tables_walk *w, const struct tables_decl *decl, bool per_cpu)
{
	struct table *t = table_new(decl->name, decl->columns);
	struct making *m = calloc(1, sizeof(*m));

	if (!t || !m) {
		table_free(t);
		free(m);
		return NULL;
	}
	*m = (struct making){ .w = w, .decl = *decl, .t = t };
	m->first_group = (uint32_t)decl->count(w);
	table_later(t, &(struct table_later){ .ctx = m,
					      .fill = fill_cell,
					      .lossy = lossy,
					      .task = task_number,
					      .free = making_free });
	if (decl->total && !t->failed)
		t->failed = !(m->total = calloc(1, decl->row_size));
	if (t->failed) {
		table_free(t);
		return NULL;
	}
	t->order = decl->order;
	add_rows(m, per_cpu);
	if (decl->total) {
		if (!decl->life_ns || m->any)
			fill_total(m);
	}
	if (t->n_rows || t->total)
		t->lacks = t->later->row->lacks = tables_lacks(w);
	return table_done(t);
}

/* SPDX-License-Identifier: LGPL-2.1-only */
/* A table from its declaration. */
#include "tables/decl.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/stringset.h"

/* Tasks whose names were merged. */
struct group {
	const char *name;
	uint32_t cpu;
	bool idle, lossy;
	void *row;
};

struct making {
	const struct tables_walk *w;
	const struct tables_decl *decl;
	struct table *t;
	ARRAY(struct group) groups;
	struct map by_name;
	struct stringset names;
	void *total;
	bool any; /* row is in it */
	bool lossy;
};

static const struct analyze_task *task_of(const struct making *m, const void *row)
{
	return analyze_engine_task(m->w->eng, *(const uint32_t *)row);
}

static uint32_t cpu_of(const struct making *m, const void *row)
{
	return *(const uint32_t *)((const char *)row + m->decl->cpu_at);
}

/* The group of the task, made when new; NULL: out of memory. */
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
	*g = (struct group){ .name = name, .cpu = cpu, .row = calloc(1, m->decl->row_size) };
	return g->row ? g : NULL;
}

uint64_t tables_life_ns(const struct tables_decl *decl, const struct tables_walk *w,
			const void *row)
{
	return decl->life_ns ? decl->life_ns(row) : analyze_engine_summary(w->eng)->window_ns;
}

static void fill(struct making *m, const void *row, size_t index, const struct analyze_task *task,
		 const struct group *g, bool lossy)
{
	struct tables_row r = { .w = m->w,
				.row = row,
				.index = index,
				.task = task,
				.name = g ? g->name : NULL,
				.cpu = g ? g->cpu : CDICT_CPU_UNKNOWN,
				.idle = task ? !task->tid : g->idle,
				.several = !task,
				.window_ns = tables_life_ns(m->decl, m->w, row) };

	table_row(m->t);
	cells_fill(m->t, &r);
	table_lossy(m->t, lossy);
}

static void one(struct making *m, const void *row, size_t index, bool per_cpu)
{
	const struct tables_decl *decl = m->decl;
	const struct analyze_task *task = task_of(m, row);
	bool lossy = tables_lossy(m->w, task) || (decl->lossy && decl->lossy(row));
	struct group *g;

	/* no figure is of IDLE and of tasks */
	if (decl->total && task->tid) {
		m->t->failed |= decl->merge(m->total, row) != 0;
		m->lossy |= lossy;
		m->any = true;
	}
	if (!decl->merged || !names_merged(&m->w->names, task)) {
		fill(m, row, index, task, NULL, lossy);
		return;
	}
	g = group_of(m, task, per_cpu ? cpu_of(m, row) : CDICT_CPU_UNKNOWN);
	if (!g) {
		m->t->failed = true;
		return;
	}
	m->t->failed |= decl->merge(g->row, row) != 0;
	g->idle = task->tid == 0;
	g->lossy |= lossy;
}

static void fill_total(struct making *m)
{
	struct tables_row r = { .w = m->w,
				.row = m->total,
				.name = m->decl->total,
				.several = true,
				.total = true,
				.cpu = CDICT_CPU_UNKNOWN,
				.window_ns = tables_life_ns(m->decl, m->w, m->total) };

	table_total(m->t);
	cells_fill(m->t, &r);
	table_lossy(m->t, m->lossy);
}

struct table *tables_make(const struct tables_walk *w, const struct tables_decl *decl, bool per_cpu)
{
	struct making m = { .w = w, .decl = decl, .t = table_new(decl->name, decl->columns) };

	if (decl->total)
		m.total = calloc(1, decl->row_size);
	if (!m.t || (decl->total && !m.total)) {
		table_free(m.t);
		free(m.total);
		return NULL;
	}
	m.t->order = decl->order;
	for (size_t i = 0; i < decl->count(w); i++) {
		const void *row = decl->at(w, i);
		const struct analyze_task *task = task_of(&m, row);

		if ((task->tid || !decl->no_idle) && names_wanted(&w->names, task))
			one(&m, row, i, per_cpu);
	}
	for (size_t i = 0; i < m.groups.n; i++) {
		struct group *g = &m.groups.at[i];

		if (!g->row)
			continue;
		fill(&m, g->row, 0, NULL, g, g->lossy);
		decl->fini(g->row);
		free(g->row);
	}
	if (decl->total) {
		if (!decl->life_ns || m.any)
			fill_total(&m);
		decl->fini(m.total);
	}
	free(m.total);
	array_fini(&m.groups);
	map_fini(&m.by_name);
	stringset_fini(&m.names);
	return table_done(m.t);
}

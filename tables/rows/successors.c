/* SPDX-License-Identifier: LGPL-2.1-only */
/* The tasks that ran next on the CPU after each task. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "tables/columns/cells.h"
#include "tables/columns/tables.h"

/* A task, or several with a merged name. */
struct predecessor {
	const struct analyze_task *task; /* NULL: merged */
	const char *name;                /* then */
	bool idle;
	uint64_t count; /* of all its successors */
};

struct pair {
	uint32_t prev, next; /* in predecessors */
	uint64_t count, involuntary;
	bool lossy;
};

struct pairs {
	const struct tables_walk *w;
	ARRAY(struct predecessor) predecessors;
	ARRAY(struct pair) all;
	uint32_t *by_task;           /* in predecessors, or MAP_NEW */
	struct map by_name, by_pair; /* of merged names, of pairs with one */
	struct stringset names;
};

#define PAIR(member) offsetof(struct pair, member)

static void cell_of_all(const struct cell *c)
{
	table_share(c->t, c->column, ((const struct pair *)c->row)->count,
		    ((const struct predecessor *)c->r->whole)->count);
}

static const struct table_column columns[] = {
	CELLS_OF_TASK,
	{ "next", "next", TABLE_TEXT, 0, cell_other_name, 0 },
	{ "next_tid", "tid", TABLE_INTEGER, 0, cell_other_tid, 0 },
	{ "next_pid", "pid", TABLE_INTEGER, TABLE_MACHINE, cell_other_pid, 0 },
	{ "next_vm", "vm", TABLE_TEXT, TABLE_IN_NAME, cell_other_vm, 0 },
	{ "count", "count", TABLE_COUNT, 0, cell_u64, PAIR(count) },
	{ "percent", "%", TABLE_PERCENT, TABLE_EACH, cell_of_all, 0 },
	{ "involuntary", "involunt", TABLE_COUNT, TABLE_OF_STATES, cell_not_idle,
	  PAIR(involuntary) },
	TABLE_COLUMNS_END,
};

/* The number of the task or of its merged name, created if new; NULL: out of memory. */
static const uint32_t *predecessor_of(struct pairs *pairs, uint32_t index)
{
	const struct names *names = &pairs->w->names;
	const struct analyze_task *task = analyze_engine_task(pairs->w->eng, index);
	bool merged = names_merged(names, task);
	char *text = merged ? names_display(names, task) : NULL;
	const char *name = text ? stringset_add(&pairs->names, text, strlen(text)) : NULL;
	uint32_t *number = &pairs->by_task[index];

	free(text);
	if (merged)
		number = name ? map_add(&pairs->by_name, (uintptr_t)name, 0) : NULL;
	if (number && *number == MAP_NEW) {
		*number = (uint32_t)pairs->predecessors.n;
		if (array_push(&pairs->predecessors,
			       (struct predecessor){ merged ? NULL : task, name, !task->tid, 0 }))
			return NULL;
	}
	return number;
}

static int add_pair(struct pairs *pairs, const struct analyze_successor *s)
{
	const uint32_t *number = predecessor_of(pairs, s->task);
	uint32_t prev = number ? *number : 0, at = (uint32_t)pairs->all.n, *place = &at;
	struct pair *pair;

	number = number ? predecessor_of(pairs, s->next) : NULL;
	if (!number)
		return -ENOMEM;
	/* the analysis has each pair of tasks once */
	if (!pairs->predecessors.at[prev].task || !pairs->predecessors.at[*number].task)
		place = map_add(&pairs->by_pair, prev, *number);
	if (!place)
		return -ENOMEM;
	if (*place == MAP_NEW || place == &at) {
		*place = (uint32_t)pairs->all.n;
		if (array_push(&pairs->all, (struct pair){ .prev = prev, .next = *number }))
			return -ENOMEM;
	}
	pair = &pairs->all.at[*place];
	pair->count += s->count;
	pair->involuntary += s->involuntary;
	pairs->predecessors.at[prev].count += s->count;
	pair->lossy |= tables_lossy(pairs->w, analyze_engine_task(pairs->w->eng, s->task));
	return 0;
}

static struct tables_row row_of(const struct pairs *pairs, const struct pair *pair)
{
	const struct predecessor *prev = &pairs->predecessors.at[pair->prev];
	const struct predecessor *next = &pairs->predecessors.at[pair->next];

	return (struct tables_row){ .w = pairs->w,
				    .row = pair,
				    .task = prev->task,
				    .name = prev->name,
				    .other = next->task,
				    .other_name = next->name,
				    .whole = prev,
				    .idle = prev->idle };
}

/* See struct table_later. */
static void fill_cell(void *ctx, struct table *t, size_t column, uint32_t id)
{
	const struct pairs *pairs = ctx;
	struct tables_row r = row_of(pairs, &pairs->all.at[id]);

	cells_fill_known(t, column, &r);
}

static bool lossy(void *ctx, uint32_t id)
{
	return ((const struct pairs *)ctx)->all.at[id].lossy;
}

static void free_pairs(void *ctx)
{
	struct pairs *pairs = ctx;

	array_fini(&pairs->predecessors);
	array_fini(&pairs->all);
	free(pairs->by_task);
	map_fini(&pairs->by_name);
	map_fini(&pairs->by_pair);
	stringset_fini(&pairs->names);
	free(pairs);
}

static void fill_total(struct table *t, const struct pairs *pairs)
{
	struct pair sum = { 0 };
	struct tables_row r = { .w = pairs->w, .row = &sum, .name = "total", .total = true };
	bool any_lossy = false;

	for (size_t i = 0; i < pairs->all.n; i++) {
		sum.count += pairs->all.at[i].count;
		sum.involuntary += pairs->all.at[i].involuntary;
		any_lossy |= pairs->all.at[i].lossy;
	}
	table_total(t);
	cells_fill(t, &r);
	table_lossy(t, any_lossy);
}

struct table *tables_successors(const struct tables_walk *w)
{
	struct table *t = table_new("successors", columns);
	struct pairs *pairs = calloc(1, sizeof(*pairs));
	size_t n_tasks = analyze_engine_task_count(w->eng);

	if (!t || !pairs) {
		table_free(t);
		free(pairs);
		return NULL;
	}
	pairs->w = w;
	table_later(t,
		    &(struct table_later){
			    .ctx = pairs, .fill = fill_cell, .lossy = lossy, .free = free_pairs });
	if (t->failed)
		return table_done(t);
	pairs->by_task = malloc((n_tasks + 1) * sizeof(*pairs->by_task));
	t->failed = !pairs->by_task;
	for (size_t i = 0; i < n_tasks && pairs->by_task; i++)
		pairs->by_task[i] = MAP_NEW;
	for (size_t i = 0; i < analyze_successors_count(w->successors) && !t->failed; i++) {
		const struct analyze_successor *s = analyze_successors_at(w->successors, i);

		if (names_wanted(&w->names, analyze_engine_task(w->eng, s->task)))
			t->failed = add_pair(pairs, s);
	}
	if (t->failed)
		return table_done(t);
	t->order = "count";
	for (size_t i = 0; i < pairs->all.n; i++)
		table_row_later(t, (uint32_t)i);
	fill_total(t, pairs);
	t->later->row->lacks = t->lacks;
	return table_done(t);
}

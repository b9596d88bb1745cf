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
	ARRAY(struct predecessor) predecessors;
	ARRAY(struct pair) all;
	struct map by_task, by_pair;
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
static const uint32_t *predecessor_of(struct pairs *pairs, const struct tables_walk *w,
				      uint32_t index)
{
	const struct analyze_task *task = analyze_engine_task(w->eng, index);
	char *text = names_merged(&w->names, task) ? names_display(&w->names, task) : NULL;
	const char *name = text ? stringset_add(&pairs->names, text, strlen(text)) : NULL;
	bool merged = names_merged(&w->names, task);
	uint32_t *number = NULL;

	free(text);
	if (!merged || name)
		number = map_add(&pairs->by_task, (uintptr_t)name, merged ? 0 : index);
	if (number && *number == MAP_NEW) {
		*number = (uint32_t)pairs->predecessors.n;
		if (array_push(&pairs->predecessors,
			       (struct predecessor){ merged ? NULL : task, name, !task->tid, 0 }))
			return NULL;
	}
	return number;
}

static int add_pair(struct pairs *pairs, const struct tables_walk *w,
		    const struct analyze_successor *s)
{
	const uint32_t *number = predecessor_of(pairs, w, s->task);
	uint32_t prev = number ? *number : 0, *place = NULL;
	struct pair *pair;

	number = number ? predecessor_of(pairs, w, s->next) : NULL;
	if (number)
		place = map_add(&pairs->by_pair, prev, *number);
	if (!place)
		return -ENOMEM;
	if (*place == MAP_NEW) {
		*place = (uint32_t)pairs->all.n;
		if (array_push(&pairs->all, (struct pair){ .prev = prev, .next = *number }))
			return -ENOMEM;
	}
	pair = &pairs->all.at[*place];
	pair->count += s->count;
	pair->involuntary += s->involuntary;
	pairs->predecessors.at[prev].count += s->count;
	pair->lossy |= tables_lossy(w, analyze_engine_task(w->eng, s->task));
	return 0;
}

static void fill_rows(struct table *t, const struct tables_walk *w, const struct pairs *pairs)
{
	struct pair sum = { 0 };
	struct tables_row r = { .w = w };
	bool lossy = false;

	for (size_t i = 0; i < pairs->all.n; i++) {
		const struct pair *pair = &pairs->all.at[i];
		const struct predecessor *prev = &pairs->predecessors.at[pair->prev];
		const struct predecessor *next = &pairs->predecessors.at[pair->next];

		r.row = pair;
		r.task = prev->task;
		r.name = prev->name;
		r.other = next->task;
		r.other_name = next->name;
		r.whole = prev;
		r.idle = prev->idle;
		table_row(t);
		cells_fill(t, &r);
		table_lossy(t, pair->lossy);
		sum.count += pair->count;
		sum.involuntary += pair->involuntary;
		lossy |= pair->lossy;
	}
	r = (struct tables_row){ .w = w, .row = &sum, .name = "total", .total = true };
	table_total(t);
	cells_fill(t, &r);
	table_lossy(t, lossy);
}

struct table *tables_successors(const struct tables_walk *w)
{
	struct table *t = table_new("successors", columns);
	struct pairs pairs = { 0 };

	for (size_t i = 0; t && i < analyze_successors_count(w->successors) && !t->failed; i++) {
		const struct analyze_successor *s = analyze_successors_at(w->successors, i);

		if (names_wanted(&w->names, analyze_engine_task(w->eng, s->task)))
			t->failed = add_pair(&pairs, w, s);
	}
	if (t && !t->failed) {
		t->order = "count";
		fill_rows(t, w, &pairs);
	}
	array_fini(&pairs.predecessors);
	array_fini(&pairs.all);
	map_fini(&pairs.by_task);
	map_fini(&pairs.by_pair);
	stringset_fini(&pairs.names);
	return table_done(t);
}

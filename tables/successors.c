/* SPDX-License-Identifier: LGPL-2.1-only */
/* Who ran next on the CPU after a task. */
#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"
#include "tables/task_cells.h"

enum { NEXT = TASK_COLUMNS, NEXT_TID, NEXT_PID, NEXT_VM, COUNT, PERCENT, INVOLUNTARY };

static const struct table_column columns[] = {
	TASK_CELLS,
	[NEXT] = { "next", "next", TABLE_TEXT, 0 },
	[NEXT_TID] = { "next_tid", "tid", TABLE_INTEGER, 0 },
	[NEXT_PID] = { "next_pid", "pid", TABLE_INTEGER, TABLE_MACHINE },
	[NEXT_VM] = { "next_vm", "vm", TABLE_TEXT, 0 },
	[COUNT] = { "count", "count", TABLE_COUNT, 0 },
	[PERCENT] = { "percent", "%", TABLE_PERCENT, 0 },
	[INVOLUNTARY] = { "involuntary", "involunt", TABLE_COUNT, 0 },
	TABLE_COLUMNS_END,
};

/* Pairs that are printed as one: tasks are alike when their names merged. */
struct pair {
	char *name, *next_name; /* when merged, else NULL */
	const struct analyze_task *task, *next;
	uint64_t count, involuntary;
	uint64_t total; /* of the task's switches, when its name did not merge */
	bool lossy;
};

struct pairs {
	struct pair *items;
	size_t n, cap;
};

static void fini_pairs(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		free(pairs->items[i].name);
		free(pairs->items[i].next_name);
	}
	free(pairs->items);
}

static bool alike(const char *a_name, const struct analyze_task *a, const char *b_name,
		  const struct analyze_task *b)
{
	return a_name && b_name ? !strcmp(a_name, b_name) : !a_name && !b_name && a == b;
}

/* The display name when --merge-sys-tasks merges the task, else NULL; -1 out of memory. */
static int merged_name(char **out, const struct tables_walk *w, const struct analyze_task *task)
{
	*out = NULL;
	if (!names_merged(&w->names, task))
		return 0;
	*out = names_display(&w->names, task);
	return *out ? 0 : -1;
}

static int add_pair(struct pairs *pairs, const struct tables_walk *w,
		    const struct analyze_successor *s)
{
	struct pair pair = { .task = analyze_engine_task(w->eng, s->task),
			     .next = analyze_engine_task(w->eng, s->next),
			     .total = s->total };
	struct pair *p = NULL, *grown;

	if (merged_name(&pair.name, w, pair.task) || merged_name(&pair.next_name, w, pair.next))
		goto fail;
	/* only merged ones come more than once */
	for (size_t i = 0; i < pairs->n && !p && (pair.name || pair.next_name); i++) {
		struct pair *q = &pairs->items[i];

		if (alike(q->name, q->task, pair.name, pair.task) &&
		    alike(q->next_name, q->next, pair.next_name, pair.next))
			p = q;
	}
	if (p) {
		free(pair.name);
		free(pair.next_name);
	} else {
		if (pairs->n == pairs->cap) {
			size_t cap = pairs->cap ? 2 * pairs->cap : 64;

			grown = reallocarray(pairs->items, cap, sizeof(*grown));
			if (!grown)
				goto fail;
			pairs->items = grown;
			pairs->cap = cap;
		}
		p = &pairs->items[pairs->n++];
		*p = pair;
	}
	p->count += s->count;
	p->involuntary += s->involuntary;
	p->lossy |= tables_lossy(w, pair.task);
	return 0;
fail:
	free(pair.name);
	free(pair.next_name);
	return -1;
}

/* How often the pair's task was switched out, over all its successors. */
static uint64_t total_of(const struct pairs *pairs, const struct pair *p)
{
	uint64_t total = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct pair *q = &pairs->items[i];

		if (alike(q->name, q->task, p->name, p->task))
			total += q->count;
	}
	return total;
}

static void fill_row(struct table *t, const struct tables_walk *w, const struct pair *p,
		     uint64_t total)
{
	table_row(t);
	if (p->name)
		table_text(t, TASK_NAME, p->name);
	else
		task_cells(t, w, p->task);
	if (p->next_name) {
		table_text(t, NEXT, p->next_name);
	} else {
		task_cell_name(t, NEXT, w, p->next);
		table_i64(t, NEXT_TID, p->next->tid);
		task_cell_pid(t, NEXT_PID, p->next);
		task_cell_vm(t, NEXT_VM, w, p->next);
	}
	table_u64(t, COUNT, p->count);
	table_share(t, PERCENT, p->count, total);
	table_u64(t, INVOLUNTARY, p->involuntary);
	table_lossy(t, p->lossy);
}

struct table *tables_successors(const struct tables_walk *w)
{
	struct table *t = table_new("successors", columns);
	uint64_t count = 0, involuntary = 0;
	struct pairs pairs = { 0 };
	bool lossy = false;

	if (!t)
		return NULL;
	for (size_t i = 0; i < analyze_successors_count(w->successors) && !t->failed; i++) {
		const struct analyze_successor *s = analyze_successors_at(w->successors, i);

		if (names_wanted(&w->names, analyze_engine_task(w->eng, s->task)) &&
		    add_pair(&pairs, w, s))
			t->failed = true;
	}
	for (size_t i = 0; i < pairs.n && !t->failed; i++) {
		const struct pair *p = &pairs.items[i];

		/* a task's pairs stand together unless it was merged */
		fill_row(t, w, p, p->name ? total_of(&pairs, p) : p->total);
		count += p->count;
		involuntary += p->involuntary;
		lossy |= p->lossy;
	}
	table_total(t);
	table_text(t, TASK_NAME, "total");
	table_u64(t, COUNT, count);
	table_u64(t, INVOLUNTARY, involuntary);
	table_lossy(t, lossy);
	fini_pairs(&pairs);
	return table_done(t);
}

/* SPDX-License-Identifier: LGPL-2.1-only */
/* The getters of cells. */
#include "tables/columns/cells.h"

#include <stdlib.h>

void cells_fill_known(struct table *t, size_t column, const struct tables_row *r)
{
	const struct cell cell = { t, column, r, r->row, t->columns[column].at };

	if (!(t->columns[column].flags & t->lacks))
		t->columns[column].get(&cell);
}

void cells_fill_one(struct table *t, size_t column, const struct tables_row *r)
{
	t->lacks = tables_lacks(r->w);
	cells_fill_known(t, column, r);
}

void cells_fill(struct table *t, const struct tables_row *r)
{
	t->lacks = tables_lacks(r->w);
	for (size_t c = 0; c < t->n_columns; c++) {
		if (!(r->total && (t->columns[c].flags & TABLE_EACH)))
			cells_fill_known(t, c, r);
	}
}

/* ---- the task ---- */

static void put_name(struct table *t, size_t column, const struct names *names,
		     const struct analyze_task *task, const char *instead)
{
	char *name;

	if (!task) {
		table_text(t, column, instead);
		return;
	}
	name = names_display(names, task);
	t->failed |= !name;
	table_text(t, column, name);
	table_order(t, column, names_order(names, task)); /* group first */
	table_task(t, column, task->index);
	free(name);
}

static void put_vm(struct table *t, size_t column, const struct names *names,
		   const struct analyze_task *task)
{
	table_text(t, column, names_vm(names, task));
	table_order(t, column, names_vm_order(names, task));
}

void cell_name(const struct cell *c)
{
	if (!(c->r->hidden & HIDE_NAME))
		put_name(c->t, c->column, c->r->task ? &c->r->w->names : NULL, c->r->task,
			 c->r->name);
}

void cell_tid(const struct cell *c)
{
	if (c->r->task && !(c->r->hidden & HIDE_NAME))
		table_i64(c->t, c->column, c->r->task->tid);
}

void cell_pid(const struct cell *c)
{
	if (c->r->task && c->r->task->pid >= 0 && !(c->r->hidden & HIDE_VM))
		table_i64(c->t, c->column, c->r->task->pid);
}

void cell_comm(const struct cell *c)
{
	if (c->r->task && !(c->r->hidden & HIDE_NAME))
		table_text(c->t, c->column, c->r->task->comm);
}

void cell_vm(const struct cell *c)
{
	if (c->r->task && !(c->r->hidden & HIDE_VM))
		put_vm(c->t, c->column, &c->r->w->names, c->r->task);
	else if (!c->r->task && !(c->r->hidden & HIDE_VM))
		table_text(c->t, c->column, c->r->vm);
}

void cell_vcpu(const struct cell *c)
{
	if (c->r->task && !(c->r->hidden & HIDE_VCPU) &&
	    names_vcpu(&c->r->w->names, c->r->task) >= 0)
		table_i64(c->t, c->column, names_vcpu(&c->r->w->names, c->r->task));
	else if (!c->r->task && c->r->vcpu && !(c->r->hidden & HIDE_VCPU))
		table_i64(c->t, c->column, (int64_t)c->r->vcpu - 1);
}

void cell_is_idle(const struct cell *c)
{
	table_i64(c->t, c->column, c->r->idle);
}

void cell_other_name(const struct cell *c)
{
	put_name(c->t, c->column, &c->r->w->names, c->r->other, c->r->other_name);
}

void cell_other_tid(const struct cell *c)
{
	if (c->r->other)
		table_i64(c->t, c->column, c->r->other->tid);
}

void cell_other_pid(const struct cell *c)
{
	if (c->r->other && c->r->other->pid >= 0)
		table_i64(c->t, c->column, c->r->other->pid);
}

void cell_other_vm(const struct cell *c)
{
	if (c->r->other)
		put_vm(c->t, c->column, &c->r->w->names, c->r->other);
}

/* ---- numbers ---- */

static const void *member(const struct cell *c)
{
	return (const char *)c->row + c->at;
}

void cell_u64(const struct cell *c)
{
	table_u64(c->t, c->column, *(const uint64_t *)member(c));
}

void cell_not_idle(const struct cell *c)
{
	if (!c->r->idle)
		cell_u64(c);
}

void cell_u32(const struct cell *c)
{
	table_i64(c->t, c->column, *(const uint32_t *)member(c));
}

void cell_bool(const struct cell *c)
{
	table_i64(c->t, c->column, *(const bool *)member(c));
}

void cell_text(const struct cell *c)
{
	table_text(c->t, c->column, *(const char *const *)member(c));
}

void cell_share(const struct cell *c)
{
	table_share(c->t, c->column, *(const uint64_t *)member(c), c->r->window_ns);
}

/* ---- distributions ---- */

void cell_count(const struct cell *c)
{
	table_u64(c->t, c->column, ((const struct histogram *)member(c))->count);
}

void cell_sum(const struct cell *c)
{
	table_u64(c->t, c->column, ((const struct histogram *)member(c))->sum);
}

#define CELL_OF_HISTOGRAM(name, figure)                                                            \
	void name(const struct cell *c)                                                            \
	{                                                                                          \
		const struct histogram *h = member(c);                                             \
                                                                                                   \
		if (h->count)                                                                      \
			table_u64(c->t, c->column, figure);                                        \
	}
CELL_OF_HISTOGRAM(cell_min, h->min)
CELL_OF_HISTOGRAM(cell_avg, histogram_avg(h))
CELL_OF_HISTOGRAM(cell_p50, histogram_percentile(h, 50))
CELL_OF_HISTOGRAM(cell_p99, histogram_percentile(h, 99))
CELL_OF_HISTOGRAM(cell_p999, histogram_percentile(h, 99.9))
CELL_OF_HISTOGRAM(cell_max, h->max)
CELL_OF_HISTOGRAM(cell_max_at, h->max_at)

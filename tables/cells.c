/* SPDX-License-Identifier: LGPL-2.1-only */
/* What cells are filled with. */
#include "tables/cells.h"

#include <stdlib.h>

void cells_fill(struct table *t, const struct tables_row *r)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		const struct table_column *col = &t->columns[c];

		if (col->get && !(r->total && (col->flags & TABLE_EACH)))
			col->get(t, c, r, col->at);
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
	table_order(t, column, names_order(names, task)); /* the group first */
	table_task(t, column, task->index);
	free(name);
}

static void put_vm(struct table *t, size_t column, const struct names *names,
		   const struct analyze_task *task)
{
	table_text(t, column, names_vm(names, task));
	table_order(t, column, names_vm_order(names, task));
}

void cell_name(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	if (!(r->hidden & HIDE_NAME))
		put_name(t, column, &r->w->names, r->task, r->name);
}

void cell_tid(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	if (r->task && !(r->hidden & HIDE_NAME))
		table_i64(t, column, r->task->tid);
}

void cell_pid(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	if (r->task && r->task->pid >= 0 && !(r->hidden & HIDE_VM))
		table_i64(t, column, r->task->pid);
}

void cell_comm(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	if (r->task && !(r->hidden & HIDE_NAME))
		table_text(t, column, r->task->comm);
}

void cell_vm(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	if (r->task && !(r->hidden & HIDE_VM))
		put_vm(t, column, &r->w->names, r->task);
}

void cell_vcpu(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	if (r->task && !(r->hidden & HIDE_VCPU) && names_vcpu(&r->w->names, r->task) >= 0)
		table_i64(t, column, names_vcpu(&r->w->names, r->task));
}

void cell_is_idle(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	table_i64(t, column, r->idle);
}

void cell_other_name(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	put_name(t, column, &r->w->names, r->other, r->other_name);
}

void cell_other_tid(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	if (r->other)
		table_i64(t, column, r->other->tid);
}

void cell_other_pid(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	if (r->other && r->other->pid >= 0)
		table_i64(t, column, r->other->pid);
}

void cell_other_vm(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	(void)at;
	if (r->other)
		put_vm(t, column, &r->w->names, r->other);
}

/* ---- numbers ---- */

static const void *member(const struct tables_row *r, size_t at)
{
	return (const char *)r->row + at;
}

void cell_u64(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	table_u64(t, column, *(const uint64_t *)member(r, at));
}

void cell_u32(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	table_i64(t, column, *(const uint32_t *)member(r, at));
}

void cell_bool(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	table_i64(t, column, *(const bool *)member(r, at));
}

void cell_text(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	table_text(t, column, *(const char *const *)member(r, at));
}

void cell_share(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	table_share(t, column, *(const uint64_t *)member(r, at), r->window_ns);
}

/* ---- distributions ---- */

void cell_count(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	table_u64(t, column, ((const struct histogram *)member(r, at))->count);
}

void cell_sum(struct table *t, size_t column, const struct tables_row *r, size_t at)
{
	table_u64(t, column, ((const struct histogram *)member(r, at))->sum);
}

#define CELL_OF_HISTOGRAM(name, figure)                                                            \
	void name(struct table *t, size_t column, const struct tables_row *r, size_t at)           \
	{                                                                                          \
		const struct histogram *h = member(r, at);                                         \
                                                                                                   \
		if (h->count)                                                                      \
			table_u64(t, column, figure);                                              \
	}
CELL_OF_HISTOGRAM(cell_min, h->min)
CELL_OF_HISTOGRAM(cell_avg, histogram_avg(h))
CELL_OF_HISTOGRAM(cell_p50, histogram_percentile(h, 50))
CELL_OF_HISTOGRAM(cell_p99, histogram_percentile(h, 99))
CELL_OF_HISTOGRAM(cell_p999, histogram_percentile(h, 99.9))
CELL_OF_HISTOGRAM(cell_max, h->max)
CELL_OF_HISTOGRAM(cell_max_at, h->max_at)

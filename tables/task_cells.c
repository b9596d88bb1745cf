/* SPDX-License-Identifier: LGPL-2.1-only */
/* The columns with which every table of tasks begins. */
#include "tables/task_cells.h"

#include <stdlib.h>

void task_cell_name(struct table *t, size_t column, const struct tables_walk *w,
		    const struct analyze_task *task)
{
	char *name = names_display(&w->names, task);

	t->failed |= !name;
	table_text(t, column, name);
	table_order(t, column, names_order(&w->names, task));
	table_task(t, column, task->index);
	free(name);
}

void task_cell_pid(struct table *t, size_t column, const struct analyze_task *task)
{
	if (task->pid >= 0)
		table_i64(t, column, task->pid);
}

void task_cell_vm(struct table *t, size_t column, const struct tables_walk *w,
		  const struct analyze_task *task)
{
	table_text(t, column, names_vm(&w->names, task));
	table_order(t, column, names_vm_order(&w->names, task));
}

void task_cell_vcpu(struct table *t, size_t column, const struct tables_walk *w,
		    const struct analyze_task *task)
{
	if (names_vcpu(&w->names, task) >= 0)
		table_i64(t, column, names_vcpu(&w->names, task));
}

void task_cells(struct table *t, const struct tables_walk *w, const struct analyze_task *task)
{
	task_cell_name(t, TASK_NAME, w, task);
	table_i64(t, TASK_TID, task->tid);
	task_cell_pid(t, TASK_PID, task);
	table_text(t, TASK_COMM, task->comm);
	task_cell_vm(t, TASK_VM, w, task);
	task_cell_vcpu(t, TASK_VCPU, w, task);
	table_lossy(t, tables_lossy(w, task));
}

/* SPDX-License-Identifier: LGPL-2.1-only */
/* task_cells.h - the columns with which every table of tasks begins. */
#ifndef TABLES_TASK_CELLS_H
#define TABLES_TASK_CELLS_H

#include "tables/table.h"
#include "tables/walk.h"

enum {
	TASK_NAME = 0,
	TASK_TID,
	TASK_PID,
	TASK_COMM,
	TASK_VM,
	TASK_VCPU,
	TASK_COLUMNS,
};
#define TASK_CELLS                                                                                 \
	[TASK_NAME] = { "name", "task", TABLE_TEXT, 0 },                                           \
	[TASK_TID] = { "tid", "tid", TABLE_INTEGER, 0 },                                           \
	[TASK_PID] = { "pid", "pid", TABLE_INTEGER, TABLE_MACHINE },                               \
	[TASK_COMM] = { "comm", "comm", TABLE_TEXT, TABLE_MACHINE },                               \
	[TASK_VM] = { "vm", "vm", TABLE_TEXT, 0 }, [TASK_VCPU] = { "vcpu", "vcpu", TABLE_INTEGER, 0 }

/* task_cells - fills those columns and marks the row. */
void task_cells(struct table *t, const struct tables_walk *w, const struct analyze_task *task);

/* One of them, each in any column; names are sorted by the group first. */
void task_cell_name(struct table *t, size_t column, const struct tables_walk *w,
		    const struct analyze_task *task);
void task_cell_pid(struct table *t, size_t column, const struct analyze_task *task);
void task_cell_vm(struct table *t, size_t column, const struct tables_walk *w,
		  const struct analyze_task *task);
void task_cell_vcpu(struct table *t, size_t column, const struct tables_walk *w,
		    const struct analyze_task *task);

#endif

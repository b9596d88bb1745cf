/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks.h - the tasks that live, by tid, as rows tell of them: what remains of rows that are
 * thrown away. The memory follows the number of tasks alive, not how many there ever were.
 */
#ifndef CAPTURE_TASKS_H
#define CAPTURE_TASKS_H

#include "capture/rows.h"

struct task_table {
	struct task_slot {
		int32_t tid; /* 0: free */
		int32_t pid, parent;
		bool gone;
		char comm[ROWS_COMM];
	} * slots;
	size_t n, size; /* used (gone ones too), a power of two */
};

/* task_table_apply - false when out of memory. */
bool task_table_apply(struct task_table *t, const struct task_row *row);
/* task_table_rows - births and names with time 0. */
void task_table_rows(const struct task_table *t, struct buf *tasks);
void task_table_fini(struct task_table *t);

#endif

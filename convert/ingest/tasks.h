/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tasks.h - the live tasks by tid, from task rows: keeps the content of rows that are
 * dropped. Memory grows with the number of live tasks, not of all tasks.
 */
#ifndef CONVERT_INGEST_TASKS_H
#define CONVERT_INGEST_TASKS_H

#include "convert/ingest/rows.h"

#define TASK_COMM 16u /* TASK_COMM_LEN */

struct task_table {
	struct task_slot {
		int32_t tid; /* 0: free */
		int32_t pid, parent;
		bool gone;
		char comm[TASK_COMM];
	} * slots;
	size_t n, size; /* used (gone ones too), a power of two */
};

/* task_table_apply - @row is of @rows; false when out of memory. */
bool task_table_apply(struct task_table *t, const struct rows *rows, const struct task_row *row);
/* task_table_rows - births and names with time 0. */
void task_table_rows(const struct task_table *t, struct rows *rows);
void task_table_fini(struct task_table *t);

#endif

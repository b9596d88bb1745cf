/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * cells.h - the getters of all tables, which fill a column's cell from a row.
 *
 *	#define ROW(member) offsetof(struct analyze_task_row, member)
 *	static const struct table_column columns[] = {
 *		CELLS_OF_TASK,
 *		{ "run_ns", "run ms", TABLE_MS, 0, cell_u64, ROW(run_ns) },
 *		{ "run_percent", "%CPU", TABLE_PERCENT, 0, cell_share, ROW(run_ns) },
 *		{ "latency_p99_ns", "p99 ms", TABLE_MS, 0, cell_p99, ROW(latency) },
 *		TABLE_COLUMNS_END,
 *	};
 *
 * A getter leaves the cell empty when there is no value.
 */
#ifndef TABLES_COLUMNS_CELLS_H
#define TABLES_COLUMNS_CELLS_H

#include "tables/columns/table.h"
#include "tables/columns/walk.h"

/* The sources of a row's cells. Cells without a source stay empty. */
struct tables_row {
	const struct tables_walk *w;
	const void *row;                  /* row of the analysis, or a sum of several */
	size_t index;                     /* in the analysis */
	const struct analyze_task *task;  /* NULL: several or none */
	const char *name;                 /* without a task: the text in the column of its name, */
	const char *vm;                   /* its VM, */
	uint32_t vcpu;                    /* and the number of its vCPU + 1 */
	const struct analyze_task *other; /* the antagonist, the next */
	const char *other_name;
	unsigned hidden;    /* enum tables_hidden: the task's columns to leave empty */
	bool idle;          /* the task is IDLE, or one of several is */
	bool compared;      /* for a comparison: a worst wait of 0 means that none waited */
	bool several;       /* a sum over several tasks */
	bool total;         /* columns with TABLE_EACH stay empty */
	uint32_t cpu;       /* of a sum over tasks, or CDICT_CPU_UNKNOWN */
	uint64_t window_ns; /* base of shares */
	uint64_t from_ns;   /* begin of the part of the window */
	const void *whole;  /* the base of shares, of another type */
};

/* The target of a getter. */
struct cell {
	struct table *t;
	size_t column;
	const struct tables_row *r;
	const void *row; /* r->row */
	size_t at;       /* table_column.at */
};

enum tables_hidden { HIDE_NAME = 1 /* and tid, comm */, HIDE_VCPU = 2, HIDE_VM = 4 /* and pid */ };

/* cells_fill - fills every column of the row begun in @t; cells_fill_one - fills one column;
 * cells_fill_known - the same when t->lacks is already set. */
void cells_fill(struct table *t, const struct tables_row *r);
void cells_fill_one(struct table *t, size_t column, const struct tables_row *r);
void cells_fill_known(struct table *t, size_t column, const struct tables_row *r);

/* Columns of the task. */
table_getter cell_name, cell_tid, cell_pid, cell_comm, cell_vm, cell_vcpu, cell_is_idle;
#define CELLS_OF_TASK                                                                              \
	{ "name", "task", TABLE_TEXT, 0, cell_name, 0 },                                           \
		{ "tid", "tid", TABLE_INTEGER, 0, cell_tid, 0 },                                   \
		{ "pid", "pid", TABLE_INTEGER, TABLE_MACHINE, cell_pid, 0 },                       \
		{ "comm", "comm", TABLE_TEXT, TABLE_MACHINE, cell_comm, 0 },                       \
		{ "vm", "vm", TABLE_TEXT, TABLE_IN_NAME, cell_vm, 0 },                             \
	{                                                                                          \
		"vcpu", "vcpu", TABLE_INTEGER, TABLE_IN_NAME, cell_vcpu, 0                         \
	}
/* Columns of the other task. */
table_getter cell_other_name, cell_other_tid, cell_other_pid, cell_other_vm;

/* The row's member of that type at offset table_column.at; cell_share: in percent of the window. */
table_getter cell_u64, cell_u32, cell_bool, cell_text, cell_share;
/* cell_u64, but empty for IDLE, which neither sleeps nor is preempted. */
table_getter cell_not_idle;
/* Of the struct histogram at that offset; empty when its count is 0, except count and sum. */
table_getter cell_count, cell_sum, cell_min, cell_avg, cell_p50, cell_p99, cell_p999, cell_max,
	cell_max_at;

#endif

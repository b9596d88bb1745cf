/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * cells.h - what a column's cell is filled with from a row: the getters of all tables.
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
 * A getter leaves the cell empty where there is nothing to say.
 */
#ifndef TABLES_CELLS_H
#define TABLES_CELLS_H

#include "tables/columns/table.h"
#include "tables/columns/walk.h"

/* What a row is made of.  What is not set has no cell. */
struct tables_row {
	const struct tables_walk *w;
	const void *row;                 /* of the analysis, or the sum of several */
	size_t index;                    /* in the analysis */
	const struct analyze_task *task; /* NULL: several, or none */
	const char *name; /* without a task: what stands in the column of its name, */
	const char *vm;   /* its VM, */
	uint32_t vcpu;    /* and the number of its vCPU + 1 */
	const struct analyze_task *other; /* the antagonist, the next */
	const char *other_name;
	unsigned hidden;    /* enum tables_hidden: what of the task is not said */
	bool idle;          /* IDLE is the task, or among them */
	bool several;       /* a sum that is told of tasks together */
	bool total;         /* columns with TABLE_EACH stay empty */
	uint32_t cpu;       /* of several tasks, or CDICT_CPU_UNKNOWN */
	uint64_t window_ns; /* of which shares are told */
	uint64_t from_ns;   /* of a part of the window */
	const void *whole;  /* of which a row of another kind is a share */
};

/* Where a getter puts what it finds. */
struct cell {
	struct table *t;
	size_t column;
	const struct tables_row *r;
	const void *row; /* of @r */
	size_t at;       /* of the column */
};

enum tables_hidden { HIDE_NAME = 1 /* and tid, comm */, HIDE_VCPU = 2, HIDE_VM = 4 /* and pid */ };

/* cells_fill - every column of the row begun in @t; cells_fill_one - one of them; cells_fill_known - where t->lacks is
 * set already. */
void cells_fill(struct table *t, const struct tables_row *r);
void cells_fill_one(struct table *t, size_t column, const struct tables_row *r);
void cells_fill_known(struct table *t, size_t column, const struct tables_row *r);

/* Of the task. */
table_getter cell_name, cell_tid, cell_pid, cell_comm, cell_vm, cell_vcpu, cell_is_idle;
#define CELLS_OF_TASK                                                                              \
	{ "name", "task", TABLE_TEXT, 0, cell_name, 0 },                                           \
		{ "tid", "tid", TABLE_INTEGER, 0, cell_tid, 0 },                                   \
		{ "pid", "pid", TABLE_INTEGER, TABLE_MACHINE, cell_pid, 0 },                       \
		{ "comm", "comm", TABLE_TEXT, TABLE_MACHINE, cell_comm, 0 },                       \
		{ "vm", "vm", TABLE_TEXT, 0, cell_vm, 0 },                                         \
	{                                                                                          \
		"vcpu", "vcpu", TABLE_INTEGER, 0, cell_vcpu, 0                                     \
	}
/* Of the other one. */
table_getter cell_other_name, cell_other_tid, cell_other_pid, cell_other_vm;

/* Of the member of that type at the offset; share: in percent of the window. */
table_getter cell_u64, cell_u32, cell_bool, cell_text, cell_share;
/* cell_u64, but of IDLE: it neither sleeps nor is it preempted. */
table_getter cell_not_idle;
/* Of the struct histogram there; empty when it counted nothing, but for count and sum. */
table_getter cell_count, cell_sum, cell_min, cell_avg, cell_p50, cell_p99, cell_p999, cell_max,
	cell_max_at;

#endif

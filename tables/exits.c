/* SPDX-License-Identifier: LGPL-2.1-only */
/* Exits: what the guests exited for, and how long it took. */
#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"
#include "tables/task_cells.h"

enum {
	NAME,
	TID,
	PID,
	VM,
	VCPU,
	REASON,
	CODE,
	IDLE,
	COUNT,
	COUNT_PERCENT,
	TIME,
	TIME_PERCENT,
	MIN,
	AVG,
	P50,
	P99,
	P999,
	MAX,
	MAX_AT,
	ON_CPU,
	BROKEN,
};

static const struct table_column columns[] = {
	[NAME] = { "name", "task", TABLE_TEXT, 0 },
	[TID] = { "tid", "tid", TABLE_INTEGER, 0 },
	[PID] = { "pid", "pid", TABLE_INTEGER, TABLE_WIDE },
	[VM] = { "vm", "vm", TABLE_TEXT, 0 },
	[VCPU] = { "vcpu", "vcpu", TABLE_INTEGER, 0 },
	[REASON] = { "reason", "reason", TABLE_TEXT, 0 },
	[CODE] = { "reason_code", "code", TABLE_INTEGER, TABLE_MACHINE },
	[IDLE] = { "idle", "idle", TABLE_INTEGER, TABLE_MACHINE },
	[COUNT] = { "count", "exits", TABLE_COUNT, 0 },
	[COUNT_PERCENT] = { "count_percent", "exits %", TABLE_PERCENT, 0 },
	[TIME] = { "time_ns", "time ms", TABLE_MS, 0 },
	[TIME_PERCENT] = { "time_percent", "time %", TABLE_PERCENT, 0 },
	[MIN] = { "min_ns", "min us", TABLE_US, 0 },
	[AVG] = { "avg_ns", "avg us", TABLE_US, 0 },
	[P50] = { "p50_ns", "p50 us", TABLE_US, TABLE_WIDE },
	[P99] = { "p99_ns", "p99 us", TABLE_US, 0 },
	[P999] = { "p999_ns", "p99.9 us", TABLE_US, TABLE_WIDE },
	[MAX] = { "max_ns", "max us", TABLE_US, 0 },
	[MAX_AT] = { "max_at_ns", "max at s", TABLE_TIME, TABLE_WIDE },
	[ON_CPU] = { "cpu_ns", "on CPU ms", TABLE_MS, TABLE_WIDE },
	[BROKEN] = { "unpaired", "unpaired", TABLE_COUNT, TABLE_WIDE },
	TABLE_COLUMNS_END,
};

/* HLT and its kin are the guest being idle, not work: kept apart. */
struct totals {
	struct analyze_exit_row work, idle;
};

/* Rows that are printed as one. */
struct group {
	const struct analyze_task *task; /* the only one's, or the first's */
	const char *vm;
	bool many_tasks, lossy;
	struct analyze_exit_row row;
};

struct groups {
	struct group *items;
	size_t n;
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool belongs(const struct group *g, const struct analyze_exit_row *row,
		    const struct analyze_task *task, const char *vm, int by)
{
	if (g->row.isa != row->isa || g->row.reason != row->reason)
		return false;
	switch (by) {
	case TABLES_EXITS_BY_REASON:
		return true;
	case TABLES_EXITS_BY_VM:
		return same_text(g->vm, vm);
	case TABLES_EXITS_BY_VCPU:
		return same_text(g->vm, vm) && g->task->vcpu_id == task->vcpu_id &&
		       (task->vcpu_id >= 0 || g->task == task);
	default:
		return g->task == task;
	}
}

static struct group *find_group(struct groups *groups, const struct analyze_exit_row *row,
				const struct analyze_task *task, const char *vm, int by)
{
	struct group *grown;

	for (size_t i = groups->n; i > 0; i--) {
		struct group *g = &groups->items[i - 1];

		if (belongs(g, row, task, vm, by)) {
			g->many_tasks |= g->task != task;
			return g;
		}
	}
	grown = realloc(groups->items, (groups->n + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	groups->items = grown;
	grown += groups->n++;
	*grown = (struct group){ .task = task, .vm = vm };
	grown->row.task = row->task;
	grown->row.isa = row->isa;
	grown->row.reason = row->reason;
	grown->row.name = row->name;
	grown->row.idle = row->idle;
	return grown;
}

static void fini_groups(struct groups *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		analyze_exit_row_fini(&groups->items[i].row);
	}
	free(groups->items);
}

static void numbers(struct table *t, const struct analyze_exit_row *row, const struct totals *sum)
{
	const struct histogram *h = &row->time;

	table_u64(t, COUNT, row->events);
	table_share(t, COUNT_PERCENT, row->events, sum->work.events + sum->idle.events);
	table_u64(t, TIME, h->sum);
	if (!row->idle)
		table_share(t, TIME_PERCENT, h->sum, sum->work.time.sum);
	if (h->count) {
		table_u64(t, MIN, h->min);
		table_u64(t, AVG, histogram_avg(h));
		table_u64(t, P50, histogram_percentile(h, 50));
		table_u64(t, P99, histogram_percentile(h, 99));
		table_u64(t, P999, histogram_percentile(h, 99.9));
		table_u64(t, MAX, h->max);
		table_u64(t, MAX_AT, h->max_at);
	}
	table_u64(t, ON_CPU, row->cpu_ns);
	table_u64(t, BROKEN, row->broken);
}

static void group_row(struct table *t, const struct tables_walk *w, const struct group *g, int by,
		      const struct totals *sum)
{
	table_row(t);
	if (by != TABLES_EXITS_BY_REASON && by != TABLES_EXITS_BY_VM && !g->many_tasks) {
		task_cell_name(t, NAME, w, g->task);
		table_i64(t, TID, g->task->tid);
	}
	if (by != TABLES_EXITS_BY_REASON) {
		task_cell_pid(t, PID, g->task);
		task_cell_vm(t, VM, w, g->task);
		if (by != TABLES_EXITS_BY_VM)
			task_cell_vcpu(t, VCPU, w, g->task);
	}
	table_text(t, REASON, g->row.name);
	table_i64(t, CODE, (int64_t)g->row.reason);
	table_i64(t, IDLE, g->row.idle);
	numbers(t, &g->row, sum);
	table_lossy(t, g->lossy);
}

struct table *tables_exits(const struct tables_walk *w, enum tables_exits_by by,
			   struct tables_idle_exits *idle)
{
	struct table *t = table_new("exits", columns);
	struct totals sum = { 0 };
	struct groups groups = { 0 };
	bool lossy = false;

	if (!t)
		return NULL;
	for (size_t i = 0; i < analyze_exits_count(w->exits) && !t->failed; i++) {
		const struct analyze_exit_row *row = analyze_exits_at(w->exits, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, row->task);
		struct group *g;

		if (!names_wanted(&w->names, task))
			continue;
		g = find_group(&groups, row, task, names_vm(&w->names, task), by);
		if (!g) {
			t->failed = true;
			break;
		}
		g->lossy |= tables_lossy(w, task);
		lossy |= tables_lossy(w, task);
		analyze_exit_row_merge(&g->row, row);
		analyze_exit_row_merge(row->idle ? &sum.idle : &sum.work, row);
	}
	for (size_t i = 0; i < groups.n; i++)
		group_row(t, w, &groups.items[i], by, &sum);
	table_total(t);
	table_text(t,
		   by == TABLES_EXITS_BY_REASON ? REASON
		   : by == TABLES_EXITS_BY_VM   ? VM
						: NAME,
		   "total without idle");
	numbers(t, &sum.work, &sum);
	table_lossy(t, lossy);
	if (idle)
		*idle = (struct tables_idle_exits){ sum.idle.events, sum.idle.time.sum };
	analyze_exit_row_fini(&sum.work);
	analyze_exit_row_fini(&sum.idle);
	fini_groups(&groups);
	return table_done(t);
}

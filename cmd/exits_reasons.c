/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict exits: what the guests exited for, and how long it took. */
#include "analyze/exits.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/exits.h"

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

/* Rows that are printed as one. */
struct group {
	const struct analyze_task *task; /* the only one's, or the first's */
	char *vm;
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
	case EXITS_BY_REASON:
		return true;
	case EXITS_BY_VM:
		return same_text(g->vm, vm);
	case EXITS_BY_VCPU:
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
	*grown = (struct group){ .task = task, .vm = vm ? strdup(vm) : NULL };
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
		free(groups->items[i].vm);
		analyze_exit_row_fini(&groups->items[i].row);
	}
	free(groups->items);
}

static void numbers(struct table *t, const struct analyze_exit_row *row,
		    const struct exits_totals *sum)
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

static int group_row(struct table *t, const struct figures *f, const struct group *g, int by,
		     const struct exits_totals *sum)
{
	table_row(t);
	if (by != EXITS_BY_REASON && by != EXITS_BY_VM && !g->many_tasks) {
		char *name = names_display(&f->names, g->task);

		if (!name)
			return figures_no_memory(f);
		figures_name_cell(t, NAME, f, g->task, name);
		table_i64(t, TID, g->task->tid);
		free(name);
	}
	if (by != EXITS_BY_REASON) {
		if (g->task->pid >= 0)
			table_i64(t, PID, g->task->pid);
		figures_vm_cell(t, VM, f, g->task, g->vm);
		if (by != EXITS_BY_VM && names_vcpu(&f->names, g->task) >= 0)
			table_i64(t, VCPU, names_vcpu(&f->names, g->task));
	}
	table_text(t, REASON, g->row.name);
	table_i64(t, CODE, (int64_t)g->row.reason);
	table_i64(t, IDLE, g->row.idle);
	numbers(t, &g->row, sum);
	table_lossy(t, g->lossy);
	return CMD_DONE;
}

int exits_fill(struct table **out, const struct figures *f, const struct analyze_exits *exits,
	       int by, struct exits_totals *sum)
{
	struct table *t = table_new("exits", columns);
	struct groups groups = { 0 };
	bool lossy = false;
	int status = t ? CMD_DONE : figures_no_memory(f);

	*out = t;
	for (size_t i = 0; i < analyze_exits_count(exits) && !status; i++) {
		const struct analyze_exit_row *row = analyze_exits_at(exits, i);
		const struct analyze_task *task = analyze_engine_task(f->eng, row->task);
		struct group *g;
		char *vm;

		if (!names_wanted(&f->names, &f->filter, task))
			continue;
		vm = names_vm(&f->names, task);
		g = find_group(&groups, row, task, vm, by);
		free(vm);
		if (!g) {
			status = figures_no_memory(f);
			break;
		}
		g->lossy |= figures_lossy(f, task);
		lossy |= figures_lossy(f, task);
		analyze_exit_row_merge(&g->row, row);
		analyze_exit_row_merge(row->idle ? &sum->idle : &sum->work, row);
	}
	sum->idle.idle = true;
	for (size_t i = 0; i < groups.n && !status; i++)
		status = group_row(t, f, &groups.items[i], by, sum);
	if (!status) {
		table_total(t);
		table_text(t,
			   by == EXITS_BY_REASON ? REASON
			   : by == EXITS_BY_VM   ? VM
						 : NAME,
			   "total without idle");
		numbers(t, &sum->work, sum);
		table_lossy(t, lossy);
	}
	fini_groups(&groups);
	return status;
}

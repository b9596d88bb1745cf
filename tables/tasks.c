/* SPDX-License-Identifier: LGPL-2.1-only */
/* What each task did. */
#include <stdlib.h>

#include "tables/groups.h"
#include "tables/tables.h"
#include "tables/task_cells.h"

enum {
	/* the first as everywhere, but shown to others */
	CPU = TASK_COLUMNS,
	IDLE,
	RUN,
	RUN_PERCENT,
	EDGE,
	UNKNOWN,
	SWITCHES,
	VOLUNTARY,
	INVOLUNTARY,
	SLEEP,
	DISK,
	IOWAIT,
	PREEMPTED,
	SLEEP_NS,
	DISK_NS,
	IOWAIT_NS,
	PREEMPTED_NS,
	WAKEUPS,
	MIGRATIONS,
	NODE_MIGRATIONS,
	LAT_AVG,
	LAT_P50,
	LAT_P99,
	LAT_MAX,
	LAT_MAX_AT,
	SLICE_AVG,
	SLICE_P50,
	SLICE_P99,
	SLICE_MAX,
	EVENTS,
};

static const struct table_column columns[] = {
	[TASK_NAME] = { "name", "task", TABLE_TEXT, 0 },
	[TASK_TID] = { "tid", "tid", TABLE_INTEGER, 0 },
	[TASK_PID] = { "pid", "pid", TABLE_INTEGER, 0 },
	[TASK_COMM] = { "comm", "comm", TABLE_TEXT, TABLE_MACHINE },
	[TASK_VM] = { "vm", "vm", TABLE_TEXT, TABLE_WIDE },
	[TASK_VCPU] = { "vcpu", "vcpu", TABLE_INTEGER, TABLE_WIDE },
	[CPU] = { "cpu", "cpu", TABLE_INTEGER, 0 },
	[IDLE] = { "idle", "idle", TABLE_INTEGER, TABLE_MACHINE },
	[RUN] = { "run_ns", "run ms", TABLE_MS, 0 },
	[RUN_PERCENT] = { "run_percent", "%CPU", TABLE_PERCENT, 0 },
	[EDGE] = { "edge_ns", "edge ms", TABLE_MS, TABLE_WIDE },
	[UNKNOWN] = { "unknown_ns", "unknown ms", TABLE_MS, TABLE_WIDE },
	[SWITCHES] = { "switches", "switches", TABLE_COUNT, 0 },
	[VOLUNTARY] = { "voluntary", "volunt", TABLE_COUNT, 0 },
	[INVOLUNTARY] = { "involuntary", "involunt", TABLE_COUNT, 0 },
	[SLEEP] = { "sleeps", "sleeps", TABLE_COUNT, TABLE_WIDE },
	[DISK] = { "blocks", "blocks", TABLE_COUNT, TABLE_WIDE },
	[IOWAIT] = { "iowaits", "iowaits", TABLE_COUNT, TABLE_WIDE },
	[PREEMPTED] = { "preempted", "preempted", TABLE_COUNT, TABLE_WIDE },
	[SLEEP_NS] = { "sleep_ns", "sleep ms", TABLE_MS, TABLE_WIDE },
	[DISK_NS] = { "block_ns", "block ms", TABLE_MS, TABLE_WIDE },
	[IOWAIT_NS] = { "iowait_ns", "iowait ms", TABLE_MS, TABLE_WIDE },
	[PREEMPTED_NS] = { "preempt_ns", "preempt ms", TABLE_MS, TABLE_WIDE },
	[WAKEUPS] = { "wakeups", "wakeups", TABLE_COUNT, 0 },
	[MIGRATIONS] = { "migrations", "migr", TABLE_COUNT, 0 },
	[NODE_MIGRATIONS] = { "node_migrations", "cross-node", TABLE_COUNT, TABLE_WIDE },
	[LAT_AVG] = { "latency_avg_ns", "lat avg ms", TABLE_MS, 0 },
	[LAT_P50] = { "latency_p50_ns", "lat p50 ms", TABLE_MS, TABLE_WIDE },
	[LAT_P99] = { "latency_p99_ns", "lat p99 ms", TABLE_MS, 0 },
	[LAT_MAX] = { "latency_max_ns", "lat max ms", TABLE_MS, 0 },
	[LAT_MAX_AT] = { "latency_max_at_ns", "lat max at s", TABLE_TIME, TABLE_WIDE },
	[SLICE_AVG] = { "slice_avg_ns", "slice avg ms", TABLE_MS, TABLE_WIDE },
	[SLICE_P50] = { "slice_p50_ns", "slice p50 ms", TABLE_MS, TABLE_MACHINE },
	[SLICE_P99] = { "slice_p99_ns", "slice p99 ms", TABLE_MS, TABLE_MACHINE },
	[SLICE_MAX] = { "slice_max_ns", "slice max ms", TABLE_MS, TABLE_WIDE },
	[EVENTS] = { "events", "events", TABLE_COUNT, TABLE_WIDE },
	TABLE_COLUMNS_END,
};

static void latency(struct table *t, const struct histogram *h)
{
	if (!h->count)
		return;
	table_u64(t, LAT_AVG, histogram_avg(h));
	table_u64(t, LAT_P50, histogram_percentile(h, 50));
	table_u64(t, LAT_P99, histogram_percentile(h, 99));
	table_u64(t, LAT_MAX, h->max);
	table_u64(t, LAT_MAX_AT, h->max_at);
}

static void slices(struct table *t, const struct histogram *h)
{
	if (!h->count)
		return;
	table_u64(t, SLICE_AVG, histogram_avg(h));
	table_u64(t, SLICE_P50, histogram_percentile(h, 50));
	table_u64(t, SLICE_P99, histogram_percentile(h, 99));
	table_u64(t, SLICE_MAX, h->max);
}

static void numbers(struct table *t, const struct tables_walk *w,
		    const struct analyze_task_row *row)
{
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;

	table_u64(t, RUN, row->run_ns);
	table_share(t, RUN_PERCENT, row->run_ns, window_ns);
	table_u64(t, EDGE, row->edge_ns);
	table_u64(t, UNKNOWN, row->unknown_ns);
	table_u64(t, SWITCHES, row->switches);
	table_u64(t, VOLUNTARY, row->voluntary);
	table_u64(t, INVOLUNTARY, row->involuntary);
	table_u64(t, SLEEP, row->outs[ANALYZE_OFF_SLEEP]);
	table_u64(t, DISK, row->outs[ANALYZE_OFF_DISK]);
	table_u64(t, IOWAIT, row->iowaits);
	table_u64(t, PREEMPTED, row->outs[ANALYZE_OFF_PREEMPTED]);
	table_u64(t, SLEEP_NS, row->off_ns[ANALYZE_OFF_SLEEP]);
	table_u64(t, DISK_NS, row->off_ns[ANALYZE_OFF_DISK]);
	table_u64(t, IOWAIT_NS, row->iowait_ns);
	table_u64(t, PREEMPTED_NS,
		  row->off_ns[ANALYZE_OFF_RUNNABLE] + row->off_ns[ANALYZE_OFF_PREEMPTED]);
	if (tables_has_wakeups(w))
		table_u64(t, WAKEUPS, row->wakeups);
	table_u64(t, MIGRATIONS, row->migrations);
	table_u64(t, NODE_MIGRATIONS, row->node_migrations);
	table_u64(t, EVENTS, row->events);
	latency(t, &row->latency);
	slices(t, &row->slice);
}

static void row_fini(void *row)
{
	analyze_task_row_fini(row);
}

static void one_row(struct table *t, const struct tables_walk *w, const struct analyze_task *task,
		    const struct analyze_task_row *row)
{
	table_row(t);
	task_cells(t, w, task);
	if (task->tid == 0 && task->idle_cpu != CDICT_CPU_UNKNOWN)
		table_i64(t, CPU, task->idle_cpu);
	else if (row->cpu != CDICT_CPU_UNKNOWN)
		table_i64(t, CPU, row->cpu);
	table_i64(t, IDLE, task->tid == 0);
	numbers(t, w, row);
	table_lossy(t, tables_lossy(w, task));
}

static void group_rows(struct table *t, const struct tables_walk *w,
		       const struct tables_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		const struct tables_group *g = &groups->items[i];

		table_row(t);
		table_text(t, TASK_NAME, g->name);
		table_i64(t, IDLE, g->idle);
		if (g->cpu != CDICT_CPU_UNKNOWN)
			table_i64(t, CPU, g->cpu);
		numbers(t, w, g->row);
		table_lossy(t, g->lossy);
	}
}

struct table *tables_tasks(const struct tables_walk *w, bool per_cpu)
{
	struct table *t = table_new("tasks", columns);
	struct analyze_task_row total = { 0 };
	struct tables_groups groups = { .row_size = sizeof(total), .row_fini = row_fini };
	bool lossy = false;

	if (!t)
		return NULL;
	for (size_t i = 0; i < analyze_tasks_row_count(w->tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(w->tasks, i);
		const struct analyze_task *task = analyze_engine_task(w->eng, row->task);
		struct tables_group *g;
		char *name;

		if (!names_wanted(&w->names, task))
			continue;
		if (task->tid) {
			analyze_task_row_merge(&total, row);
			lossy |= tables_lossy(w, task);
		}
		if (!names_merged(&w->names, task)) {
			one_row(t, w, task, row);
			continue;
		}
		name = names_display(&w->names, task);
		g = name ? tables_groups_take(&groups, w, task, name,
					      per_cpu ? row->cpu : CDICT_CPU_UNKNOWN)
			 : NULL;
		free(name);
		if (g)
			analyze_task_row_merge(g->row, row);
		else
			t->failed = true;
	}
	group_rows(t, w, &groups);
	table_total(t);
	table_text(t, TASK_NAME, "total without idle");
	numbers(t, w, &total);
	table_lossy(t, lossy);
	analyze_task_row_fini(&total);
	tables_groups_fini(&groups);
	return table_done(t);
}

/* SPDX-License-Identifier: LGPL-2.1-only */
/* The figures of each task. */
#include "tables/columns/decl.h"
#include "tables/columns/tables.h"

#define ROW(member) offsetof(struct analyze_task_row, member)

/* IDLE's own CPU, else the row's or the task's last one. */
static void cell_cpu(const struct cell *c)
{
	uint32_t cpu = c->r->cpu;

	if (c->r->task)
		cpu = ((const struct analyze_task_row *)c->row)->cpu;
	if (c->r->task && !c->r->task->tid && c->r->task->idle_cpu != CDICT_CPU_UNKNOWN)
		cpu = c->r->task->idle_cpu;
	if (cpu != CDICT_CPU_UNKNOWN)
		table_i64(c->t, c->column, cpu);
}

/* Including yields: switched out while runnable. */
static void cell_preempt(const struct cell *c)
{
	const uint64_t *off_ns = ((const struct analyze_task_row *)c->row)->off_ns;

	if (c->r->idle)
		return;
	table_u64(c->t, c->column, off_ns[ANALYZE_OFF_RUNNABLE] + off_ns[ANALYZE_OFF_PREEMPTED]);
}

static void cell_worst(const struct cell *c)
{
	const struct analyze_task_row *row = c->row;

	if (row->delays || row->worst.dur_ns || c->r->compared)
		cell_not_idle(c);
}

/* Whether more of it is unknown than known. */
static bool tasks_unknown(const void *row)
{
	const struct analyze_task_row *r = row;
	uint64_t known_ns = r->run_ns;

	for (unsigned s = 0; s < ANALYZE_OFF_N; s++)
		known_ns += r->off_ns[s];
	return r->unknown_ns > known_ns;
}

static const struct table_column columns[] = {
	{ "name", "task", TABLE_TEXT, 0, cell_name, 0 },
	{ "tid", "tid", TABLE_INTEGER, 0, cell_tid, 0 },
	{ "pid", "pid", TABLE_INTEGER, TABLE_SPARE, cell_pid, 0 },
	{ "comm", "comm", TABLE_TEXT, TABLE_MACHINE, cell_comm, 0 },
	{ "vm", "vm", TABLE_TEXT, TABLE_WIDE | TABLE_IN_NAME, cell_vm, 0 },
	{ "vcpu", "vcpu", TABLE_INTEGER, TABLE_WIDE | TABLE_IN_NAME, cell_vcpu, 0 },
	{ "cpu", "cpu", TABLE_INTEGER, TABLE_SPARE, cell_cpu, 0 },
	{ "idle", "idle", TABLE_INTEGER, TABLE_MACHINE | TABLE_EACH, cell_is_idle, 0 },
	{ "run_ns", "run ms", TABLE_MS, TABLE_KEEP | TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_u64,
	  ROW(run_ns) },
	{ "run_percent", "%CPU", TABLE_PERCENT, TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_share,
	  ROW(run_ns) },
	{ "edge_ns", "edge ms", TABLE_MS, TABLE_WIDE | TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_u64,
	  ROW(edge_ns) },
	{ "unknown_ns", "unknown ms", TABLE_MS, TABLE_WIDE | TABLE_OF_SWITCHES | TABLE_OF_RUNS,
	  cell_u64, ROW(unknown_ns) },
	{ "switches", "switches", TABLE_COUNT, TABLE_OF_SWITCHES, cell_u64, ROW(switches) },
	{ "voluntary", "volunt", TABLE_COUNT, TABLE_OF_STATES | TABLE_SPARE | TABLE_OF_SWITCHES,
	  cell_not_idle, ROW(voluntary) },
	{ "involuntary", "involunt", TABLE_COUNT, TABLE_OF_STATES | TABLE_SPARE | TABLE_OF_SWITCHES,
	  cell_not_idle, ROW(involuntary) },
	{ "sleeps", "sleeps", TABLE_COUNT, TABLE_OF_STATES | TABLE_WIDE | TABLE_OF_SWITCHES,
	  cell_not_idle, ROW(outs[ANALYZE_OFF_SLEEP]) },
	{ "blocks", "blocks", TABLE_COUNT, TABLE_OF_STATES | TABLE_WIDE | TABLE_OF_SWITCHES,
	  cell_not_idle, ROW(outs[ANALYZE_OFF_DISK]) },
	{ "iowaits", "iowaits", TABLE_COUNT,
	  TABLE_OF_STATES | TABLE_WIDE | TABLE_OF_IOWAITS | TABLE_OF_TIMES_OFF, cell_not_idle,
	  ROW(iowaits) },
	{ "preempted", "preempted", TABLE_COUNT, TABLE_OF_STATES | TABLE_WIDE | TABLE_OF_SWITCHES,
	  cell_not_idle, ROW(involuntary) },
	{ "sleep_ns", "sleep ms", TABLE_MS, TABLE_OF_STATES | TABLE_WIDE | TABLE_OF_TIMES_OFF,
	  cell_not_idle, ROW(off_ns[ANALYZE_OFF_SLEEP]) },
	{ "block_ns", "block ms", TABLE_MS, TABLE_OF_STATES | TABLE_WIDE | TABLE_OF_TIMES_OFF,
	  cell_not_idle, ROW(off_ns[ANALYZE_OFF_DISK]) },
	{ "iowait_ns", "iowait ms", TABLE_MS,
	  TABLE_OF_STATES | TABLE_WIDE | TABLE_OF_IOWAITS | TABLE_OF_TIMES_OFF, cell_not_idle,
	  ROW(iowait_ns) },
	{ "preempt_ns", "preempt ms", TABLE_MS, TABLE_OF_STATES | TABLE_WIDE | TABLE_OF_TIMES_OFF,
	  cell_preempt, 0 },
	{ "delayed_ns", "waited ms", TABLE_MS,
	  TABLE_AND_WAKEUPS | TABLE_OF_STATES | TABLE_WIDE | TABLE_OF_TIMES_OFF, cell_not_idle,
	  ROW(delayed_ns) },
	{ "delays", "waits", TABLE_COUNT,
	  TABLE_AND_WAKEUPS | TABLE_OF_STATES | TABLE_WIDE | TABLE_OF_TIMES_OFF, cell_not_idle,
	  ROW(delays) },
	{ "worst_ns", "worst ms", TABLE_MS,
	  TABLE_AND_WAKEUPS | TABLE_OF_STATES | TABLE_WIDE | TABLE_GAUGE | TABLE_OF_TIMES_OFF,
	  cell_worst, ROW(worst.dur_ns) },
	{ "worst_at_ns", "worst at s", TABLE_TIME,
	  TABLE_OF_STATES | TABLE_WIDE | TABLE_EACH | TABLE_OF_TIMES_OFF, cell_worst,
	  ROW(worst.at_ns) },
	{ "wakeups", "wakeups", TABLE_COUNT, TABLE_SPARE | TABLE_OF_WAKEUPS, cell_u64,
	  ROW(wakeups) },
	{ "migrations", "migr", TABLE_COUNT, TABLE_SPARE | TABLE_OF_TIMES_OFF, cell_u64,
	  ROW(migrations) },
	{ "node_migrations", "cross-node", TABLE_COUNT, TABLE_WIDE | TABLE_OF_TIMES_OFF, cell_u64,
	  ROW(node_migrations) },
	{ "latency_avg_ns", "lat avg ms", TABLE_MS, TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF, cell_avg,
	  ROW(latency) },
	{ "latency_p50_ns", "lat p50 ms", TABLE_MS,
	  TABLE_WIDE | TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF, cell_p50, ROW(latency) },
	{ "latency_p99_ns", "lat p99 ms", TABLE_MS, TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF, cell_p99,
	  ROW(latency) },
	{ "latency_max_ns", "lat max ms", TABLE_MS,
	  TABLE_KEEP | TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF, cell_max, ROW(latency) },
	{ "latency_max_at_ns", "lat max at s", TABLE_TIME,
	  TABLE_WIDE | TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF, cell_max_at, ROW(latency) },
	{ "slice_avg_ns", "slice avg ms", TABLE_MS, TABLE_WIDE | TABLE_OF_SWITCHES | TABLE_OF_RUNS,
	  cell_avg, ROW(slice) },
	{ "slice_p50_ns", "slice p50 ms", TABLE_MS,
	  TABLE_MACHINE | TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_p50, ROW(slice) },
	{ "slice_p99_ns", "slice p99 ms", TABLE_MS,
	  TABLE_MACHINE | TABLE_OF_SWITCHES | TABLE_OF_RUNS, cell_p99, ROW(slice) },
	{ "slice_max_ns", "slice max ms", TABLE_MS, TABLE_WIDE | TABLE_OF_SWITCHES | TABLE_OF_RUNS,
	  cell_max, ROW(slice) },
	{ "events", "events", TABLE_COUNT, TABLE_WIDE, cell_u64, ROW(events) },
	TABLE_COLUMNS_END,
};

/* Compared figures; the names that rules use for tasks differ from those for groups. */
#define CHANGES(rate, latency)                                                                     \
	{                                                                                          \
		TABLES_SHARE("run", "cpu", "run %", false),                                        \
			TABLES_PER_S("switches", "switches" rate, "switches/s", false),            \
			TABLES_PER_S("involuntary", "involuntary" rate, "involunt/s", true),       \
			TABLES_PER_S("wakeups", "wakeups" rate, "wakeups/s", true),                \
			TABLES_PER_S("migrations", "migrations" rate, "migr/s", true),             \
			TABLES_SHARE("delayed", "delayed", "waited %", true),                      \
			TABLES_PER_S("delays", "delays" rate, "waits/s", true),                    \
			TABLES_NS("worst", "worst", "worst ms", true),                             \
			TABLES_NS("latency_avg", latency "avg", "lat avg ms", true),               \
			TABLES_NS("latency_p50", latency "p50", "lat p50 ms", true),               \
			TABLES_NS("latency_p99", latency "p99", "lat p99 ms", false),              \
			TABLES_NS("latency_max", latency "max", "lat max ms", true),               \
			TABLES_CHANGES_END                                                         \
	}
static const struct tables_change changes_of_tasks[] = CHANGES(".rate", "latency.");
static const struct tables_change changes_of_groups[] = CHANGES("", "latency_");

TABLES_ROWS(tasks, tasks, analyze_tasks_row_count, analyze_tasks_row_at)
TABLES_SUMS(tasks, analyze_task_row_merge, analyze_task_row_fini)

#define DECL_OF_TASKS                                                                              \
	.columns = columns, .order = "idle,run_ns", .count = tasks_count, .at = tasks_at,          \
	.row_size = sizeof(struct analyze_task_row), .merge = tasks_merge, .fini = tasks_fini,     \
	.total = "total without idle", .merged = true, .cpu_at = ROW(cpu),                         \
	.unknown = tasks_unknown

const struct tables_decl tables_decl_tasks = { .name = "tasks",
					       DECL_OF_TASKS,
					       .changes = changes_of_tasks };
const struct tables_decl tables_decl_groups = {
	.name = "groups", DECL_OF_TASKS, .changes = changes_of_groups, .folded = true
};

struct table *tables_tasks(const struct tables_walk *w, bool per_cpu)
{
	return tables_make(w, &tables_decl_tasks, per_cpu);
}

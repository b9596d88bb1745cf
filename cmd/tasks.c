/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict tasks: what each task did. */
#include <stdlib.h>
#include <string.h>

#include "cmd/figures_groups.h"
#include "cmd/tables.h"

struct tasks_opts {
	struct options_shared shared;
	bool per_cpu;
};

enum {
	NAME,
	TID,
	PID,
	COMM,
	VM,
	VCPU,
	CPU,
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
	[NAME] = { "name", "task", TABLE_TEXT, 0 },
	[TID] = { "tid", "tid", TABLE_INTEGER, 0 },
	[PID] = { "pid", "pid", TABLE_INTEGER, 0 },
	[COMM] = { "comm", "comm", TABLE_TEXT, TABLE_MACHINE },
	[VM] = { "vm", "vm", TABLE_TEXT, TABLE_WIDE },
	[VCPU] = { "vcpu", "vcpu", TABLE_INTEGER, TABLE_WIDE },
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

static void numbers(struct table *t, const struct figures *f, const struct analyze_task_row *row)
{
	uint64_t window_ns = analyze_engine_summary(f->eng)->window_ns;

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
	if (figures_has_wakeups(f))
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

static void one_row(struct table *t, const struct figures *f, const struct analyze_task *task,
		    const struct analyze_task_row *row, const char *name)
{
	char *vm = names_vm(&f->names, task);

	table_row(t);
	figures_name_cell(t, NAME, f, task, name);
	table_i64(t, TID, task->tid);
	if (task->pid >= 0)
		table_i64(t, PID, task->pid);
	table_text(t, COMM, task->comm);
	figures_vm_cell(t, VM, f, task, vm);
	if (names_vcpu(&f->names, task) >= 0)
		table_i64(t, VCPU, names_vcpu(&f->names, task));
	if (task->tid == 0 && task->idle_cpu != CDICT_CPU_UNKNOWN)
		table_i64(t, CPU, task->idle_cpu);
	else if (row->cpu != CDICT_CPU_UNKNOWN)
		table_i64(t, CPU, row->cpu);
	table_i64(t, IDLE, task->tid == 0);
	numbers(t, f, row);
	table_lossy(t, figures_lossy(f, task));
	free(vm);
}

static void group_rows(struct table *t, const struct figures *f,
		       const struct figures_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		const struct figures_group *g = &groups->items[i];

		table_row(t);
		table_text(t, NAME, g->name);
		table_i64(t, IDLE, g->idle);
		if (g->cpu != CDICT_CPU_UNKNOWN)
			table_i64(t, CPU, g->cpu);
		numbers(t, f, g->row);
		table_lossy(t, g->lossy);
	}
}

int tables_tasks(struct table **out, const struct figures *f, const struct analyze_tasks *tasks,
		 bool per_cpu)
{
	struct table *t = table_new("tasks", columns);
	struct analyze_task_row total = { 0 };
	struct figures_groups groups = { .row_size = sizeof(total), .row_fini = row_fini };
	bool lossy = false;
	int status = CMD_DONE;

	*out = t;
	if (!t)
		return figures_no_memory(f);

	for (size_t i = 0; i < analyze_tasks_row_count(tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(tasks, i);
		const struct analyze_task *task = analyze_engine_task(f->eng, row->task);
		char *name;

		if (!names_wanted(&f->names, &f->filter, task))
			continue;
		name = names_display(&f->names, task);
		if (!name) {
			status = figures_no_memory(f);
			break;
		}
		if (task->tid) {
			analyze_task_row_merge(&total, row);
			lossy |= figures_lossy(f, task);
		}
		if (names_merged(&f->names, task)) {
			uint32_t cpu = per_cpu ? row->cpu : CDICT_CPU_UNKNOWN;
			struct figures_group *g = figures_groups_take(&groups, f, task, name, cpu);

			if (g)
				analyze_task_row_merge(g->row, row);
			else
				status = figures_no_memory(f);
		} else {
			one_row(t, f, task, row, name);
		}
		free(name);
	}
	group_rows(t, f, &groups);
	table_total(t);
	table_text(t, NAME, "total without idle");
	numbers(t, f, &total);
	table_lossy(t, lossy);
	analyze_task_row_fini(&total);
	figures_groups_fini(&groups);
	return status;
}

static int tasks_add(struct figures *f, void *tasks, struct cdict_error *err)
{
	const struct tasks_opts *opts = f->call->opts;
	struct analyze_tasks_options how = { .per_cpu = opts->per_cpu };

	return analyze_tasks_new(tasks, f->eng, &how, err);
}

static int tasks_print(struct figures *f, void *state)
{
	const struct tasks_opts *opts = f->call->opts;
	struct analyze_tasks **tasks = state;
	struct table *t = NULL;
	int status;

	figures_has_switch(f, "ran");
	status = tables_tasks(&t, f, *tasks, opts->per_cpu);
	if (!status)
		status = figures_print(f, NULL, NULL, &t, 1);
	table_free(t);
	return status;
}

static void tasks_free(void *state)
{
	struct analyze_tasks **tasks = state;

	analyze_tasks_free(*tasks);
}

static const struct figures_frame tasks_frame = { tasks_add, tasks_print, tasks_free };

static int tasks_run(const struct cmd_call *call)
{
	struct analyze_tasks *tasks = NULL;

	return figures_command(call, &tasks_frame, &tasks);
}

static const struct cmd_option tasks_options[] = {
	OPTION_INPUT,
	CMD_FLAG(0, "per-cpu", struct tasks_opts, per_cpu, "one row a task and CPU"),
	OPTIONS_TASKS,
	OPTION_CPU,
	OPTIONS_WINDOW,
	OPTION_NO_GUEST_MODE,
	OPTION_MERGE_SYS_TASKS,
	OPTION_APPEND_TID,
	OPTIONS_TABLE("idle,run_ns"),
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example tasks_examples[] = {
	{ "cdict tasks run.cdict", "every task, by run time, IDLE last" },
	{ "cdict tasks run.cdict -t qemu -s latency_max_ns -n 10",
	  "the ten QEMU threads that once waited longest for a CPU" },
	{ "cdict tasks run.cdict --per-cpu -C 0-3 --format csv",
	  "who ran on CPUs 0 to 3, for a script" },
	{ NULL, NULL },
};

const struct cmd cmd_tasks = {
	.name = "tasks",
	.brief = "run time, switches, wake-ups and latency per task",
	.operands = "FILE",
	.about =
		"A task is a thread. Run time is clipped to the window; %CPU is its share of the "
		"window, 100 being one CPU all the time. Latency is the wait for a CPU after a "
		"wake-up. With -v: sleep, block, I/O wait and preemption, time slices, the edge and "
		"unknown part of the run time.",
	.options = tasks_options,
	.opts_size = sizeof(struct tasks_opts),
	.min_operands = 0,
	.max_operands = 1,
	.examples = tasks_examples,
	.run = tasks_run,
};

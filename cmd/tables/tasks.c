/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict tasks: the figures of each task. */
#include "cmd/tables/figures.h"
#include "cmd/tables/fleet.h"
#include "cmd/tables/guests.h"

struct tasks_opts {
	struct options_shared shared;
	bool guest;
	const char *clock; /* of the guest, or NULL */
	bool per_cpu;
	int by; /* index of by_choices */
};

enum { BY_TASK = 0, BY_GROUP, BY_ROLE, BY_CGROUP };
static const char *const by_choices[] = { "task", "group", "role", "cgroup", NULL };

static int add_analyses(struct figures *f, struct cdict_error *err)
{
	const struct tasks_opts *opts = f->call->opts;
	struct analyze_tasks_options how = { .per_cpu = opts->per_cpu };

	return analyze_tasks_new(&f->walk.tasks, f->walk.eng, &how, err);
}

static int print(struct figures *f)
{
	const struct tasks_opts *opts = f->call->opts;
	struct table *t;

	figures_has_switch(f, "ran");
	t = opts->by == BY_GROUP    ? tables_tasks_groups(&f->walk)
	    : opts->by == BY_ROLE   ? tables_tasks_roles(&f->walk)
	    : opts->by == BY_CGROUP ? tables_tasks_cgroups(&f->walk)
				    : tables_tasks(&f->walk, opts->per_cpu);
	return figures_print(f, NULL, &t, 1);
}

static int run_files(const struct cmd_call *call)
{
	return figures_command(call, add_analyses, print);
}

static int tasks_run(const struct cmd_call *call)
{
	const struct tasks_opts *opts = call->opts;

	if (opts->per_cpu && opts->by != BY_TASK)
		return cmd_usage(call, "--per-cpu cannot be used with --by %s",
				 by_choices[opts->by]);
	if (opts->shared.job)
		return opts->per_cpu || opts->by != BY_TASK
			       ? cmd_usage(call, "--by and --per-cpu cannot be used with --job")
			       : fleet_print(call, &fleet_tasks);
	return guest_files_or(call, opts->guest, opts->clock, GUEST_TABLES_TASKS, run_files);
}

static const struct cmd_option tasks_options[] = {
	OPTION_INPUT,
	CMD_CHOICE(
		0, "by", struct tasks_opts, by, "WHAT", by_choices, "task",
		"a row for each task, group, role or control group: a group is a VM, the kernel "
		"threads, a systemd unit, container or pod, else tasks of one name; roles are the "
		"parts of a VM, the kinds of kernel threads, and a unit's programs"),
	CMD_FLAG(0, "per-cpu", struct tasks_opts, per_cpu, "one row per task and CPU"),
	OPTIONS_GUEST(struct tasks_opts, guest, clock),
	OPTIONS_SELECT,
	OPTION_MERGE_SYS_TASKS,
	OPTION_APPEND_TID,
	OPTIONS_OF_JOB,
	OPTIONS_TABLE("idle,run_ns"),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example tasks_examples[] = {
	{ "cdict tasks run.cdict", "every task, by run time, IDLE last" },
	{ "cdict tasks run.cdict -t qemu -s latency_max_ns -n 10",
	  "the ten QEMU threads with the longest single wait for a CPU" },
	{ "cdict tasks run.cdict --by group",
	  "600 tasks as a few rows: VMs, the kernel, programs" },
	{ "cdict tasks run.cdict --by cgroup", "by the full path of the control group" },
	{ "cdict tasks run.cdict --per-cpu -C 0-3 --format csv",
	  "the tasks that ran on CPUs 0 to 3, for a script" },
	{ NULL, NULL },
};

const struct cmd cmd_tasks = {
	.name = "tasks",
	.brief = "run time, switches, wake-ups and latency per task",
	.operands = "[FILE...] [[VM]=GUEST...]",
	.about =
		"A task is a thread. Run time is clipped to the window; %CPU is its share of the "
		"window, 100 being one CPU all the time. Latency is the wait for a CPU after a "
		"wake-up. With -v: sleep, block, I/O wait and preemption, time slices, the edge and "
		"unknown part of the run time.",
	.options = tasks_options,
	.opts_size = sizeof(struct tasks_opts),
	.max_operands = FIGURES_FILES,
	.examples = tasks_examples,
	.run = tasks_run,
};

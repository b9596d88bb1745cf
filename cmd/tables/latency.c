/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict latency: how long runnable tasks waited for a CPU. */
#include <stdlib.h>

#include "cmd/tables/figures.h"
#include "cmd/tables/fleet.h"
#include "cmd/tables/guests.h"

enum by { BY_TASK = 0, BY_CPU };

struct latency_opts {
	struct options_shared shared;
	bool guest;
	const char *clock; /* of the guest, or NULL */
	int by;            /* enum by */
	bool perf;
};

static const char *const by_choices[] = { "task", "cpu", NULL };

static int add_analyses(struct figures *f, struct cdict_error *err)
{
	const struct latency_opts *opts = f->call->opts;
	struct analyze_latency_options how = { .by_cpu = opts->by == BY_CPU,
					       .like_perf = opts->perf ? ANALYZE_PERF_6_1
								       : ANALYZE_NOT_PERF };

	return analyze_latency_new(&f->walk.latency, f->walk.eng, &how, err);
}

static int print(struct figures *f)
{
	const struct latency_opts *opts = f->call->opts;
	struct table *t;
	char *chart = NULL;
	int status;

	if (figures_has_switch(f, "waited") && !tables_has_wakeups(&f->walk))
		figures_lacks(
			f,
			"no sched:sched_waking or sched:sched_wakeup events: wake-up latencies are "
			"unknown; %s",
			figures_remedy(f, "sched"));
	t = opts->perf           ? tables_latency_perf(&f->walk)
	    : opts->by == BY_CPU ? tables_latency_cpus(&f->walk)
				 : tables_latency(&f->walk);
	if (!opts->perf && f->opts->format == TABLE_AS_TEXT) {
		chart = tables_latency_chart(&f->walk);
		if (!chart) {
			table_free(t);
			return figures_no_memory(f);
		}
		f->chart = *chart ? chart : NULL;
	}
	status = figures_print(f, NULL, &t, 1);
	free(chart);
	return status;
}

static int run_files(const struct cmd_call *call)
{
	return figures_command(call, add_analyses, print);
}

static int latency_run(const struct cmd_call *call)
{
	const struct latency_opts *opts = call->opts;
	const struct options_shared *shared = &opts->shared;

	if (opts->by == BY_CPU && (shared->task || shared->tids.n || shared->vm || opts->perf))
		return cmd_usage(call, "option --by cpu counts all tasks: it cannot be used with "
				       "--task, --tid, --vm or --perf");
	if (shared->job)
		return opts->by == BY_CPU || opts->perf
			       ? cmd_usage(call, "--by cpu and --perf cannot be used with --job")
			       : fleet_print(call, &fleet_latency);
	return guest_files_or(call, opts->guest, opts->clock, GUEST_TABLES_LATENCY, run_files);
}

static const struct cmd_option latency_options[] = {
	OPTION_INPUT,
	CMD_CHOICE(0, "by", struct latency_opts, by, "WHAT", by_choices, "task",
		   "a row per task, or per CPU on which waiting tasks were switched in"),
	CMD_FLAG(0, "perf", struct latency_opts, perf,
		 "the figures of perf sched latency, as it defines them"),
	OPTIONS_GUEST(struct latency_opts, guest, clock),
	OPTIONS_SELECT,
	OPTION_MERGE_SYS_TASKS,
	OPTION_APPEND_TID,
	OPTIONS_OF_JOB,
	OPTIONS_TABLE("longest wait first"),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example latency_examples[] = {
	{ "cdict latency run.cdict -n 20", "the tasks with the longest single wait for a CPU" },
	{ "cdict latency run.cdict -t vhost -s latency_p99_ns", "the vhost threads" },
	{ "cdict latency run.cdict --perf", "what perf sched latency prints" },
	{ NULL, NULL },
};

const struct cmd cmd_latency = {
	.name = "latency",
	.brief = "run-queue latency: from wake-up to running",
	.operands = "[FILE...] [[VM]=GUEST...]",
	.about = "Latency is the time from a task's first wake-up to its switch-in. -v adds the "
		 "waits after preemption. Percentiles are at most 0.8 % off; everything else is "
		 "exact. The bars count the waits of all tasks by powers of two.",
	.options = latency_options,
	.opts_size = sizeof(struct latency_opts),
	.max_operands = FIGURES_FILES,
	.examples = latency_examples,
	.run = latency_run,
};

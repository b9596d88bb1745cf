/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict successors: which tasks ran next on the CPU after a task. */
#include "cmd/tables/figures.h"

static int add_analyses(struct figures *f, struct cdict_error *err)
{
	return analyze_successors_new(&f->walk.successors, f->walk.eng, err);
}

static int print(struct figures *f)
{
	struct table *t;

	figures_has_switch(f, "ran");
	t = tables_successors(&f->walk);
	return figures_print(f, NULL, &t, 1);
}

static int successors_run(const struct cmd_call *call)
{
	const struct options_shared *opts = call->opts;

	if (!opts->task && !opts->tids.n && !opts->vm)
		return cmd_usage(call, "needs a task: --task, --tid or --vm");
	return figures_command(call, add_analyses, print);
}

static const struct cmd_option successors_options[] = {
	OPTION_INPUT,           OPTIONS_SELECT, OPTION_MERGE_SYS_TASKS, OPTION_APPEND_TID,
	OPTIONS_TABLE("count"), OPTIONS_READ,   CMD_OPTIONS_END,
};

static const struct cmd_example successors_examples[] = {
	{ "cdict successors run.cdict --tid 1054", "the tasks that ran after one thread" },
	{ "cdict successors run.cdict -t 'CPU ./KVM' --merge-sys-tasks",
	  "the tasks that ran after the vCPUs, with kernel threads merged by kind" },
	{ NULL, NULL },
};

const struct cmd cmd_successors = {
	.name = "successors",
	.brief = "which tasks ran next on the CPU after a task",
	.operands = "[FILE...]",
	.about = "Counts the switches away from each matching task, by the task switched to. "
		 "Percentages are of all switches away from the task. A switch is involuntary if "
		 "the task could have kept running; IDLE has none.",
	.options = successors_options,
	.opts_size = sizeof(struct options_shared),
	.max_operands = FIGURES_FILES,
	.examples = successors_examples,
	.run = successors_run,
};

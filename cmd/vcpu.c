/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict vcpu: where every vCPU's time went, and who was in its way. */
#include <stdlib.h>
#include <string.h>

#include "cmd/tables.h"

enum by { BY_STATE = 0, BY_REASON, BY_ANTAGONIST };

struct vcpu_opts {
	struct options_shared shared;
	int by; /* enum by */
};

static const char *const by_choices[] = { "state", "reason", "antagonist", NULL };

/* As many antagonists of each vCPU as a reader looks at; with -v, in JSON and on request: all. */
#define MOST_ANTAGONISTS 3

/* Which of the vCPUs' tables are printed, the chosen one first. */
static int print(struct figures *f, const struct analyze_vcpus *vcpus, int by)
{
	struct table *all[3] = { NULL, NULL, NULL }, *order[3];
	bool json = f->opts->format == OPTIONS_JSON, all_rows;
	struct cdict_error err = { 0 };
	char *note = NULL;
	size_t n = 1;
	int status;

	all_rows = json || f->call->verbose || by == BY_ANTAGONIST ||
		   f->opts->format == OPTIONS_CSV;
	status = tables_vcpu(&all[BY_STATE], f, vcpus);
	if (!status && by == BY_STATE) {
		/* the others follow this one's rows */
		if (f->opts->sort && table_sort(all[BY_STATE], f->opts->sort, &err))
			status = figures_fail(f, &err);
		table_top(all[BY_STATE], f->opts->top);
	}
	if (!status)
		status = tables_vcpu_reasons(&all[BY_REASON], f, vcpus);
	if (!status)
		status = tables_antagonists(&all[BY_ANTAGONIST], f, vcpus, all[BY_STATE],
					    all_rows ? 0 : MOST_ANTAGONISTS);
	if (!status && by == BY_STATE && f->opts->format == OPTIONS_TEXT) {
		note = tables_vcpu_findings(f, vcpus);
		if (!note)
			status = figures_no_memory(f);
	}
	order[0] = all[by];
	for (int i = 0; i < 3 && !status; i++) {
		if (i != by && (json || (by == BY_STATE && i == BY_ANTAGONIST && all[i]->n_rows)))
			order[n++] = all[i];
	}
	if (!status)
		status = figures_print(f, note, NULL, order, n);
	free(note);
	for (int i = 0; i < 3; i++)
		table_free(all[i]);
	return status;
}

static void warn(const struct figures *f)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->eng);

	if (!sum->has_entry && !sum->has_exit)
		cmd_warn(f->call, f->file,
			 "holds neither kvm:kvm_entry nor kvm:kvm_exit: no vCPU is to be seen; "
			 "record with -e 'kvm:*' -e 'sched:*'");
	else if (!sum->has_entry || !sum->has_exit)
		cmd_warn(f->call, f->file,
			 "holds no kvm:%s: what a vCPU did on its CPU is mostly unknown",
			 sum->has_entry ? "kvm_exit" : "kvm_entry");
	if (!sum->has_switch)
		cmd_warn(f->call, f->file,
			 "holds no sched:sched_switch: a vCPU that was off its CPU counts as "
			 "handling an exit; record with -e 'sched:*'");
}

static int vcpu_add(struct figures *f, void *vcpus, struct cdict_error *err)
{
	return analyze_vcpus_new(vcpus, f->eng, err);
}

static int vcpu_print(struct figures *f, void *state)
{
	const struct vcpu_opts *opts = f->call->opts;
	struct analyze_vcpus **vcpus = state;

	warn(f);
	return print(f, *vcpus, opts->by);
}

static void vcpu_free(void *state)
{
	struct analyze_vcpus **vcpus = state;

	analyze_vcpus_free(*vcpus);
}

static const struct figures_frame vcpu_frame = { vcpu_add, vcpu_print, vcpu_free };

static int vcpu_run(const struct cmd_call *call)
{
	struct analyze_vcpus *vcpus = NULL;

	return figures_command(call, &vcpu_frame, &vcpus);
}

static const struct cmd_option vcpu_options[] = {
	OPTION_INPUT,
	CMD_CHOICE(0, "by", struct vcpu_opts, by, "WHAT", by_choices, "state",
		   "a row per vCPU with its states, per vCPU and exit reason, or per vCPU and "
		   "antagonist"),
	OPTIONS_TASKS,
	OPTION_CPU,
	OPTIONS_WINDOW,
	OPTION_NO_GUEST_MODE,
	OPTION_APPEND_TID,
	OPTION_FORMAT,
	CMD_STRING('s', "sort", struct options_shared, sort, "KEY[:asc|:desc]",
		   "sort by this column, named as in the JSON output (default: worst first)"),
	OPTION_TOP,
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example vcpu_examples[] = {
	{ "cdict vcpu run.cdict", "what kept the vCPUs from running, worst first" },
	{ "cdict vcpu run.cdict --by reason --vm 1044", "which exits one VM's time went into" },
	{ "cdict vcpu run.cdict --by antagonist --format csv",
	  "who was in whose way, for a script" },
	{ NULL, NULL },
};

const struct cmd cmd_vcpu = {
	.name = "vcpu",
	.brief = "where every vCPU's time went, and who was in its way",
	.operands = "FILE",
	.about =
		"Opens with what to look at. Then, for every vCPU, the window to the ns: in the guest, "
		"handling an exit in the kernel, in QEMU, preempted, waiting for a CPU after a "
		"wake-up, halted, blocked, unknown; delayed is preempted and waiting. The antagonists "
		"ran on the CPU meanwhile.",
	.options = vcpu_options,
	.opts_size = sizeof(struct vcpu_opts),
	.min_operands = 0,
	.max_operands = 1,
	.examples = vcpu_examples,
	.run = vcpu_run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict vcpu: how each vCPU spent its time, and what delayed it. */
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/reasons.h"
#include "cmd/tables/figures.h"
#include "cmd/tables/fleet.h"
#include "cmd/tables/guests.h"

enum by {
	BY_STATE = 0,
	BY_REASON,
	BY_ANTAGONIST,
	BY_VM,
	BY_SIBLING,
	BY_HALT,
	HALTS_VMS,
	CAPACITY,
	TABLES
};

struct vcpu_opts {
	struct options_shared shared;
	int by; /* enum by */
};

static const char *const by_choices[] = { "state",   "reason", "antagonist", "vm",
					  "sibling", "halt",   NULL };

/* Antagonists per vCPU that fit a reader's attention; with -v, in JSON and on request: all. */
#define MOST_ANTAGONISTS 3

/* Whether to print all tables: for formats that programs read. */
static bool for_programs(const struct figures *f)
{
	return f->opts->format == TABLE_AS_JSON || f->opts->format == TABLE_AS_OPENMETRICS;
}

/* Makes a table; @vcpu: the vCPUs' own table, whose shown rows are known. */
static struct table *make(const struct figures *f, int by, struct table *vcpu)
{
	bool all_rows = for_programs(f) || f->call->verbose || f->opts->format == TABLE_AS_CSV;
	const struct vcpu_opts *opts = f->call->opts;

	switch (by) {
	case BY_REASON:
		return tables_vcpu_reasons(&f->walk);
	case BY_ANTAGONIST:
		return tables_antagonists(&f->walk, vcpu,
					  all_rows || opts->by == BY_ANTAGONIST ? 0
										: MOST_ANTAGONISTS);
	case BY_VM:
		return tables_delays(&f->walk);
	case BY_SIBLING:
		return tables_beside(&f->walk);
	case BY_HALT:
		return tables_halts(&f->walk);
	case HALTS_VMS:
		return tables_halts_vms(&f->walk);
	default:
		return tables_capacity(&f->walk);
	}
}

/* Prints the vCPUs' tables, the chosen one first. */
static int print_tables(struct figures *f, int by)
{
	bool json = for_programs(f), text = f->opts->format == TABLE_AS_TEXT;
	struct table *vcpu = tables_vcpu(&f->walk), *tables[TABLES];
	struct cdict_error err = { 0 };
	char *note = NULL;
	int status, failed = CMD_DONE;
	size_t n = 1;

	if (!vcpu)
		return figures_no_memory(f);
	if (by == BY_STATE) { /* the antagonists are listed for its rows */
		if (f->opts->sort && table_sort(vcpu, f->opts->sort, &err)) {
			table_free(vcpu);
			return figures_fail(f, &err);
		}
		table_top(vcpu, f->opts->top);
	}
	tables[0] = by == BY_STATE ? vcpu : make(f, by, vcpu);
	for (int i = BY_REASON; i < TABLES; i++) {
		bool of_halts = i == BY_HALT || i == HALTS_VMS;
		bool follows = by == BY_STATE ? i == BY_ANTAGONIST
					      : by == BY_HALT && i == HALTS_VMS;

		if (i == by || (of_halts && by != BY_HALT) || !(json || follows))
			continue;
		tables[n] = make(f, i, vcpu);
		if (tables[n] && !tables[n]->n_rows && !json)
			table_free(tables[n]);
		else
			n++;
	}
	if (by != BY_STATE && json)
		tables[n++] = vcpu;
	else if (by != BY_STATE)
		table_free(vcpu);
	if (text && (by == BY_STATE || by == BY_VM || by == BY_SIBLING)) {
		note = by == BY_VM        ? tables_capacity_text(&f->walk)
		       : by == BY_SIBLING ? strdup(tables_beside_text(&f->walk))
					  : tables_vcpu_findings(&f->walk);
		if (by == BY_STATE)
			note = guests_beside(f, note, &failed);
		if (!note) { /* out of memory: a NULL table reports it */
			table_free(tables[0]);
			tables[0] = NULL;
		}
	}
	status = failed;
	if (!failed)
		status = figures_print(f, note, tables, n);
	for (size_t i = 0; failed && i < n; i++)
		table_free(tables[i]);
	free(note);
	return status;
}

static void warn(struct figures *f)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);

	const struct analyze_kvm_events *kvm =
		analyze_kvm_events(cdict_reader_info(f->reader, "host.arch"));

	if (!figures_has_vcpus(f))
		return;
	if (!sum->has_entry || !sum->has_exit)
		cmd_warn(f->call, f->file,
			 "no %s events: most of the vCPUs' time on a CPU is unknown; %s",
			 sum->has_entry ? kvm->exit : kvm->entry, figures_remedy(f, "kvm"));
	if (!sum->has_switch)
		cmd_warn(f->call, f->file,
			 "no sched:sched_switch events: time off the CPU counts as handling an "
			 "exit; %s",
			 figures_remedy(f, "sched"));
}

static int add_analyses(struct figures *f, struct cdict_error *err)
{
	const struct vcpu_opts *opts = f->call->opts;
	int rc = analyze_vcpus_new(&f->walk.vcpus, f->walk.eng, err);

	/* the findings name other threads of the VMs */
	if (!rc && opts->by == BY_STATE && opts->shared.format == TABLE_AS_TEXT)
		rc = analyze_tasks_new(&f->walk.tasks, f->walk.eng, NULL, err);
	if (!rc && opts->by == BY_HALT)
		rc = analyze_halts_new(&f->walk.halts, f->walk.eng, err);
	return rc;
}

static int print(struct figures *f)
{
	const struct vcpu_opts *opts = f->call->opts;

	warn(f);
	return print_tables(f, opts->by);
}

static int vcpu_run(const struct cmd_call *call)
{
	const struct vcpu_opts *opts = call->opts;

	if (opts->shared.job)
		return opts->by == BY_STATE ? fleet_print(call, &fleet_vcpu)
		       : opts->by == BY_VM  ? fleet_print(call, &fleet_behind)
					    : cmd_usage(call, "--by: with --job, state or vm");
	return figures_command(call, add_analyses, print);
}

static const struct cmd_option vcpu_options[] = {
	OPTION_INPUT,
	CMD_CHOICE(
		0, "by", struct vcpu_opts, by, "WHAT", by_choices, "state",
		"a row per vCPU with its states, per vCPU and exit reason, per vCPU and "
		"antagonist, per VM and the VM or tasks it waited behind, per VM and the VM or "
		"tasks on the sibling threads of its cores, or per vCPU with the ends of its halts"),
	OPTIONS_SELECT,
	OPTION_APPEND_TID,
	OPTIONS_OF_JOB,
	OPTIONS_TABLE("worst first"),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example vcpu_examples[] = {
	{ "cdict vcpu run.cdict", "why the vCPUs were not running, worst first" },
	{ "cdict vcpu run.cdict --by vm",
	  "which VM delayed which, and the worst wait of each pair" },
	{ "cdict vcpu run.cdict --by sibling",
	  "the tasks that shared the cores of each VM's vCPUs" },
	{ "cdict vcpu run.cdict --by reason --vm 1044", "one VM's time by exit reason" },
	{ "cdict vcpu run.cdict --by antagonist --format csv",
	  "which task delayed which vCPU, for a script" },
	{ NULL, NULL },
};

const struct cmd cmd_vcpu = {
	.name = "vcpu",
	.brief = "where every vCPU's time went, and which tasks delayed it",
	.operands = "[FILE...]",
	.about =
		"Starts with the main findings. Then splits the window of every vCPU, exact to the "
		"ns: in the guest, handling an exit in the kernel, in the VMM, preempted, waiting for "
		"a CPU after a wake-up, halted, blocked, unknown; waited is preempted plus "
		"waiting. Antagonists are the tasks that ran on the CPU meanwhile.",
	.options = vcpu_options,
	.opts_size = sizeof(struct vcpu_opts),
	.max_operands = FIGURES_FILES,
	.examples = vcpu_examples,
	.run = vcpu_run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict exits: the reasons of guest exits, and how long they took. */
#include <stdio.h>

#include "analyze/printing/reasons.h"
#include "cmd/tables/figures.h"
#include "cmd/tables/fleet.h"
#include "tables/columns/number.h"

struct exits_opts {
	struct options_shared shared;
	int by; /* index of by_choices */
};

/* Starts with those of enum tables_exits_by; from BY_PORT on: by the target of the access. */
enum { BY_PORT = TABLES_EXITS_BY_VCPU + 1 };
static const char *const by_choices[] = { "task",    "reason", "vm",     "vcpu", "port",
					  "address", "msr",    "vector", NULL };

/* Prints the tables for --by, sorted: by default work before idling, longest first. */
static int print_reasons(struct figures *f, enum tables_exits_by by)
{
	struct tables_idle_exits idle = { 0 };
	struct table *tables[] = { tables_exits(&f->walk, by, &idle), tables_guest(&f->walk) };
	char note[200], count[NUMBER_ROOM], time[NUMBER_ROOM];

	snprintf(note, sizeof(note),
		 "halted: %s exit%s, %s in which guests were idle; "
		 "not part of the percentages",
		 number_grouped(count, idle.events), idle.events == 1 ? "" : "s",
		 number_time(time, idle.time_ns));
	return figures_print(f, idle.events ? note : NULL, tables, 2);
}

static int print_access(struct figures *f, int by)
{
	static const enum analyze_access_kind kinds[] = {
		ANALYZE_ACCESS_PIO,
		ANALYZE_ACCESS_MMIO,
		ANALYZE_ACCESS_MSR,
		ANALYZE_ACCESS_VIRQ,
	};
	struct table *t = tables_accesses(&f->walk, kinds[by - BY_PORT]);

	return figures_print(f, NULL, &t, 1);
}

static int add_analyses(struct figures *f, struct cdict_error *err)
{
	const struct exits_opts *opts = f->call->opts;
	struct analyze_exits_options options = { .no_accesses = opts->by < BY_PORT };

	return analyze_exits_new(&f->walk.exits, f->walk.eng, &options, err);
}

static int print(struct figures *f)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);
	const struct exits_opts *opts = f->call->opts;

	const struct analyze_kvm_events *kvm =
		analyze_kvm_events(cdict_reader_info(f->reader, "host.arch"));

	if (!sum->has_exit)
		figures_lacks(f, "no %s events: %s", kvm->exit, figures_remedy(f, "kvm"));
	else if (!sum->has_entry)
		cmd_warn(f->call, f->file,
			 "no %s events: exits are counted, but their time is unknown; %s",
			 kvm->entry, figures_remedy(f, "kvm"));
	return opts->by >= BY_PORT ? print_access(f, opts->by)
				   : print_reasons(f, (enum tables_exits_by)opts->by);
}

static int exits_run(const struct cmd_call *call)
{
	static const struct fleet_view views[] = {
		[TABLES_EXITS_BY_TASK] = { { FLEET_EXITS, FLEET_GUEST }, 2, 0 },
		[TABLES_EXITS_BY_REASON] = { { FLEET_EXITS, FLEET_GUEST },
					     2,
					     HIDE_NAME | HIDE_VM | HIDE_VCPU },
		[TABLES_EXITS_BY_VM] = { { FLEET_EXITS, FLEET_GUEST }, 2, HIDE_NAME | HIDE_VCPU },
		[TABLES_EXITS_BY_VCPU] = { { FLEET_EXITS, FLEET_GUEST }, 2, HIDE_NAME },
	};
	const struct exits_opts *opts = call->opts;

	if (opts->shared.job)
		return opts->by >= BY_PORT ? cmd_usage(call, "--by %s cannot be used with --job",
						       by_choices[opts->by])
					   : fleet_print(call, &views[opts->by]);
	return figures_command(call, add_analyses, print);
}

static const struct cmd_option exits_options[] = {
	OPTION_INPUT,
	CMD_CHOICE(0, "by", struct exits_opts, by, "WHAT", by_choices, "task",
		   "a row per reason and task or vcpu or vm, per reason alone, or per port, "
		   "address, msr or vector accessed"),
	OPTIONS_SELECT,
	OPTION_APPEND_TID,
	OPTIONS_OF_JOB,
	OPTIONS_TABLE("idle,cpu_ns"),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example exits_examples[] = {
	{ "cdict exits run.cdict", "every vCPU and reason, by time" },
	{ "cdict exits run.cdict --by reason --format md", "the whole host, for a report" },
	{ "cdict exits run.cdict --by port", "which I/O ports the guests used" },
	{ NULL, NULL },
};

const struct cmd cmd_exits = {
	.name = "exits",
	.brief = "why guests exited, how often and for how long",
	.operands = "[FILE...]",
	.about =
		"An exit lasts from kvm_exit to the next kvm_entry of the same thread, whatever "
		"the thread did in between. Exits are ranked by their time on a CPU; off CPU is "
		"the rest, in which the thread slept or was preempted. HLT and similar exits mean "
		"an idle guest: they come last and are left out of the percentages. A second table "
		"shows the time spent in the guest.",
	.options = exits_options,
	.opts_size = sizeof(struct exits_opts),
	.max_operands = FIGURES_FILES,
	.examples = exits_examples,
	.run = exits_run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict exits: what the guests exited for, and how long it took. */
#include "cmd/exits.h"

#include <inttypes.h>

#include "cmd/number.h"

struct exits_opts {
	struct options_shared shared;
	int by; /* enum exits_by */
};

static const char *const by_choices[] = { "task",    "reason", "vm",     "vcpu", "port",
					  "address", "msr",    "vector", NULL };

/* What to print for --by, sorted: by default work before idling, longest first. */
static int print_reasons(struct figures *f, const struct analyze_exits *exits, int by)
{
	struct exits_totals sum = { 0 };
	struct table *tables[2] = { NULL, NULL };
	char note[200], count[NUMBER_ROOM], time[NUMBER_ROOM];
	struct cdict_error err = { 0 };
	int status = exits_fill(&tables[0], f, exits, by, &sum);

	if (!status)
		status = exits_fill_guest(&tables[1], f, exits);
	if (!status && table_sort(tables[1], "guest_ns", &err))
		status = figures_fail(f, &err);
	if (!status) {
		snprintf(note, sizeof(note),
			 "halted: %s exits, %s ms in which guests were idle; "
			 "not part of time %%",
			 number_grouped(count, sum.idle.events),
			 number_scaled(time, sum.idle.time.sum, 1000000, 3));
		status = figures_print(f, sum.idle.events ? note : NULL, "idle,time_ns", tables, 2);
	}
	table_free(tables[0]);
	table_free(tables[1]);
	analyze_exit_row_fini(&sum.work);
	analyze_exit_row_fini(&sum.idle);
	return status;
}

static int print_access(struct figures *f, const struct analyze_exits *exits, int by)
{
	static const enum analyze_access_kind kinds[] = {
		ANALYZE_ACCESS_PIO,
		ANALYZE_ACCESS_MMIO,
		ANALYZE_ACCESS_MSR,
		ANALYZE_ACCESS_VIRQ,
	};
	struct table *t = NULL;
	int status = exits_fill_access(&t, f, exits, kinds[by - EXITS_BY_PORT]);

	if (!status)
		status = figures_print(f, NULL, "time_ns,count", &t, 1);
	table_free(t);
	return status;
}

static int exits_add(struct figures *f, void *exits, struct cdict_error *err)
{
	const struct exits_opts *opts = f->call->opts;
	struct analyze_exits_options options = { .no_accesses = opts->by < EXITS_BY_PORT };

	return analyze_exits_new(exits, f->eng, &options, err);
}

static int exits_print(struct figures *f, void *state)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->eng);
	const struct exits_opts *opts = f->call->opts;
	struct analyze_exits **exits = state;

	if (!sum->has_exit)
		cmd_warn(f->call, f->file, "holds no kvm:kvm_exit; record with -e 'kvm:*'");
	else if (!sum->has_entry)
		cmd_warn(f->call, f->file,
			 "holds no kvm:kvm_entry: exits are counted, their time is "
			 "unknown");
	return opts->by >= EXITS_BY_PORT ? print_access(f, *exits, opts->by)
					 : print_reasons(f, *exits, opts->by);
}

static void exits_free(void *state)
{
	struct analyze_exits **exits = state;

	analyze_exits_free(*exits);
}

static const struct figures_frame exits_frame = { exits_add, exits_print, exits_free };

static int exits_run(const struct cmd_call *call)
{
	struct analyze_exits *exits = NULL;

	return figures_command(call, &exits_frame, &exits);
}

static const struct cmd_option exits_options[] = {
	OPTION_INPUT,
	CMD_CHOICE(0, "by", struct exits_opts, by, "WHAT", by_choices, "task",
		   "a row per reason and task or vcpu or vm, per reason alone, or per port, "
		   "address, msr or vector accessed"),
	OPTIONS_TASKS,
	OPTION_CPU,
	OPTIONS_WINDOW,
	OPTION_NO_GUEST_MODE,
	OPTION_APPEND_TID,
	OPTION_FORMAT,
	CMD_STRING('s', "sort", struct options_shared, sort, "KEY[:asc|:desc]",
		   "sort by this column, named as in the JSON output (default: idle,time_ns)"),
	OPTION_TOP,
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
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
	.operands = "FILE",
	.about =
		"The time of an exit runs from kvm_exit to the next kvm_entry of the same thread, "
		"whatever the thread did in between. HLT and its kin are the guest being idle: they "
		"come last and are left out of the shares of time. A second table tells the time "
		"spent in the guest.",
	.options = exits_options,
	.opts_size = sizeof(struct exits_opts),
	.min_operands = 0,
	.max_operands = 1,
	.examples = exits_examples,
	.run = exits_run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict count: counts events, by event, system call, task, CPU and time. */
#include <stdio.h>
#include <string.h>

#include "cmd/tables/figures.h"
#include "tables/columns/number.h"

struct count_opts {
	struct options_shared shared;
	struct cmd_list by;
	const char *bucket_ms;
	int abi; /* index of abis, the order of enum syscalls_abi */
};

static const char *const abis[] = { "capture", "x86_64", "i386", "aarch64", "s390x", NULL };

/* The keys of --by; 0: an invalid word, in *@wrong, or an invalid combination, with *@wrong
 * NULL. */
static unsigned keys_of(const struct count_opts *opts, const char **wrong)
{
	static const struct {
		const char *word;
		unsigned key;
	} known[] = {
		{ "event", ANALYZE_COUNTS_BY_EVENT },   { "syscall", ANALYZE_COUNTS_BY_SYSCALL },
		{ "task", ANALYZE_COUNTS_BY_TASK },     { "cpu", ANALYZE_COUNTS_BY_CPU },
		{ "window", ANALYZE_COUNTS_BY_WINDOW },
	};
	unsigned by = 0;

	for (size_t i = 0; i < opts->by.n; i++) {
		unsigned key = 0;

		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (!strcmp(opts->by.at[i], known[k].word))
				key = known[k].key;
		*wrong = opts->by.at[i];
		if (!key)
			return 0;
		by |= key;
	}
	*wrong = NULL;
	if (by & ANALYZE_COUNTS_BY_EVENT && by & ANALYZE_COUNTS_BY_SYSCALL)
		return 0;
	return by & ~(unsigned)ANALYZE_COUNTS_BY_WINDOW ? by : by | ANALYZE_COUNTS_BY_EVENT;
}

static bool filters_tasks(const struct options_shared *o)
{
	return o->task || o->tids.n || o->vm;
}

static int add_analyses(struct figures *f, struct cdict_error *err)
{
	const struct count_opts *opts = f->call->opts;
	struct analyze_counts_options how = { .types = f->filter.types,
					      .n_types = f->filter.query.n_types,
					      .markers = f->filter.markers.calls,
					      .n_markers = f->filter.markers.n_calls };
	const char *wrong;

	how.by = keys_of(opts, &wrong);
	if (filters_tasks(f->opts))
		how.by |= ANALYZE_COUNTS_BY_TASK;
	if (opts->bucket_ms && options_ms(opts->bucket_ms, &how.bucket_ns, err))
		return err->code;
	return analyze_counts_new(&f->walk.counts, f->walk.eng, &how, err);
}

/* Warns which system call events the capture lacks; returns the ABI that names the calls. */
static enum syscalls_abi abi_of(struct figures *f, char *note, size_t size)
{
	const struct count_opts *opts = f->call->opts;
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);
	const char *machine = cdict_reader_info(f->reader, "host.arch");
	enum syscalls_abi abi = opts->abi ? (enum syscalls_abi)opts->abi : syscalls_abi_of(machine);
	const char *remedy =
		figures_remedy(f, figures_left_out(f, "syscalls") ? "syscalls" : "raw_syscalls");

	if (!sum->has_sys_enter && !sum->has_sys_exit)
		figures_lacks(f,
			      "no raw_syscalls:* or syscalls:* events: cannot count system "
			      "calls; %s",
			      remedy);
	else if (!sum->has_sys_enter || !sum->has_sys_exit)
		cmd_warn(f->call, f->file, "no raw_syscalls:%s events: %s; %s",
			 sum->has_sys_enter ? "sys_exit" : "sys_enter",
			 sum->has_sys_enter ? "cannot tell how system calls ended"
					    : "cannot tell which system calls began",
			 remedy);
	if (abi == SYSCALLS_UNKNOWN)
		cmd_warn(f->call, f->file,
			 "unknown architecture: cannot name system calls; choose one with --abi");
	else
		snprintf(note, size, "system calls named as on %s", abis[abi]);
	return abi;
}

static int print(struct figures *f)
{
	const struct count_opts *opts = f->call->opts;
	struct tables_count_options how = { 0 };
	char note[100] = "", width[NUMBER_ROOM];
	const char *wrong;
	unsigned by = keys_of(opts, &wrong);
	struct table *t;
	uint64_t ns = analyze_counts_how(f->walk.counts)->bucket_ns;
	size_t len;

	how.by_task = by & ANALYZE_COUNTS_BY_TASK;
	if (by & ANALYZE_COUNTS_BY_SYSCALL)
		how.abi = abi_of(f, note, sizeof(note));
	len = strlen(note);
	if (ns)
		snprintf(note + len, sizeof(note) - len, "%sbuckets of %s ms", len ? "; " : "",
			 number_scaled(width, ns, 1000000, 3));
	t = tables_count(&f->walk, &how);
	return figures_print(f, *note ? note : NULL, &t, 1);
}

static int count_run(const struct cmd_call *call)
{
	const struct count_opts *opts = call->opts;
	struct cdict_error err = { 0 };
	const char *wrong;
	unsigned by = keys_of(opts, &wrong);
	uint64_t ns;

	/* report wrong usage before opening the file */
	if (!by && wrong)
		return cmd_usage(call,
				 "option --by takes event, syscall, task, cpu and window, not '%s'",
				 wrong);
	if (!by)
		return cmd_usage(call, "option --by takes either event or syscall");
	if (by & ANALYZE_COUNTS_BY_SYSCALL && opts->shared.events.n)
		return cmd_usage(call, "option -e cannot be used with --by syscall");
	if (by & ANALYZE_COUNTS_BY_WINDOW && opts->bucket_ms)
		return cmd_usage(call, "option --bucket cannot be used with --by window");
	if (opts->bucket_ms && options_ms(opts->bucket_ms, &ns, &err))
		return options_fail(call, NULL, &err);
	if (opts->bucket_ms && !ns)
		return cmd_usage(call, "option --bucket takes more than 0 milliseconds");
	return figures_command(call, add_analyses, print);
}

static const struct cmd_option count_options[] = {
	OPTION_INPUT,
	CMD_LIST(0, "by", struct count_opts, by, "WHAT",
		 "a row per event (the default) or syscall, task, cpu, window between markers; comma "
		 "list: task,syscall"),
	CMD_STRING(0, "bucket", struct count_opts, bucket_ms, "MS",
		   "split the rows into time buckets of MS milliseconds"),
	CMD_CHOICE(0, "abi", struct count_opts, abi, "MACHINE", abis, "capture",
		   "use the system call names of this architecture; i386 for 32-bit tasks"),
	OPTION_EVENT,
	OPTIONS_SELECT,
	OPTION_APPEND_TID,
	OPTIONS_TABLE("events or calls, by time first with --bucket and --by window"),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example count_examples[] = {
	{ "cdict count run.cdict", "the number of events of each type" },
	{ "cdict count run.cdict --by task,syscall -t qemu", "system calls, like perf trace -s" },
	{ "cdict count run.cdict --bucket 10 -e sched_switch", "switches per 10 ms" },
	{ NULL, NULL },
};

const struct cmd cmd_count = {
	.name = "count",
	.brief = "how often events and system calls happened, and how long calls took",
	.operands = "[FILE...]",
	.about = "A row per event or, with --by syscall, per system call, which needs "
		 "raw_syscalls:* or syscalls:sys_enter_*,syscalls:sys_exit_*. A call is counted "
		 "when it begins; its duration and failure are counted when it returns.",
	.options = count_options,
	.opts_size = sizeof(struct count_opts),
	.max_operands = FIGURES_FILES,
	.all_events = true,
	.examples = count_examples,
	.run = count_run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict switches: context switches and busy time per CPU and time bucket. */
#include <stdio.h>

#include "cmd/tables/figures.h"
#include "tables/columns/number.h"

struct switches_opts {
	struct options_shared shared;
	const char *bucket_ms;
};

/* Limit of buckets without --bucket. */
#define BUCKETS 20

/* The smallest of 1, 2, 5, 10, 20, 50, ... ns that makes at most BUCKETS of @window_ns. */
static uint64_t nice_bucket(uint64_t window_ns)
{
	static const uint64_t steps[] = { 1, 2, 5 };
	uint64_t least = window_ns / BUCKETS + (window_ns % BUCKETS != 0), tens = 1;

	for (;;) {
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
			if (steps[i] * tens >= least || tens > UINT64_MAX / 100)
				return steps[i] * tens;
		}
		tens *= 10;
	}
}

static int add_analyses(struct figures *f, struct cdict_error *err)
{
	const struct switches_opts *opts = f->call->opts;
	struct analyze_switches_options how = { 0 };

	if (!opts->bucket_ms)
		how.bucket_ns = nice_bucket(f->filter.to_ns - f->filter.from_ns);
	else if (options_ms(opts->bucket_ms, &how.bucket_ns, err))
		return err->code;
	return analyze_switches_new(&f->walk.switches, f->walk.eng, &how, err);
}

static int print(struct figures *f)
{
	struct table *tables[2];
	char note[100], width[NUMBER_ROOM];

	figures_has_switch(f, "ran");
	tables[0] = tables_switches(&f->walk);
	tables[1] = tables_switches_cpus(&f->walk);
	snprintf(note, sizeof(note), "buckets of %s ms",
		 number_scaled(width, analyze_switches_bucket_ns(f->walk.switches), 1000000, 3));
	return figures_print(f, note, tables, 2);
}

static int switches_run(const struct cmd_call *call)
{
	const struct switches_opts *opts = call->opts;
	struct cdict_error err = { 0 };
	uint64_t ns;

	/* report wrong usage before opening the file */
	if (opts->bucket_ms && options_ms(opts->bucket_ms, &ns, &err))
		return options_fail(call, NULL, &err);
	if (opts->bucket_ms && !ns)
		return cmd_usage(call, "option --bucket takes more than 0 milliseconds");
	return figures_command(call, add_analyses, print);
}

static const struct cmd_option switches_options[] = {
	OPTION_INPUT,
	CMD_STRING(0, "bucket", struct switches_opts, bucket_ms, "MS",
		   "bucket length (default: a round length that gives at most 20 buckets)"),
	OPTION_CPU,
	OPTIONS_WINDOW,
	OPTION_NO_GUEST_MODE,
	OPTIONS_TABLE("cpu,from_ns"),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example switches_examples[] = {
	{ "cdict switches run.cdict", "how busy each CPU was over time" },
	{ "cdict switches run.cdict --bucket 1 -s switches -n 10",
	  "the ten milliseconds with the most switches" },
	{ NULL, NULL },
};

const struct cmd cmd_switches = {
	.name = "switches",
	.brief = "context switches and busy time, per CPU and over time",
	.operands = "[FILE...]",
	.about = "One row per CPU and time bucket, then one per CPU. Busy is the share of the "
		 "bucket in which a task other than IDLE ran; involuntary switches are those of "
		 "tasks that could have kept running.",
	.options = switches_options,
	.opts_size = sizeof(struct switches_opts),
	.max_operands = FIGURES_FILES,
	.examples = switches_examples,
	.run = switches_run,
};

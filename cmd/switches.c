/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict switches: context switches and busy time per CPU and time bucket. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/number.h"
#include "cmd/tables.h"

struct switches_opts {
	struct options_shared shared;
	const char *bucket_ms;
};

/* Without --bucket: at most so many buckets. */
#define BUCKETS 20

enum { CPU, FROM, LENGTH, SWITCHES, INVOLUNTARY, WAKEUPS, RATE, BUSY, BUSY_PERCENT, IDLE, UNKNOWN };

static const struct table_column columns[] = {
	[CPU] = { "cpu", "CPU", TABLE_INTEGER, 0 },
	[FROM] = { "from_ns", "from s", TABLE_TIME, 0 },
	[LENGTH] = { "length_ns", "length ms", TABLE_MS, TABLE_WIDE },
	[SWITCHES] = { "switches", "switches", TABLE_COUNT, 0 },
	[INVOLUNTARY] = { "involuntary", "involunt", TABLE_COUNT, 0 },
	[WAKEUPS] = { "wakeups", "wakeups", TABLE_COUNT, 0 },
	[RATE] = { "switches_per_s", "switches/s", TABLE_COUNT, 0 },
	[BUSY] = { "busy_ns", "busy ms", TABLE_MS, TABLE_WIDE },
	[BUSY_PERCENT] = { "busy_percent", "busy %", TABLE_PERCENT, 0 },
	[IDLE] = { "idle_ns", "idle ms", TABLE_MS, TABLE_WIDE },
	[UNKNOWN] = { "unknown_ns", "unknown ms", TABLE_MS, 0 },
	TABLE_COLUMNS_END,
};

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

static void add(struct analyze_switch_cell *to, const struct analyze_switch_cell *from)
{
	to->switches += from->switches;
	to->involuntary += from->involuntary;
	to->wakeups += from->wakeups;
	to->busy_ns += from->busy_ns;
	to->idle_ns += from->idle_ns;
	to->unknown_ns += from->unknown_ns;
}

/* @wall_ns: for how long, @cell holding the time of one CPU or of all. */
static void numbers(struct table *t, const struct figures *f,
		    const struct analyze_switch_cell *cell, uint64_t wall_ns)
{
	uint64_t length = cell->busy_ns + cell->idle_ns + cell->unknown_ns;

	table_u64(t, LENGTH, length);
	table_u64(t, SWITCHES, cell->switches);
	table_u64(t, INVOLUNTARY, cell->involuntary);
	if (figures_has_wakeups(f))
		table_u64(t, WAKEUPS, cell->wakeups);
	if (wall_ns)
		table_u64(t, RATE,
			  (uint64_t)((double)cell->switches * 1e9 / (double)wall_ns + 0.5));
	table_u64(t, BUSY, cell->busy_ns);
	table_share(t, BUSY_PERCENT, cell->busy_ns, length);
	table_u64(t, IDLE, cell->idle_ns);
	table_u64(t, UNKNOWN, cell->unknown_ns);
}

static bool asked_for(const struct figures *f, uint32_t cpu)
{
	const struct cmd_cpus *cpus = &f->opts->cpus;

	return !cpus->bits || (cpu < cpus->n && (cpus->bits[cpu / 64] >> (cpu % 64) & 1));
}

/* @buckets: a row a CPU and bucket; else a row a CPU. */
static int fill(struct table **out, const struct figures *f, const struct analyze_switches *sw,
		bool buckets)
{
	uint64_t from_ns = analyze_engine_summary(f->eng)->from_ns;
	uint64_t window_ns = analyze_engine_summary(f->eng)->window_ns;
	uint64_t bucket_ns = analyze_switches_bucket_ns(sw);
	struct table *t = table_new(buckets ? "switches" : "cpus", columns);
	struct analyze_switch_cell all = { 0 };

	*out = t;
	if (!t)
		return figures_no_memory(f);
	for (uint32_t c = 0; c < analyze_engine_cpus(f->eng); c++) {
		struct analyze_switch_cell sum = { 0 };
		bool lossy = analyze_engine_loss_ns(f->eng, c) > 0;

		if (!asked_for(f, c))
			continue;
		for (uint32_t b = 0; b < analyze_switches_buckets(sw); b++) {
			const struct analyze_switch_cell *cell = analyze_switches_at(sw, c, b);

			add(&sum, cell);
			/* the last may be no more than the window's last instant */
			if (!buckets || (!cell->switches && !cell->wakeups && !cell->busy_ns &&
					 !cell->idle_ns && !cell->unknown_ns))
				continue;
			table_row(t);
			table_i64(t, CPU, c);
			table_u64(t, FROM, from_ns + b * bucket_ns);
			numbers(t, f, cell, cell->busy_ns + cell->idle_ns + cell->unknown_ns);
			table_lossy(t, lossy && cell->unknown_ns);
		}
		add(&all, &sum);
		if (buckets)
			continue;
		table_row(t);
		table_i64(t, CPU, c);
		numbers(t, f, &sum, window_ns);
		table_lossy(t, lossy);
	}
	if (!buckets) {
		table_total(t);
		numbers(t, f, &all, window_ns);
		table_lossy(t, analyze_engine_loss_ns(f->eng, CDICT_CPU_UNKNOWN) > 0);
	}
	return CMD_DONE;
}

int tables_switches_cpus(struct table **out, const struct figures *f,
			 const struct analyze_switches *sw)
{
	return fill(out, f, sw, false);
}

/* What the walk is told and gives. */
struct run {
	struct analyze_switches_options how;
	struct analyze_switches *sw;
};

static int switches_add(struct figures *f, void *state, struct cdict_error *err)
{
	struct run *run = state;

	if (!run->how.bucket_ns)
		run->how.bucket_ns = nice_bucket(f->filter.to_ns - f->filter.from_ns);
	return analyze_switches_new(&run->sw, f->eng, &run->how, err);
}

static int switches_print(struct figures *f, void *state)
{
	const struct run *run = state;
	struct table *tables[2] = { NULL, NULL };
	char note[100], width[NUMBER_ROOM];
	int status;

	figures_has_switch(f, "ran");
	status = fill(&tables[0], f, run->sw, true);
	if (!status)
		status = fill(&tables[1], f, run->sw, false);
	if (!status) {
		snprintf(note, sizeof(note), "buckets of %s ms",
			 number_scaled(width, analyze_switches_bucket_ns(run->sw), 1000000, 3));
		status = figures_print(f, note, NULL, tables, 2);
	}
	table_free(tables[0]);
	table_free(tables[1]);
	return status;
}

static void switches_free(void *state)
{
	struct run *run = state;

	analyze_switches_free(run->sw);
}

static const struct figures_frame switches_frame = { switches_add, switches_print, switches_free };

static int switches_run(const struct cmd_call *call)
{
	const struct switches_opts *opts = call->opts;
	struct cdict_error err = { 0 };
	struct run run = { 0 };

	if (opts->bucket_ms && options_ms(opts->bucket_ms, &run.how.bucket_ns, &err))
		return options_fail(call, NULL, &err);
	if (opts->bucket_ms && !run.how.bucket_ns)
		return cmd_usage(call, "option --bucket takes more than 0 milliseconds");
	return figures_command(call, &switches_frame, &run);
}

static const struct cmd_option switches_options[] = {
	OPTION_INPUT,
	CMD_STRING(0, "bucket", struct switches_opts, bucket_ms, "MS",
		   "the length of a bucket (default: a round one that makes at most 20)"),
	OPTION_CPU,
	OPTIONS_WINDOW,
	OPTION_NO_GUEST_MODE,
	OPTION_FORMAT,
	CMD_STRING('s', "sort", struct options_shared, sort, "KEY[:asc|:desc]",
		   "sort by this column, named as in the JSON output (default: cpu,from_ns)"),
	OPTION_TOP,
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example switches_examples[] = {
	{ "cdict switches run.cdict", "how busy each CPU was over time" },
	{ "cdict switches run.cdict --bucket 1 -s switches -n 10",
	  "the ten milliseconds with most switches" },
	{ NULL, NULL },
};

const struct cmd cmd_switches = {
	.name = "switches",
	.brief = "context switches and busy time, per CPU and over time",
	.operands = "FILE",
	.about =
		"A row per CPU and time bucket, then one per CPU. Busy is the share of the bucket "
		"in which a task other than IDLE ran; involuntary switches are those of tasks that "
		"could have run on.",
	.options = switches_options,
	.opts_size = sizeof(struct switches_opts),
	.min_operands = 0,
	.max_operands = 1,
	.examples = switches_examples,
	.run = switches_run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict coremap: which task ran on which CPU. */
#include "cmd/coremap.h"

#include <stdlib.h>

struct coremap_opts {
	struct options_shared shared;
	int by; /* enum coremap_by */
};

static const char *const by_choices[] = { "run", "switches", NULL };

/* For programs: a row a cell, and one a CPU. */
static int print_cells(struct figures *f, const struct analyze_coremap *map)
{
	struct table *tables[2] = { NULL, NULL };
	int status = coremap_cells(&tables[0], f, map);

	if (!status)
		status = coremap_cpus(&tables[1], f, map);
	if (!status)
		status = figures_print(f, NULL, "idle,tid,cpu", tables, 2);
	table_free(tables[0]);
	table_free(tables[1]);
	return status;
}

/* For people: the map, a few CPUs beside each other. */
static int print_map(struct figures *f, const struct analyze_coremap *map, int by)
{
	struct coremap_view view = { .f = f, .map = map, .by = by };
	int status = coremap_view_init(&view);

	if (!status)
		status = figures_print_all(f,
					   by == COREMAP_BY_RUN
						   ? "percent of the window; 100 is one CPU"
						   : "switches away from the task",
					   view.tables, view.n_tables);
	coremap_view_fini(&view);
	return status;
}

static int coremap_add(struct figures *f, void *map, struct cdict_error *err)
{
	return analyze_coremap_new(map, f->eng, err);
}

static int coremap_print(struct figures *f, void *state)
{
	const struct coremap_opts *opts = f->call->opts;
	struct analyze_coremap **map = state;

	figures_has_switch(f, "ran");
	return f->opts->format == OPTIONS_TEXT || f->opts->format == OPTIONS_MD
		       ? print_map(f, *map, opts->by)
		       : print_cells(f, *map);
}

static void coremap_free(void *state)
{
	struct analyze_coremap **map = state;

	analyze_coremap_free(*map);
}

static const struct figures_frame coremap_frame = { coremap_add, coremap_print, coremap_free };

static int coremap_run(const struct cmd_call *call)
{
	struct analyze_coremap *map = NULL;

	return figures_command(call, &coremap_frame, &map);
}

static const struct cmd_option coremap_options[] = {
	OPTION_INPUT,
	CMD_CHOICE(0, "by", struct coremap_opts, by, "WHAT", by_choices, "run",
		   "what the map shows: run time in percent, or switches"),
	OPTIONS_TASKS,
	OPTION_CPU,
	OPTIONS_WINDOW,
	OPTION_NO_GUEST_MODE,
	OPTION_MERGE_SYS_TASKS,
	OPTION_APPEND_TID,
	OPTION_FORMAT,
	CMD_STRING('s', "sort", struct options_shared, sort, "KEY[:asc|:desc]",
		   "sort the tasks by name, tid, run_ns or switches (default: what the map shows)"),
	OPTION_TOP,
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example coremap_examples[] = {
	{ "cdict coremap run.cdict -n 20", "the busiest twenty tasks, the rest as one row" },
	{ "cdict coremap run.cdict --by switches -C 0-7", "switches on eight CPUs" },
	{ "cdict coremap run.cdict -t KVM", "on which CPUs the vCPUs ran" },
	{ NULL, NULL },
};

const struct cmd cmd_coremap = {
	.name = "coremap",
	.brief = "which task ran on which CPU: run time and switches",
	.operands = "FILE",
	.about =
		"A row a task, a column a CPU; tasks that are not shown are one row, IDLE and the "
		"time of which nobody knows who ran come last, so that every column adds up to 100 % "
		"of the window. A cell that never was is a dash. CSV and JSON have a row a cell.",
	.options = coremap_options,
	.opts_size = sizeof(struct coremap_opts),
	.min_operands = 0,
	.max_operands = 1,
	.examples = coremap_examples,
	.run = coremap_run,
};

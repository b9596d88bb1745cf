/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict coremap: which task ran on which CPU. */
#include <stdlib.h>
#include <string.h>

#include "cmd/tables/figures.h"
#include "tables/rows/coremap_map.h"

enum by { BY_RUN = 0, BY_SWITCHES };

struct coremap_opts {
	struct options_shared shared;
	int by; /* enum by */
};

static const char *const by_choices[] = { "run", "switches", NULL };

static int add_analyses(struct figures *f, struct cdict_error *err)
{
	return analyze_coremap_new(&f->walk.coremap, f->walk.eng, err);
}

/* For programs: one row per cell, and one per CPU. */
static int print_cells(struct figures *f)
{
	struct table *tables[] = { tables_coremap(&f->walk), tables_coremap_cpus(&f->walk) };

	return figures_print(f, NULL, tables, 2);
}

/* For people: the map, a few CPUs side by side; with -v the figures of each CPU. */
static int print_map(struct figures *f, bool by_switches)
{
	struct coremap_map map = { .w = &f->walk,
				   .by_switches = by_switches,
				   .sort = f->opts->sort,
				   .top = f->opts->top };
	struct cdict_error err = { 0 };
	struct table **all = NULL, *cpus = NULL;
	int status;

	if (coremap_map_init(&map, &err)) {
		status = figures_fail(f, &err);
	} else {
		all = calloc(map.n_tables + 1, sizeof(struct table *));
		cpus = f->call->verbose > 0 ? tables_coremap_cpus(&f->walk) : NULL;
		if (!all || (f->call->verbose > 0 && !cpus)) {
			status = figures_no_memory(f);
		} else {
			memcpy(all, map.tables, map.n_tables * sizeof(struct table *));
			for (size_t i = 0; i < map.n_tables; i++)
				all[i]->asked = map.top;
			all[map.n_tables] = cpus;
			status = figures_print_all(
				f,
				by_switches ? "switches away from the task"
					    : "percent of the window; 100 is one CPU",
				all, map.n_tables + (cpus ? 1 : 0));
		}
	}
	table_free(cpus);
	free(all);
	coremap_map_fini(&map);
	return status;
}

static int print(struct figures *f)
{
	const struct coremap_opts *opts = f->call->opts;

	figures_has_switch(f, "ran");
	return f->opts->format == TABLE_AS_TEXT || f->opts->format == TABLE_AS_MD
		       ? print_map(f, opts->by == BY_SWITCHES)
		       : print_cells(f);
}

static int coremap_run(const struct cmd_call *call)
{
	return figures_command(call, add_analyses, print);
}

static const struct cmd_option coremap_options[] = {
	OPTION_INPUT,
	CMD_CHOICE(0, "by", struct coremap_opts, by, "WHAT", by_choices, "run",
		   "show run time in percent of the window, or switches"),
	OPTIONS_SELECT,
	OPTION_MERGE_SYS_TASKS,
	OPTION_APPEND_TID,
	OPTION_FORMAT,
	OPTION_NO_PAGER,
	CMD_STRING('s', "sort", struct options_shared, sort, "KEY[:asc|:desc]",
		   "sort the tasks by name, tid, run_ns or switches (default: the figure shown)"),
	OPTION_TOP,
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example coremap_examples[] = {
	{ "cdict coremap run.cdict -n 20", "the busiest twenty tasks, the rest as one row" },
	{ "cdict coremap run.cdict --by switches -C 0-7", "switches on eight CPUs" },
	{ "cdict coremap run.cdict -t KVM", "the CPUs on which the vCPUs ran" },
	{ NULL, NULL },
};

const struct cmd cmd_coremap = {
	.name = "coremap",
	.brief = "which task ran on which CPU: run time and switches",
	.operands = "[FILE...]",
	.about =
		"One row per task, one column per CPU. Tasks that are not shown share one row; "
		"IDLE and time without a known task come last, so every column adds up to 100 % of "
		"the window. A dash means that the task was never on that CPU. CSV and JSON have "
		"one row per cell.",
	.options = coremap_options,
	.opts_size = sizeof(struct coremap_opts),
	.max_operands = FIGURES_FILES,
	.examples = coremap_examples,
	.run = coremap_run,
};

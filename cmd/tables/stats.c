/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict stats: writes the figures of a capture to one text file, from one walk. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/system/ending.h"
#include "base/text/escape.h"
#include "cmd/tables/figures.h"
#include "cmd/tables/guests.h"
#include "cmd/tables/limit.h"
#include "tables/rows/coremap_map.h"

#define MOST_ANTAGONISTS 3
#define MOST_COLUMNS 120 /* a file to read, not on a terminal; -v: all columns */

struct stats_opts {
	struct options_shared shared;
	const char *clock; /* of the guest, or NULL */
};

struct stats {
	struct figures f;
	struct table *tables[7];
	size_t n;
	struct coremap_map map;
	char *head, *chart;
};

static int add_analyses(struct figures *f, struct cdict_error *err)
{
	struct analyze_switches_options switches = { .buckets = 1 };
	int rc = tables_walk_add(&f->walk, err);

	return rc ? rc : analyze_switches_new(&f->walk.switches, f->walk.eng, &switches, err);
}

/* Takes the table, and sorts and cuts it. */
static int keep_table(struct stats *st, struct table *t, const char *heading, uint64_t top)
{
	struct cdict_error err = { 0 };

	if (!t)
		return figures_no_memory(&st->f);
	st->tables[st->n++] = t;
	t->heading = heading;
	table_top(t, top);
	return table_sort(t, NULL, &err) ? figures_fail(&st->f, &err) : CMD_DONE;
}

static int make_tables(struct stats *st)
{
	const struct tables_walk *w = &st->f.walk;
	uint64_t top = st->f.opts->top ? st->f.opts->top : 20;
	int status = keep_table(st, tables_vcpu(w), "vCPUs, worst first", 0);

	if (!status)
		status = keep_table(st, tables_antagonists(w, st->tables[0], MOST_ANTAGONISTS),
				    "Tasks that ran while a vCPU waited", 0);
	if (!status)
		status = keep_table(st, tables_exits(w, TABLES_EXITS_BY_REASON, NULL),
				    "Exits by reason", 0);
	if (!status)
		status = keep_table(st, tables_guest(w), "Time in the guest", 0);
	if (!status)
		status = keep_table(st, tables_tasks(w, false), "Tasks by run time", top);
	if (!status)
		status = keep_table(st, tables_latency(w), "Wake-up latency, longest first", top);
	return status ? status : keep_table(st, tables_switches_cpus(w), "CPUs", 0);
}

/* The non-empty tables, then the core map; given, NULL: out of memory. */
static struct table **printed(struct stats *st, size_t *n)
{
	struct table **all = calloc(st->n + st->map.n_tables + 1, sizeof(*all));

	*n = 0;
	for (size_t i = 0; all && i < st->n; i++) {
		if (st->tables[i]->n_rows)
			all[(*n)++] = st->tables[i];
	}
	for (size_t i = 0; all && i < st->map.n_tables; i++) {
		all[(*n)++] = st->map.tables[i];
		st->map.tables[i]->heading = i ? NULL
					       : "Core map: percent of the window, 100 is one CPU";
	}
	return all;
}

static void head_line(struct sink *s, const struct figures *f, const char *title, const char *key)
{
	const char *value = cdict_reader_info(f->reader, key);

	if (!value || !*value)
		return;
	sink_printf(s, "%-10s", title);
	escape_terminal(s, value, strlen(value));
	sink_putc(s, '\n');
}

/* Makes the text above the tables: origin, findings, losses. */
static int make_head(struct stats *st)
{
	const struct figures *f = &st->f;
	char *findings = tables_vcpu_findings(&f->walk);
	struct loss_sum loss;
	struct sink s;
	int status;

	if (!findings)
		return figures_no_memory(f);
	sink_to_memory(&s);
	head_line(&s, f, "kernel", "host.kernel");
	head_line(&s, f, "cpu", "host.cpu");
	head_line(&s, f, "command", "perf.cmdline");
	loss_sum(&loss, f->reader, f->filter.from_ns, f->filter.to_ns);
	loss_line(&s, &loss, analyze_engine_summary(f->walk.eng)->unknown_ns);
	sink_printf(&s, "\n\n%s", findings);
	free(findings);
	status = guests_put_text(&st->f, &s);
	st->head = sink_take(&s, NULL);
	st->chart = tables_latency_chart(&f->walk);
	if (status)
		return status;
	return st->head && st->chart ? CMD_DONE : figures_no_memory(f);
}

static int write_text(void *ctx, struct sink *s, struct cdict_error *err)
{
	struct stats *st = ctx;
	size_t n;
	struct table **tables = printed(st, &n);
	const struct table_frame frame = figures_frame(&st->f, st->head);
	int rc;

	if (tables)
		limit_tables(st->f.call, &frame, TABLE_AS_TEXT, tables, n, LIMIT_TOP_FIRST);
	rc = tables ? table_print(s, TABLE_AS_TEXT, &frame, tables, n) : -ENOMEM;

	free(tables);
	return rc == -ENOMEM ? cdict_fail_nomem(err) : 0;
}

static int print_to_people(struct stats *st)
{
	size_t n;
	struct table **tables = printed(st, &n);
	int status = tables ? figures_print_all(&st->f, st->head, tables, n)
			    : figures_no_memory(&st->f);

	free(tables);
	return status;
}

static int print(struct stats *st)
{
	const struct analyze_summary *sum = analyze_engine_summary(st->f.walk.eng);
	const struct options_shared *opts = st->f.opts;
	int status;

	if (!sum->has_entry && !sum->has_exit)
		figures_has_switch(&st->f, "ran");
	st->f.chart = *st->chart ? st->chart : NULL;
	st->f.most_columns = MOST_COLUMNS;
	if (!opts->output)
		return print_to_people(st);
	status = cmd_output_write(st->f.call, opts->output, 0, write_text, st);
	return status ? status : figures_status(&st->f);
}

static int stats_run(const struct cmd_call *call)
{
	const struct stats_opts *opts = call->opts;
	struct guest_files guests;
	struct stats st = { 0 };
	struct figures *f = &st.f;
	struct cdict_error err = { 0 };
	int status = guest_files_init(&guests, call);

	if (!status && guests.call.n_operands > 1)
		status = cmd_usage(call, "reads one capture, not %zu", guests.call.n_operands);
	if (!status && opts->clock && !guests.files.n)
		status = cmd_usage(call, "--clock needs a guest, VM=FILE");
	if (!status)
		status = figures_open(f, &guests.call);
	if (!status)
		status = guest_files_join(&guests, f->reader, f->file, f->labels, opts->clock);
	if (!status)
		st.map = (struct coremap_map){ .w = &f->walk, .top = f->opts->top };
	if (!status && add_analyses(f, &err))
		status = figures_fail(f, &err);
	if (!status)
		status = figures_run_wanted(f);
	if (!status)
		status = make_tables(&st);
	if (!status && coremap_map_init(&st.map, &err))
		status = figures_fail(f, &err);
	if (!status)
		status = make_head(&st);
	if (!status)
		status = print(&st);
	for (size_t i = 0; i < st.n; i++)
		table_free(st.tables[i]);
	coremap_map_fini(&st.map);
	free(st.head);
	free(st.chart);
	figures_close(f);
	guest_files_fini(&guests);
	return status;
}

static const struct cmd_option stats_options[] = {
	OPTION_INPUT,
	OPTION_OUTPUT_OR_STDOUT,
	OPTION_CLOCK(struct stats_opts, clock),
	OPTIONS_SELECT,
	OPTION_MERGE_SYS_TASKS,
	OPTION_APPEND_TID,
	CMD_UINT('n', "top", struct options_shared, top, "N", "20",
		 "the first N rows of the tables of tasks"),
	OPTION_NO_PAGER,
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example stats_examples[] = {
	{ "cdict stats run.cdict -o run.txt", "the figures of a capture, to keep with it" },
	{ NULL, NULL },
};

const struct cmd cmd_stats = {
	.name = "stats",
	.brief = "the figures of a capture in one text: vCPUs, exits, tasks, latency, CPUs",
	.operands = "[FILE] [[VM]=GUEST...]",
	.about =
		"Prints the tables of the commands vcpu, exits, tasks, latency, switches and "
		"coremap one after the other, from one pass over the capture, and sentences on joined "
		"guests. The same capture "
		"always gives the same text.",
	.options = stats_options,
	.opts_size = sizeof(struct stats_opts),
	.max_operands = 256,
	.examples = stats_examples,
	.run = stats_run,
};

int stats_beside(const struct cmd_call *call, const char *cdict)
{
	struct stats_opts opts = { .shared = { .input = cdict, .top = 20, .max_loss_pct = 100 } };
	struct cmd cmd = cmd_stats;
	struct cmd_call stats = { .cmd = &cmd,
				  .opts = &opts,
				  .operands = (const char *const[]){ NULL },
				  .quiet = call->quiet,
				  .verbose = call->verbose };
	char *name;
	int status;

	if (asprintf(&name, "%.*s.stats.txt", (int)ending_cut(cdict, strlen(cdict), ".cdict"),
		     cdict) < 0)
		return cmd_errorf(call, cdict, "out of memory");
	opts.shared.output = name;
	cmd.name = call->cmd->name;
	status = cmd_output_check(call, NULL, name); /* nor may it replace the source */
	if (!status)
		status = stats_run(&stats);
	free(name);
	return status;
}

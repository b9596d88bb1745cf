/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict diff: what changed between two captures, with an exit status for scripts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cmd/input.h"
#include "cmd/report.h"
#include "tables/changes.h"

struct diff_opts {
	struct options_shared shared;
	struct cmd_list labels;
	const char *max_delay, *max_latency, *max_exits; /* text: "not given" is not 0 */
};

static int number(const struct cmd_call *call, const char *option, const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end == text || *end || !isfinite(*out) || *out < 0)
		return cmd_usage(call, "option --%s takes a number that is not negative, not '%s'",
				 option, text);
	return CMD_DONE;
}

static int limits_of(const struct cmd_call *call, struct changes_limits *limits)
{
	const struct diff_opts *o = call->opts;
	int status = CMD_DONE;

	*limits = (struct changes_limits){ NAN, NAN, NAN };
	if (o->max_delay)
		status = number(call, "max-delay", o->max_delay, &limits->delay);
	if (!status && o->max_latency)
		status = number(call, "max-latency", o->max_latency, &limits->latency);
	if (!status && o->max_exits)
		status = number(call, "max-exits", o->max_exits, &limits->exits);
	return status;
}

/* One of the captures, walked. */
static int open_capture(struct figures *f, const struct cmd_call *call, const char *file)
{
	struct cdict_error err = { 0 };
	int status = figures_open_file(f, call, file);
	uint64_t first_ns, last_ns;

	if (!status && !cdict_reader_window(f->reader, &first_ns, &last_ns))
		return cmd_errorf(call, file, "holds no event: there is nothing to show");
	if (!status && tables_walk_add(&f->walk, &err))
		status = figures_fail(f, &err);
	return status ? status : figures_run(f);
}

static char *note_of(const struct figures *f, const char *label, bool nameless)
{
	uint64_t a = analyze_engine_summary(f[0].walk.eng)->window_ns;
	uint64_t b = analyze_engine_summary(f[1].walk.eng)->window_ns;
	char *name = report_label(f[1].file, label);
	struct sink s;

	sink_to_memory(&s);
	sink_puts(&s, "against ");
	escape_terminal(&s, name ? name : "", name ? strlen(name) : 0);
	sink_puts(&s, ": ");
	sink_printf(&s, "%.6f s and %.6f s%s; percent is of each window", (double)a / 1e9,
		    (double)b / 1e9, a == b ? "" : ", so counts are per second");
	if (nameless)
		sink_puts(&s, "\n" COMPARE_NAMELESS);
	free(name);
	return sink_take(&s, NULL);
}

static int print(struct figures *f, struct changes *all, struct table *regressions)
{
	static const enum compare_what order[] = { COMPARE_VCPU, COMPARE_EXITS, COMPARE_TASKS,
						   COMPARE_COREMAP };
	static const char *const headings[] = { "vCPUs, most changed first", "Exits", "Tasks",
						"Core map" };
	const struct diff_opts *opts = f->call->opts;
	/* CSV has room for one table: what a script looks for */
	bool json = f->opts->format == TABLE_AS_JSON, csv = f->opts->format == TABLE_AS_CSV;
	uint64_t top = f->opts->top || json ? f->opts->top : 10;
	char *note = note_of(f, opts->labels.n > 1 ? opts->labels.at[1] : NULL,
			     all[COMPARE_VCPU].compare.nameless);
	struct table *tables[COMPARE_N + 1];
	size_t n = 0;
	int status;

	if (!note)
		return figures_no_memory(f);
	if (json || csv || regressions->n_rows)
		tables[n++] = regressions;
	for (size_t i = 0; i < COMPARE_N; i++) {
		struct table *t = all[order[i]].table;

		/* a core map is for looking at: cdict report draws it */
		if (!json && (!t->n_rows || order[i] == COMPARE_COREMAP))
			continue;
		t->heading = headings[i];
		table_top(t, top);
		tables[n++] = t;
	}
	status = figures_print_all(f, note, tables, n);
	free(note);
	return status;
}

/* A gate that looked at nothing is none: what was asked for and cannot be judged is said. */
static bool judges(struct figures f[2], const struct changes_judged judged[3])
{
	static const char *const what[] = { "vCPU", "task's latency", "task's exits" };
	static const char *const options[] = { "max-delay", "max-latency", "max-exits" };
	const struct diff_opts *opts = f->call->opts;
	const char *const given[] = { opts->max_delay, opts->max_latency, opts->max_exits };
	bool all = true;

	for (int i = 0; i < 3; i++) {
		const struct figures *without = &f[0];

		if (!given[i] || judged[i].rows)
			continue;
		all = false;
		if (analyze_engine_summary(f[0].walk.eng)->has_switch)
			without = analyze_engine_summary(f[1].walk.eng)->has_switch ? NULL : &f[1];
		if (without && i < 2)
			cmd_errorf(f->call, without->file,
				   "cannot judge --%s: holds no sched:sched_switch", options[i]);
		else if (judged[i].few)
			cmd_errorf(
				f->call, f[1].file,
				"cannot judge --%s: of the tasks in both captures none has 100 %s "
				"or more in each",
				options[i], i == 1 ? "wake-ups" : "exits");
		else
			cmd_errorf(f->call, f[1].file,
				   "cannot judge --%s: no %s is known well enough in both captures",
				   options[i], what[i]);
	}
	return all;
}

static int diff_run(const struct cmd_call *call)
{
	const struct diff_opts *opts = call->opts;
	struct figures f[2] = { 0 };
	const struct tables_walk *const walks[2] = { &f[0].walk, &f[1].walk };
	struct changes all[COMPARE_N] = { 0 };
	struct table *regressions = NULL;
	struct changes_limits limits;
	struct changes_judged judged[3] = { 0 };
	size_t opened = 0;
	const char *files[2] = { INPUT_DEFAULT ".old", INPUT_DEFAULT };
	int status = limits_of(call, &limits), loss;

	/* as perf diff: one names the new one, none is the recording and its predecessor */
	if (call->n_operands)
		files[1] = call->operands[call->n_operands - 1];
	if (call->n_operands > 1)
		files[0] = call->operands[0];
	for (; opened < 2 && !status; opened++)
		status = open_capture(&f[opened], call, files[opened]);
	if (!status && !figures_any_task(&f[0]) && !figures_any_task(&f[1]))
		status = figures_no_task(&f[1]);
	for (unsigned what = 0; what < COMPARE_N && !status; what++)
		status = changes_init(&all[what], (enum compare_what)what, walks)
				 ? figures_no_memory(f)
				 : CMD_DONE;
	if (!status) {
		regressions = changes_regressions(all, &limits, walks, judged);
		status = regressions ? print(f, all, regressions) : figures_no_memory(f);
	}
	if (regressions) {
		loss = cmd_loss_status(call, f[1].file, f[1].reader, opts->shared.max_loss_pct);
		if (status == CMD_DONE)
			status = loss;
		if (status == CMD_DONE || status == CMD_DAMAGED)
			status = !judges(f, judged) && !regressions->n_rows ? CMD_FAILED
				 : regressions->n_rows                      ? CMD_REGRESSION
									    : status;
	}
	for (unsigned what = 0; what < COMPARE_N; what++)
		changes_fini(&all[what]);
	table_free(regressions);
	for (size_t i = 0; i < opened; i++)
		figures_close(&f[i]);
	return status;
}

static const struct cmd_option diff_options[] = {
	CMD_STRING(
		0, "max-delay", struct diff_opts, max_delay, "POINTS",
		"regression: the share of its time for which a vCPU was delayed grew by more than POINTS "
		"percentage points"),
	CMD_STRING(0, "max-latency", struct diff_opts, max_latency, "PCT",
		   "regression: a task's p99 wake-up latency grew by more than PCT percent"),
	CMD_STRING(0, "max-exits", struct diff_opts, max_exits, "PCT",
		   "regression: a task's exits for a reason grew by more than PCT percent"),
	CMD_LIST(0, "label", struct diff_opts, labels, "TEXT",
		 "call the first capture TEXT; again, or with commas, the second"),
	OPTIONS_TASKS,
	OPTIONS_WINDOW,
	OPTION_FORMAT,
	CMD_UINT('n', "top", struct options_shared, top, "N", "10",
		 "the N most changed rows of each table; JSON: all"),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example diff_examples[] = {
	{ "cdict diff before.cdict after.cdict", "what changed most" },
	{ "cdict diff base.cdict new.cdict --max-delay 1 --max-latency 20 >/dev/null",
	  "status 3 when vCPUs waited longer" },
	{ NULL, NULL },
};

const struct cmd cmd_diff = {
	.name = "diff",
	.brief = "what changed between two captures, with a status for scripts",
	.operands = "[[BASE] NEW]",
	.about =
		"Tasks are matched by their display names, never by tid. Figures are percent of each "
		"window, per second, or durations, so that windows need not be of one length. With "
		"--max-... the exit status is 3 when something became worse than that.",
	.options = diff_options,
	.opts_size = sizeof(struct diff_opts),
	.max_operands = 2,
	.examples = diff_examples,
	.run = diff_run,
};

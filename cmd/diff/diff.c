/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict diff: compares two captures, or two groups of them, with an exit status for scripts. */
#include "cmd/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/ending.h"
#include "cmd/input/input.h"

/* Opens and walks a capture; also fills what a page needs. */
static int open_capture(struct report_capture *c, const struct cmd_call *call, const char *file,
			bool page)
{
	struct figures *f = &c->f;
	struct cdict_error err = { 0 };
	uint64_t first_ns, last_ns;
	int status;

	if (page)
		return report_open(c, call, file, NULL);
	status = figures_open_file(f, call, file);
	if (!status && !cdict_reader_window(f->reader, &first_ns, &last_ns))
		return cmd_errorf(call, file, "no events: nothing to show");
	if (!status && tables_walk_add(&f->walk, &err))
		status = figures_fail(f, &err);
	return status ? status : figures_run(f);
}

/* Finds the runs of both sides, *n_base of them the base's. Like perf diff: one operand is the new
 * file, without operands it is the recording and its predecessor. */
static int files_of(const struct cmd_call *call, struct texts *files, size_t *n_base)
{
	const char *names[2] = { INPUT_DEFAULT ".old", INPUT_DEFAULT };
	size_t before = call->n_before, n = call->n_operands;
	int status;

	if (!before || before == n) { /* "--" only ends the options */
		if (n > 2)
			return cmd_usage(call, "for several captures per side, put -- between BASE "
					       "and NEW");
		before = n > 1;
	}
	if (n < 2) {
		names[1] = n ? call->operands[0] : names[1];
		status = input_files_add(files, call, names, 1);
		*n_base = files->n;
		return status ? status : input_files_add(files, call, names + 1, 1);
	}
	status = input_files_add(files, call, call->operands, before);
	*n_base = files->n;
	if (!status)
		status = input_files_add(files, call, call->operands + before, n - before);
	if (!status && files->n > FIGURES_FILES)
		status = cmd_usage(call, "compares at most %d captures, not %zu", FIGURES_FILES,
				   files->n);
	return status;
}

/* ---- a gate must not pass when nothing was compared ---- */

/* Whether both sides have a common row other than IDLE with a known change. */
static bool compares(const struct diff *d)
{
	for (unsigned what = 0; what < COMPARE_N; what++) {
		const struct changes *c = &d->all[what];

		for (size_t i = 0; i < c->rows.n; i++) {
			const struct changes_row *row = &c->rows.at[i];

			for (size_t f = 0; f < c->compare.n_figures; f++) {
				if (row->stands && strcmp(row->row->name, COMPARE_IDLE) &&
				    isfinite(changes_value(c, row, f).change))
					return true;
			}
		}
	}
	return false;
}

/* Reports an error, or with --skip-unjudged a warning. */
static void report_unjudged(const struct diff *d, const char *file, const char *rule,
			    const char *why)
{
	void (*warn)(const struct cmd_call *, const char *, const char *, ...) = cmd_warn;

	if (d->opts->skip_unjudged)
		warn(d->call, file, rule ? "cannot judge '%s': %s" : "%s%s", rule ? rule : "", why);
	else
		cmd_errorf(d->call, file, rule ? "cannot judge '%s': %s" : "%s%s", rule ? rule : "",
			   why);
}

/* A capture without switches, if another has them. */
static const struct figures *without_switches(const struct diff *d)
{
	const struct figures *without = NULL;
	bool any = false;

	for (size_t i = 0; i < d->n; i++) {
		if (analyze_engine_summary(d->f[i]->walk.eng)->has_switch)
			any = true;
		else if (!without)
			without = d->f[i];
	}
	return any ? without : NULL;
}

/* Whether everything requested could be judged; reports the rest. */
static bool judges(const struct diff *d)
{
	const struct figures *without = without_switches(d);
	bool all = true;

	for (size_t i = 0; i < d->n_rules; i++) {
		char *why;

		if (d->rules[i].counts.judged)
			continue;
		why = diff_unjudged(d, &d->rules[i]);
		report_unjudged(d, NULL, d->rules[i].text, why ? why : "out of memory");
		free(why);
		all = false;
	}
	if (without && all) {
		report_unjudged(
			d, without->file, NULL,
			"no sched:sched_switch events, unlike other captures: run and wait times are "
			"not compared");
		all = false;
	}
	if (all && !compares(d)) {
		report_unjudged(
			d, NULL, NULL,
			"nothing was compared: no task on both sides has enough known time");
		all = false;
	}
	return all || d->opts->skip_unjudged;
}

static int status_of(struct diff *d)
{
	int status = CMD_DONE, loss;

	for (size_t i = 0; i < d->n; i++) {
		loss = cmd_loss_status(d->call, d->f[i]->file, d->f[i]->reader,
				       d->opts->shared.max_loss_pct);
		status = loss ? loss : status;
	}
	if (!judges(d))
		status = CMD_FAILED;
	return d->regressions->n_rows ? CMD_REGRESSION : status;
}

/* A page is selected by the output's ending. */
static bool is_page(const char *path)
{
	size_t len = path ? strlen(path) : 0;

	return ending_cut(path, len, ".html") < len;
}

static bool needs_groups(const struct diff *d)
{
	bool any = d->opts->by == DIFF_BY_GROUP || is_page(d->opts->shared.output);

	for (size_t i = 0; i < d->n_rules; i++)
		any |= d->rules[i].what == COMPARE_GROUPS;
	return any;
}

static int compare(struct diff *d)
{
	const struct tables_walk **walks = calloc(d->n, sizeof(*walks));
	bool any = false;
	int status = walks ? CMD_DONE : figures_no_memory(d->f[0]);

	for (size_t i = 0; i < d->n && walks; i++) {
		walks[i] = &d->f[i]->walk;
		any |= figures_any_task(d->f[i]);
	}
	if (!status && !any)
		status = figures_no_task(d->f[d->n - 1]);
	for (unsigned what = 0; what < COMPARE_ALL && !status; what++) {
		if (what == COMPARE_GROUPS && !needs_groups(d))
			continue;
		if (changes_init(&d->all[what], (enum compare_what)what, walks, d->n_base, d->n))
			status = figures_no_memory(d->f[0]);
	}
	if (!status)
		status = diff_judge(d);
	if (!status)
		status = is_page(d->opts->shared.output) ? diff_page(d) : diff_print(d);
	if (!status)
		status = status_of(d);
	for (unsigned what = 0; what < COMPARE_ALL; what++)
		changes_fini(&d->all[what]);
	table_free(d->regressions);
	table_free(d->outcome);
	table_free(d->runs);
	free(walks);
	return status;
}

static int diff_run(const struct cmd_call *call)
{
	struct diff d = { .call = call, .opts = call->opts };
	struct texts files = { 0 };
	size_t opened = 0;
	bool page;
	int status = diff_rules_init(&d);

	if (!status && d.opts->shared.output)
		status = cmd_output_check(call, NULL, d.opts->shared.output);
	if (!status)
		status = files_of(call, &files, &d.n_base);
	page = is_page(d.opts->shared.output);
	if (!status && page && files.n > REPORT_FILES)
		status = cmd_usage(call, "a page compares at most %d captures, not %zu",
				   REPORT_FILES, files.n);
	d.n = files.n;
	if (!status) {
		d.captures = calloc(d.n, sizeof(*d.captures));
		d.f = calloc(d.n, sizeof(*d.f));
		if (!d.captures || !d.f)
			status = cmd_errorf(call, NULL, "out of memory");
	}
	for (; opened < d.n && !status; opened++) {
		d.f[opened] = &d.captures[opened].f;
		status = open_capture(&d.captures[opened], call, files.at[opened], page);
	}
	if (!status)
		status = compare(&d);
	for (size_t i = 0; i < opened; i++) {
		if (page)
			report_close(&d.captures[i]);
		else
			figures_close(d.f[i]);
	}
	free(d.captures);
	free(d.f);
	texts_fini(&files);
	diff_rules_fini(&d);
	return status;
}

static const char *const by_choices[] = { "task", "group", NULL };

static const struct cmd_option diff_options[] = {
	CMD_CHOICE(
		0, "by", struct diff_opts, by, "WHAT", by_choices, "task",
		"the table of tasks has a row for each task or group: a VM, the kernel threads, or "
		"tasks of one name"),
	CMD_ORDERED(0, "fail-if", struct diff_opts, rules, "RULE",
		    "exit with status 3 when RULE is true, as in 'exits.rate > +10 %'; repeatable"),
	CMD_ORDERED(
		0, "max-delay", struct diff_opts, rules, "POINTS",
		"the same as --fail-if 'vcpu.delayed > +POINTS points': the share of a vCPU's time "
		"in which it waited for a CPU (preempted or waiting)"),
	CMD_ORDERED(0, "max-latency", struct diff_opts, rules, "PCT",
		    "the same as --fail-if 'latency.p99 > +PCT %': a task's wake-up latency"),
	CMD_ORDERED(0, "max-exits", struct diff_opts, rules, "PCT",
		    "the same as --fail-if 'exits.rate > +PCT %': a task's exits for a reason"),
	CMD_STRING_PRESET(
		0, "alpha", struct diff_opts, alpha, "P", "0.05",
		"with several runs per side: ignore changes that are chance with a probability of P or more"),
	CMD_UINT(0, "min-events", struct diff_opts, min_events, "N", "100",
		 "do not judge rates or latencies with fewer than N events on a side"),
	CMD_FLAG(0, "skip-unjudged", struct diff_opts, skip_unjudged,
		 "warn about rules that cannot be judged instead of exiting with status 1"),
	CMD_LIST(0, "label", struct diff_opts, labels, "TEXT",
		 "name the first capture or side TEXT; repeated, or after a comma, the second"),
	CMD_LIST(0, "commit", struct diff_opts, commits, "TEXT",
		 "commit of the new side; with two, the first is the base's"),
	CMD_STRING(
		'o', "output", struct options_shared, output, "FILE",
		"write FILE, whole or not at all; '-' is standard output; FILE.html: the page of the "
		"comparison"),
	OPTIONS_TASKS,
	OPTIONS_WINDOW,
	OPTION_FORMAT_ROWS,
	OPTION_NO_PAGER,
	CMD_UINT('n', "top", struct options_shared, top, "N", "10",
		 "the N most changed rows of each table; CSV and JSON: all, of very many those that "
		 "fit 16 MB; 0: all"),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example diff_examples[] = {
	{ "cdict diff before.cdict after.cdict", "the largest changes" },
	{ "cdict diff base*.cdict -- new*.cdict --fail-if 'latency.p99[name=Firewall] > +10 %'",
	  "five runs against five: status 3 when its wake-ups became slower by more than chance" },
	{ "cdict diff base.cdict new.cdict --fail-if 'vcpu.delayed > +1 points' --format md -o comment.md",
	  "for a pull request" },
	{ NULL, NULL },
};

const struct cmd cmd_diff = {
	.name = "diff",
	.brief = "compare two captures, or groups of captures, with a status for scripts",
	.operands = "[[BASE...] [--] NEW...]",
	.about = "Tasks are matched by their display names, never by tid. Figures are percentages "
		 "of each window, rates per second, or durations, so windows may differ in length. "
		 "With several runs per side they are medians, and differences that may be chance "
		 "do not count. With --fail-if the exit status is 3 when a rule is broken, and 1 "
		 "when one cannot be judged.",
	.options = diff_options,
	.opts_size = sizeof(struct diff_opts),
	.max_operands = FIGURES_FILES,
	.dashes_part_operands = true,
	.examples = diff_examples,
	.run = diff_run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict sweep: runs a command repeatedly with different parameters, and draws the results. */
#include "cmd/sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text/plural.h"
#include "capture/trigger/task_pattern.h"
#include "cmd/core/foreign.h"

static const char *const scales[] = { "auto", "linear", "log", NULL };
static const char *const y_scales[] = { "linear", "log", NULL };
static const char *const themes[] = { "light", "dark", NULL };

static int fail(const struct cmd_call *call, const char *subject, const struct cdict_error *err)
{
	return err->code == CDICT_EUSAGE ? cmd_usage(call, "%s", err->text)
					 : cmd_error(call, subject, err);
}

/* Copies a text that may be NULL. */
static int copy(char **to, const char *text, struct cdict_error *err)
{
	*to = text ? strdup(text) : NULL;
	return text && !*to ? cdict_fail_nomem(err) : 0;
}

/* The values of -e, joined by commas; or the default. Adds the events of window markers. */
static int copy_events(struct sweep *s, const struct sweep_opts *o, struct cdict_error *err)
{
	struct sink all;

	sink_to_memory(&all);
	for (size_t i = 0; i < o->shared.events.n; i++)
		sink_printf(&all, "%s%s", i ? "," : "", o->shared.events.at[i]);
	if (!o->shared.events.n)
		sink_puts(&all, sweep_record_events());
	for (int i = 0; i < 2; i++) {
		const char *marker = i ? o->window_end : o->window_start;

		if (marker)
			sink_printf(&all, ",%.*s", (int)strcspn(marker, "/"), marker);
	}
	s->record = sink_take(&all, NULL);
	return s->record ? 0 : cdict_fail_nomem(err);
}

static int add_select(struct sweep *s, const char *option, const char *value,
		      struct cdict_error *err)
{
	for (int i = 0; i < 2 && value; i++) {
		if (texts_add(&s->select, i ? value : option))
			return cdict_fail_nomem(err);
	}
	return 0;
}

/* Adds the values of -L and -P, the latter with the step of -D. */
static int add_params(struct sweep *s, const struct sweep_opts *o, struct cdict_error *err)
{
	bool scans = false;
	int rc = 0;

	for (size_t i = 0; i < o->params.n && !rc; i++) {
		const char *spec = strchr(o->params.at[i], '=') + 1;
		bool scan = !strncmp(o->params.at[i], "parameter-scan=", 15);
		char *stepped = NULL;

		scans |= scan;
		if (scan && o->step && asprintf(&stepped, "%s:%s", spec, o->step) < 0)
			return cdict_fail_nomem(err);
		rc = sweep_params_add(&s->params, stepped ? stepped : spec, err);
		free(stepped);
	}
	if (!rc && o->step && !scans)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "--parameter-step-size needs --parameter-scan");
	return rc;
}

static int add_metrics(struct sweep *s, const struct sweep_opts *o, struct cdict_error *err)
{
	static const char *const times[] = { "wall", "user", "sys" };
	int rc = 0;

	for (size_t i = 0; i < o->metrics.n && !rc; i++)
		rc = sweep_metrics_add(&s->metrics, strchr(o->metrics.at[i], '=') + 1, err);
	if (!rc && !o->metrics.n)
		rc = sweep_metrics_add(&s->metrics, o->record ? "record.switches" : "wall", err);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]) && !rc && o->export_json; i++) {
		if (sweep_metrics_from(&s->metrics, times[i]) == s->metrics.all.n)
			rc = sweep_metrics_add(&s->metrics, times[i], err);
	}
	return rc;
}

/* Checks that options fit together: the recorder's options need --record. */
static int check(const struct sweep *s, const struct sweep_opts *o, struct cdict_error *err)
{
	struct task_pattern *tasks = NULL;
	int rc = 0;

	if (!o->record &&
	    (sweep_metrics_any(&s->metrics, SWEEP_FROM_RECORD) || o->shared.events.n || o->keep ||
	     o->window_start || o->window_end || o->shared.task))
		return cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			"metrics of a recording, -e, -t, --window-* and --keep need --record");
	if ((o->window_start || o->window_end) && !sweep_record_windows())
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "the tables have no --window-start and --window-end");
	if (!s->runs || s->runs > SWEEP_RUNS_MAX || (s->drop_first && s->runs < 2))
		return cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			"option --runs: expected 1 to 1000000, and at least 2 with --drop-first");
	if (sweep_params_points(&s->params) > o->max_values)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "%s %s, more than %s: use --max-values %zu to run them all, or "
				  "fewer, as in 1K..1M*4 or 2^10..2^20",
				  GROUPED(sweep_params_points(&s->params)),
				  s->params.all.n > 1 ? "combinations of values" : "values",
				  GROUPED(o->max_values), sweep_params_points(&s->params));
	if (sweep_params_points(&s->params) * s->runs > SWEEP_RUNS_MAX)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "more than a million runs in all");
	if (o->shared.task)
		rc = task_pattern_new(&tasks, o->shared.task, err);
	task_pattern_free(tasks);
	return rc;
}

/* Takes the options of the command line. */
static int take_options(struct sweep *s, const struct cmd_call *call, struct cdict_error *err)
{
	const struct sweep_opts *o = call->opts;
	char host[256] = "";
	int rc = copy(&s->shell, o->shell, err);

	rc = rc ? rc : sweep_command_take(s, call, err);
	rc = rc ? rc : add_params(s, o, err);
	rc = rc ? rc : add_metrics(s, o, err);
	gethostname(host, sizeof(host) - 1);
	rc = rc ? rc : copy(&s->host, host, err);
	rc = rc ? rc : copy(&s->setup, o->setup, err);
	rc = rc ? rc : copy(&s->prepare, o->prepare, err);
	rc = rc ? rc : copy(&s->cleanup, o->cleanup, err);
	rc = rc ? rc : copy(&s->title, o->title, err);
	rc = rc ? rc : add_select(s, "-t", o->shared.task, err);
	rc = rc ? rc : add_select(s, "--window-start", o->window_start, err);
	rc = rc ? rc : add_select(s, "--window-end", o->window_end, err);
	rc = rc ? rc : add_select(s, "--window-pick", o->window_pick, err);
	if (!rc && o->record)
		rc = copy_events(s, o, err);
	s->runs = (uint32_t)(o->runs > SWEEP_RUNS_MAX ? SWEEP_RUNS_MAX + 1 : o->runs);
	s->warmup = (uint32_t)(o->warmup > SWEEP_RUNS_MAX ? SWEEP_RUNS_MAX : o->warmup);
	s->drop_first = o->drop_first;
	return rc ? rc : check(s, o, err);
}

/* Reads the data of --plot, written by an earlier sweep. */
static int read_file(struct buf *to, const char *path, struct cdict_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return cdict_fail(err, -errno, CDICT_NO_OFFSET, "%s", strerror(errno));
	rc = buf_read(to, fd, (size_t)1 << 30);
	close(fd);
	return rc == -ENOMEM ? cdict_fail_nomem(err)
	       : rc          ? cdict_fail(err, rc, CDICT_NO_OFFSET, "%s", strerror(-rc))
	       : to->len     ? 0
			     : cdict_fail_empty(err, path);
}

static int plot(const struct cmd_call *call)
{
	const struct sweep_opts *o = call->opts;
	struct cdict_error err = { 0 };
	struct buf data = { 0 };
	struct sweep s = { .metrics.recorder = &sweep_recorder };
	int rc, status;

	if (call->n_operands || o->params.n || o->metrics.n || o->record)
		return cmd_usage(
			call,
			"--plot cannot be used with --param, --metric, --record or a command");
	rc = read_file(&data, o->plot, &err);
	if (!rc)
		rc = sweep_read(&s, (const char *)data.data, data.len, &err);
	if (!rc && o->title) {
		free(s.title);
		rc = copy(&s.title, o->title, &err);
	}
	if (rc)
		status = cmd_error(call, o->plot, &err);
	else
		status = sweep_outputs_check(call, &s);
	if (!status)
		status = sweep_outputs_write(call, &s);
	buf_fini(&data);
	sweep_fini(&s);
	return status;
}

/* Whether the command, or what runs beside it, has @text. */
static bool mentions(const struct sweep *s, const char *text)
{
	const char *const beside[] = { s->setup, s->prepare, s->cleanup };
	const struct sweep_param *lines = s->lines && s->params.all.n ? &s->params.all.at[0] : NULL;

	for (size_t i = 0; lines && i < lines->values.n; i++) {
		if (strstr(lines->values.at[i].text, text))
			return true;
	}
	for (size_t i = 0; i < s->command.n; i++) {
		if (strstr(s->command.at[i], text))
			return true;
	}
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		if (beside[i] && strstr(beside[i], text))
			return true;
	}
	return false;
}

/* Reports how sizes are passed: programs differ in what they read of 4K. */
static void report_sizes(const struct cmd_call *call, const struct sweep *s)
{
	for (size_t i = 0; i < s->params.all.n && !call->quiet; i++) {
		const struct sweep_param *p = &s->params.all.at[i];
		const struct sweep_value *size = NULL;
		char plain[80], typed[80];

		for (size_t k = 0; k < p->values.n && !size; k++)
			size = strcmp(p->values.at[k].text, p->values.at[k].typed)
				       ? &p->values.at[k]
				       : NULL;
		snprintf(plain, sizeof(plain), "{%s}", p->name);
		snprintf(typed, sizeof(typed), "{%s:text}", p->name);
		if (size && mentions(s, plain))
			fprintf(stderr,
				"[ cdict sweep: %s passes sizes as plain numbers, %s as %s; %s passes "
				"them as typed ]\n",
				plain, size->typed, size->text, typed);
		if (size && mentions(s, typed))
			fprintf(stderr, "[ cdict sweep: %s passes sizes as typed, as in %s ]\n",
				typed, size->typed);
	}
}

/* Makes all runs, then writes the files. */
static int measure(const struct cmd_call *call, struct sweep *s)
{
	const struct sweep_opts *o = call->opts;
	char *path = sweep_outputs_beside(o, ".journal");
	struct sweep_journal journal = { .fd = -1, .at = { .dir = -1, .fd = -1 } };
	struct cdict_error err = { 0 };
	int status, rc;

	rc = path ? sweep_journal_open(&journal, s, path, o->restart, &err)
		  : cdict_fail_nomem(&err);
	if (!rc)
		report_sizes(call, s);
	status = rc ? fail(call, NULL, &err) : sweep_loop(call, s, &journal);
	if (!status)
		status = sweep_outputs_write(call, s);
	/* Keep the journal if writing failed: the files can be made without new runs. A journal of
	 * another sweep is left alone. */
	sweep_journal_close(&journal, !rc && (!status || !s->done.n));
	free(path);
	if (status || o->ignore_failure)
		return status;
	if (sweep_missing(s))
		status = cmd_errorf(call, NULL, "metrics are missing in %s of %s run%s",
				    GROUPED(sweep_missing(s)), GROUPED(s->done.n),
				    s->done.n == 1 ? "" : "s");
	if (sweep_failed(s))
		status = cmd_errorf(call, NULL, "%s of %s run%s failed", GROUPED(sweep_failed(s)),
				    GROUPED(s->done.n), s->done.n == 1 ? "" : "s");
	return status;
}

static int sweep_run_command(const struct cmd_call *call)
{
	const struct sweep_opts *o = call->opts;
	struct cdict_error err = { 0 };
	struct sweep s = { .metrics.recorder = &sweep_recorder };
	int status;

	if (o->plot)
		return plot(call);
	if (!call->n_operands)
		return cmd_usage(call, "needs a command, or --plot FILE");
	if (take_options(&s, call, &err))
		status = fail(call, NULL, &err);
	else
		status = sweep_outputs_check(call, &s);
	if (!status)
		status = measure(call, &s);
	sweep_fini(&s);
	return status;
}

#define OPT struct sweep_opts

static const struct cmd_option sweep_options[] = {
	CMD_PAIR('L', "param", OPT, params, "NAME=VALUES",
		 "replace {NAME} in the command by each of VALUES in turn, as in b=1,2,4..16M; "
		 "several options run all combinations"),
	CMD_SCAN('P', "parameter-scan", OPT, params, "NAME MIN MAX",
		 "the same for a range, as hyperfine does: -P b 1 9 is -L b 1..9"),
	CMD_STRING('D', "parameter-step-size", OPT, step, "STEP", "the step of -P (default: 1)"),
	CMD_UINT('n', "runs", OPT, runs, "N", "11", "runs of each combination"),
	CMD_UINT('r', "repeat", OPT, runs, "N", NULL,
		 "the same as -n, as in perf stat and hyperfine"),
	CMD_UINT(0, "max-values", OPT, max_values, "N", "200",
		 "refuse to start with more values, or combinations of values, than this"),
	CMD_FLAG(0, "drop-first", OPT, drop_first,
		 "do not count the first run of each combination"),
	CMD_UINT('w', "warmup", OPT, warmup, "N", "0",
		 "unmeasured runs before those of each combination"),
	CMD_STRING('s', "setup", OPT, setup, "SHELL-COMMAND",
		   "run before the runs of each combination"),
	CMD_STRING('p', "prepare", OPT, prepare, "SHELL-COMMAND", "run before each run"),
	CMD_STRING('c', "cleanup", OPT, cleanup, "SHELL-COMMAND",
		   "run after the runs of each combination"),
	CMD_STRING(
		'S', "shell", OPT, shell, "SHELL",
		"run the command with SHELL -c, its words joined by spaces (default: without a shell)"),
	CMD_FLAG('i', "ignore-failure", OPT, ignore_failure,
		 "exit with status 0 even if runs failed; the output still shows them"),
	CMD_ORDERED(
		0, "metric", OPT, metrics, "[NAME=]SOURCE[|REDUCTION][:UNIT]",
		"measure wall, user, sys, cpu, maxrss, ..., record.switches, ..., or a path in the "
		"JSON that the command prints, as in samples[].bandwidth; repeatable (default: "
		"wall)"),
	CMD_FLAG(0, "record", OPT, record,
		 "record each run like cdict record, for metrics record.*"),
	CMD_LIST('e', "event", OPT, shared.events, "GLOB",
		 "with --record: record these tracepoints (default: those of the views, and system "
		 "calls)"),
	CMD_STRING(
		't', "task", OPT, shared.task, "REGEX",
		"with --record: only figures of tasks whose name matches; a leading * is taken as .*"),
	CMD_STRING(0, "window-start", OPT, window_start, "EVENT[/FILTER/]",
		   "with --record: count only windows between markers, which start at this event"),
	CMD_STRING(0, "window-end", OPT, window_end, "EVENT[/FILTER/]",
		   "end the window at the next such event"),
	CMD_STRING(0, "window-pick", OPT, window_pick, "WHICH",
		   "windows to count: see --window-pick of the tables"),
	CMD_STRING(0, "keep", OPT, keep, "FOLDER", "with --record: keep the recordings in FOLDER"),
	OPTION_MAX_LOSS,
	CMD_ORDERED(
		'o', "output", OPT, outputs, "FILE",
		"write a picture (.html, .svg, .png, .pdf) or the data (.json, .csv, .md, .txt), "
		"by the file's extension; repeatable (default: sweep.html); JSON and CSV are "
		"written next to the first"),
	CMD_STRING(0, "export-json", OPT, export_json, "JSON",
		   "also write the times of the runs to this file, in hyperfine's format"),
	CMD_STRING(0, "plot", OPT, plot, "FILE",
		   "run nothing; redraw the JSON of an earlier sweep"),
	CMD_FLAG(0, "restart", OPT, restart, "discard the runs of an interrupted sweep"),
	CMD_STRING(0, "x", OPT, x, "NAME",
		   "the parameter on the x axis (default: the first with numbers)"),
	CMD_CHOICE(0, "x-scale", OPT, x_scale, "SCALE", scales, "auto",
		   "the x axis: linear, log, or whichever fits"),
	CMD_CHOICE(0, "y-scale", OPT, y_scale, "SCALE", y_scales, "linear",
		   "the metrics' axis: linear or log"),
	CMD_LIST(0, "mark", OPT, marks, "VALUE[=LABEL][:COLOUR]",
		 "draw a line across the plot at VALUE, named in the legend, as in 4K=4KB:red"),
	CMD_STRING(0, "title", OPT, title, "TEXT", "the plot's title (default: the command)"),
	CMD_UINT(0, "width", OPT, width, "N", NULL, "width in pixels (default: 1280)"),
	CMD_UINT(0, "height", OPT, height, "N", NULL, "height in pixels (default: 720)"),
	CMD_CHOICE(
		0, "theme", OPT, theme, "THEME", themes, "light",
		"light or dark background of SVG, PNG and PDF; HTML follows the browser's setting"),
	OPTION_FORMAT_ROWS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};
#undef OPT

static const struct cmd_example sweep_examples[] = {
	{ "cdict sweep -n 3 -L b 1K,4K,16K..1M -- dd if=/dev/zero of=/dev/null bs={b} count=100",
	  "measure the time for each block size" },
	{ "cdict sweep -n 3 -L b 4K,64K --metric 'benchmark_samples[1:].bandwidth:B/s' -o disk.svg -- diskread -f /dev/zero -b {b} -n 3 -j",
	  "plot a figure that the command prints, without its first sample" },
	{ "cdict sweep -n 3 'sleep 0.01' 'sleep 0.02'", "compare two command lines" },
	{ "cdict sweep --plot disk.json -o disk.png --mark 32K=L1:red --y-scale log",
	  "redraw with a mark and a log axis" },
	{ NULL, NULL },
};

const struct cmd cmd_sweep = {
	.name = "sweep",
	.brief = "benchmark a command over parameters: medians, quartiles, a plot",
	.operands = "-- COMMAND... | 'COMMAND LINE'...",
	.about =
		"Runs COMMAND for each combination of parameter values and draws medians with "
		"quartile bars. {b} in its words passes sizes as plain numbers, {b:text} as typed. Repeat the command line to continue an interrupted sweep. A failed "
		"run is shown with its status, and does not count.",
	.options = sweep_options,
	.foreign = foreign_sweep_options,
	.opts_size = sizeof(struct sweep_opts),
	.max_operands = SWEEP_WORDS_MAX,
	.operands_end_options = true,
	.examples = sweep_examples,
	.run = sweep_run_command,
};

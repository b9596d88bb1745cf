/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict sweep: makes all runs, one after the other. */
#include "cmd/sweep/sweep.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/system/monotonic.h"
#include "base/text/escape.h"
#include "base/text/plural.h"

struct loop {
	const struct cmd_call *call;
	const struct sweep_opts *opts;
	struct sweep *s;
	struct sweep_journal *journal;
	size_t points;
	bool terminal, shown;
	/* The current progress. */
	const char *what;
	size_t point;
	uint64_t from_ns;
};

/* --- progress on a terminal --- */

static size_t columns(void)
{
	struct winsize ws;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) || ws.ws_col < 20 ? 80 : ws.ws_col;
}

static void put_left(struct sink *s, double seconds)
{
	unsigned long v = (unsigned long)(seconds + 0.5);

	if (v >= 3600)
		sink_printf(s, ", %lu:%02lu:%02lu left", v / 3600, v / 60 % 60, v % 60);
	else
		sink_printf(s, ", %lu:%02lu left", v / 60, v % 60);
}

static void put_params(struct sink *s, const struct sweep *sw, size_t point)
{
	for (size_t i = 0; i < sw->params.all.n; i++) {
		const char *text = sweep_params_at(&sw->params, i, point)->typed;

		sink_printf(s, "%s%s=", i ? ", " : "", sw->params.all.at[i].name);
		escape_terminal(s, text, strlen(text));
	}
}

static void show(void *loop)
{
	struct loop *l = loop;
	size_t all = l->points * l->s->runs, len;
	double took_ns = 0, left_ns;
	struct sink s;
	char *text;

	if (!l->terminal)
		return;
	sink_to_memory(&s);
	sink_printf(&s, "%s %zu of %zu", l->what, l->s->done.n + 1, all);
	if (l->s->params.all.n)
		sink_puts(&s, ", ");
	put_params(&s, l->s, l->point);
	for (size_t i = 0; i < l->s->done.n; i++)
		took_ns += (double)l->s->done.at[i].took_ns;
	left_ns =
		took_ns / (double)(l->s->done.n ? l->s->done.n : 1) * (double)(all - l->s->done.n) -
		(double)(monotonic_ns() - l->from_ns);
	if (l->s->done.n)
		put_left(&s, left_ns > 0 ? left_ns / 1e9 : 0);
	text = sink_take(&s, &len);
	if (text && len > columns() - 1)
		len = columns() - 1;
	if (text)
		fprintf(stderr, "\r%.*s\033[K", (int)len, text);
	l->shown = text != NULL;
	free(text);
}

static void begin_line(struct loop *l, const char *what, size_t point)
{
	l->what = what;
	l->point = point;
	l->from_ns = monotonic_ns();
	show(l);
}

static void unshow(struct loop *l)
{
	if (l->shown)
		fprintf(stderr, "\r\033[K");
	l->shown = false;
}

/* --- one run --- */

static void words_free(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* SHELL -c "TEXT" */
static char **shell_words(const char *shell, const char *text)
{
	char **words = calloc(4, sizeof(*words));

	if (words) {
		words[0] = strdup(shell);
		words[1] = strdup("-c");
		words[2] = strdup(text);
	}
	if (words && words[0] && words[1] && words[2])
		return words;
	words_free(words);
	return NULL;
}

/* The command of @point, parameters replaced. */
static char **command_words(const struct sweep *s, size_t point, struct cdict_error *err)
{
	const char *line = s->lines ? sweep_line(s, point) : NULL;
	struct texts split = { 0 };
	const struct texts *from = line ? &split : &s->command;
	char **words = NULL, *text;

	if (s->shell) {
		text = sweep_command(s, point);
		words = text ? shell_words(s->shell, text) : NULL;
		free(text);
		return words;
	}
	if (!line || !sweep_words(&split, line, err))
		words = calloc(from->n + 1, sizeof(*words));
	for (size_t i = 0; words && i < from->n; i++) {
		words[i] = sweep_params_replace(&s->params, point, from->at[i]);
		if (!words[i]) {
			words_free(words);
			words = NULL;
		}
	}
	texts_fini(&split);
	return words;
}

/* The file for the recording of a run: kept, or next to the output until its figures are taken. */
static char *capture_path(const struct loop *l, size_t point, uint32_t nth)
{
	char *path;

	if (!l->opts->keep)
		return sweep_outputs_beside(l->opts, ".running.cdict");
	return asprintf(&path, "%s/%04zu-%02u.cdict", l->opts->keep, point, nth) < 0 ? NULL : path;
}

static void drop_samples(struct sweep_done *run, size_t n)
{
	for (size_t i = 0; run->samples && i < n; i++)
		sweep_samples_fini(&run->samples[i]);
	free(run->samples);
	run->samples = NULL;
}

/* Takes the figures of a successful run. A missing metric costs only that metric; without any the run does not count: the
 * reason is in @run->why. */
static int take_figures(struct loop *l, struct sweep_done *run, struct sweep_measured *m,
			const char *capture, struct cdict_error *err)
{
	size_t n = l->s->metrics.all.n, missing = 0;
	int rc = 0;

	run->samples = calloc(n, sizeof(*run->samples));
	if (!run->samples)
		return cdict_fail_nomem(err);
	if (capture)
		rc = sweep_record_check(capture, l->opts->shared.max_loss_pct, &m->wall_ns, err);
	m->capture = capture;
	m->select = &l->s->select;
	if (!rc)
		rc = sweep_metrics_take(&l->s->metrics, m, run->samples, err);
	for (size_t i = 0; !rc && i < n; i++)
		missing += run->samples[i].why != NULL;
	if (sweep_costs_all(rc) || (!rc && missing < n))
		return rc;
	run->why = strdup(rc ? err->text : run->samples[0].why);
	drop_samples(run, n);
	return run->why ? 0 : cdict_fail_nomem(err);
}

/* @run->samples stays NULL when @counted is false. */
static int run_once(struct loop *l, struct sweep_done *run, bool counted, struct cdict_error *err)
{
	char **words = command_words(l->s, run->point, err);
	char *capture = counted && l->s->record ? capture_path(l, run->point, run->nth) : NULL;
	struct sweep_exec exec = { .argv = words,
				   .inside = capture ? sweep_record_run : NULL,
				   .wait = l->terminal ? show : NULL,
				   .wait_ctx = l,
				   .record = capture,
				   .events = l->s->record };
	struct sweep_measured m = { 0 };
	int rc = words && (capture || !counted || !l->s->record) ? 0 : cdict_fail_nomem(err);

	if (!rc && capture)
		unlink(capture);
	if (!rc)
		rc = sweep_run(&exec, &m, &run->status, &run->why, err);
	/* If the recorder failed, report its error, whatever the command's status. */
	if (!rc && capture && !sweep_run_stopped() && access(capture, F_OK))
		rc = cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				"nothing was recorded: %s", run->why ? run->why : "no file");
	if (!rc && counted && !run->status && !sweep_run_stopped())
		rc = take_figures(l, run, &m, capture, err);
	if (capture && !l->opts->keep)
		unlink(capture);
	buf_fini(&m.output);
	free(capture);
	words_free(words);
	return rc;
}

/* Runs --setup, --prepare or --cleanup. */
static int beside(struct loop *l, const char *option, const char *text, size_t point,
		  struct cdict_error *err)
{
	char *replaced = text ? sweep_params_replace(&l->s->params, point, text) : NULL;
	char **words = replaced ? shell_words("/bin/sh", replaced) : NULL;
	struct sweep_exec exec = { .argv = words };
	struct sweep_measured m = { 0 };
	char *why = NULL;
	int status = 0, rc;

	free(replaced);
	if (!text)
		return 0;
	rc = words ? sweep_run(&exec, &m, &status, &why, err) : cdict_fail_nomem(err);
	if (!rc && status && !sweep_run_stopped())
		rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "option --%s: '%s' failed: %s",
				option, words[2], why);
	/* this is not wrong usage */
	rc = rc == CDICT_EUSAGE ? CDICT_ENOTFOUND : rc;
	err->code = rc ? rc : err->code;
	buf_fini(&m.output);
	free(why);
	words_free(words);
	return rc;
}

/* --- all runs --- */

static int begin_point(struct loop *l, size_t point, struct cdict_error *err)
{
	int rc = beside(l, "setup", l->s->setup, point, err);

	for (uint32_t i = 0; i < l->s->warmup && !rc && !sweep_run_stopped(); i++) {
		struct sweep_done run = { .point = (uint32_t)point };

		begin_line(l, "warming up for run", point);
		rc = beside(l, "prepare", l->s->prepare, point, err);
		if (!rc)
			rc = run_once(l, &run, false, err);
		sweep_done_fini(&run, l->s->metrics.all.n);
	}
	return rc;
}

static int next_run(struct loop *l, size_t point, uint32_t nth, struct cdict_error *err)
{
	struct sweep_done run = { .point = (uint32_t)point,
				  .nth = nth,
				  .dropped = l->s->drop_first && !nth };
	uint64_t from_ns = monotonic_ns();
	int rc;

	begin_line(l, "run", point);
	rc = beside(l, "prepare", l->s->prepare, point, err);
	if (!rc && !sweep_run_stopped())
		rc = run_once(l, &run, true, err);
	run.took_ns = monotonic_ns() - from_ns;
	if (!rc && !sweep_run_stopped()) {
		rc = sweep_journal_add(l->journal, l->s, &run, err);
		if (!rc && array_push(&l->s->done, run))
			rc = cdict_fail_nomem(err);
		if (!rc)
			return 0;
	}
	sweep_done_fini(&run, l->s->metrics.all.n);
	return rc;
}

static void warn_run(struct loop *l, const struct sweep_done *run, const char *failed,
		     const char *why)
{
	struct sink s;
	char *text;

	unshow(l);
	sink_to_memory(&s);
	put_params(&s, l->s, run->point);
	text = sink_take(&s, NULL);
	if (text)
		cmd_warn(l->call, NULL, "%s%srun %u%s: %s", text, *text ? ": " : "", run->nth + 1,
			 failed, why);
	free(text);
}

static void report_failure(struct loop *l, const struct sweep_done *run)
{
	if (run->dropped)
		return;
	if (!run->samples)
		warn_run(l, run, " failed", run->why);
	for (size_t m = 0; run->samples && m < l->s->metrics.all.n; m++) {
		if (run->samples[m].why)
			warn_run(l, run, "", run->samples[m].why);
	}
}

/* Makes the runs of a point from @nth on. Setup and warm-up are repeated when it resumes in the
 * middle: their effect may be lost. */
static int run_point(struct loop *l, size_t point, uint32_t nth, struct cdict_error *err)
{
	int rc = begin_point(l, point, err);

	for (; nth < l->s->runs && !rc && !sweep_run_stopped(); nth++) {
		size_t had = l->s->done.n;

		rc = next_run(l, point, nth, err);
		if (l->s->done.n > had)
			report_failure(l, &l->s->done.at[had]);
	}
	if (!rc && !sweep_run_stopped())
		rc = beside(l, "cleanup", l->s->cleanup, point, err);
	return rc;
}

/* Ends by the signal, after a message how to resume. */
static int stop(struct loop *l, int sig)
{
	size_t all = l->points * l->s->runs;

	if (!l->call->quiet)
		fprintf(stderr,
			"[ cdict sweep: stopped after %s of %s run%s; repeat the command line to continue ]\n",
			GROUPED(l->s->done.n), GROUPED(all), all == 1 ? "" : "s");
	signal(sig, SIG_DFL);
	raise(sig);
	return CMD_FAILED;
}

int sweep_loop(const struct cmd_call *call, struct sweep *s, struct sweep_journal *journal)
{
	struct loop l = { .call = call,
			  .opts = call->opts,
			  .s = s,
			  .journal = journal,
			  .points = sweep_params_points(&s->params),
			  .terminal = !call->quiet && isatty(STDERR_FILENO) };
	struct cdict_error err = { 0 };
	int rc = 0;

	if (s->done.n && !call->quiet)
		fprintf(stderr, "[ cdict sweep: continuing: %s of %s runs are in %s ]\n",
			GROUPED(s->done.n), GROUPED(l.points * s->runs), journal->path);
	sweep_run_watch();
	for (size_t point = s->done.n / s->runs; point < l.points && !rc && !sweep_run_stopped();
	     point++)
		rc = run_point(&l, point, (uint32_t)(s->done.n - point * s->runs), &err);
	unshow(&l);
	if (sweep_run_stopped())
		return stop(&l, sweep_run_stopped());
	return rc ? cmd_error(call, NULL, &err) : CMD_DONE;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict top: shows current activity, once a second or at another interval. */
#include "cmd/top/top.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/system/outfile.h"
#include "base/text/escape.h"
#include "cmd/core/foreign.h"
#include "cmd/record/record.h"
#include "cmd/tables/fleet.h"
#include "cmd/top/job.h"
#include "cmd/top/terminal.h"

#define KEEP_NS (UINT64_C(32) * 1000000000)
#define SECOND_NS UINT64_C(1000000000)
#define DELAY_LEAST_NS (SECOND_NS / 10)
#define DELAY_MOST_NS (3600 * SECOND_NS)
#define KEYS "w waiting, e exits, c CPU, f fold, SPACE freeze, s save 30 s, q quit"

struct top_opts {
	struct record_opts record; /* also for record_names_*() */
	int sort;                  /* enum top_by */
	bool unfold;
	const char *delay;
};

struct top {
	const struct cmd_call *call;
	struct record_names names;
	struct top_rows rows;
	enum top_by by;
	struct top_choice choice;
	bool frozen;
	struct top_terminal terminal;
	char message[512];
	unsigned shown;         /* how many times the message was shown */
	struct cdict_error err; /* error of making the table */
};

static const char *const sorts[] = { "waiting", "exits", "cpu", NULL };

static void draw(struct top *t)
{
	const struct record_opts *o = &((const struct top_opts *)t->call->opts)->record;
	const char *last = t->message[0] ? t->message : t->frozen ? "frozen: SPACE resumes" : KEYS;
	struct top_view view = top_terminal_view(&t->terminal, o->shared.top, o->shared.verbose);
	struct sink s;
	int rc;

	sink_to_file(&s, stdout);
	if (t->terminal.on)
		sink_puts(&s, "\033[H");
	top_rows_head(&t->rows, &s, t->by, &view);
	view.lines--;
	rc = top_rows_list(&t->rows, &s, &view);
	if (t->terminal.on) {
		escape_terminal(&s, last,
				strlen(last) < view.columns ? strlen(last) : view.columns);
		sink_puts(&s, "\033[K\033[J");
	} else {
		sink_putc(&s, '\n');
	}
	if (sink_finish(&s) == -ENOMEM || rc)
		cdict_fail_nomem(&t->err);
	fflush(stdout);
}

/* ---- callbacks of record_run() ---- */

static void look(void *ctx, const void *cdict, size_t size)
{
	struct top *t = ctx;
	struct top_rows rows;

	if (t->frozen)
		return;
	if (top_rows_fill(&rows, cdict, size, &t->choice, &t->err)) {
		top_rows_fini(&rows);
		return;
	}
	top_rows_fini(&t->rows);
	t->rows = rows;
	top_rows_sort(&t->rows, t->by);
	draw(t);
	/* a message is shown three times */
	if (++t->shown == 3)
		t->message[0] = '\0';
}

static enum record_key on_key(void *ctx)
{
	struct top *t = ctx;
	char key;

	if (t->err.code || ferror(stdout))
		return RECORD_KEY_END; /* nothing to show, or the reader is gone */
	key = top_terminal_key(&t->terminal, 0);
	if (!key)
		return RECORD_KEY_NONE;
	t->message[0] = '\0';
	switch (key) {
	case 'q':
		return RECORD_KEY_END;
	case 's':
		return RECORD_KEY_DUMP;
	case 'f':
		t->choice.fold = !t->choice.fold;
		break;
	case ' ':
		t->frozen = !t->frozen;
		break;
	default:
		if (!top_by_key(key, &t->by))
			return RECORD_KEY_NONE;
	}
	top_rows_sort(&t->rows, t->by);
	draw(t);
	return RECORD_KEY_NONE;
}

/* Keeps messages such as "SIGUSR2: 12 events written to top.cdict". */
static void say(void *ctx, bool warning, const char *line)
{
	struct top *t = ctx;

	if (t->terminal.on) {
		snprintf(t->message, sizeof(t->message), "%s", line);
		t->shown = 0;
		draw(t);
	} else if (warning) {
		cmd_warn(t->call, NULL, "%s", line);
	}
}

/* The processes and threads must exist, as for perf top. */
static int check_tasks(const struct top *t)
{
	const struct top_choice *c = &t->choice;
	char path[32];

	for (size_t i = 0; i < c->n_pids + c->n_tids; i++) {
		bool pid = i < c->n_pids;
		int32_t id = pid ? c->pids[i] : c->tids[i - c->n_pids];

		snprintf(path, sizeof(path), "/proc/%" PRId32, id);
		if (access(path, F_OK))
			return cmd_errorf(t->call, NULL, "option --%s: no %s %" PRId32,
					  pid ? "pid" : "tid", pid ? "process" : "thread", id);
	}
	return CMD_DONE;
}

/* --delay; the default is a second. */
static int delay_of(const struct top_opts *o, uint64_t *ns, struct cdict_error *err)
{
	int ret = o->delay ? record_time("delay", o->delay, ns, err) : 0;

	if (!o->delay)
		*ns = SECOND_NS;
	if (!ret && (*ns < DELAY_LEAST_NS || *ns > DELAY_MOST_NS) && !o->record.shared.job)
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "option --delay takes 100ms to 1h, not '%s'", o->delay);
	return ret;
}

static int run(struct top *t)
{
	const struct top_opts *o = t->call->opts;
	struct record_options to = { .keep = true,
				     .keep_ns = KEEP_NS,
				     .cpus = o->record.shared.cpus.bits,
				     .n_cpus = o->record.shared.cpus.n,
				     .realtime = 1,
				     .cmdline = "cdict top",
				     .labels = record_names_write,
				     .labels_ctx = &t->names,
				     .look = look,
				     .look_ctx = t,
				     .key = on_key,
				     .key_ctx = t,
				     .say = say,
				     .say_ctx = t };
	struct outfile_options file = { .capture = true };
	struct cmd_list inputs;
	struct record_report report;
	struct cdict_error err = { 0 };
	uint64_t ns = 0, bytes = 0;
	int ret = 0;

	if (o->record.seconds)
		ret = record_time("seconds", o->record.seconds, &ns, &err);
	if (!ret && o->record.buffer)
		ret = record_size("mmap-pages", o->record.buffer, true, &bytes, &err);
	if (!ret)
		ret = delay_of(o, &t->choice.window_ns, &err);
	if (ret)
		return cmd_usage(t->call, "%s", err.text);
	/* with the time before, which has the states at the window's begin */
	to.look_ns = t->choice.window_ns + SECOND_NS;
	to.look_every_ms = (unsigned)(t->choice.window_ns / 1000000);
	if (to.keep_ns < to.look_ns + SECOND_NS)
		to.keep_ns = to.look_ns + SECOND_NS;
	to.seconds = (double)ns / 1e9;
	to.ring_bytes = (size_t)bytes;
	to.output = o->record.shared.output ? o->record.shared.output : "top.cdict";
	if (!strcmp(to.output, "-"))
		return cmd_usage(t->call, "the rows go to standard output: use -o FILE");
	file.path = to.output;
	if (cmd_inputs(&inputs, t->call, NULL, &file))
		return cmd_errorf(t->call, NULL, "out of memory");
	to.inputs = file.inputs;
	to.n_inputs = file.n_inputs;
	ret = outfile_check(&file, &err);
	if (!ret) {
		top_terminal_enter(&t->terminal);
		ret = record_run(&to, &report, &err);
		top_terminal_leave(&t->terminal);
	}
	array_fini(&inputs);
	if (ret == CDICT_EUSAGE)
		return cmd_usage(t->call, "%s", err.text);
	if (!ret && !t->err.code)
		t->err = report.ended;
	if (!ret && t->err.code)
		return cmd_error(t->call, NULL, &t->err);
	/* also with -q, and because the rows may have covered the message */
	if (!ret && report.failed_dumps)
		cmd_errorf(t->call, to.output, "%u save%s failed", report.failed_dumps,
			   report.failed_dumps == 1 ? "" : "s");
	return ret ? cmd_error(t->call, NULL, &err) : report.failed_dumps ? CMD_DAMAGED : CMD_DONE;
}

/* ---- jobs ---- */

static int follow(const struct cmd_call *call)
{
	const struct top_opts *o = call->opts;
	const char *what = o->record.shared.output   ? "-o"
			   : o->record.buffer        ? "--mmap-pages"
			   : o->record.no_names      ? "--no-names"
			   : o->unfold               ? "--unfold"
			   : o->record.pids.n        ? "--pid"
			   : o->record.shared.tids.n ? "--tid"
						     : NULL;
	struct top_job_options how = { .by = (enum top_by)o->sort,
				       .wide = o->record.shared.verbose };
	struct cdict_error err = { 0 };
	int status = fleet_refuse(call), rc = 0;

	if (status)
		return status;
	if (what)
		return cmd_usage(call, "%s cannot be used with --job", what);
	if (o->record.seconds)
		rc = record_time("seconds", o->record.seconds, &how.length_ns, &err);
	if (!rc)
		rc = delay_of(o, &how.interval_ns, &err);
	return rc ? cmd_usage(call, "%s", err.text) : top_job(call, &how);
}

static int top_run(const struct cmd_call *call)
{
	const struct top_opts *o = call->opts;
	struct top t = { .call = call,
			 .by = (enum top_by)o->sort,
			 .choice = { .fold = !o->unfold && !o->record.pids.n &&
					     !o->record.shared.tids.n,
				     .pids = o->record.pids.at,
				     .n_pids = o->record.pids.n,
				     .tids = o->record.shared.tids.at,
				     .n_tids = o->record.shared.tids.n },
			 .terminal.on = isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) };
	int status;

	if (o->record.shared.job)
		return follow(call);
	if (o->record.shared.store || o->record.shared.store_password)
		return cmd_usage(call, "--store needs --job");
	status = check_tasks(&t);
	if (status)
		return status;
	status = record_names_init(&t.names, call);
	if (!status)
		status = run(&t);
	record_names_fini(&t.names);
	top_rows_fini(&t.rows);
	return status;
}

#define OPT struct top_opts
static const struct cmd_option top_options[] = {
	CMD_CHOICE('s', "sort", OPT, sort, "WHAT", sorts, "waiting",
		   "sort by waiting for a CPU, exits or cpu, most first; keys w, e, c"),
	CMD_FLAG(0, "unfold", OPT, unfold, "one row per thread, not per VM; key f"),
	CMD_TIDS('p', "pid", OPT, record.pids, "LIST",
		 "show only the threads of these processes, as in 17,23"),
	CMD_TIDS('t', "tid", struct options_shared, tids, "LIST", "show only these threads"),
	CMD_STRING('d', "delay", OPT, delay, "SECONDS",
		   "time between updates, which they show, as in 5 or 500ms (default: 1)"),
	CMD_STRING(0, "seconds", OPT, record.seconds, "TIME",
		   "end after this time, as in 10 or 2m"),
	OPTION_JOB("show the hosts that push into this job, instead of this host"),
	OPTIONS_STORE,
	CMD_UINT('n', "top", struct options_shared, top, "N", NULL,
		 "only the first N rows (default: as many as fit the terminal; 20 into a pipe)"),
	CMD_STRING('o', "output", struct options_shared, output, "FILE",
		   "file for key s: the last 30 seconds as a cdict (default: top.cdict)"),
	OPTION_CPU,
	CMD_STRING('m', "mmap-pages", OPT, record.buffer, "SIZE",
		   "ring buffer of each CPU, as in cdict record"),
	OPTIONS_MAP,
	CMD_STRING_PRESET(0, "libvirt", OPT, record.libvirt, "URI", "auto",
			  "name VMs by libvirt at URI, read only; auto: if available, off: never"),
	CMD_FLAG(0, "no-names", OPT, record.no_names, "do not look up the names of tasks and VMs"),
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};
#undef OPT

static const struct cmd_example top_examples[] = {
	{ "cdict top", "time waiting for a CPU, VM by VM" },
	{ "cdict top -s exits --unfold", "the vCPUs with the most exits" },
	{ "cdict top -d 5 -p 4711", "the threads of a process, every five seconds" },
	{ "cdict top --job 2001", "the hosts and VMs of a job, as they push" },
	{ "cdict top --seconds 5 -n 10 | cat", "five tables of ten rows, as plain text" },
	{ NULL, NULL },
};

const struct cmd cmd_top = {
	.name = "top",
	.brief = "show VMs and tasks live: waiting, exits, CPU, once a second",
	.operands = "",
	.about =
		"Records live into memory and shows the last second, VM by VM, or thread by "
		"thread; behind is the task or VM that had the CPU. Keys: " KEYS
		". Into a pipe it prints one table per second. Needs the permissions of cdict record. With --job it records nothing, but shows the figures "
		"that hosts have pushed since the last update, hosts first, then VMs.",
	.options = top_options,
	.foreign = foreign_top_options,
	.opts_size = sizeof(struct top_opts),
	.examples = top_examples,
	.run = top_run,
};

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cdict sweep --record: figures of recordings of the command. They come from cdict's own commands,
 * each run in a separate process with --format json, so that the meaning of windows, filters and
 * columns is defined only there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fail.h"
#include "cdict/reader.h"
#include "cmd/core/parse.h"
#include "cmd/sweep/sweep.h"
#include "tables/columns/loss.h"

/* The events that views need, and system calls; without KVM, a pattern for it matches nothing. */
#define EVENTS                                                                                     \
	"sched:sched_switch,sched:sched_waking,sched:sched_wakeup_new,sched:sched_migrate_task,"   \
	"sched:sched_process_*,kvm:kvm_e*,kvm:kvm_userspace_exit*,raw_syscalls:sys_enter"

extern const struct cmd cmd_record, cmd_count, cmd_coremap, cmd_exits, cmd_info, cmd_latency,
	cmd_successors, cmd_switches, cmd_tasks, cmd_vcpu;

/* The commands that provide figures. */
static const struct cmd *const commands[] = {
	&cmd_count,      &cmd_coremap,  &cmd_exits, &cmd_info, &cmd_latency,
	&cmd_successors, &cmd_switches, &cmd_tasks, &cmd_vcpu,
};

static const struct {
	const char *name, *args, *path;
} known[] = {
	{ "switches", "tasks", "total.switches" },
	{ "exits", "exits", "total.count" },
	{ "syscalls", "count --by syscall", "total.calls" },
	{ "events", "info", "capture.events" },
	{ "lost", "info", "loss.lost" },
};

static const struct cmd *find_command(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strncmp(commands[i]->name, name, len) && !commands[i]->name[len])
			return commands[i];
	}
	return NULL;
}

static int take_parts(struct sweep_metric *m, const char *args, size_t len, const char *path,
		      struct cdict_error *err)
{
	m->args = strndup(args, len);
	return m->args ? sweep_path_parse(m, path, err) : cdict_fail_nomem(err);
}

static int find_metric(struct sweep_metric *m, const char **unit, struct cdict_error *err)
{
	const char *what = m->source + strlen("record"), *end;
	size_t len = strlen(what);

	if (len > 3 && !strcmp(what + len - 3, "_ns"))
		*unit = "ns";
	for (size_t i = 0; *what == '.' && i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(what + 1, known[i].name))
			return take_parts(m, known[i].args, strlen(known[i].args), known[i].path,
					  err);
	}
	if (*what == '{' && (end = strchr(what, '}')) && end[1] &&
	    find_command(what + 1, strcspn(what + 1, " }")))
		return take_parts(m, what + 1, (size_t)(end - what) - 1, end + 1, err);
	end = *what == '.' ? strchr(what + 1, '.') : NULL;
	if (end && end[1] && find_command(what + 1, (size_t)(end - what) - 1)) {
		char *path;
		int rc;

		if (asprintf(&path, "total%s", end) < 0)
			return cdict_fail_nomem(err);
		rc = take_parts(m, what + 1, (size_t)(end - what) - 1, path, err);
		free(path);
		return rc;
	}
	return cdict_fail(
		err, CDICT_EUSAGE, CDICT_NO_OFFSET,
		"option --metric: unknown metric '%s'; expected record.switches, record.exits, record.syscalls, "
		"record.events, record.lost, record.TABLE.COLUMN, record{TABLE OPTIONS}.PATH",
		m->source);
}

bool sweep_record_windows(void)
{
	for (const struct cmd_option *o = cmd_tasks.options; o->kind != CMD_OPT_END; o++) {
		if (!strcmp(o->name, "window-start"))
			return true;
	}
	return false;
}

const char *sweep_record_events(void)
{
	return EVENTS;
}

/* Runs a cdict command with these arguments. */
static int run(const struct cmd *cmd, const char *const *argv)
{
	struct cmd_call call = { .cmd = cmd, .quiet = true };
	struct cdict_error err = { 0 };
	struct cmd_args args;
	int rc = cmd_parse(&args, cmd, argv, &err);

	if (rc)
		return cmd_error(&call, NULL, &err);
	call.opts = args.opts;
	call.operands = args.operands;
	call.n_operands = args.n_operands;
	rc = args.help ? CMD_USAGE : cmd->run(&call);
	cmd_args_fini(&args, cmd);
	fflush(stdout);
	return rc;
}

/* --- in the recording process --- */

int sweep_record_run(const struct sweep_exec *e)
{
	const char *argv[SWEEP_WORDS_MAX + 16] = { "-q",         "--max-loss", "100",
						   "--no-names", "-o",         e->record,
						   "-e",         e->events,    "--" };
	size_t n = 9;

	for (size_t i = 0; e->argv[i] && n < SWEEP_WORDS_MAX + 15; i++)
		argv[n++] = e->argv[i];
	return run(&cmd_record, argv);
}

/* --- reading the recording --- */

#define WORDS_MAX 64

/* A query to a recording. */
struct question {
	const struct sweep_measured *from;
	const char *args;
};

static int ask(const struct sweep_exec *e)
{
	const struct question *q = e->ctx;
	const char *argv[WORDS_MAX + 16];
	char *text = strdup(q->args), *rest = text, *word = text ? sweep_next_word(&rest) : NULL;
	const struct cmd *cmd = word ? find_command(word, strlen(word)) : NULL;
	size_t n = 0;
	int status = CMD_FAILED;

	while (cmd && n < WORDS_MAX && (word = sweep_next_word(&rest)))
		argv[n++] = word;
	argv[n++] = "-q";
	if (cmd != &cmd_info) {
		argv[n++] = "--max-loss";
		argv[n++] = "100"; /* checked before */
	}
	for (size_t i = 0; i < q->from->select->n && n < WORDS_MAX + 8 && cmd != &cmd_info; i++)
		argv[n++] = q->from->select->at[i];
	argv[n++] = "--format";
	argv[n++] = "json";
	argv[n++] = q->from->capture;
	argv[n] = NULL;
	if (cmd)
		status = run(cmd, argv);
	free(text);
	return status == CMD_DAMAGED ? CMD_DONE : status;
}

/* Runs the command on the recording, for all metrics with the same query. */
static int answer(const struct sweep_metrics *all, size_t first, const struct sweep_measured *from,
		  struct sweep_samples *samples, struct cdict_error *err)
{
	struct question q = { .from = from, .args = all->all.at[first].args };
	struct sweep_exec e = { .inside = ask, .ctx = &q };
	struct sweep_measured m = { 0 };
	char *why = NULL;
	int status = 0, rc = sweep_run(&e, &m, &status, &why, err);

	if (!rc && status)
		rc = cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET, "%s: %s",
				all->all.at[first].source, why ? why : "no answer");
	if (!rc)
		rc = sweep_json_take(all, first, (const char *)m.output.data, m.output.len, samples,
				     err);
	else if (rc == CDICT_ENOTFOUND)
		rc = sweep_json_miss(all, first, samples, err);
	buf_fini(&m.output);
	free(why);
	return rc;
}

int sweep_record_check(const char *path, double max_loss_pct, uint64_t *span_ns,
		       struct cdict_error *err)
{
	struct cdict_reader *r = NULL;
	uint64_t from_ns = 0, to_ns = 0;
	struct loss_sum loss;
	int rc = cdict_reader_open(&r, path, err);

	if (rc)
		return rc;
	cdict_reader_window(r, &from_ns, &to_ns);
	*span_ns = to_ns - from_ns;
	loss_sum(&loss, r, 0, UINT64_MAX);
	if (loss.percent > max_loss_pct)
		rc = cdict_fail(
			err, CDICT_ELIMIT, CDICT_NO_OFFSET,
			"%.2f %% of the events are lost, more than the %.10g %% of --max-loss",
			loss.percent, max_loss_pct);
	cdict_reader_close(r);
	return rc;
}

static int take_answers(const struct sweep_metrics *all, const struct sweep_measured *from,
			struct sweep_samples *samples, struct cdict_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < all->all.n && !rc; i++) {
		/* already answered with an earlier metric */
		if (all->all.at[i].from == SWEEP_FROM_RECORD && !samples[i].all.n &&
		    !samples[i].why)
			rc = answer(all, i, from, samples, err);
	}
	return rc;
}

const struct sweep_recorder sweep_recorder = { .find = find_metric, .take = take_answers };

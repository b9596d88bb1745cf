/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict push -e --by function: samples events by program and function, into a job. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/text/plural.h"
#include "capture/count/counting.h"
#include "capture/record/targets.h"
#include "cmd/fleet/push.h"
#include "cmd/record/record.h"
#include "format/file/reader.h"
#include "query/fleet/figures/figures.h"
#include "query/fleet/figures/functions.h"
#include "query/fleet/figures/start.h"

struct sampling {
	const struct cmd_call *call;
	struct texts names;
	struct record_event *events;
	struct targets targets;
	struct record_moment moment; /* of --wait */
	int lock;                    /* of the whole machine; -1: none */
	char *folder, *file;         /* of the samples, while they are taken */
	struct record_options how;
	struct record_report report;
};

static void say(void *ctx, bool warning, const char *line)
{
	const struct sampling *k = ctx;

	if (warning)
		cmd_warn(k->call, NULL, "%s", line);
}

static int wait_start(void *ctx, const sigset_t *signals, struct record_start *start,
		      struct cdict_error *err)
{
	struct sampling *k = ctx;

	return record_moment_wait(&k->moment, signals, start, err);
}

/* A folder of our own for the samples, below $TMPDIR. */
static int make_file(struct sampling *k, struct cdict_error *err)
{
	const char *tmp = getenv("TMPDIR");

	if (asprintf(&k->folder, "%s/cdict-push.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0) {
		k->folder = NULL;
		return cdict_fail_nomem(err);
	}
	if (!mkdtemp(k->folder)) {
		int rc = cdict_fail_errno(err, k->folder);

		free(k->folder);
		k->folder = NULL;
		return rc;
	}
	if (asprintf(&k->file, "%s/samples.cdict", k->folder) < 0) {
		k->file = NULL;
		return cdict_fail_nomem(err);
	}
	return 0;
}

static void remove_file(struct sampling *k)
{
	if (k->file)
		unlink(k->file);
	if (k->folder)
		rmdir(k->folder);
	free(k->file);
	free(k->folder);
	k->file = k->folder = NULL;
}

static int take_events(struct sampling *k, struct cdict_error *err)
{
	const struct push_opts *o = k->call->opts;
	int rc = push_events(&k->names, &o->shared.events, err);

	k->events = rc ? NULL : calloc(k->names.n, sizeof(*k->events));
	if (!rc && !k->events)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < k->names.n && !rc; i++)
		k->events[i].text = k->names.at[i];
	k->how.events = k->events;
	k->how.n_events = k->names.n;
	return rc;
}

static int take_options(struct sampling *k, struct cdict_error *err)
{
	const struct push_opts *o = k->call->opts;
	bool machine = push_is_of_machine(k->call);
	uint64_t ns = 0;
	int rc = take_events(k, err);

	rc = rc ? rc : record_sampling(o->freq, o->count, &k->how, err);
	if (!rc && o->seconds)
		rc = record_time("seconds", o->seconds, &ns, err);
	for (size_t i = 0; i < o->pids.n && !rc; i++)
		rc = targets_pid(&k->targets, o->pids.at[i], err);
	targets_done(&k->targets);
	rc = rc ? rc : make_file(k, err);
	k->how.seconds = (double)ns / 1e9;
	k->how.command = k->call->n_operands ? k->call->operands : NULL;
	k->how.only_command = !machine && k->call->n_operands;
	k->how.tids = k->targets.tids.n ? k->targets.tids.at : NULL;
	k->how.n_tids = k->targets.tids.n;
	k->how.output = k->file;
	k->how.only_samples = true;
	k->how.stacks = true;
	k->how.max_stack = 1; /* the function itself */
	k->how.host = o->host;
	k->how.say = say;
	k->how.say_ctx = k;
	if (o->wait) {
		k->moment.call = k->call;
		k->moment.host = o->host;
		k->how.wait = wait_start;
		k->how.wait_ctx = k;
	}
	if (!rc && machine)
		rc = push_lock_machine(k->call, &k->lock, err);
	return rc;
}

/* Reads the samples, and stores their sums. */
static int put(struct sampling *k, struct store *st, const char *id, const char *host,
	       struct fleet_rows *rows, struct cdict_error *err)
{
	const struct record_report *was = &k->report;
	const struct fleet_window window = {
		.clocked = true,
		.from_ns = was->began_wall_ns,
		.window_ns = (uint64_t)(was->seconds * 1e9),
		.events = was->events,
		.lost = was->lost + was->dropped,
		.cpus = (uint32_t)was->cpus,
	};
	struct cdict_reader *reader = NULL;
	char name[64];
	bool added;
	int rc = cdict_reader_open(&reader, k->file, err);

	rc = rc ? rc : fleet_functions_add(rows, reader, err);
	cdict_reader_close(reader);
	/* unique: a process begins only one at a time */
	snprintf(name, sizeof(name), "%016" PRIx64 "-%d", window.from_ns, (int)getpid());
	return rc ? rc
		  : fleet_figures_put(st, id, FLEET_SHELF_COUNTS, host, name, rows, &window, &added,
				      err);
}

static void print_done(const struct sampling *k, const char *id, const char *host,
		       const struct fleet_rows *rows)
{
	const struct record_report *was = &k->report;
	const uint64_t lost = was->lost + was->dropped;

	if (lost)
		cmd_warn(k->call, NULL, "%s of %s sample%s lost", GROUPED(lost),
			 GROUPED(was->events + lost), was->events + lost == 1 ? "" : "s");
	if (was->ended.code)
		cmd_warn(k->call, NULL, "sampling ended early: %s", was->ended.text);
	if (k->call->quiet)
		return;
	fprintf(stderr, "[ cdict push: job %s, %s: %s sample%s in %s function%s%s in %.3f s ]\n",
		id, host, GROUPED(was->events), was->events == 1 ? "" : "s",
		GROUPED(rows->of[FLEET_FUNCTIONS].n), rows->of[FLEET_FUNCTIONS].n == 1 ? "" : "s",
		k->lock >= 0 ? " of the whole machine" : "", was->seconds);
}

int push_functions(const struct cmd_call *call, struct store *st, const struct fleet_job *job)
{
	struct sampling k = { .call = call, .lock = -1 };
	struct fleet_rows rows = { 0 };
	struct cdict_error err = { 0 };
	char host[FLEET_HOST_ROOM];
	int rc = push_host(host, call->opts, &err), status = CMD_DONE;

	rc = rc ? rc : take_options(&k, &err);
	rc = rc ? rc : record_run(&k.how, &k.report, &err);
	record_moment_end(&k.moment, rc ? 0 : k.report.began_wall_ns);
	rc = rc ? rc : put(&k, st, job->id, host, &rows, &err);
	if (!rc) {
		status = k.report.have_status ? k.report.command_status : CMD_DONE;
		print_done(&k, job->id, host, &rows);
	}
	remove_file(&k);
	if (k.lock >= 0)
		close(k.lock);
	fleet_rows_fini(&rows);
	targets_fini(&k.targets);
	texts_fini(&k.names);
	free(k.events);
	return rc ? options_fail(call, NULL, &err) : status;
}

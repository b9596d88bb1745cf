/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict push: a host's figures into a job. */
#include <inttypes.h>
#include <stdio.h>

#include "base/pool.h"
#include "cmd/figures.h"
#include "cmd/fleet.h"
#include "cmd/input.h"
#include "fleet/file.h"
#include "format/reader.h"

struct push_opts {
	struct options_shared shared;
	const char *host;
	bool with_file;
};

static int push_bucket(struct store *st, const struct fleet_job *job, const struct fleet_capture *c,
		       uint64_t i, unsigned jobs, bool *added, struct cdict_error *err)
{
	char shelf[STORE_NAME_MOST + 1], name[STORE_NAME_MOST + 1];
	struct buf value = { 0 };
	int rc = fleet_capture_bucket(c, i, jobs, &value, err);

	snprintf(shelf, sizeof(shelf), "%s%s", FLEET_SHELF_HOST, c->host);
	snprintf(name, sizeof(name), "%s.%" PRIu64, c->id, c->first + i);
	if (!rc)
		rc = store_put(st, job->id, shelf, name, value.data, value.len, added, err);
	buf_fini(&value);
	return rc;
}

static int push_capture(const struct cmd_call *call, struct store *st, const struct fleet_job *job,
			const char *file, struct cdict_reader *reader)
{
	const struct push_opts *o = call->opts;
	unsigned jobs = o->shared.jobs && o->shared.jobs < 1024 ? (unsigned)o->shared.jobs
								: pool_cpus();
	struct fleet_capture c;
	struct cdict_error err = { 0 };
	uint64_t new = 0;
	bool added;
	int rc = fleet_capture_init(&c, reader, o->host, job->bucket_ns, &err);

	for (uint64_t i = 0; i < c.n && !rc; i++) {
		rc = push_bucket(st, job, &c, i, jobs, &added, &err);
		new += !rc &&added;
	}
	if (!rc && c.n && o->with_file)
		rc = fleet_file_put(st, job->id, &c, reader->data, reader->size, &err);
	if (!rc && !c.n)
		cmd_warn(call, file, "holds no events: nothing was pushed");
	else if (!rc && !c.clocked)
		cmd_warn(call, file,
			 "does not tell the wall clock: its buckets are of its own time");
	if (!rc && c.n && !call->quiet)
		fprintf(stderr,
			"[ cdict push: job %s, %s: %" PRIu64 " of %" PRIu64 " buckets are new ]\n",
			job->id, file, new, c.n);
	fleet_capture_fini(&c);
	return rc ? options_fail(call, file, &err) : CMD_DONE;
}

static int push_file(const struct cmd_call *call, struct store *st, const struct fleet_job *job,
		     const char *file)
{
	const struct push_opts *o = call->opts;
	struct cdict_reader *reader = NULL;
	int status = input_open(&reader, call, file, 0);

	if (!status)
		status = push_capture(call, st, job, file, reader);
	if (!status)
		status = cmd_loss_status(call, file, reader, o->shared.max_loss_pct);
	cdict_reader_close(reader);
	return status;
}

static int push_run(const struct cmd_call *call)
{
	const struct push_opts *o = call->opts;
	struct input_files files = { 0 };
	struct cdict_error err = { 0 };
	struct store *st = NULL;
	struct fleet_job job;
	int status, worst = CMD_DONE;

	if (!o->shared.job)
		return cmd_usage(call, "needs --job, the ID of a job");
	if (fleet_job_id(o->shared.job, &err))
		return fleet_fail(call, &err);
	if (o->host && !*o->host)
		return cmd_usage(call, "option --host needs a name");
	status = input_files(&files, call);
	if (!status)
		status = fleet_open(&st, call);
	if (!status && store_get(st, o->shared.job, &job, &err))
		status = fleet_fail(call, &err);
	for (size_t i = 0; i < files.n && (!status || status == CMD_DAMAGED); i++) {
		status = push_file(call, st, &job, files.at[i]);
		worst = status ? status : worst;
	}
	store_close(st);
	input_files_fini(&files);
	return status ? status : worst;
}

static const struct cmd_option push_options[] = {
	OPTION_INPUT,
	OPTION_JOB("the job that they are pushed into"),
	OPTIONS_STORE,
	CMD_STRING(0, "host", struct push_opts, host, "NAME",
		   "whose they are (default: as the file says)"),
	CMD_FLAG(0, "with-file", struct push_opts, with_file,
		 "the captures themselves, too: 'cdict pull' fetches them"),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example push_examples[] = {
	{ "cdict push --job 2001 run.cdict", "add this host's figures" },
	{ "cdict push --job 2001 --store redis://controller run.cdict", "the same on a server" },
	{ "cdict push --job 2001 --host compute-07 run.cdict", "under another name" },
	{ NULL, NULL },
};

const struct cmd cmd_push = {
	.name = "push",
	.brief = "add the figures of captures to a job of many hosts",
	.operands = "[FILE...]",
	.about =
		"Pushes, for each piece of time, counters and distributions of every task, exit reason and "
		"vCPU by name, not the events. Pushing a capture again adds only what is not there yet, so "
		"that a push that was interrupted is simply repeated.",
	.options = push_options,
	.opts_size = sizeof(struct push_opts),
	.max_operands = FIGURES_FILES,
	.examples = push_examples,
	.run = push_run,
};

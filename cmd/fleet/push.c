/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict push: pushes a host's figures into a job. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/pool.h"
#include "cmd/fleet/push.h"
#include "cmd/input/input.h"
#include "cmd/tables/figures.h"
#include "cmd/tables/fleet.h"
#include "format/file/reader.h"
#include "query/fleet/figures/file.h"
#include "query/fleet/values/rollup.h"
#include "tables/columns/number.h"

int push_host(char host[FLEET_HOST_ROOM], const struct push_opts *o, struct cdict_error *err)
{
	if (o->host)
		snprintf(host, FLEET_HOST_ROOM, "%s", o->host);
	else if (gethostname(host, FLEET_HOST_ROOM))
		return cdict_fail_errno(err, "host name");
	host[FLEET_HOST_ROOM - 1] = 0;
	if (!*host)
		snprintf(host, FLEET_HOST_ROOM, "unknown");
	return 0;
}

static int push_bucket(struct store *st, const struct fleet_job *job, const struct fleet_capture *c,
		       uint64_t i, unsigned jobs, bool *added, struct cdict_error *err)
{
	struct buf value = { 0 };
	int rc = fleet_capture_bucket(c, i, jobs, &value, err);

	if (!rc)
		rc = fleet_capture_put(c, i, &value, st, job->id, added, err);
	buf_fini(&value);
	return rc;
}

void push_rollups(const struct cmd_call *call, struct store *st, const char *id, const char *host,
		  const char *ended)
{
	struct cdict_error err = { 0 };

	if (fleet_rollup_host(st, id, host, ended, &err))
		cmd_warn(call, id, "no rollups of %s were written, so readers take longer: %s",
			 host, err.text);
}

static int push_capture(const struct cmd_call *call, struct store *st, const struct fleet_job *job,
			const char *file, struct cdict_reader *reader)
{
	const struct push_opts *o = call->opts;
	unsigned jobs = o->shared.jobs && o->shared.jobs < 1024 ? (unsigned)o->shared.jobs
								: pool_cpus();
	struct fleet_capture c;
	struct cdict_error err = { 0 };
	char a[NUMBER_ROOM], b[NUMBER_ROOM];
	uint64_t new = 0;
	bool added;
	int rc = fleet_capture_init(&c, reader, o->host, job->bucket_ns, &err);

	for (uint64_t i = 0; i < c.n && !rc; i++) {
		rc = push_bucket(st, job, &c, i, jobs, &added, &err);
		new += !rc &&added;
	}
	if (!rc && c.n)
		push_rollups(call, st, job->id, c.host, c.id);
	if (!rc && c.n && o->with_file)
		rc = fleet_file_put(st, job->id, &c, reader->data, reader->size, &err);
	if (!rc && !c.n)
		cmd_warn(call, file, "no events: nothing was pushed");
	else if (!rc && !c.clocked)
		cmd_warn(call, file, "has no wall-clock time: its buckets follow its own clock");
	if (!rc && c.n && !call->quiet)
		fprintf(stderr, "[ cdict push: job %s, %s: %s of %s bucket%s added ]\n", job->id,
			file, number_grouped(a, new), number_grouped(b, c.n), c.n == 1 ? "" : "s");
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

/* Pushes figures that do not come from a capture. */
static int push_figures(const struct cmd_call *call, struct store *st, const struct fleet_job *job)
{
	const struct push_opts *o = call->opts;
	int status = CMD_DONE;

	for (size_t i = 0; i < o->bench.n && !status; i++)
		status = push_bench(call, st, job, o->bench.at[i]);
	if (status || !o->shared.events.n)
		return status;
	return o->by == PUSH_BY_FUNCTION ? push_functions(call, st, job)
					 : push_counts(call, st, job);
}

/* Checks the combination of options: operands are captures, but a command with --event. */
static int check(const struct cmd_call *call)
{
	const struct push_opts *o = call->opts;
	bool counts = o->shared.events.n,
	     captures = !counts && (call->n_operands || o->shared.input);

	if (o->spool && (counts || o->bench.n || o->with_file || o->host))
		return cmd_usage(call, "%s cannot be used with --spool",
				 counts         ? "--event"
				 : o->bench.n   ? "--bench"
				 : o->with_file ? "--with-file"
						: "--host");
	if ((o->seconds || o->pids.n || o->all_cpus || o->wait) && !counts)
		return cmd_usage(call, "%s needs --event",
				 o->seconds    ? "--seconds"
				 : o->pids.n   ? "--pid"
				 : o->all_cpus ? "--all-cpus"
					       : "--wait");
	if ((o->freq || o->count) && (!counts || o->by != PUSH_BY_FUNCTION))
		return cmd_usage(call, "--%s needs --event and --by function",
				 o->freq ? "freq" : "count");
	if (o->by == PUSH_BY_FUNCTION && !counts)
		return cmd_usage(call, "--by needs --event");
	if (o->pids.n && (call->n_operands || o->all_cpus))
		return cmd_usage(call, "%s cannot be used with --pid",
				 o->all_cpus ? "--all-cpus" : "a command");
	if (o->name && !o->bench.n)
		return cmd_usage(call, "--name needs --bench");
	if (o->name && o->bench.n > 1)
		return cmd_usage(call, "--name can be used with one --bench only");
	if (counts && (o->shared.input || o->with_file))
		return cmd_usage(call, "%s cannot be used with --event",
				 o->shared.input ? "--input" : "--with-file");
	if (o->bench.n && (captures || o->with_file))
		return cmd_usage(call, "a capture cannot be used with --bench");
	return CMD_DONE;
}

static int push_run(const struct cmd_call *call)
{
	const struct push_opts *o = call->opts;
	bool figures = o->bench.n || o->shared.events.n;
	struct texts files = { 0 };
	struct cdict_error err = { 0 };
	struct store *st = NULL;
	struct fleet_job job;
	int status, worst = CMD_DONE;

	status = check(call);
	if (status || o->spool)
		return status ? status : push_spool(call, o->spool);
	if (!o->shared.job)
		return cmd_usage(call, "needs --job, the ID of a job");
	if (fleet_job_id(o->shared.job, &err))
		return fleet_fail(call, &err);
	if (o->host && !*o->host)
		return cmd_usage(call, "option --host needs a name");
	if (!status && !figures)
		status = input_files(&files, call);
	if (!status)
		status = fleet_open(&st, call);
	if (!status && store_get(st, o->shared.job, &job, &err))
		status = fleet_fail(call, &err);
	if (!status && figures)
		status = push_figures(call, st, &job);
	for (size_t i = 0; i < files.n && (!status || status == CMD_DAMAGED); i++) {
		status = push_file(call, st, &job, files.at[i]);
		worst = status ? status : worst;
	}
	store_close(st);
	texts_fini(&files);
	return status ? status : worst;
}

static const char *const push_by_names[] = { "program", "function", NULL };

static const struct cmd_option push_options[] = {
	OPTION_INPUT,
	OPTION_JOB("push into this job"),
	OPTIONS_STORE,
	CMD_STRING(0, "host", struct push_opts, host, "NAME",
		   "the host's name (default: from the file)"),
	CMD_FLAG(0, "with-file", struct push_opts, with_file,
		 "also push the captures themselves; 'cdict pull' fetches them"),
	CMD_LIST(0, "bench", struct push_opts, bench, "JSON",
		 "push a run of a benchmark instead: all numbers and texts of its JSON, comma list, "
		 "repeatable; '-' is standard input"),
	CMD_STRING(0, "name", struct push_opts, name, "NAME",
		   "the benchmark's name (default: its file name without folder and "
		   "extension)"),
	CMD_LIST('e', "event", struct push_opts, shared.events, "EVENT",
		 "count these events of COMMAND and its children by program instead, like perf "
		 "stat; without a command, of the whole machine; comma list, repeatable"),
	CMD_TIDS('p', "pid", struct push_opts, pids, "LIST",
		 "with --event: count these processes, and the tasks they start"),
	CMD_FLAG('a', "all-cpus", struct push_opts, all_cpus,
		 "with --event: count the whole machine while COMMAND runs"),
	CMD_CHOICE(0, "by", struct push_opts, by, "WHAT", push_by_names, "program",
		   "with --event: program: count; function: sample, and push the samples of each "
		   "function of each program"),
	CMD_STRING('F', "freq", struct push_opts, freq, "HZ",
		   "with --by function: samples a second, or max (default: 4000)"),
	CMD_STRING('c', "count", struct push_opts, count, "N",
		   "with --by function: a sample every N events, instead of --freq"),
	CMD_STRING('s', "seconds", struct push_opts, seconds, "TIME",
		   "with --event: count for this long, in seconds or as in 300ms or 2m (default: "
		   "until the command ends, or Ctrl-C)"),
	CMD_FLAG(0, "wait", struct push_opts, wait,
		 "with --event: wait for 'cdict job start' of --job"),
	CMD_STRING(
		0, "spool", struct push_opts, spool, "DIR",
		"push what 'cdict record --push' spooled in DIR instead of files; pushed figures are "
		"removed from it"),
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example push_examples[] = {
	{ "cdict push --job 2001 run.cdict", "add this host's figures" },
	{ "cdict push --job 2001 --store redis://controller run.cdict", "the same on a server" },
	{ "cdict push --job 2001 --host compute-07 run.cdict", "under another name" },
	{ "cdict push --job 2001 --bench fio.json", "the figures of a benchmark" },
	{ "cdict push --job 2001 -e cycles,cache-misses:u -- ./build",
	  "count events of a command and its children, by program" },
	{ "cdict push --job 2001 -e cycles,cache-misses -s 10",
	  "count events of every program of this machine for ten seconds" },
	{ "cdict push --job 2001 -e cpu-clock --by function -- ./build",
	  "in which functions it spends its time" },
	{ "cdict push --spool run.cdict.spool",
	  "push the figures that a recording could not push" },
	{ NULL, NULL },
};

const struct cmd cmd_push = {
	.name = "push",
	.brief = "add the figures of captures to a job of many hosts",
	.operands = "[FILE... | -- COMMAND...]",
	.about =
		"Pushes counters and distributions of every task, exit reason and vCPU by name for "
		"each time interval, but no events. Pushing a capture again adds only the missing "
		"figures: repeat an interrupted push.",
	.options = push_options,
	.opts_size = sizeof(struct push_opts),
	.max_operands = FIGURES_FILES,
	.examples = push_examples,
	.run = push_run,
};

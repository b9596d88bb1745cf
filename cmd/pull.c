/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict pull: the captures that hosts pushed with their figures. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "cmd/fleet.h"
#include "fleet/file.h"

struct pull_opts {
	struct options_shared shared;
	const char *host;
};

struct pulling {
	const struct cmd_call *call;
	const char *dir;
	char *path;
	struct outfile *of;
	size_t whole, bad;
	int status; /* of what was told already */
};

/* A failure that was told. */
enum { TOLD = -9999 };

/* A host may be called anything: a part of a name of a file has no more than these. */
static void plain(char *name)
{
	for (char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			*p = '_';
	}
	if (*name == '.' || *name == '-')
		*name = '_';
}

static int open_file(void *ctx, const char *host, const char *capture)
{
	struct pulling *p = ctx;
	char name[FLEET_HOST_ROOM];

	snprintf(name, sizeof(name), "%s", host);
	plain(name);
	free(p->path);
	if (asprintf(&p->path, "%s/%s-%s.cdict", p->dir, name, capture) < 0) {
		p->path = NULL;
		p->status = cmd_errorf(p->call, NULL, "out of memory");
	} else {
		p->status = cmd_output_open(&p->of, p->call, NULL,
					    &(struct outfile_options){ .path = p->path,
								       .capture = true });
	}
	return p->status ? TOLD : 0;
}

static int write_file(void *ctx, const void *data, size_t size)
{
	struct pulling *p = ctx;

	/* remembered until commit */
	outfile_write(p->of, data, size);
	return 0;
}

static int commit_file(void *ctx)
{
	struct pulling *p = ctx;
	struct outfile *of = p->of;

	p->of = NULL;
	p->status = cmd_output_commit(p->call, p->path, of, 0);
	p->whole += !p->status;
	return p->status ? TOLD : 0;
}

static int abort_file(void *ctx, const char *why)
{
	struct pulling *p = ctx;

	cmd_output_abort(p->of);
	p->of = NULL;
	p->bad++;
	cmd_warn(p->call, p->path, "%s: not fetched", why);
	return 0;
}

static const struct fleet_file_ops ops = { open_file, write_file, commit_file, abort_file };

static int pull(const struct cmd_call *call, struct store *st, const char *dir)
{
	const struct pull_opts *o = call->opts;
	struct pulling p = { .call = call, .dir = dir };
	struct cdict_error err = { 0 };
	int rc = fleet_files_get(st, o->shared.job, o->host, &ops, &p, &err);
	int status = CMD_DONE;

	if (p.of)
		cmd_output_abort(p.of);
	if (rc)
		status = rc == TOLD ? p.status : fleet_fail(call, &err);
	else if (!p.whole && !p.bad)
		status = cmd_errorf(call, NULL,
				    "job %s has no files%s%s; 'cdict push --with-file' adds them",
				    o->shared.job, o->host ? " of " : "", o->host ? o->host : "");
	else if (!call->quiet)
		fprintf(stderr, "[ cdict pull: job %s: %zu files in %s ]\n", o->shared.job, p.whole,
			dir);
	free(p.path);
	return status ? status : p.bad ? CMD_DAMAGED : CMD_DONE;
}

static int pull_run(const struct cmd_call *call)
{
	const struct pull_opts *o = call->opts;
	const char *dir = o->shared.output ? o->shared.output : ".";
	struct cdict_error err = { 0 };
	struct store *st;
	int status;

	if (!o->shared.job)
		return cmd_usage(call, "needs --job, the ID of a job");
	if (fleet_job_id(o->shared.job, &err))
		return fleet_fail(call, &err);
	status = fleet_open(&st, call);
	if (status)
		return status;
	if (mkdir(dir, 0777) && errno != EEXIST)
		status = cmd_errorf(call, dir, "%s", strerror(errno));
	else
		status = pull(call, st, dir);
	store_close(st);
	return status;
}

static const struct cmd_option pull_options[] = {
	OPTION_JOB("the job that they were pushed into"),
	OPTIONS_STORE,
	CMD_STRING(0, "host", struct pull_opts, host, "NAME", "only the files of this host"),
	CMD_STRING('o', "output", struct options_shared, output, "DIR",
		   "the folder for HOST-CAPTURE.cdict (default: this one)"),
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example pull_examples[] = {
	{ "cdict pull --job 2001 -o hosts", "every file that hosts pushed, into a folder" },
	{ "cdict pull --job 2001 --host compute-01", "those of one host" },
	{ NULL, NULL },
};

const struct cmd cmd_pull = {
	.name = "pull",
	.brief = "fetch the captures that hosts pushed into a job",
	.operands = "",
	.about =
		"Fetches what 'cdict push --with-file' put beside the figures. A file appears whole or not "
		"at all: one whose push did not end, or of which something is missing, is told.",
	.options = pull_options,
	.opts_size = sizeof(struct pull_opts),
	.examples = pull_examples,
	.run = pull_run,
};

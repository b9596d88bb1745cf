/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict pull: fetches the captures that hosts pushed with their figures. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/texts.h"
#include "base/system/outfile.h"
#include "base/system/place.h"
#include "base/text/plural.h"
#include "cmd/tables/fleet.h"
#include "query/fleet/figures/figures.h"
#include "query/fleet/figures/file.h"

struct pull_opts {
	struct options_shared shared;
	const char *host;
	int format; /* 0: files; enum pull_format */
};

/* Formats of figures; the first is for the files of captures. */
static const char *const formats[] = { "files", "csv", "json", "openmetrics", NULL };
static const enum table_format format_of[] = { TABLE_AS_TEXT, TABLE_AS_CSV, TABLE_AS_JSON,
					       TABLE_AS_OPENMETRICS };

struct pulling {
	const struct cmd_call *call;
	const char *dir;
	struct texts names; /* of all files */
	const char *path;   /* name of the open file */
	struct outfile *of;
	size_t whole, bad, results;
	int status; /* of the failure reported already */
};

/* A failure that was reported already. */
enum { REPORTED = -9999 };

/* Limit of a host's name in a file name, which has at most 255 bytes including the rest. */
#define HOST_MOST 192u

/* A host may have any name: characters other than letters, digits and ._- become %XX, and so does a
 * leading . or -, so that names remain distinct. */
static void escape_host(char out[HOST_MOST + 1], const char *host)
{
	size_t n = 0;

	for (const char *p = host; *p && n + 3 <= HOST_MOST; p++) {
		unsigned char c = (unsigned char)*p;

		if ((isalnum(c) && c < 0x80) || c == '_' || ((c == '.' || c == '-') && p > host))
			out[n++] = (char)c;
		else
			n += (size_t)sprintf(out + n, "%%%02X", c);
	}
	out[n] = '\0';
}

static bool taken(const struct pulling *p, const char *path)
{
	for (size_t i = 0; i < p->names.n; i++) {
		/* file systems may ignore case */
		if (!strcasecmp(p->names.at[i], path))
			return true;
	}
	return false;
}

/* Names that differ only in case, or after HOST_MOST bytes, get a number. Given. */
static char *name_of(const struct pulling *p, const char *host, const char *capture,
		     const char *ending)
{
	char name[HOST_MOST + 1], *path;

	escape_host(name, host);
	if (asprintf(&path, "%s/%s-%s%s", p->dir, name, capture, ending) < 0)
		return NULL;
	for (unsigned i = 2; taken(p, path); i++) {
		free(path);
		if (asprintf(&path, "%s/%s-%s-%u%s", p->dir, name, capture, i, ending) < 0)
			return NULL;
	}
	return path;
}

static int open_file(void *ctx, const char *host, const char *capture)
{
	struct pulling *p = ctx;
	char *path = name_of(p, host, capture, ".cdict");

	if (texts_take(&p->names, path)) {
		p->status = cmd_errorf(p->call, NULL, "out of memory");
		return REPORTED;
	}
	p->path = path;
	p->status = cmd_output_open(&p->of, p->call, NULL,
				    &(struct outfile_options){ .path = p->path, .capture = true });
	return p->status ? REPORTED : 0;
}

static int write_file(void *ctx, const void *data, size_t size)
{
	struct pulling *p = ctx;

	/* an error is kept until commit */
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
	return p->status ? REPORTED : 0;
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

/* ---- counts and benchmarks, in files of their own ---- */

static int write_table(void *ctx, struct sink *s, struct cdict_error *err)
{
	struct table **t = ctx;
	struct table_frame frame = { .command = "pull", .file = "" };

	return table_print(s, TABLE_AS_CSV, &frame, t, 1) == -ENOMEM ? cdict_fail_nomem(err) : 0;
}

/* Takes @t. */
static int put_table(struct pulling *p, const char *name, struct table *t)
{
	struct cdict_error err = { 0 };
	char *path = NULL;
	int status;

	if (!t || asprintf(&path, "%s/%s", p->dir, name) < 0)
		status = cmd_errorf(p->call, NULL, "out of memory");
	else if (table_sort(t, NULL, &err))
		status = fleet_fail(p->call, &err);
	else
		status = cmd_output_write(p->call, path, 0, write_table, &t);
	p->results += !status;
	free(path);
	table_free(t);
	return status;
}

static int write_document(void *ctx, struct sink *s, struct cdict_error *err)
{
	(void)err;
	sink_puts(s, ctx);
	return 0;
}

/* HOST-BENCHMARK-RUN.json */
static int put_document(struct pulling *p, const struct fleet_run *run)
{
	const char *document = fleet_run_document(run);
	char name[HOST_MOST + 1], *rest = NULL, *path = NULL;
	int status = CMD_DONE;

	if (!document)
		return CMD_DONE;
	escape_host(name, fleet_run_name(run));
	name[HOST_MOST / 4] = 0; /* a file's name has at most 255 bytes */
	if (asprintf(&rest, "%s-%" PRIu64, name, run->number) >= 0)
		path = name_of(p, run->host, rest, ".json");
	if (texts_take(&p->names, path))
		status = cmd_errorf(p->call, NULL, "out of memory");
	else
		status = cmd_output_write(p->call, path, 0, write_document, (void *)document);
	p->results += !status;
	free(rest);
	return status;
}

static int pull_results(struct pulling *p, struct store *st, const char *id, const char *host)
{
	struct fleet_results r = { 0 };
	struct cdict_error err = { 0 };
	int status = CMD_DONE;

	if (fleet_results_read(&r, st, id, host, &err))
		status = fleet_fail(p->call, &err);
	if (!status && fleet_results_has(&r, FLEET_COUNTS))
		status = put_table(p, "counts.csv", fleet_results_each(&r));
	if (!status && fleet_results_has(&r, FLEET_FUNCTIONS))
		status = put_table(p, "functions.csv", fleet_results_functions_each(&r));
	if (!status && r.runs.n)
		status = put_table(p, "benchmarks.csv", fleet_results_values(&r));
	for (size_t i = 0; i < r.runs.n && !status; i++)
		status = put_document(p, &r.runs.at[i]);
	fleet_results_fini(&r);
	return status;
}

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
		status = rc == REPORTED ? p.status : fleet_fail(call, &err);
	if (!status)
		status = pull_results(&p, st, o->shared.job, o->host);
	if (!status && !p.whole && !p.bad && !p.results)
		status = cmd_errorf(call, NULL,
				    "job %s has no files, counts or benchmarks%s%s; 'cdict push "
				    "--with-file' adds files",
				    o->shared.job, o->host ? " of " : "", o->host ? o->host : "");
	else if (!status && !call->quiet)
		fprintf(stderr, "[ cdict pull: job %s: %s file%s in %s ]\n", o->shared.job,
			GROUPED(p.whole + p.results), p.whole + p.results == 1 ? "" : "s", dir);
	texts_fini(&p.names);
	return status ? status : p.bad ? CMD_DAMAGED : CMD_DONE;
}

/* ---- as a table ---- */

static int print_figures(const struct cmd_call *call, struct sink *s, struct table *t,
			 enum table_format format)
{
	const struct options_shared *o = call->opts;
	char title[FLEET_ID_ROOM + 8];
	struct table_frame frame = { .command = "pull", .file = title };

	snprintf(title, sizeof(title), "job %s", o->job);
	return table_print(s, format, &frame, &t, 1);
}

struct printing {
	const struct cmd_call *call;
	struct table *t;
	enum table_format format;
};

static int write_figures(void *ctx, struct sink *s, struct cdict_error *err)
{
	struct printing *p = ctx;
	int rc = print_figures(p->call, s, p->t, p->format);

	return rc == -ENOMEM ? cdict_fail_nomem(err) : 0;
}

/* Prints counts and benchmarks as a table. */
static int pull_figures(const struct cmd_call *call, struct store *st)
{
	const struct pull_opts *o = call->opts;
	struct printing p = { .call = call, .format = format_of[o->format] };
	struct cdict_error err = { 0 };
	uint64_t gone = 0;
	int status = CMD_DONE;

	if (fleet_figures_table(&p.t, st, o->shared.job, o->host, &gone, &err) ||
	    table_sort(p.t, NULL, &err))
		status = fleet_fail(call, &err);
	if (!status)
		status = cmd_output_write(call, o->shared.output ? o->shared.output : "-", 0,
					  write_figures, &p);
	table_free(p.t);
	if (!status && gone) {
		cmd_warn(
			call, NULL,
			"job %s: the store evicted %s pushed value%s; the figures cover the others",
			o->shared.job, GROUPED(gone), gone == 1 ? "" : "s");
		status = CMD_DAMAGED;
	}
	return status;
}

static int make_folder(const struct cmd_call *call, const char *dir)
{
	int fd = place_folder(dir, 0777);

	if (fd < 0)
		return cmd_errorf(call, dir, "%s", place_strerror(fd));
	close(fd);
	return CMD_DONE;
}

static int pull_run(const struct cmd_call *call)
{
	const struct pull_opts *o = call->opts;
	const char *dir = o->shared.output ? o->shared.output : ".";
	struct cdict_error err = { 0 };
	struct fleet_job job;
	struct store *st = NULL;
	int status;

	if (!o->shared.job)
		return cmd_usage(call, "needs --job, the ID of a job");
	if (fleet_job_id(o->shared.job, &err))
		return fleet_fail(call, &err);
	status = fleet_open(&st, call);
	if (!status && store_get(st, o->shared.job, &job, &err))
		status = fleet_fail(call, &err);
	if (!status && o->host && fleet_host_known(st, o->shared.job, o->host, &err))
		status = fleet_fail(call, &err);
	if (!status && o->format)
		status = pull_figures(call, st);
	else if (!status)
		status = make_folder(call, dir);
	if (!status && !o->format)
		status = pull(call, st, dir);
	store_close(st);
	return status;
}

static const struct cmd_option pull_options[] = {
	OPTION_JOB("fetch from this job"),
	OPTIONS_STORE,
	CMD_STRING(0, "host", struct pull_opts, host, "NAME",
		   "only files and figures of this host"),
	CMD_STRING('o', "output", struct options_shared, output, "DIR",
		   "the folder for HOST-CAPTURE.cdict, counts.csv, benchmarks.csv and each run's "
		   "HOST-NAME-RUN.json (default: the current one); with --format, the file "
		   "(default: standard output)"),
	CMD_CHOICE(0, "format", struct pull_opts, format, "FORMAT", formats, "files",
		   "print counts of 'cdict push -e' and figures of '--bench' as csv, json or "
		   "openmetrics instead of fetching captures"),
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example pull_examples[] = {
	{ "cdict pull --job 2001 -o hosts", "every file that hosts pushed, into a folder" },
	{ "cdict pull --job 2001 --host compute-01", "those of one host" },
	{ "cdict pull --job 2001 --format csv", "counts and figures of benchmarks" },
	{ NULL, NULL },
};

const struct cmd cmd_pull = {
	.name = "pull",
	.brief = "fetch the captures and figures that hosts pushed into a job",
	.operands = "",
	.about =
		"Fetches the captures that 'cdict push --with-file' pushed with the figures. Files "
		"appear whole or not at all: a warning names captures whose push did not finish or "
		"that lack a part. Counts and benchmarks are fetched as files of their own; with "
		"--format, they are printed, summed by host.",
	.options = pull_options,
	.opts_size = sizeof(struct pull_opts),
	.examples = pull_examples,
	.run = pull_run,
};

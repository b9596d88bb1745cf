/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict job: makes, lists, shows and removes jobs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/text/plural.h"
#include "cmd/fleet/job.h"

struct job_opts {
	struct options_shared shared;
	const char *info, *ttl, *bucket, *in, *seconds;
};

enum verb { CREATE = 0, LIST, SHOW, START, REMOVE };
static const char *const verbs[] = { "create", "list", "show", "start", "remove", NULL };

/* ---- the table of jobs ---- */

enum { ID = 0, INFO, CREATED, EXPIRES, BUCKET };
static const struct table_column columns[] = {
	[ID] = { "job", "job", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[INFO] = { "info", "info", TABLE_TEXT, 0, NULL, 0 },
	[CREATED] = { "created", "created", TABLE_TEXT, 0, NULL, 0 },
	[EXPIRES] = { "expires", "expires", TABLE_TEXT, TABLE_DASH, NULL, 0 },
	[BUCKET] = { "bucket_ns", "bucket ms", TABLE_MS, TABLE_GAUGE, NULL, 0 },
	TABLE_COLUMNS_END,
};

/* "2026-11-20 16:36:58" UTC; NULL: out of range. */
static const char *utc(char *room, size_t size, uint64_t ms)
{
	time_t t = (time_t)(ms / 1000);
	struct tm tm;

	if (!ms || !gmtime_r(&t, &tm) || !strftime(room, size, "%Y-%m-%d %H:%M:%S", &tm))
		return NULL;
	return room;
}

static int add_job(void *ctx, const struct fleet_job *job)
{
	struct table *t = ctx;
	char room[64];

	table_row(t);
	table_text(t, ID, job->id);
	table_text(t, INFO, job->info);
	table_text(t, CREATED, utc(room, sizeof(room), job->created_ms));
	table_text(t, EXPIRES, utc(room, sizeof(room), job->expires_ms));
	table_u64(t, BUCKET, job->bucket_ns);
	return 0;
}

static struct table *new_table(void)
{
	struct table *t = table_new("jobs", columns);

	if (t)
		t->certain = true;
	return t;
}

/* ---- the verbs ---- */

static int create(const struct cmd_call *call, struct store *st, const char *id,
		  struct cdict_error *err)
{
	const struct job_opts *o = call->opts;
	const char *info = o->info ? o->info : "";
	struct fleet_job job = { .created_ms = fleet_now_ms() };
	uint64_t ttl_ms = 0, bucket_ms = 0;
	int rc = 0;

	if (strlen(info) >= sizeof(job.info))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --info takes at most %d bytes", FLEET_INFO_ROOM - 1);
	if (o->ttl)
		rc = fleet_duration_ms(o->ttl, &ttl_ms, err);
	rc = rc ? rc : fleet_duration_ms(o->bucket, &bucket_ms, err);
	if (rc)
		return rc;
	if (bucket_ms > 86400000)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --bucket takes at most a day");
	snprintf(job.id, sizeof(job.id), "%s", id);
	strcpy(job.info, info);
	job.expires_ms = ttl_ms ? job.created_ms + ttl_ms : 0;
	job.bucket_ns = bucket_ms * 1000000;
	return store_create(st, &job, err);
}

static int list(const struct cmd_call *call, struct store *st, struct cdict_error *err)
{
	struct table *t = new_table();

	if (t && store_list(st, add_job, t, err)) {
		table_free(t);
		return fleet_fail(call, err);
	}
	t = table_done(t);
	if (t)
		t->order = "job";
	return fleet_print_tables(call, "jobs", NULL, &t, 1);
}

static int show(const struct cmd_call *call, struct store *st, const char *id,
		struct cdict_error *err)
{
	struct fleet_read r = { 0 };
	struct fleet_waiters waiters = { 0 };
	struct fleet_clock clock = { 0 };
	struct fleet_results results = { 0 };
	struct table *tables[4 + FLEET_RESULT_TABLES] = { NULL };
	char title[FLEET_ID_ROOM + 8];
	size_t n = 0;
	int status = CMD_DONE;

	snprintf(title, sizeof(title), "job %s", id);
	if (fleet_read(&r, st, id, err) || fleet_results_read(&results, st, id, NULL, err) ||
	    fleet_waiters_read(&waiters, st, id, err) ||
	    (waiters.all.n && fleet_clock_compare(st, id, &clock, err))) {
		status = fleet_fail(call, err);
	} else {
		tables[n] = new_table();
		if (tables[n])
			add_job(tables[n], &r.job);
		tables[n] = table_done(tables[n]);
		n++;
		if (!fleet_only_results(call, &r, &results))
			tables[n++] = fleet_hosts_table(&r);
		if (waiters.all.n)
			tables[n++] = job_waiters(call, &waiters,
						  fleet_now_ns() + (uint64_t)clock.offset_ns);
		tables[n++] = job_clients(&r, &results);
		n = fleet_add_results(call, &results, tables, n);
		status = fleet_print_tables(call, title, NULL, tables, n);
		if (!status && results.gone) {
			cmd_warn(
				call, NULL,
				"job %s: the store evicted %s pushed value%s; counts and benchmarks cover the others",
				id, GROUPED(results.gone), results.gone == 1 ? "" : "s");
			status = CMD_DAMAGED;
		}
	}
	fleet_results_fini(&results);
	array_fini(&waiters.all);
	fleet_read_fini(&r);
	return status;
}

static int start(const struct cmd_call *call, struct store *st, const char *id,
		 struct cdict_error *err)
{
	const struct job_opts *o = call->opts;
	struct fleet_job job;
	int rc = store_get(st, id, &job, err);

	return rc ? rc : job_start(call, st, id, o->in ? o->in : "5s", o->seconds, err);
}

static int run_verb(const struct cmd_call *call, int verb, const char *id)
{
	struct cdict_error err = { 0 };
	struct store *st;
	int status = fleet_open(&st, call);

	if (status)
		return status;
	if (verb == LIST)
		status = list(call, st, &err);
	else if (verb == SHOW)
		status = show(call, st, id, &err);
	else if (verb == CREATE  ? create(call, st, id, &err)
		 : verb == START ? start(call, st, id, &err)
				 : store_remove(st, id, &err))
		status = fleet_fail(call, &err);
	store_close(st);
	return status;
}

static int job_run(const struct cmd_call *call)
{
	const struct job_opts *o = call->opts;
	const char *id = call->n_operands > 1 ? call->operands[1] : NULL;
	struct cdict_error err = { 0 };
	int verb = 0;

	while (verbs[verb] && strcmp(verbs[verb], call->operands[0]))
		verb++;
	if (!verbs[verb])
		return cmd_usage(
			call, "unknown action '%s'; expected create, list, show, start or remove",
			call->operands[0]);
	if (verb == LIST && id)
		return cmd_usage(call, "unexpected operand '%s'", id);
	if (verb != LIST && !id)
		return cmd_usage(call, "%s needs the ID of a job", verbs[verb]);
	if (verb != CREATE && (o->info || o->ttl))
		return cmd_usage(call, "--info and --ttl can be used with create only");
	if (verb != START && (o->in || o->seconds))
		return cmd_usage(call, "--in and --seconds can be used with start only");
	if (id && fleet_job_id(id, &err))
		return fleet_fail(call, &err);
	return run_verb(call, verb, id);
}

static const struct cmd_option job_options[] = {
	CMD_STRING(0, "info", struct job_opts, info, "TEXT", "create: a note on the job's purpose"),
	CMD_STRING(0, "ttl", struct job_opts, ttl, "TIME",
		   "create: remove the job and its figures after this time, such as 7d; default: "
		   "never"),
	CMD_STRING_PRESET(0, "bucket", struct job_opts, bucket, "TIME", "1s",
			  "create: keep figures for each interval of this length, 1ms to 1d"),
	CMD_STRING(0, "in", struct job_opts, in, "TIME",
		   "start: begin this long from now; default: 5s"),
	CMD_STRING(0, "seconds", struct job_opts, seconds, "TIME",
		   "start: record for this long; default: each recorder's own duration"),
	OPTIONS_STORE,
	OPTIONS_TABLE("job"),
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example job_examples[] = {
	{ "cdict job create 2001 --info 'before the upgrade' --ttl 7d", "a job for a week" },
	{ "cdict job list", "list all jobs" },
	{ "cdict job show 2001", "which hosts pushed, and how much" },
	{ "cdict job start 2001 --in 5s --seconds 10",
	  "start all waiting recorders ('cdict record --wait') at one moment" },
	{ "cdict job remove 2001", "remove the job with all its figures" },
	{ NULL, NULL },
};

const struct cmd cmd_job = {
	.name = "job",
	.brief =
		"create, list, show, start and remove jobs, which many hosts push their figures into",
	.operands = "create|list|show|start|remove [ID]",
	.about = "A job collects the figures of many hosts: 'cdict push' adds those of one host; "
		 "tasks, exits, vcpu and latency print their sums with --job. Jobs are kept in a "
		 "store: a folder or a Redis server. An ID is a number from 2001 to 9999, or a "
		 "name.",
	.options = job_options,
	.opts_size = sizeof(struct job_opts),
	.min_operands = 1,
	.max_operands = 2,
	.examples = job_examples,
	.run = job_run,
};

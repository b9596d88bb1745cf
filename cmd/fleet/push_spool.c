/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict push --spool: pushes what 'cdict record --push' could not. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "cmd/fleet/push.h"
#include "query/fleet/figures/capture.h"
#include "query/fleet/store/spool.h"
#include "tables/columns/number.h"

struct pushing {
	const struct cmd_call *call;
	const char *dir;
	struct store *spool, *to;
	size_t jobs;
	struct cdict_error *err;
};

static int push_job(void *ctx, const struct fleet_job *job)
{
	struct fleet_spool_counts n = { 0 };
	struct store_names shelves = { 0 };
	char a[NUMBER_ROOM], b[NUMBER_ROOM];
	struct pushing *p = ctx;
	const char *only = ((const struct options_shared *)p->call->opts)->job;
	int rc;

	if (only && strcmp(only, job->id))
		return 0;
	p->jobs++;
	rc = store_list_shelves(&shelves, p->spool, job->id, p->err);
	rc = rc ? rc : fleet_spool_push(p->spool, job->id, p->to, &n, p->err);
	for (size_t i = 0; i < shelves.all.n && !rc; i++) {
		const char *shelf = shelves.all.at[i].text;

		if (!strncmp(shelf, FLEET_SHELF_HOST, strlen(FLEET_SHELF_HOST)))
			push_rollups(p->call, p->to, job->id, shelf + strlen(FLEET_SHELF_HOST),
				     NULL);
	}
	array_fini(&shelves.all);
	if ((!rc || n.values) && !p->call->quiet)
		fprintf(stderr, "[ cdict push: job %s, %s: %s of %s bucket%s added ]\n", job->id,
			p->dir, number_grouped(a, n.added), number_grouped(b, n.values),
			n.values == 1 ? "" : "s");
	return rc;
}

int push_spool(const struct cmd_call *call, const char *dir)
{
	const struct options_shared *o = call->opts;
	struct cdict_error err = { 0 };
	struct pushing p = { .call = call, .dir = dir, .err = &err };
	int status, rc = o->job ? fleet_job_id(o->job, &err) : 0;

	if (call->n_operands || o->input)
		return cmd_usage(call, "takes --spool or files, not both");
	rc = rc ? rc : store_dir_open(&p.spool, dir, &err);
	status = rc ? fleet_fail(call, &err) : fleet_open(&p.to, call);
	if (!status) {
		rc = store_list(p.spool, push_job, &p, &err);
		if (!rc && !p.jobs)
			rc = cdict_fail(&err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
					"%s: no spooled figures%s%s", dir, o->job ? " of job " : "",
					o->job ? o->job : "");
		status = rc ? fleet_fail(call, &err) : CMD_DONE;
	}
	store_close(p.spool);
	store_close(p.to);
	return status;
}

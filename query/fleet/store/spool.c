/* SPDX-License-Identifier: GPL-2.0-only */
/* Values waiting for their store. */
#include "query/fleet/store/spool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/array.h"

static int check_bucket_length(struct store *spool, const char *path, const char *id,
			       uint64_t bucket_ns, struct cdict_error *err)
{
	struct fleet_job there;
	int rc = store_get(spool, id, &there, err);

	if (rc || there.bucket_ns == bucket_ns)
		return rc;
	return cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
			  "%s: its buckets are %" PRIu64
			  " ms long, but those of job %s are %" PRIu64 " ms long",
			  path, there.bucket_ns / 1000000, id, bucket_ns / 1000000);
}

int fleet_spool_open(struct store **out, const char *path, const char *id, uint64_t bucket_ns,
		     struct cdict_error *err)
{
	struct fleet_job job = { .created_ms = fleet_now_ms(), .bucket_ns = bucket_ns };
	struct store *st;
	int rc = store_dir_open(&st, path, err);

	if (rc)
		return rc;
	snprintf(job.id, sizeof(job.id), "%s", id);
	strcpy(job.info, "spooled");
	rc = store_create(st, &job, err);
	if (rc == -EEXIST)
		rc = check_bucket_length(st, path, id, bucket_ns, err);
	if (rc)
		store_close(st);
	else
		*out = st;
	return rc;
}

struct moving {
	struct store *spool, *to;
	const char *id, *shelf;
	struct fleet_spool_counts *counts;
	struct cdict_error *err;
};

static int handle_value(void *ctx, const char *name, const void *data, size_t size)
{
	struct moving *m = ctx;
	bool added;
	int rc = store_put(m->to, m->id, m->shelf, name, data, size, &added, m->err);

	if (rc)
		return rc;
	m->counts->values++;
	m->counts->added += added;
	return store_dir_drop(m->spool, m->id, m->shelf, name, m->err);
}

int fleet_spool_push(struct store *spool, const char *id, struct store *to,
		     struct fleet_spool_counts *out, struct cdict_error *err)
{
	struct moving m = { .spool = spool, .to = to, .id = id, .counts = out, .err = err };
	struct store_names shelves = { 0 };
	struct fleet_job from, job;
	int rc = store_get(spool, id, &from, err);

	rc = rc ? rc : store_get(to, id, &job, err);
	if (!rc && from.bucket_ns != job.bucket_ns)
		rc = cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				"spooled buckets are %" PRIu64 " ms long, but those of job %s are "
				"%" PRIu64 " ms long: push the capture itself",
				from.bucket_ns / 1000000, id, job.bucket_ns / 1000000);
	rc = rc ? rc : store_list_shelves(&shelves, spool, id, err);
	for (size_t i = 0; i < shelves.all.n && !rc; i++) {
		m.shelf = shelves.all.at[i].text;
		rc = store_values(spool, id, m.shelf, handle_value, &m, err);
	}
	array_fini(&shelves.all);
	if (!rc)
		store_dir_tidy(spool, id);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spool.h - values that could not be pushed, in a directory: a store (store.h) with one job of the same id.
 * Values are removed from it once they are stored elsewhere.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef QUERY_FLEET_STORE_SPOOL_H
#define QUERY_FLEET_STORE_SPOOL_H

#include "query/fleet/store/store.h"

/* Bucket length while the job's is unknown: the default of jobs. */
#define FLEET_BUCKET_NS UINT64_C(1000000000)

/* fleet_spool_open - the directory with a job of @id and this bucket length; any other length is an error. */
int fleet_spool_open(struct store **out, const char *path, const char *id, uint64_t bucket_ns,
		     struct cdict_error *err);

struct fleet_spool_counts {
	uint64_t values, added; /* pushed; of those, new in the store */
};

/* fleet_spool_push - pushes all values of job @id in @spool to @to, one by one; removes pushed values from the
 * spool, and the spool when it is empty. Sets *out after a failure, too. */
int fleet_spool_push(struct store *spool, const char *id, struct store *to,
		     struct fleet_spool_counts *out, struct cdict_error *err);

#endif

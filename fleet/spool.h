/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spool.h - values that could not be pushed, in a folder: a store (store.h) of the job's own id, from which
 * what arrived elsewhere is taken away.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef FLEET_SPOOL_H
#define FLEET_SPOOL_H

#include "fleet/store.h"

/* The length of buckets while no store has told it: what jobs have unless they say otherwise. */
#define FLEET_BUCKET_NS UINT64_C(1000000000)

/* fleet_spool_open - the folder with a job of @id, whose buckets have this length: another one is refused. */
int fleet_spool_open(struct store **out, const char *path, const char *id, uint64_t bucket_ns,
		     struct cdict_error *err);

struct fleet_spool_counts {
	uint64_t values, added; /* that arrived; of them those that were not there before */
};

/* fleet_spool_push - all of the job @id in @spool into @to, one after the other; what arrived is gone from the
 * spool, and so is the spool when it is empty. *out is told after a failure, too. */
int fleet_spool_push(struct store *spool, const char *id, struct store *to,
		     struct fleet_spool_counts *out, struct cdict_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live.h - pushes a capture while it grows.
 *
 * A value is written once and never changes. So a bucket is pushed only when the file is complete beyond it and
 * nothing that began in it is still open; other buckets wait, and get their values from the whole file. Pushing
 * the finished file produces the same values, so it adds nothing.
 *
 * While the store does not accept values they go to a spool, and follow when it does. It retries the store
 * every LIVE_RETRY_S.
 *
 * Failure    reported by say(), never fatal: the counts show what happened to the buckets
 * Threads    one
 * Ownership  fleet_live_init() fills caller's storage, fini empties it; borrows options
 */
#ifndef QUERY_FLEET_FIGURES_LIVE_H
#define QUERY_FLEET_FIGURES_LIVE_H

#include "base/memory/array.h"
#include "query/fleet/figures/capture.h"
#include "query/fleet/store/spool.h"

#define LIVE_RETRY_S 5

struct fleet_live_options {
	const char *job;
	const char *spool; /* a directory, created when needed */
	int (*open)(void *ctx, struct store **out, struct cdict_error *err);
	void *open_ctx;
	void (*say)(void *ctx, const char *line);
	void *say_ctx;
};

struct fleet_live {
	struct fleet_live_options opts;
	struct store *st, *spool; /* NULL: not open */
	uint64_t bucket_ns;
	char id[17]; /* of the capture */
	char host[FLEET_HOST_ROOM];
	uint64_t next;           /* earlier buckets are done, except */
	ARRAY(uint64_t) waiting; /* these */
	uint64_t retry_ns;       /* by base/system/monotonic.h; 0: at once */
	uint64_t rolled_up;      /* rollups of smaller numbers were written (rollup.h) */
	bool no_rollups;         /* writing them failed */
	bool ending, full;       /* full: the spool does not accept values either */
	char reported[sizeof(
		((struct cdict_error *)0)->text)]; /* the latest message about the store */
	struct fleet_live_counts {
		uint64_t pushed;  /* into the store, directly or from the spool */
		uint64_t spooled; /* still in the spool */
		uint64_t left;    /* in neither */
	} counts;
};

void fleet_live_init(struct fleet_live *l, const struct fleet_live_options *opts);
/* fleet_live_view - the capture so far; it is complete up to @certain_ns. */
void fleet_live_view(struct fleet_live *l, const void *data, size_t size, uint64_t certain_ns);
/* fleet_live_end - the complete capture. */
void fleet_live_end(struct fleet_live *l, const void *data, size_t size);
void fleet_live_fini(struct fleet_live *l);

#endif

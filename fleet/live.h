/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * live.h - pushes a capture while it grows.
 *
 * A value is written once and never changes: so a bucket is pushed when the file is complete beyond it and nothing
 * that began in it is open; what is not so waits, and has its value from the whole file. The same
 * values come of the file later: pushing it adds nothing.
 *
 * While the store does not take values they go into a spool, from which they follow when it does. The store is
 * tried again every LIVE_RETRY_S.
 *
 * Failure    told by say(), nothing stops it: the counts tell what became of the buckets
 * Threads    one
 * Ownership  fleet_live_init() fills caller's storage, fini empties it; options are borrowed
 */
#ifndef FLEET_LIVE_H
#define FLEET_LIVE_H

#include "base/array.h"
#include "fleet/capture.h"
#include "fleet/spool.h"

#define LIVE_RETRY_S 5

struct fleet_live_options {
	const char *job;
	const char *spool; /* a folder, which is made when it is needed */
	int (*open)(void *ctx, struct store **out, struct cdict_error *err);
	void *open_ctx;
	void (*say)(void *ctx, const char *line);
	void *say_ctx;
};

struct fleet_live {
	struct fleet_live_options opts;
	struct store *st, *spool; /* NULL: not open */
	uint64_t bucket_ns;
	char id[17];                                        /* of the capture */
	uint64_t next;                                      /* buckets before are done, but */
	ARRAY(uint64_t) waiting;                            /* these */
	uint64_t retry_ns;                                  /* by base/monotonic.h; 0: at once */
	bool ending, full;                                  /* the spool does not take any either */
	char said[sizeof(((struct cdict_error *)0)->text)]; /* what of the store was told last */
	struct fleet_live_counts {
		uint64_t pushed;  /* into the store, by way of the spool, too */
		uint64_t spooled; /* that are still there */
		uint64_t left;    /* not even that */
	} counts;
};

void fleet_live_init(struct fleet_live *l, const struct fleet_live_options *opts);
/* fleet_live_view - a capture as far as it is; up to @certain_ns it is complete. */
void fleet_live_view(struct fleet_live *l, const void *data, size_t size, uint64_t certain_ns);
/* fleet_live_end - the whole of it. */
void fleet_live_end(struct fleet_live *l, const void *data, size_t size);
void fleet_live_fini(struct fleet_live *l);

#endif

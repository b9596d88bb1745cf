/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture.h - splits a capture into buckets of wall-clock time, each with its rows, for pushing.
 *
 * The capture's id depends on its origin (host, clock, first event), not on its bytes: an annotated or copied
 * file is the same capture.  The id and a bucket's number name the bucket's value in the store for ever,
 * so that pushing again adds nothing.
 *
 * Units      *_ns
 * Failure    0 or a negative code with *err filled
 * Ownership  the reader is borrowed; fleet_capture_fini() empties
 */
#ifndef QUERY_FLEET_FIGURES_CAPTURE_H
#define QUERY_FLEET_FIGURES_CAPTURE_H

#include "cdict/reader.h"
#include "query/fleet/values/value.h"
#include "query/fleet/store/store.h"

#define FLEET_HOST_ROOM 65 /* longer names are truncated */

struct fleet_capture {
	struct cdict_reader *reader;
	struct label_index *labels;
	char id[17];
	char host[FLEET_HOST_ROOM];
	bool clocked; /* the wall clock is known; otherwise buckets use the capture's own time */
	uint64_t offset_ns; /* wall clock minus the capture's clock, modulo 2^64 */
	uint64_t first_ns, last_ns;
	uint64_t bucket_ns;
	uint64_t first, n; /* buckets */
	bool growing;      /* events will follow the last one */
};

/* fleet_capture_init - @host NULL: the capture's, else "unknown".  Without events n is 0. */
int fleet_capture_init(struct fleet_capture *c, struct cdict_reader *r, const char *host,
		       uint64_t bucket_ns, struct cdict_error *err);
/* fleet_capture_bucket - appends the value of bucket first + @i to @out. @jobs: threads. For a growing capture,
 * FLEET_OPEN, appending nothing: something that began in the bucket is still open, so later events may change it. */
enum { FLEET_OPEN = 1 };
int fleet_capture_bucket(const struct fleet_capture *c, uint64_t i, unsigned jobs, struct buf *out,
			 struct cdict_error *err);
/* fleet_capture_put - stores that value under its name on its host's shelf. */
int fleet_capture_put(const struct fleet_capture *c, uint64_t i, const struct buf *value,
		      struct store *st, const char *id, bool *added, struct cdict_error *err);
void fleet_capture_fini(struct fleet_capture *c);

#endif

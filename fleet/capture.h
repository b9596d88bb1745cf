/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture.h - a capture as what is pushed: buckets of the wall clock, each with its rows.
 *
 * The capture's id follows from what it is of (host, clock, first event), not from its bytes: a file that was
 * annotated or copied is the same capture.  Id and number of a bucket name its value in the store
 * for ever, so that pushing again adds nothing.
 *
 * Units      *_ns
 * Failure    0 or a negative code with *err filled
 * Ownership  the reader is borrowed; fleet_capture_fini() empties
 */
#ifndef FLEET_CAPTURE_H
#define FLEET_CAPTURE_H

#include "cdict/reader.h"
#include "fleet/store.h"
#include "fleet/value.h"

#define FLEET_SHELF_HOST "h:" /* with the host's name: its buckets, by capture and number */
#define FLEET_HOST_ROOM 65    /* longer names are cut */

struct fleet_capture {
	struct cdict_reader *reader;
	struct label_index *labels;
	char id[17];
	char host[FLEET_HOST_ROOM];
	bool clocked;       /* the wall clock is known: else buckets are of the capture's own */
	uint64_t offset_ns; /* of the wall clock to the capture's, modulo 2^64 */
	uint64_t first_ns, last_ns;
	uint64_t bucket_ns;
	uint64_t first, n; /* buckets */
	bool growing;      /* more events come behind the last */
};

/* fleet_capture_init - @host NULL: as the capture says, else "unknown".  Of a capture without events n is 0. */
int fleet_capture_init(struct fleet_capture *c, struct cdict_reader *r, const char *host,
		       uint64_t bucket_ns, struct cdict_error *err);
/* fleet_capture_bucket - the value of bucket first + @i, appended to @out. @jobs: threads. Of a capture that grows
 * FLEET_OPEN, with nothing appended: what began in the bucket is not over, and events to come may change its figures. */
enum { FLEET_OPEN = 1 };
int fleet_capture_bucket(const struct fleet_capture *c, uint64_t i, unsigned jobs, struct buf *out,
			 struct cdict_error *err);
/* fleet_capture_put - puts that value under its name on its host's shelf. */
int fleet_capture_put(const struct fleet_capture *c, uint64_t i, const struct buf *value,
		      struct store *st, const char *id, bool *added, struct cdict_error *err);
void fleet_capture_fini(struct fleet_capture *c);

#endif

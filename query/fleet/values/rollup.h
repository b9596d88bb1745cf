/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rollup.h - the sum of up to 60 buckets of a host, so that a reader needs not read each.
 *
 * A rollup is a value (store.h) on a shelf of its own, named by its capture and its number: that of its buckets divided
 * by 60. It lists its buckets, with the figures that a picture of the job shows of each. Readers use it if the values of all
 * its buckets are there, and read the values of all other buckets: so sums are exact whichever buckets it has, and
 * whether it exists or not.
 *
 * Packed (packed.h) as "CDFR": the number of buckets and of figures; each bucket; the sums; the rows' body (value.h).
 * Rows are the sums of rows with the same unrecorded members only: others stay in their own values.
 *
 * Stored values are untrusted: anybody may have written them.
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage, zeroed; the fini function empties it
 */
#ifndef QUERY_FLEET_VALUES_ROLLUP_H
#define QUERY_FLEET_VALUES_ROLLUP_H

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "query/fleet/values/sums.h"
#include "query/fleet/store/store.h"

#define FLEET_SHELF_ROLLUP "r:" /* followed by the host's name */
#define FLEET_ROLLUP_BUCKETS 60

struct fleet_rolled {
	uint64_t number;
	uint64_t bytes; /* of its value */
	struct fleet_window window;
	double at[FLEET_FIGURES]; /* NAN: unknown */
};

struct fleet_rollup {
	struct fleet_rolled buckets[FLEET_ROLLUP_BUCKETS]; /* by number */
	size_t n;
	struct fleet_sums sums; /* without latency: it is in the rows */
	uint8_t *body;          /* owned */
	const uint8_t *rows;    /* in body */
	size_t rows_size;
};

/* fleet_rollup_encode - appends it, with @rows. */
int fleet_rollup_encode(struct buf *out, const struct fleet_rollup *r,
			const struct fleet_rows *rows, struct cdict_error *err);
/* fleet_rollup_decode - CDICT_EVERSION: for another program; read its buckets' values. */
int fleet_rollup_decode(struct fleet_rollup *out, uint64_t number, const void *data, size_t size,
			struct cdict_error *err);
/* fleet_rollup_rows - adds the rows, and each bucket to the totals. */
int fleet_rollup_rows(const struct fleet_rollup *r, struct fleet_rows *rows,
		      struct cdict_error *err);
void fleet_rollup_fini(struct fleet_rollup *r);

/* A set of buckets of one host. */
struct fleet_bucket_set {
	struct stringset captures;
	struct map numbers;
	ARRAY(struct fleet_bucket_group {
		const char *capture;
		uint64_t number; /* of the rollup */
		uint64_t there;  /* bit n: there is a value of its bucket n */
		uint64_t rolled; /* bit n: a rollup has its bucket n */
	})
	groups;
};
/* fleet_bucket_name - the number in the name CAPTURE.NUMBER of a value; false: another name. */
bool fleet_bucket_name(const char *name, uint64_t *number);
/* fleet_bucket_group - the group of rollup @number of the capture in @name, added if missing; NULL: out of memory. */
struct fleet_bucket_group *fleet_bucket_group(struct fleet_bucket_set *set, const char *name,
					      uint64_t number);
/* fleet_bucket_there - adds the bucket of the value @name, if it is one of a bucket; 0 or -ENOMEM. */
int fleet_bucket_there(struct fleet_bucket_set *set, const char *name);
/* fleet_bucket_bit - the bit of the bucket @number in its group. */
static inline uint64_t fleet_bucket_bit(uint64_t number)
{
	return UINT64_C(1) << number % FLEET_ROLLUP_BUCKETS;
}
void fleet_bucket_set_fini(struct fleet_bucket_set *set);

/* fleet_rollup_host - writes the missing rollups of @host: those of which all buckets are there, and of the capture @ended,
 * or NULL, also those of ten or more. */
int fleet_rollup_host(struct store *st, const char *id, const char *host, const char *ended,
		      struct cdict_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hosts.h - reads a job's figures from a store: values per host, and the sum of their rows.
 *
 * Failure    0 or a negative code with *err filled; damaged or foreign values are errors that name them
 * Ownership  caller's storage, zeroed; fleet_read_fini() empties it
 */
#ifndef QUERY_FLEET_FIGURES_HOSTS_H
#define QUERY_FLEET_FIGURES_HOSTS_H

#include "query/fleet/figures/capture.h"
#include "query/fleet/values/rollup.h"
#include "query/fleet/store/store.h"

struct fleet_host {
	char *name;
	uint64_t captures, buckets;
	uint64_t window_ns, events, lost;
	uint64_t first_ns, last_ns; /* wall clock, 0: unknown */
	uint64_t bytes;
	uint32_t cpus;
	uint64_t gone; /* values that were put and are missing now: evicted by the store */
	bool rollups;  /* it may have some */
};

struct fleet_read {
	struct fleet_job job;
	struct fleet_rows rows;
	ARRAY(struct fleet_host) hosts;
	uint64_t gone;
};

int fleet_read(struct fleet_read *out, struct store *st, const char *id, struct cdict_error *err);

/* Receives each bucket while all are added up: its rows one by one, then the bucket. */
struct fleet_listener {
	void (*row)(void *ctx, enum fleet_kind kind, const struct fleet_key *key,
		    const union fleet_any *any, unsigned lacks);
	/* @host: its index in out->hosts. 0, or a code that stops reading, with *err filled. */
	int (*bucket)(void *ctx, size_t host, const struct fleet_window *w,
		      struct cdict_error *err);
	/* The same for a rollup, after its rows; NULL: its buckets are passed one by one. */
	int (*rollup)(void *ctx, size_t host, const struct fleet_rollup *r,
		      struct cdict_error *err);
	void *ctx;
};
int fleet_read_each(struct fleet_read *out, struct store *st, const char *id,
		    const struct fleet_listener *listener, struct cdict_error *err);
void fleet_read_fini(struct fleet_read *r);
/* fleet_hosts_table - given, NULL: out of memory. */
struct table *fleet_hosts_table(const struct fleet_read *r);

#endif

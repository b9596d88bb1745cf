/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hosts.h - a job's figures, read from a store: of each host what it pushed, of all together their rows.
 *
 * Failure    0 or a negative code with *err filled: damaged or foreign values are an error that names them
 * Ownership  caller's storage, zeroed at first; fleet_read_fini() empties it
 */
#ifndef FLEET_HOSTS_H
#define FLEET_HOSTS_H

#include "fleet/capture.h"
#include "fleet/rows.h"
#include "fleet/store.h"

struct fleet_host {
	char *name;
	uint64_t captures, buckets;
	uint64_t window_ns, events, lost;
	uint64_t first_ns, last_ns; /* wall clock, 0: not known */
	uint64_t bytes;
	uint32_t cpus;
	uint64_t gone; /* values that were put and are there no more: the store evicted them */
};

struct fleet_read {
	struct fleet_job job;
	struct fleet_rows rows;
	ARRAY(struct fleet_host) hosts;
	uint64_t gone;
};

int fleet_read(struct fleet_read *out, struct store *st, const char *id, struct cdict_error *err);

/* Who wants to hear of each bucket while all are added up: of its rows, one by one, then of itself. */
struct fleet_listener {
	void (*row)(void *ctx, enum fleet_kind kind, const struct fleet_key *key,
		    const union fleet_any *any, unsigned lacks);
	/* @host: its number in out->hosts. 0, or a code that ends the reading, with *err filled. */
	int (*bucket)(void *ctx, size_t host, const struct fleet_window *w,
		      struct cdict_error *err);
	void *ctx;
};
int fleet_read_heard(struct fleet_read *out, struct store *st, const char *id,
		     const struct fleet_listener *listener, struct cdict_error *err);
void fleet_read_fini(struct fleet_read *r);
/* fleet_hosts_table - given, NULL: out of memory. */
struct table *fleet_hosts_table(const struct fleet_read *r);

#endif

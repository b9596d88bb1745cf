/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hosts.h - a job's figures, read from a store: of each host what it pushed, of all together their rows.
 *
 * Failure    0 or a negative code with *err filled: damaged or foreign values are an error that names them
 * Ownership  caller's storage, zeroed at first; fleet_read_fini() empties it
 */
#ifndef FLEET_HOSTS_H
#define FLEET_HOSTS_H

#include "fleet/rows.h"
#include "fleet/store.h"

#define FLEET_SHELF_HOST "h:" /* with the host's name: its buckets, by capture and number */

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
void fleet_read_fini(struct fleet_read *r);
/* fleet_hosts_table - given, NULL: out of memory. */
struct table *fleet_hosts_table(const struct fleet_read *r);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot.h - the flight recorder's memory: the last blocks, bounded in time and in bytes. What
 * falls out of it leaves only who the tasks are, so that every dump names them. What a snapshot
 * holds stays until that is freed, beside what came since: twice the bytes at most.
 *
 * Threads    snapshot_ring_put() under the store's lock, snapshot_ring_take() from any thread
 * Ownership  snapshot_ring_new() gives; a snapshot is freed with snapshot_free()
 */
#ifndef INGEST_SNAPSHOT_H
#define INGEST_SNAPSHOT_H

#include "ingest/store.h"

struct snapshot_ring;

/* Bytes that are held at most when only a time is asked for. */
#define SNAPSHOT_RING_BYTES ((uint64_t)256 << 20)

/* snapshot_ring_new - @ns 0: no bound of time; @bytes 0: SNAPSHOT_RING_BYTES. NULL when out of memory. */
struct snapshot_ring *snapshot_ring_new(uint64_t ns, uint64_t bytes);
void snapshot_ring_free(struct snapshot_ring *k);

/* snapshot_ring_put - a store_ops.put; @ring is the ring. */
int snapshot_ring_put(void *ring, struct store_item *item, struct cdict_error *err);

struct snapshot_item;
struct snapshot {
	struct rows before; /* the tasks as they were when the first item began */
	struct snapshot_item **items;
	size_t n;
	bool forgot; /* older items fell out, of each CPU up to another time */
};

/* snapshot_ring_take - what is held now; it stays as it is while recording goes on. */
int snapshot_ring_take(struct snapshot_ring *k, struct snapshot *s, struct cdict_error *err);
const struct store_item *snapshot_item(const struct snapshot_item *item);
void snapshot_free(struct snapshot_ring *k, struct snapshot *s);

/* snapshot_ring_full - whether the bytes are the tighter bound now: of the time asked for, only so much is
 * held as *held_ns says. */
bool snapshot_ring_full(struct snapshot_ring *k, uint64_t *held_ns);

#endif

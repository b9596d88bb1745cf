/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot.h - the snapshot ring of the flight recorder: the last blocks, bounded in time and bytes.
 * Blocks that drop out leave only their tasks' identities, so that every dump can name tasks. The
 * blocks of a snapshot stay until it is freed, beside newer ones: at most twice the bytes.
 *
 * Threads    snapshot_ring_put() under the store's lock, snapshot_ring_take() from any thread
 * Ownership  snapshot_ring_new() gives; a snapshot is freed with snapshot_free()
 */
#ifndef CONVERT_INGEST_SNAPSHOT_H
#define CONVERT_INGEST_SNAPSHOT_H

#include "convert/ingest/store.h"

struct snapshot_ring;

/* Bytes held at most when only a time is given. */
#define SNAPSHOT_RING_BYTES ((uint64_t)256 << 20)

/* snapshot_ring_new - @ns 0: no time limit; @bytes 0: SNAPSHOT_RING_BYTES. NULL when out of memory. */
struct snapshot_ring *snapshot_ring_new(uint64_t ns, uint64_t bytes);
void snapshot_ring_free(struct snapshot_ring *k);

/* snapshot_ring_put - a store_ops.put; @ring is the ring. */
int snapshot_ring_put(void *ring, struct store_item *item, struct cdict_error *err);

struct snapshot_item;
struct snapshot {
	struct rows before; /* the tasks at the start of the first item */
	struct snapshot_item **items;
	size_t n;
	bool forgot; /* older items dropped out, for each CPU up to a different time */
};

/* snapshot_ring_take - the current content, which stays unchanged while recording continues. */
int snapshot_ring_take(struct snapshot_ring *k, struct snapshot *s, struct cdict_error *err);
const struct store_item *snapshot_item(const struct snapshot_item *item);
void snapshot_free(struct snapshot_ring *k, struct snapshot *s);

/* snapshot_ring_full - true when bytes, not time, limit the ring now: it then holds only *held_ns of
 * the requested time. */
bool snapshot_ring_full(struct snapshot_ring *k, uint64_t *held_ns);

#endif

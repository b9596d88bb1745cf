/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * keep.h - the flight recorder's memory: the last blocks, bounded in time and in bytes. What
 * falls out of it leaves only who the tasks are, so that every dump names them. What a snapshot
 * holds stays until that is freed, beside what came since: twice the bytes at most.
 *
 * Threads    keep_put() under the store's lock, keep_take() from any thread
 * Ownership  keep_new() gives; a snapshot is freed with keep_snapshot_free()
 */
#ifndef CAPTURE_KEEP_H
#define CAPTURE_KEEP_H

#include "capture/store.h"

struct keep;

/* Bytes that are held at most when only a time is asked for. */
#define KEEP_BYTES ((uint64_t)256 << 20)

/* keep_new - @ns 0: no bound of time; @bytes 0: KEEP_BYTES. NULL when out of memory. */
struct keep *keep_new(uint64_t ns, uint64_t bytes);
void keep_free(struct keep *k);

/* keep_put - a store_ops.put; @keep is the keep. */
int keep_put(void *keep, struct store_item *item, struct cdict_error *err);

struct keep_item;
struct keep_snapshot {
	struct rows before; /* the tasks as they were when the first item began */
	struct keep_item **items;
	size_t n;
};

/* keep_take - what is held now; it stays as it is while recording goes on. */
int keep_take(struct keep *k, struct keep_snapshot *s, struct cdict_error *err);
const struct store_item *keep_item(const struct keep_item *item);
void keep_snapshot_free(struct keep *k, struct keep_snapshot *s);

/* keep_full - whether the bytes are the tighter bound now: of the time asked for, only so much is
 * held as *held_ns says. */
bool keep_full(struct keep *k, uint64_t *held_ns);

#endif

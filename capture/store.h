/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - where encoded blocks go: into the file as they come, or into memory, which keeps the
 * last of them (the flight recorder, keep.h).
 *
 * Threads    any thread may call store_put(); the rest is for one thread
 * Failure    negative code; the first one stays and is told by store_error()
 */
#ifndef CAPTURE_STORE_H
#define CAPTURE_STORE_H

#include "capture/rows.h"
#include "format/encode.h"

struct store;

/* Encoded blocks of one batch, and the rows that go before them. */
struct store_item {
	struct rows rows;
	struct buf payload; /* of the blocks, one after the other */
	struct store_part {
		struct format_block info;
		size_t size;
	} * parts;
	size_t n_parts;
};

void store_item_fini(struct store_item *item);

struct store_ops {
	int (*put)(void *ctx, struct store_item *item, struct cdict_error *err);
};

/* store_new - @ops->put is called under the store's lock, and may take what @item holds. */
struct store *store_new(const struct store_ops *ops, void *ctx);
void store_free(struct store *s);

/* store_put - puts @item and empties it. */
int store_put(struct store *s, struct store_item *item);
bool store_failed(struct store *s, struct cdict_error *err);
uint64_t store_events(struct store *s); /* put so far */
/* store_dropped - events that failed or came after the failure, the first at *since_ns; when nobody
 * puts any more. */
uint64_t store_dropped(const struct store *s, uint64_t *since_ns);
/* store_write_dropped - for each CPU a loss that tells of them, and the losses that were among them. */
int store_write_dropped(const struct store *s, struct cdict_writer *w, struct cdict_error *err);

/* store_write - an item into a cdict: what a file's put does. */
int store_write(struct cdict_writer *w, const struct store_item *item, struct cdict_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - the destination of encoded blocks: the file, or memory that keeps the last
 * of them (the flight recorder, snapshot.h).
 *
 * Threads    any thread may call store_put(); the rest is for one thread, while no thread puts
 * Failure    negative code; store_failed() returns the first one from then on
 */
#ifndef CONVERT_INGEST_STORE_H
#define CONVERT_INGEST_STORE_H

#include "convert/ingest/rows.h"
#include "format/coding/encode.h"

struct store;

/* Encoded blocks of one batch, and the rows before them. */
struct store_item {
	struct rows rows;
	struct buf payload; /* of the blocks, concatenated */
	struct store_part {
		struct format_block info;
		size_t size;
		uint32_t *stacks; /* of its events, or NULL */
		struct block_digest *digest;
	} * parts; /* usually one; none when all samples were unreadable */
	size_t n_parts;
	struct cdict_loss bad; /* unreadable samples; count 0: none */
	int failed;            /* -ENOMEM: could not be encoded; bad describes the loss */
};

void store_part_fini(struct store_part *part);
void store_item_fini(struct store_item *item);

struct store_ops {
	int (*put)(void *ctx, struct store_item *item, struct cdict_error *err);
	bool keep_bad; /* store_put() adds item->bad to its rows; else put() keeps it for the end */
};

/* Totals of everything put so far. */
struct store_counts {
	uint64_t events, first_ns, last_ns;
	uint64_t lost_ns; /* latest end of a loss among them */
	uint64_t bad;     /* unreadable samples */
	uint64_t foreign; /* sum of format_block.foreign */
};

/* store_foreign - true when the samples' tids belong to another PID namespace than the kernel's
 * own fields; a few may differ for other reasons. */
static inline bool store_foreign(const struct store_counts *c)
{
	return c->foreign > c->events / 64;
}

/* store_new - @ops->put is called under the store's lock, and may take the content of @item. */
struct store *store_new(const struct store_ops *ops, void *ctx);
void store_free(struct store *s);

/* store_put - puts @item and empties it. */
int store_put(struct store *s, struct store_item *item);
/* store_failed - the code of the first failure (*err: its details), or 0; at any time. */
int store_failed(struct store *s, struct cdict_error *err);
const struct store_counts *store_counts(const struct store *s);
/* store_dropped - number of events that failed or came after the failure, the first at *since_ns. */
uint64_t store_dropped(const struct store *s, uint64_t *since_ns);
/* store_write_dropped - writes a loss per CPU for them, and the loss rows among them. */
int store_write_dropped(const struct store *s, struct cdict_writer *w, struct cdict_error *err);

/* store_write - writes an item to a cdict: put() for a file. */
int store_write(struct cdict_writer *w, const struct store_item *item, struct cdict_error *err);

#endif

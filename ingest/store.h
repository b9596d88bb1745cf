/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store.h - where encoded blocks go: into the file as they come, or into memory, which keeps the
 * last of them (the flight recorder, snapshot.h).
 *
 * Threads    any thread may call store_put(); the rest is for one thread, when nobody puts
 * Failure    negative code; the first one stays and is told by store_failed()
 */
#ifndef INGEST_STORE_H
#define INGEST_STORE_H

#include "format/encode.h"
#include "ingest/rows.h"

struct store;

/* Encoded blocks of one batch, and the rows that go before them. */
struct store_item {
	struct rows rows;
	struct buf payload; /* of the blocks, one after the other */
	struct store_part {
		struct format_block info;
		size_t size;
		uint32_t *stacks; /* of its events, or NULL */
		struct block_digest *digest;
	} * parts; /* mostly one; none when no event was good */
	size_t n_parts;
	struct cdict_loss bad; /* samples that could not be read; count 0: none */
	int failed;            /* -ENOMEM: it could not be encoded; bad says what is missing */
};

void store_part_fini(struct store_part *part);
void store_item_fini(struct store_item *item);

struct store_ops {
	int (*put)(void *ctx, struct store_item *item, struct cdict_error *err);
	bool tell_bad; /* item->bad is one of its rows; else put() keeps it for the end */
};

/* What was put so far. */
struct store_counts {
	uint64_t events, first_ns, last_ns;
	uint64_t lost_ns; /* the latest end of a loss among them */
	uint64_t bad;     /* samples that could not be read */
	uint64_t foreign; /* events of format_block.foreign */
};

/* store_foreign - whether the samples count their tasks in another PID namespace than the kernel's own
 * fields do; a few may differ for another reason. */
static inline bool store_foreign(const struct store_counts *c)
{
	return c->foreign > c->events / 64;
}

/* store_new - @ops->put is called under the store's lock, and may take what @item holds. */
struct store *store_new(const struct store_ops *ops, void *ctx);
void store_free(struct store *s);

/* store_put - puts @item and empties it. */
int store_put(struct store *s, struct store_item *item);
/* store_failed - the code of the failure (*err: all of it), or 0; at any time. */
int store_failed(struct store *s, struct cdict_error *err);
const struct store_counts *store_counts(const struct store *s);
/* store_dropped - events that failed or came after the failure, the first at *since_ns. */
uint64_t store_dropped(const struct store *s, uint64_t *since_ns);
/* store_write_dropped - for each CPU a loss that tells of them, and the losses that were among them. */
int store_write_dropped(const struct store *s, struct cdict_writer *w, struct cdict_error *err);

/* store_write - an item into a cdict: what a file's put does. */
int store_write(struct cdict_writer *w, const struct store_item *item, struct cdict_error *err);

#endif

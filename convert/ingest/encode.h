/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encode.h - threads that encode batches into blocks and store the blocks in the order in which
 * the batches were given.
 *
 * Threads    one thread calls encode_give(); any thread may call encode_wait()
 * Failure    encode_give() returns the first failure of the store, from then on
 * Ownership  batch and rows are taken, even on failure
 */
#ifndef CONVERT_INGEST_ENCODE_H
#define CONVERT_INGEST_ENCODE_H

#include "cdict/schema.h"
#include "convert/ingest/batcher.h"
#include "convert/ingest/source.h"
#include "convert/ingest/store.h"

struct encode;

struct encode_options {
	const struct source *source; /* borrowed */
	const struct cdict_schema *schema;
	struct batch_spares *spares;
	struct store *store;
	unsigned threads; /* in addition to the giving thread */
	bool helps;       /* the giving thread encodes while it waits */
	unsigned depth;   /* limit of batches given and not stored; 0: unlimited */
	/* Called in an encoder thread: at its start, false ends it at once; before each batch, with the bytes
	 * that wait or are being encoded; after a failure. */
	bool (*begin)(void *ctx);
	void (*pace)(void *ctx, size_t bytes);
	void (*failed)(void *ctx);
	void *ctx;
};

/* encode_new - starts the threads; continues without those that cannot start, if one thread can encode. */
int encode_new(struct encode **out, const struct encode_options *opts, struct cdict_error *err);
/* encode_free - waits for batches being encoded; drops those not started. */
void encode_free(struct encode *e);

const struct cdict_schema *encode_schema(const struct encode *e);
/* encode_tid - the tid of sample @p; -1: unreadable. */
int32_t encode_tid(const struct encode *e, const struct batch_sample *p);
/* encode_give - queues @batch (NULL: rows only), after its rows. Waits first while the queue is at
 * its depth. Returns the code of a failure, or 0. */
int encode_give(struct encode *e, struct batch *batch, struct rows *rows);
/* encode_wait - until everything given so far is stored. */
void encode_wait(struct encode *e);
bool encode_idle(struct encode *e);
size_t encode_bytes(struct encode *e); /* waiting or being encoded */

#endif

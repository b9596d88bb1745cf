/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encode.h - threads that turn batches into blocks, which are stored in the order in which the
 * batches were given.
 *
 * Threads    one thread gives; encode_wait() is for any
 * Failure    the first failure of the store stays, and is told by encode_give()
 * Ownership  batch and rows are taken, whatever happens
 */
#ifndef INGEST_ENCODE_H
#define INGEST_ENCODE_H

#include "cdict/schema.h"
#include "ingest/batcher.h"
#include "ingest/source.h"
#include "ingest/store.h"

struct encode;

struct encode_options {
	const struct source *source; /* borrowed */
	const struct cdict_schema *schema;
	struct batch_spares *spares;
	struct store *store;
	unsigned threads; /* beside who gives */
	bool helps;       /* who gives works too while it waits */
	unsigned depth;   /* batches given and not stored at most; 0: as many as there are */
	/* In a thread: when it begins, false: it ends at once; before each batch, with the bytes that
	 * wait or are in work; when something failed. */
	bool (*begin)(void *ctx);
	void (*pace)(void *ctx, size_t bytes);
	void (*failed)(void *ctx);
	void *ctx;
};

/* encode_new - the threads begin; one that cannot be started is done without if somebody works. */
int encode_new(struct encode **out, const struct encode_options *opts, struct cdict_error *err);
/* encode_free - waits for what is in work; what nobody has begun is thrown away. */
void encode_free(struct encode *e);

const struct cdict_schema *encode_schema(const struct encode *e);
/* encode_tid - whose sample @p is; -1: it cannot be read. */
int32_t encode_tid(const struct encode *e, const struct batch_sample *p);
/* encode_give - @batch (NULL: rows alone), after the rows that come before it. When as many are in
 * work as should be, waits first. The code of a failure, or 0. */
int encode_give(struct encode *e, struct batch *batch, struct rows *rows);
/* encode_wait - until all that was given by now is stored. */
void encode_wait(struct encode *e);
bool encode_idle(struct encode *e);
size_t encode_bytes(struct encode *e); /* that wait, or are in work */

#endif

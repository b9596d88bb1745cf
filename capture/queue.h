/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * queue.h - batches on their way from a reader to its encoder, bounded in bytes.
 *
 * Threads    one puts, one takes
 * Ownership  what is put is taken over; what is taken is given
 */
#ifndef CAPTURE_QUEUE_H
#define CAPTURE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>

#include "capture/rows.h"
#include "convert/pending.h"

struct work {
	struct work *next;
	struct batch *batch; /* or NULL */
	struct rows rows;    /* what goes before it */
	size_t bytes;        /* as the queue counts them */
	bool last;           /* nothing comes any more */
	unsigned flush;      /* number of the flush that ends here, 0: none */
};

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct work *first, **end;
	size_t bytes, limit;
};

void queue_init(struct queue *q, size_t limit);
void queue_fini(struct queue *q);

/* queue_fits - whether a batch of @bytes may be put. One always may when nothing waits. */
bool queue_fits(struct queue *q, size_t bytes);
size_t queue_bytes(struct queue *q); /* that wait, or are in work */
void queue_put(struct queue *q, struct work *w);
/* queue_take - waits. */
struct work *queue_take(struct queue *q);
/* queue_done - the bytes of @w are free; frees it. */
void queue_done(struct queue *q, struct work *w);

/* batch_memory - what a batch weighs. */
size_t batch_memory(const struct batch *b);

#endif

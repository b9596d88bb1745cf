/* SPDX-License-Identifier: GPL-2.0-only */
/* Batches in a row. */
#include "capture/queue.h"

#include <stdlib.h>

void queue_init(struct queue *q, size_t limit)
{
	*q = (struct queue){ .limit = limit };
	q->end = &q->first;
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->more, NULL);
}

static void work_free(struct work *w)
{
	batch_free(w->batch);
	rows_fini(&w->rows);
	free(w);
}

void queue_fini(struct queue *q)
{
	while (q->first) {
		struct work *w = q->first;

		q->first = w->next;
		work_free(w);
	}
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->more);
}

size_t batch_memory(const struct batch *b)
{
	return b ? sizeof(*b) + b->copies_cap + b->cap * sizeof(*b->samples) : 0;
}

bool queue_fits(struct queue *q, size_t bytes)
{
	bool fits;

	pthread_mutex_lock(&q->lock);
	fits = !q->bytes || (q->bytes <= q->limit && bytes <= q->limit - q->bytes);
	pthread_mutex_unlock(&q->lock);
	return fits;
}

size_t queue_bytes(struct queue *q)
{
	size_t bytes;

	pthread_mutex_lock(&q->lock);
	bytes = q->bytes;
	pthread_mutex_unlock(&q->lock);
	return bytes;
}

void queue_put(struct queue *q, struct work *w)
{
	w->next = NULL;
	w->bytes = sizeof(*w) + rows_bytes(&w->rows) + batch_memory(w->batch);
	pthread_mutex_lock(&q->lock);
	q->bytes += w->bytes;
	*q->end = w;
	q->end = &w->next;
	pthread_cond_signal(&q->more);
	pthread_mutex_unlock(&q->lock);
}

struct work *queue_take(struct queue *q)
{
	struct work *w;

	pthread_mutex_lock(&q->lock);
	while (!q->first)
		pthread_cond_wait(&q->more, &q->lock);
	w = q->first;
	q->first = w->next;
	if (!q->first)
		q->end = &q->first;
	pthread_mutex_unlock(&q->lock);
	return w;
}

void queue_done(struct queue *q, struct work *w)
{
	pthread_mutex_lock(&q->lock);
	q->bytes -= w->bytes;
	pthread_mutex_unlock(&q->lock);
	work_free(w);
}

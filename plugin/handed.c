/* SPDX-License-Identifier: GPL-2.0-only */
/* A queue between two threads; behind it, one queue per CPU in time order. */
#include "plugin/handed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "cdict/stack.h"
#include "convert/ingest/source.h"

/* Samples that perf's thread collects before it passes them on. */
#define PORTION 4096u

struct samples {
	ARRAY(struct handed_sample) all;
};

/* One CPU: ascending times. Samples before @head were taken. */
struct cpu_queue {
	struct samples s;
	size_t head;
};

struct handed {
	struct samples portion; /* used by perf's thread */
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct samples passed_on;
	bool ended, failed;
	/* Used by the converter; by CPU + 1, the first is the unknown CPU. */
	struct samples news;
	ARRAY(struct cpu_queue) cpus;
};

struct handed *handed_new(void)
{
	struct handed *h = calloc(1, sizeof(*h));

	if (h) {
		pthread_mutex_init(&h->lock, NULL);
		pthread_cond_init(&h->more, NULL);
	}
	return h;
}

void handed_free(struct handed *h)
{
	if (!h)
		return;
	array_fini(&h->portion.all);
	array_fini(&h->passed_on.all);
	array_fini(&h->news.all);
	for (size_t i = 0; i < h->cpus.n; i++)
		array_fini(&h->cpus.at[i].s.all);
	array_fini(&h->cpus);
	pthread_mutex_destroy(&h->lock);
	pthread_cond_destroy(&h->more);
	free(h);
}

/* --- perf's thread --- */

static void pass_on(struct handed *h, bool end)
{
	struct samples *from = &h->portion, *to = &h->passed_on;

	pthread_mutex_lock(&h->lock);
	if (array_reserve(&to->all, to->all.n + from->all.n)) {
		h->failed = true;
	} else if (from->all.n) {
		memcpy(to->all.at + to->all.n, from->all.at, from->all.n * sizeof(*from->all.at));
		to->all.n += from->all.n;
	}
	h->ended |= end;
	pthread_cond_signal(&h->more);
	pthread_mutex_unlock(&h->lock);
	from->all.n = 0;
}

void handed_give(struct handed *h, const struct handed_sample *s)
{
	if (h->portion.all.n >= PORTION)
		pass_on(h, false);
	if (array_push(&h->portion.all, *s)) {
		pthread_mutex_lock(&h->lock);
		h->failed = true;
		pthread_mutex_unlock(&h->lock);
	}
}

void handed_passed(struct handed *h, uint32_t stack)
{
	if (h->portion.all.n) {
		struct handed_sample *last = &h->portion.all.at[h->portion.all.n - 1];

		last->passed = true;
		last->stack = stack;
	}
}

void handed_end(struct handed *h)
{
	pass_on(h, true);
}

/* --- the converter's thread --- */

static struct cpu_queue *queue_of(struct handed *h, uint32_t cpu)
{
	size_t i = (size_t)(uint32_t)(cpu + 1);

	if (i > INGEST_CPUS_MAX)
		return NULL;
	while (i >= h->cpus.n)
		if (!array_add(&h->cpus))
			return NULL;
	return &h->cpus.at[i];
}

/* Sorts in samples that perf passes late. */
static bool enqueue(struct cpu_queue *q, const struct handed_sample *s)
{
	struct handed_sample *at;
	size_t i;

	if (q->head > PORTION && q->head * 2 > q->s.all.n) {
		q->s.all.n -= q->head;
		memmove(q->s.all.at, q->s.all.at + q->head, q->s.all.n * sizeof(*q->s.all.at));
		q->head = 0;
	}
	if (array_push(&q->s.all, *s))
		return false;
	at = q->s.all.at;
	for (i = q->s.all.n - 1; i > q->head && at[i - 1].t_ns > s->t_ns; i--)
		at[i] = at[i - 1];
	at[i] = *s;
	return true;
}

/* Fetches new samples from perf's thread; false when there are no more. */
static bool receive(struct handed *h)
{
	struct samples old = h->news;
	bool failed;

	pthread_mutex_lock(&h->lock);
	while (!h->passed_on.all.n && !h->ended && !h->failed)
		pthread_cond_wait(&h->more, &h->lock);
	failed = h->failed;
	h->news = h->passed_on;
	h->passed_on = old;
	h->passed_on.all.n = 0;
	pthread_mutex_unlock(&h->lock);
	for (size_t i = 0; i < h->news.all.n && !failed; i++) {
		struct cpu_queue *q = queue_of(h, h->news.all.at[i].cpu);

		/* Samples of rejected CPU numbers are never looked up. */
		failed = q ? !enqueue(q, &h->news.all.at[i])
			   : (uint32_t)(h->news.all.at[i].cpu + 1) <= INGEST_CPUS_MAX;
	}
	if (failed) {
		pthread_mutex_lock(&h->lock);
		h->failed = true;
		pthread_mutex_unlock(&h->lock);
	}
	return h->news.all.n && !failed;
}

static struct handed_sample *find_sample(struct cpu_queue *q, uint64_t t_ns, uint32_t config,
					 unsigned steps)
{
	struct handed_sample *at = q->s.all.at;
	size_t lo = q->head, hi = q->s.all.n;

	/* Usually it is the next one. */
	if (lo < hi && at[lo].t_ns < t_ns) {
		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (at[mid].t_ns < t_ns)
				lo = mid + 1;
			else
				hi = mid;
		}
	}
	for (; lo < q->s.all.n && at[lo].t_ns == t_ns; lo++)
		if (at[lo].config == config && !(at[lo].taken & steps))
			return &at[lo];
	return NULL;
}

const struct handed_sample *handed_take(struct handed *h, uint32_t cpu, uint64_t t_ns,
					uint32_t config, unsigned steps)
{
	struct handed_sample *s;
	struct cpu_queue *q;

	do {
		q = queue_of(h, cpu);
		s = q ? find_sample(q, t_ns, config, steps) : NULL;
	} while (!s && q && receive(h));
	if (!s)
		return NULL;
	s->taken |= steps;
	while (q->head < q->s.all.n && q->s.all.at[q->head].taken == HANDED_BOTH)
		q->head++;
	return s;
}

bool handed_wait(struct handed *h)
{
	bool failed;

	pthread_mutex_lock(&h->lock);
	while (!h->ended)
		pthread_cond_wait(&h->more, &h->lock);
	failed = h->failed;
	pthread_mutex_unlock(&h->lock);
	return !failed;
}

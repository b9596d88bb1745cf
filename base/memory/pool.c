// SPDX-License-Identifier: LGPL-2.1-only
/* pool.c - see pool.h. */
#include "base/memory/pool.h"

#include <stdlib.h>

#ifndef __wasm__
#include <pthread.h>
#include <sched.h>

enum { THREADS_MAX = 256 };

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	struct pool_job *first, **last; /* submitted, not started */
	unsigned idle;                  /* threads waiting for work */
	bool waited_for, stop;
	unsigned n_threads;
	pthread_t threads[THREADS_MAX];
};

/* Runs the oldest submitted job; called and returns with the lock held. */
static void run_first(struct pool *p)
{
	struct pool_job *job = p->first;

	p->first = job->next;
	if (!p->first)
		p->last = &p->first;
	pthread_mutex_unlock(&p->lock);
	job->run(job);
	pthread_mutex_lock(&p->lock);
	job->done = true;
	if (p->waited_for)
		pthread_cond_signal(&p->done);
}

static void *thread(void *arg)
{
	struct pool *p = arg;

	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		if (p->first) {
			run_first(p);
			continue;
		}
		p->idle++;
		pthread_cond_wait(&p->work, &p->lock);
		p->idle--;
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct pool *pool_new(unsigned jobs)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_cond_init(&p->done, NULL);
	p->last = &p->first;
	while (p->n_threads + 1 < jobs && p->n_threads < THREADS_MAX &&
	       !pthread_create(&p->threads[p->n_threads], NULL, thread, p))
		p->n_threads++;
	return p;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->n_threads; i++)
		pthread_join(p->threads[i], NULL);
	pthread_cond_destroy(&p->done);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

void pool_submit(struct pool *p, struct pool_job *job)
{
	pthread_mutex_lock(&p->lock);
	job->next = NULL;
	job->done = false;
	*p->last = job;
	p->last = &job->next;
	if (p->idle)
		pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
}

void pool_wait(struct pool *p, struct pool_job *job)
{
	pthread_mutex_lock(&p->lock);
	while (!job->done) {
		if (p->first) {
			run_first(p);
			continue;
		}
		p->waited_for = true;
		pthread_cond_wait(&p->done, &p->lock);
		p->waited_for = false;
	}
	pthread_mutex_unlock(&p->lock);
}

unsigned pool_cpus(void)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	return n > 0 ? (unsigned)n : 1;
}

#else

struct pool {
	char none;
};

struct pool *pool_new(unsigned jobs)
{
	(void)jobs;
	return calloc(1, sizeof(struct pool));
}

void pool_free(struct pool *p)
{
	free(p);
}

void pool_submit(struct pool *p, struct pool_job *job)
{
	(void)p;
	job->run(job);
	job->done = true;
}

void pool_wait(struct pool *p, struct pool_job *job)
{
	(void)p;
	(void)job;
}

unsigned pool_cpus(void)
{
	return 1;
}

#endif

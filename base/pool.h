/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * pool.h - a few threads that do what is submitted, in that order; who waits for a job helps
 * until it is done.  Bounds on what is under way are the caller's: it owns the jobs.
 *
 * Built without threads (WebAssembly) what is submitted is done at once; for one job at a time,
 * when it is waited for.
 *
 * Threads    one thread submits and waits
 * Ownership  pool_new() gives; jobs are the caller's, borrowed from pool_submit() until they
 *            are done
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>

struct pool;

struct pool_job {
	void (*run)(struct pool_job *job); /* in any thread */
	/* the pool's */
	struct pool_job *next;
	bool done;
};

/* pool_new - for @jobs at once, the waiting thread being one of them. Fewer when threads cannot
 * be had. NULL when out of memory. */
struct pool *pool_new(unsigned jobs);
/* pool_free - what was begun is finished, what was not is forgotten. NULL is fine. */
void pool_free(struct pool *p);

/* pool_submit - what the caller wrote before is seen by the job. */
void pool_submit(struct pool *p, struct pool_job *job);
/* pool_wait - until @job, which was submitted, is done; what it wrote is seen then. */
void pool_wait(struct pool *p, struct pool_job *job);
/* pool_cpus - how many CPUs this process may use. */
unsigned pool_cpus(void);

#endif

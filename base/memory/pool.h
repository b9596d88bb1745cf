/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * pool.h - a few threads that run submitted jobs in order; a thread that waits for a job helps
 * until it is done.  The caller owns the jobs and limits how many are pending.
 *
 * Built without threads (WebAssembly), submit runs the job at once; with a pool of one job,
 * jobs run when they are waited for.
 *
 * Threads    one thread submits and waits
 * Ownership  pool_new() gives; jobs are the caller's, borrowed from pool_submit() until they
 *            are done
 */
#ifndef BASE_MEMORY_POOL_H
#define BASE_MEMORY_POOL_H

#include <stdbool.h>

struct pool;

struct pool_job {
	void (*run)(struct pool_job *job); /* in any thread */
	/* private to the pool */
	struct pool_job *next;
	bool done;
};

/* pool_new - for @jobs at once, including the waiting thread. Fewer when threads cannot be
 * created. NULL when out of memory. */
struct pool *pool_new(unsigned jobs);
/* pool_free - finishes jobs that are running, drops those that are not. NULL is fine. */
void pool_free(struct pool *p);

/* pool_submit - the job sees everything the caller wrote before. */
void pool_submit(struct pool *p, struct pool_job *job);
/* pool_wait - until the submitted @job is done; the caller then sees what it wrote. */
void pool_wait(struct pool *p, struct pool_job *job);
/* pool_cpus - number of CPUs this process may use. */
unsigned pool_cpus(void);

#endif

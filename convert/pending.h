/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pending.h - samples of each CPU that wait until they make a block.
 *
 * A batch is what becomes one block: samples of one CPU in order of time. Records
 * are borrowed from a mapped input, or copied into the batch.
 */
#ifndef CONVERT_PENDING_H
#define CONVERT_PENDING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/layout.h"

/* All records that may wait, in bytes: the rest of 64 MiB is for batches in work and
 * their columns. */
#define PENDING_BYTES_MAX (12u << 20)
/* One block's records: with the longest one more, 8 MiB. */
#define PENDING_BATCH_MAX ((8u << 20) - (64u << 10))

struct pending_sample {
	uint64_t t_ns;
	const uint8_t *record; /* the whole record */
	uint32_t event;        /* of the recording */
	uint32_t order;
};

struct batch {
	uint32_t cpu;
	struct pending_sample *samples;
	size_t n, cap;
	uint8_t *copies; /* records copied, NULL when borrowed */
	size_t copied, copies_cap;
	size_t bytes; /* of all records */
};

void batch_free(struct batch *b);

/* Batches that were worked off, with their memory, to be filled again: fresh memory
 * for each would be paged in for each. */
#define BATCH_SPARES 4u
struct batch_spares {
	pthread_mutex_t lock;
	struct batch *batches[BATCH_SPARES];
	size_t n;
};

/* batch_done - keeps @b for later, or frees it. */
void batch_done(struct batch_spares *spares, struct batch *b);

struct pending_cpu {
	struct batch *batch; /* what waits; NULL when nothing does */
	uint64_t max_ns;     /* latest time seen on this CPU */
	uint64_t cut_ns;     /* latest time that was already cut */
	size_t back;         /* how many samples at most a late one had to be moved */
	bool disordered;     /* the batch is not in order */
	bool seen;
	uint64_t late; /* samples earlier than what was already cut */
	uint64_t late_first_ns, late_last_ns;
	uint64_t sorted; /* samples that came out of order, sorted in time */
};

struct pending {
	struct pending_cpu *cpus; /* by CPU + 1; the first is the unknown CPU */
	size_t n;
	struct batch_spares *spares; /* borrowed */
	size_t bytes;                /* that wait, over all CPUs */
	bool copy;                   /* records must be copied */
	bool swap;                   /* record headers are in the other byte order */
};

/* CPUs beyond this are not believed (a damaged sample). */
#define PENDING_MAX_CPUS 8192u

void pending_fini(struct pending *p);

struct pending_cpu *pending_cpu_new(struct pending *p, uint32_t cpu);

/* pending_cpu - state of @cpu (CDICT_CPU_UNKNOWN too), or NULL when out of memory. */
static inline struct pending_cpu *pending_cpu(struct pending *p, uint32_t cpu)
{
	uint32_t i = cpu + 1; /* the unknown CPU is 0 */

	return i < p->n ? &p->cpus[i] : pending_cpu_new(p, cpu);
}

bool pending_add_slow(struct pending *p, struct pending_cpu *c, uint32_t cpu,
		      const struct pending_sample *s, uint32_t size);

/* pending_add - queues a sample of @c; false when out of memory. */
static inline bool pending_add(struct pending *p, struct pending_cpu *c, uint32_t cpu,
			       const struct pending_sample *s, uint32_t size)
{
	struct batch *b = c->batch;

	/* The usual case: later than what is there, borrowed, and there is room. */
	if (!b || p->copy || b->n == b->cap || s->t_ns < c->max_ns)
		return pending_add_slow(p, c, cpu, s, size);
	c->max_ns = s->t_ns;
	b->samples[b->n++] = *s;
	b->bytes += size;
	p->bytes += size;
	return true;
}

/* Half of it when records are copied: then several batches in work are memory. */
static inline size_t pending_batch_max(const struct pending *p)
{
	return p->copy ? PENDING_BATCH_MAX / 2 : PENDING_BATCH_MAX;
}

/* pending_ready - a CPU that should be cut now, or NULL: one that holds a block and
 * what has to stay behind, or, when too many bytes wait, the one with most. */
struct pending_cpu *pending_ready_slow(struct pending *p, struct pending_cpu *latest);

static inline struct pending_cpu *pending_ready(struct pending *p, struct pending_cpu *latest)
{
	if (p->bytes < PENDING_BYTES_MAX && latest->batch &&
	    latest->batch->n <= FORMAT_BLOCK_EVENTS && latest->batch->bytes < pending_batch_max(p))
		return NULL;
	return pending_ready_slow(p, latest);
}

/* pending_cut - takes the earliest samples of @c, a block at most, in order of time.
 * All of them when @last. NULL when there are none or memory is out (*oom). */
struct batch *pending_cut(struct pending *p, struct pending_cpu *c, bool last, bool *oom);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * batcher.h - collects samples per CPU until they make a block.
 *
 * A batch becomes one block: samples of one CPU in time order. Records
 * are borrowed from a mapped input, or copied into the batch.
 */
#ifndef CONVERT_INGEST_BATCHER_H
#define CONVERT_INGEST_BATCHER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "convert/ingest/source.h"
#include "format/layout.h"

/* Limit for all waiting records, in bytes: batches being encoded and their columns
 * use the rest of 64 MiB. */
#define BATCHER_BYTES_MAX (12u << 20)
/* Records of one block: plus the longest record, 8 MiB. */
#define BATCH_BYTES_MAX ((8u << 20) - (64u << 10))

struct batch_sample {
	uint64_t t_ns;
	const uint8_t *record; /* the whole record */
	uint32_t event;        /* index in source.events */
	uint32_t order;        /* cdict_sample.order */
};

struct batch {
	uint32_t cpu;
	struct batch_sample *samples;
	size_t n, cap;
	uint8_t *copies; /* records copied, NULL when borrowed */
	size_t copied, copies_cap;
	size_t bytes; /* of all records */
};

void batch_free(struct batch *b);
/* batch_memory - memory used by a batch. */
static inline size_t batch_memory(const struct batch *b)
{
	return b ? sizeof(*b) + b->copies_cap + b->cap * sizeof(*b->samples) : 0;
}

/* Encoded batches, kept with their memory for reuse: fresh memory for each batch
 * would cost page faults. */
#define BATCH_SPARES 4u
struct batch_spares {
	pthread_mutex_t lock;
	struct batch *batches[BATCH_SPARES];
	size_t n;
};

/* batch_done - keeps @b for reuse, or frees it. */
void batch_done(struct batch_spares *spares, struct batch *b);

struct batcher_cpu {
	struct batch *batch; /* waiting samples; NULL if there are none */
	uint64_t max_ns;     /* latest time seen on this CPU */
	uint64_t cut_ns;     /* latest time already cut */
	size_t back;         /* most positions that a late sample had to be moved */
	bool disordered;     /* the batch needs sorting */
	bool seen;
	bool cut;      /* a batch was cut since the last ingest_age() */
	uint64_t late; /* samples earlier than cut_ns */
	uint64_t late_first_ns, late_last_ns;
	uint64_t sorted; /* samples that came out of order and were sorted in */
	/* Losses; used by ingest.c. */
	uint64_t lost, counted; /* reported on the way; counted by the kernel at the end */
	uint64_t first_ns;      /* time and task of its first batch's first sample; 0: no sample */
	int32_t first_tid;
	int32_t left_tid; /* task of the CPU's first switch-out, once that is seen */
	bool begun, left;
	uint64_t throttled_ns;  /* throttled since, 0: not throttled */
	uint64_t dropped_gives; /* ingest.gives when its last batch was dropped, */
	size_t dropped_row;     /* and the pending loss row for it */
};

struct batcher {
	struct batcher_cpu *cpus; /* by CPU + 1; the first is the unknown CPU */
	size_t n;
	struct batch_spares *spares; /* borrowed */
	size_t bytes;                /* waiting, over all CPUs */
	bool copy;                   /* records must be copied */
	bool swap;                   /* record headers are in the other byte order */
};

void batcher_fini(struct batcher *p);

struct batcher_cpu *batcher_cpu_new(struct batcher *p, uint32_t cpu);

/* batcher_cpu - state of @cpu (CDICT_CPU_UNKNOWN too), or NULL when out of memory. */
static inline struct batcher_cpu *batcher_cpu(struct batcher *p, uint32_t cpu)
{
	uint32_t i = cpu + 1; /* the unknown CPU is 0 */

	return i < p->n ? &p->cpus[i] : batcher_cpu_new(p, cpu);
}

bool batcher_add_slow(struct batcher *p, struct batcher_cpu *c, uint32_t cpu,
		      const struct batch_sample *s, uint32_t size);

/* batcher_add - queues a sample of @c; false when out of memory. */
static inline bool batcher_add(struct batcher *p, struct batcher_cpu *c, uint32_t cpu,
			       const struct batch_sample *s, uint32_t size)
{
	struct batch *b = c->batch;

	/* The common case: in order, borrowed, and there is room. */
	if (!b || p->copy || b->n == b->cap || s->t_ns < c->max_ns)
		return batcher_add_slow(p, c, cpu, s, size);
	c->max_ns = s->t_ns;
	b->samples[b->n++] = *s;
	b->bytes += size;
	p->bytes += size;
	return true;
}

/* Half of it when records are copied, because several batches being encoded use memory too. */
static inline size_t batcher_batch_max(const struct batcher *p)
{
	return p->copy ? BATCH_BYTES_MAX / 2 : BATCH_BYTES_MAX;
}

/* batcher_ready - a CPU to cut now, or NULL: one that holds a block plus the samples
 * to keep back, or, when too many bytes wait, the CPU with the most. */
struct batcher_cpu *batcher_ready_slow(struct batcher *p, struct batcher_cpu *latest);

static inline struct batcher_cpu *batcher_ready(struct batcher *p, struct batcher_cpu *latest)
{
	if (p->bytes < BATCHER_BYTES_MAX && latest->batch &&
	    latest->batch->n <= FORMAT_BLOCK_FILL && latest->batch->bytes < batcher_batch_max(p))
		return NULL;
	return batcher_ready_slow(p, latest);
}

/* batcher_cut - takes the earliest samples of @c, at most a block, in time order;
 * all of them when @last. NULL if there are none or when out of memory (*oom). */
struct batch *batcher_cut(struct batcher *p, struct batcher_cpu *c, bool last, bool *oom);

#endif

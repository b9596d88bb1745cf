/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pending.h - samples of each CPU that wait until they make a block.
 *
 * A batch is what becomes one block: samples of one CPU in order of time. Records
 * are borrowed from a mapped input, or copied into the batch.
 */
#ifndef CONVERT_PENDING_H
#define CONVERT_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

struct pending_cpu {
	struct batch *batch;  /* what waits; NULL when nothing does */
	uint64_t max_ns;      /* latest time seen on this CPU */
	uint64_t cut_ns;      /* latest time that was already cut */
	size_t back;          /* how many samples at most a late one had to be moved */
	bool disordered;      /* the batch is not in order */
	bool seen;
	uint64_t late;        /* samples earlier than what was already cut */
	uint64_t late_first_ns, late_last_ns;
	uint64_t sorted;      /* samples that came out of order, sorted in time */
};

struct pending {
	struct pending_cpu *cpus; /* by CPU + 1; the first is the unknown CPU */
	size_t n;
	size_t bytes;   /* that wait, over all CPUs */
	bool copy;      /* records must be copied */
	bool swap;      /* record headers are in the other byte order */
};

/* CPUs beyond this are not believed (a damaged sample). */
#define PENDING_MAX_CPUS 8192u

void pending_fini(struct pending *p);

/* pending_cpu - state of @cpu (CDICT_CPU_UNKNOWN too), or NULL when out of memory. */
struct pending_cpu *pending_cpu(struct pending *p, uint32_t cpu);

/* pending_add - queues a sample of @c; false when out of memory. */
bool pending_add(struct pending *p, struct pending_cpu *c, uint32_t cpu,
		 const struct pending_sample *s, uint32_t size);

/* pending_ready - a CPU that should be cut now, or NULL: one that holds a block and
 * what has to stay behind, or, when too many bytes wait, the one with most. */
struct pending_cpu *pending_ready(struct pending *p, struct pending_cpu *latest);

/* pending_cut - takes the earliest samples of @c, a block at most, in order of time.
 * All of them when @last. NULL when there are none or memory is out (*oom). */
struct batch *pending_cut(struct pending *p, struct pending_cpu *c, bool last, bool *oom);

#endif

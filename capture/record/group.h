/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * group.h - a group of CPUs: one thread empties their rings, a second one compresses.
 *
 * The reader only copies records out of the rings into one batch per CPU. A batch that is full, or
 * a second old, goes to the encoder (convert/ingest/ingest.h), whose queue is limited in bytes.
 * When the encoder or the disk cannot keep up, the batch is dropped and becomes a loss with its
 * CPU, times and count: the rings are still emptied, so losses are whole batches, known exactly,
 * and the recorder never blocks.
 *
 * Threads    only the thread that made the group calls these functions, unless noted
 * Ownership  group_new() gives, group_free() takes
 */
#ifndef CAPTURE_RECORD_GROUP_H
#define CAPTURE_RECORD_GROUP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "capture/host/rings.h"
#include "capture/stacks/stacks.h"
#include "convert/ingest/ingest.h"

struct group_options {
	struct rings_options rings; /* group_open() fills in its own tids */
	const struct cdict_schema *schema;
	const int16_t *type_of; /* index in the schema by common_type, or -1 */
	uint64_t sample_period; /* of events that are no tracepoints; 0: it is in the samples */
	struct store *store;
	struct trigger *trigger;        /* NULL: none */
	struct stacks *stacks;          /* NULL: none */
	struct record_cgroups *cgroups; /* NULL: none */
	size_t queue_bytes;
	/* By CPU number, for all possible CPUs: online and recorded. The owner of the group clears
	 * those that went offline, and calls group_add_cpu() for those that came online. */
	atomic_bool *live;
	size_t n_possible;
	unsigned poll_ms;          /* longest interval between reads of the rings; 0: default */
	int realtime;              /* SCHED_FIFO priority of the reader, 0: nice -20 */
	void (*failed)(void *ctx); /* the store failed: called from the encoder */
	void *failed_ctx;
};

/* Counts so far. */
struct group_counts {
	uint64_t samples, bytes; /* read from the rings */
	uint64_t lost_ring;      /* lost by the kernel: LOST records and counters */
	uint64_t lost_queue;     /* dropped by the reader */
	uint64_t disordered;     /* out of order on their CPU, and sorted */
	/* The kernel's own counters at the end. */
	uint64_t kernel_events, kernel_lost;
	uint64_t throttled; /* times that the kernel stopped sampling */
	bool out_of_memory;
};

struct group;

/* group_new - starts the threads, which wait for group_start(); @opts is copied, what it points to
 * is borrowed. */
int group_new(struct group **out, const struct group_options *opts, struct cdict_error *err);
/* group_tids - the tids of its threads, for the filters. */
void group_tids(const struct group *g, int32_t tids[2]);
/* group_by_tid - compares tids, for qsort() and bsearch(). */
int group_by_tid(const void *a, const void *b);
/* group_open - opens the rings, of @bytes each; events of the tids @own are filtered out. */
int group_open(struct group *g, const struct choice *choice, size_t bytes, const int32_t *own,
	       size_t n_own, struct cdict_error *err);
struct rings *group_rings(struct group *g);
/* group_start - lets the threads run. */
void group_start(struct group *g);
/* group_add_cpu - adds a CPU that came online: recorded at once, like the others since
 * group_open(). -ENODEV: it is not online (any more). */
int group_add_cpu(struct group *g, int cpu, struct cdict_error *err);
/* group_flush - starts a flush: everything read so far is in the store when group_wait_flush()
 * returns. */
void group_flush(struct group *g);
void group_wait_flush(struct group *g);
/* group_pause - after rings_disable() of group_rings(): reads the rest; time is unknown from then
 * until group_resume(), after which rings_enable() is called. */
void group_pause(struct group *g);
void group_resume(struct group *g);
/* group_lost - number of events known to be lost so far; from any thread. */
uint64_t group_lost(const struct group *g);
/* group_samples - number of samples read from the rings so far; from any thread. */
uint64_t group_samples(const struct group *g);
/* group_over - true when all tasks whose events are recorded have ended. */
bool group_over(const struct group *g);
/* group_stop - after rings_disable() of group_rings(): reads, encodes and stores the rest, and joins the threads. */
void group_stop(struct group *g);
void group_join(struct group *g);
/* group_losses - when all groups are joined: stores the losses that are known only then. */
void group_losses(struct group *g);
const struct group_counts *group_counts(const struct group *g); /* after group_losses() */
void group_free(struct group *g);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * group.h - a group of CPUs: one thread empties their rings, a second one compresses.
 *
 * The reader copies records out of the rings into one batch per CPU, and does nothing else. A
 * batch that is full, or a second old, goes to the encoder (convert/ingest/ingest.h), which may have so
 * many bytes before it. When it or the disk cannot follow, the batch is thrown away and becomes
 * a loss with its CPU, times and count: the rings are emptied all the same, so what is lost is
 * whole and known, and the recorder never stands still.
 *
 * Threads    the functions are for the thread that made the group
 * Ownership  group_new() gives, group_free() takes
 */
#ifndef CAPTURE_GROUP_H
#define CAPTURE_GROUP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "capture/host/rings.h"
#include "capture/stacks/stacks.h"
#include "convert/ingest/ingest.h"

struct group_options {
	struct rings_options rings; /* its own tids are filled by group_open() */
	const struct cdict_schema *schema;
	const int16_t *type_of; /* by common_type: index in the schema, or -1 */
	struct store *store;
	struct trigger *trigger; /* NULL: none */
	struct stacks *stacks;   /* NULL: none */
	size_t queue_bytes;
	/* By CPU, so many as there may be: it is online, and recorded. Who made the group takes those away
	 * that went offline, and calls group_add_cpu() for those that came. */
	atomic_bool *live;
	size_t n_possible;
	unsigned poll_ms;          /* the rings are looked at so often at least; 0: as is usual */
	int realtime;              /* SCHED_FIFO priority of the reader, 0: nice -20 */
	void (*failed)(void *ctx); /* the store failed: called from the encoder */
	void *failed_ctx;
};

/* What happened so far. */
struct group_counts {
	uint64_t samples, bytes; /* read from the rings */
	uint64_t lost_ring;      /* by the kernel, LOST records and counters */
	uint64_t lost_queue;     /* thrown away by the reader */
	uint64_t disordered;     /* out of order on their CPU, sorted in */
	/* The kernel's own counters at the end. */
	uint64_t kernel_events, kernel_lost;
	bool out_of_memory;
};

struct group;

/* group_new - starts the threads, which wait; @opts is copied, what it points to borrowed. */
int group_new(struct group **out, const struct group_options *opts, struct cdict_error *err);
/* group_tids - its threads, for the filters. */
void group_tids(const struct group *g, int32_t tids[2]);
/* group_by_tid - tids ascending, for qsort() and bsearch(). */
int group_by_tid(const void *a, const void *b);
/* group_open - the rings, of @bytes each, with the tids that are left out. */
int group_open(struct group *g, const struct choice *choice, size_t bytes, const int32_t *own,
	       size_t n_own, struct cdict_error *err);
struct rings *group_rings(struct group *g);
/* group_start - the threads begin. */
void group_start(struct group *g);
/* group_add_cpu - a CPU that came online: recorded at once, as the others since group_open(). -ENODEV:
 * it is not there (any more). */
int group_add_cpu(struct group *g, int cpu, struct cdict_error *err);
/* group_flush - everything read so far is in the store when group_wait_flush() returns. */
void group_flush(struct group *g);
void group_wait_flush(struct group *g);
/* group_pause - after rings_disable() of group_rings(): what is there is read, and from then on nothing is known until
 * group_resume(), after which rings_enable() is called. */
void group_pause(struct group *g);
void group_resume(struct group *g);
/* group_lost - events that were lost so far, as far as is known; from any thread. */
uint64_t group_lost(const struct group *g);
/* group_samples - read from the rings so far; from any thread. */
uint64_t group_samples(const struct group *g);
/* group_over - all tasks whose events are recorded have ended. */
bool group_over(const struct group *g);
/* group_stop - after rings_disable() of group_rings(): the rest is read, encoded and stored, and the threads end. */
void group_stop(struct group *g);
void group_join(struct group *g);
/* group_losses - when all groups are joined: what is known of losses only now goes into the store. */
void group_losses(struct group *g);
const struct group_counts *group_counts(const struct group *g); /* after group_losses() */
void group_free(struct group *g);

#endif

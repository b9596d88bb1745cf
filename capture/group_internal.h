/* SPDX-License-Identifier: GPL-2.0-only */
/* group_internal.h - what the two threads of a group share. */
#ifndef CAPTURE_GROUP_INTERNAL_H
#define CAPTURE_GROUP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "capture/group.h"
#include "capture/queue.h"

/* Of a CPU, for its losses. */
struct group_cpu {
	uint64_t lost;        /* told by LOST records */
	uint64_t kernel_lost; /* as the kernel counted, of all its rings */
	bool gone;            /* it was offline before this pass read its ring */
	bool blind;           /* it is not recorded since @blind_ns */
	uint64_t blind_ns;
	uint64_t throttled_ns; /* since when, 0: not */
	bool cut;              /* a batch of it went away since the last flush */
	uint64_t dropped_puts; /* the last batch was dropped when so many works had been put: */
	size_t dropped_row;    /* this row of the losses that wait tells of it */
};

/* The rings of a CPU that came later. */
struct group_more {
	struct group_more *next;
	struct rings *rings;
};

struct group {
	struct group_options opts;
	struct rings *rings;
	struct rings_options added; /* how such a CPU is opened */
	const struct choice *choice;
	struct group_more *more; /* the reader's */
	int32_t tids[2];         /* reader, encoder */

	/* The reader's. */
	struct pending pending;
	struct batch_spares spares;
	struct group_cpu *cpus; /* by CPU number */
	uint32_t n_cpus;
	struct rows rows; /* that wait for the next batch, or a second */
	uint64_t puts;    /* works, from 1 on */
	struct group_counts counts;
	struct trigger_feed *feed;
	uint64_t flush_at_ms;
	uint64_t first_ns; /* of all samples */

	struct queue queue;
	atomic_bool stop;
	atomic_uint flush_wanted;
	atomic_bool has_arrived;

	/* Under @lock: the start, and flushes that are done. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool go, give_up;
	struct group_more *arrived; /* for the reader to take */
	unsigned ready, flushed;
	pthread_t reader, encoder;
	bool has_reader, has_encoder;
	bool encoder_failed; /* out of memory; for others after the join */
};

/* group_begin - tells @tid, waits for group_start(); false: end at once. */
bool group_begin(struct group *g, int which);
void *group_read(void *group);   /* the reader */
void *group_encode(void *group); /* the encoder */

#endif

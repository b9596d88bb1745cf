/* SPDX-License-Identifier: GPL-2.0-only */
/* group_internal.h - what the two threads of a group share. */
#ifndef CAPTURE_GROUP_INTERNAL_H
#define CAPTURE_GROUP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "capture/record/group.h"
#include "convert/ingest/ingest.h"

/* Of a CPU, for its losses. */
struct group_cpu {
	bool gone;  /* it was offline before this pass read its ring */
	bool blind; /* it is not recorded since @blind_ns */
	uint64_t blind_ns;
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
	struct ingest ingest;
	struct source_event *events; /* by type of the schema */
	struct group_cpu *cpus;      /* by CPU number */
	uint32_t n_cpus;
	struct group_counts counts;
	struct trigger_feed *feed;
	uint64_t flush_at_ns;
	uint64_t first_ns; /* of all samples */

	bool hurried; /* the encoder has the reader's priority */
	atomic_bool stop;
	atomic_uint flush_wanted;
	atomic_bool has_arrived;
	atomic_bool paused;
	atomic_ullong lost;    /* for group_lost() */
	atomic_ullong samples; /* for group_samples() */

	/* Under @lock: the start, and flushes that are done. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool go, give_up;
	struct group_more *arrived; /* for the reader to take */
	unsigned ready;
	unsigned flushed; /* all read until this flush was asked for is with the encoder */
	pthread_t reader;
	bool has_reader;
};

/* group_begin - tells @tid, waits for group_start(); false: end at once. */
bool group_begin(struct group *g, int which);
void *group_read(void *group); /* the reader */

#endif

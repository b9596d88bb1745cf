/* SPDX-License-Identifier: GPL-2.0-only */
/* group_internal.h - shared by the two threads of a group. */
#ifndef CAPTURE_RECORD_GROUP_INTERNAL_H
#define CAPTURE_RECORD_GROUP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "capture/record/group.h"
#include "convert/ingest/ingest.h"

/* State of a CPU, for its losses. */
struct group_cpu {
	bool gone;  /* it was offline before this pass read its ring */
	bool blind; /* not recorded since @blind_ns */
	uint64_t blind_ns;
};

/* The rings of a CPU that came online later. */
struct group_more {
	struct group_more *next;
	struct rings *rings;
};

struct group {
	struct group_options opts;
	struct rings *rings;
	struct rings_options added; /* options to open such a CPU */
	const struct choice *choice;
	struct group_more *more; /* used by the reader */
	int32_t tids[2];         /* reader, encoder */

	/* Used by the reader. */
	struct ingest ingest;
	struct source_event *events; /* by type in the schema */
	struct ring_layout layout;
	struct map ids;         /* of events that are no tracepoints: their types in the schema */
	bool *sampled;          /* by type in the schema: no tracepoint */
	struct group_cpu *cpus; /* by CPU number */
	uint32_t n_cpus;
	struct group_counts counts;
	struct trigger_feed *feed;
	uint64_t flush_at_ns;
	uint64_t first_ns; /* time of the earliest sample */

	bool hurried; /* the encoder has the reader's priority now */
	atomic_bool stop;
	atomic_uint flush_wanted;
	atomic_bool has_arrived;
	atomic_bool paused;
	atomic_ullong lost;    /* for group_lost() */
	atomic_ullong samples; /* for group_samples() */

	/* Under @lock: the start, and completed flushes. */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool go, give_up;
	struct group_more *arrived; /* to be taken by the reader */
	unsigned ready;
	unsigned flushed; /* last flush for which all reads before it went to the encoder */
	pthread_t reader;
	bool has_reader;
};

/* group_begin - sets tids[@which], waits for group_start(); false: end at once. */
bool group_begin(struct group *g, int which);
void *group_read(void *group); /* the reader thread */

#endif

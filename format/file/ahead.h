/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * ahead.h - a walk over events that another thread decodes and puts in order, ahead of who
 * reads them: one batch is read while the next one is filled.
 *
 * What is damaged is met, and noted, in the order of the walk as without the thread.
 *
 * Threads    one thread reads
 * Ownership  ahead_new() gives; what the options name is borrowed
 */
#ifndef FORMAT_AHEAD_H
#define FORMAT_AHEAD_H

#include "cdict/reader.h"

#define AHEAD_APART                                                                                \
	128 /* bytes: threads do not write to one cache line, or two next to each other */

struct ahead;

/* Where an event lies. */
struct ahead_place {
	uint32_t chain, block; /* indexes of the walk's and the reader's */
	uint32_t number;       /* among all events of the block, from 1; 0: no event */
};

struct ahead_options {
	const struct cdict_schema *schema;
	const struct cdict_query *query; /* its fields until ahead_new() returns */
	/* As cdict_events_next(); in the other thread. */
	int (*next)(struct cdict_events *it, struct cdict_event *ev, struct cdict_error *err);
	/* Of the event given last, in the other thread; NULL: ahead_place() will not be asked. */
	struct ahead_place (*place)(struct cdict_events *it);
	struct cdict_events *it;
	uint32_t cpus; /* 1 + the highest number */
};

/* ahead_new - begins at once; NULL when out of memory. */
struct ahead *ahead_new(const struct ahead_options *opts);
void ahead_free(struct ahead *a);

/* ahead_next - as cdict_events_next(); ahead_place() of the event given last. */
int ahead_next(struct ahead *a, struct cdict_event *ev, struct cdict_error *err);
struct ahead_place ahead_place(const struct ahead *a);

#endif

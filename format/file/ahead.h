/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * ahead.h - a walk over events that another thread decodes and puts in order, ahead of the
 * reader: one batch is read while the next one is filled.
 *
 * Damage is found and noted in the same order as without the thread.
 *
 * Threads    one thread reads
 * Ownership  ahead_new() gives; the objects in the options are borrowed
 */
#ifndef FORMAT_FILE_AHEAD_H
#define FORMAT_FILE_AHEAD_H

#include "cdict/reader.h"

#define AHEAD_APART                                                                                \
	128 /* bytes: two threads must not write to the same cache line, nor to two adjacent ones */

struct ahead;

/* The place of an event. */
struct ahead_place {
	uint32_t chain, block; /* indexes of the walk's and the reader's */
	uint32_t number;       /* among all events of the block, from 1; 0: no event */
};

struct ahead_options {
	const struct cdict_schema *schema;
	const struct cdict_query *query; /* its fields until ahead_new() returns */
	/* Like cdict_events_next(); called in the other thread. */
	int (*next)(struct cdict_events *it, struct cdict_event *ev, struct cdict_error *err);
	/* Place of the event given last; called in the other thread. NULL: ahead_place() is
	 * not used. */
	struct ahead_place (*place)(struct cdict_events *it);
	struct cdict_events *it;
	uint32_t cpus; /* 1 + the highest number */
};

/* ahead_new - starts the walk at once; NULL when out of memory. */
struct ahead *ahead_new(const struct ahead_options *opts);
void ahead_free(struct ahead *a);

/* ahead_next - like cdict_events_next(); ahead_place - the place of the event given last. */
int ahead_next(struct ahead *a, struct cdict_event *ev, struct cdict_error *err);
struct ahead_place ahead_place(const struct ahead *a);

#endif

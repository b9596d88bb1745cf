/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rounds.h - when perf would deliver an event.
 *
 * perf sorts by time, but within limits: at the end of each pass over the rings
 * (PERF_RECORD_FINISHED_ROUND) it delivers everything up to the latest time of the previous pass
 * (tools/perf/util/ordered-events.c, Linux 6.1). An event that arrives later is delivered late,
 * after others that happened after it. The cdict keeps time order and stores which events are late
 * (struct cdict_late), so that cdict script can print them in perf's order.
 */
#ifndef CONVERT_ROUNDS_H
#define CONVERT_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

struct rounds {
	uint64_t latest_ns; /* latest time of the waiting events */
	uint64_t next_ns;   /* up to which time the next round delivers */
	uint64_t done_ns;   /* everything up to this time was delivered */
	bool waiting;       /* there are waiting events */
	bool late;          /* a late event is waiting */
};

/* rounds_record - handles a record of time @t_ns; returns true when it is late: perf delivers it
 * after everything up to r->done_ns; if its time is r->done_ns, after earlier late ones. */
static inline bool rounds_record(struct rounds *r, uint64_t t_ns)
{
	if (!t_ns || t_ns == UINT64_MAX)
		return false; /* not queued by perf */
	if (!r->waiting || t_ns >= r->latest_ns)
		r->latest_ns = t_ns;
	r->waiting = true;
	if (t_ns >= r->done_ns)
		return t_ns == r->done_ns && r->late;
	r->late = true;
	return true;
}

/* rounds_finished - handles PERF_RECORD_FINISHED_ROUND. */
static inline void rounds_finished(struct rounds *r)
{
	if (!r->waiting)
		return;
	if (r->next_ns) {
		r->done_ns = r->next_ns;
		r->late = false;
		r->waiting = r->latest_ns > r->next_ns;
	}
	r->next_ns = r->latest_ns;
}

#endif

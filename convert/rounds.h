/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rounds.h - when perf would hand an event out.
 *
 * perf sorts by time, but only so far: at the end of each pass over the rings
 * (PERF_RECORD_FINISHED_ROUND) it hands out everything up to the latest time of the
 * pass before (tools/perf/util/ordered-events.c, Linux 6.1). An event that comes
 * later than that is handed out late, after others that happened after it. The
 * cdict keeps time order and remembers such events (struct cdict_late), so that
 * cdict script can print them where perf does.
 */
#ifndef CONVERT_ROUNDS_H
#define CONVERT_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

struct rounds {
	uint64_t latest_ns; /* of what waits */
	uint64_t next_ns;   /* what the next round hands out */
	uint64_t done_ns;   /* everything up to here was handed out */
	bool waiting;       /* something waits */
	bool late;          /* and is late */
};

/* rounds_record - a record of time @t_ns was read; true when it is late: perf hands
 * it out after everything up to r->done_ns; one of just that time behind those that are earlier. */
static inline bool rounds_record(struct rounds *r, uint64_t t_ns)
{
	if (!t_ns || t_ns == UINT64_MAX)
		return false; /* not queued at all */
	if (!r->waiting || t_ns >= r->latest_ns)
		r->latest_ns = t_ns;
	r->waiting = true;
	if (t_ns >= r->done_ns)
		return t_ns == r->done_ns && r->late;
	r->late = true;
	return true;
}

/* rounds_finished - PERF_RECORD_FINISHED_ROUND. */
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

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * markers.h - windows between two events of a capture: from one that is a start to the next that is an end.
 *
 * A marker is EVENT[/FILTER/]: "raw_syscalls:sys_enter/id==228 && comm==\"bench\"/".  Without a system the event is of
 * any.  The filter is a C expression over the event's fields, and tid, pid, cpu and comm of its task; numbers are signed
 * of 64 bits; texts are compared with == and !=, and with ~ to a pattern of * and ?.
 *
 * Failure    0 or a negative code with *err filled; CDICT_EUSAGE: the text is no marker, CDICT_ENOTFOUND: the capture has
 *            no such event, CDICT_ENOEVENTS: none is a marker
 */
#ifndef ANALYZE_MARKERS_H
#define ANALYZE_MARKERS_H

#include "base/text/timespec.h"
#include "cdict/reader.h"

enum markers_pick {
	MARKERS_EACH = 0, /* every window */
	MARKERS_FIRST,
	MARKERS_LAST,
	MARKERS_OUTER, /* from the first start to the last end */
};

struct markers_options {
	const char *start; /* NULL: the begin of the time that is looked at */
	const char *end;   /* NULL: its end */
	enum markers_pick pick;
	uint64_t from_ns, to_ns; /* where they are looked for, inclusive */
	unsigned jobs;
};

struct markers_found {
	size_t windows;      /* before one was picked */
	uint64_t nested;     /* starts inside a window: they are none */
	uint64_t ends;       /* ends outside of windows: they are none */
	bool open;           /* the last start has no end, and is none */
	uint64_t open_at_ns; /* when that was */
};

/* markers_find - *@out is given: one window at least, ascending, inclusive, each from its start to its end.  Of the capture only these
 * events are read, and of them the fields that the filters look at. */
int markers_find(struct timespec_set *out, struct markers_found *found, struct cdict_reader *r,
		 const struct markers_options *how, struct cdict_error *err);

#endif

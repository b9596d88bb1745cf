/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * markers.h - windows between two events of a capture: from one that is a start to the next that is
 * an end.
 *
 * A marker is EVENT[/FILTER/]: "raw_syscalls:sys_enter/id==228 && comm==\"bench\"/". Without a
 * system, the event matches in any system. The filter is a C expression over the event's fields,
 * and tid, pid, cpu and comm of its task; numbers are signed of 64 bits; texts are compared with ==
 * and !=, and with ~ to a pattern of * and ?.
 *
 * Failure    0 or a negative code with *err filled; CDICT_EUSAGE: the text is not a marker,
 *            CDICT_ENOTFOUND: the capture has no such event, CDICT_ENOEVENTS: no event is a marker
 */
#ifndef ANALYZE_WALK_MARKERS_H
#define ANALYZE_WALK_MARKERS_H

#include "base/text/timespec.h"
#include "cdict/reader.h"

enum markers_pick {
	MARKERS_EACH = 0, /* every window */
	MARKERS_FIRST,
	MARKERS_LAST,
	MARKERS_OUTER,   /* from the first start to the last end */
	MARKERS_REARMED, /* every window; each start begins one anew, also the end of another */
};

struct markers_options {
	const char *start; /* NULL: from_ns */
	const char *end;   /* NULL: to_ns */
	enum markers_pick pick;
	uint64_t from_ns, to_ns; /* where to search, inclusive */
	unsigned jobs;
};

/* A marker that began or ended a window, and came from a system call of its task: a call's begin or end, or a text
 * written to the kernel. */
struct markers_call {
	int32_t tid;
	uint64_t t_ns;
};

struct markers_found {
	size_t windows;             /* before one was picked */
	uint64_t nested;            /* starts inside a window, ignored */
	uint64_t ends;              /* ends outside of windows, ignored */
	bool open;                  /* the last start has no end and is ignored */
	uint64_t open_at_ns;        /* time of that start */
	uint64_t restarts;          /* starts that began an open window anew */
	struct markers_call *calls; /* by tid, then time; freed by markers_found_fini() */
	size_t n_calls;
};

void markers_found_fini(struct markers_found *found);
/* markers_call_in - whether a marker came from a call of @tid between two times, inclusive. */
bool markers_call_in(const struct markers_call *calls, size_t n, int32_t tid, uint64_t from_ns,
		     uint64_t to_ns);

/* markers_find - finds the windows: at least one, ascending, inclusive, each from its start to its
 * end; the caller frees *@out. Reads only these events, and only the fields that the filters
 * use. */
int markers_find(struct timespec_set *out, struct markers_found *found, struct cdict_reader *r,
		 const struct markers_options *how, struct cdict_error *err);

#endif

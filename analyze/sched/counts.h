/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * counts.h - counts of events or system calls, by type, task, CPU and time bucket.
 *
 * raw_syscalls:sys_enter starts a system call, or syscalls:sys_enter_NAME in captures without
 * raw_syscalls; the thread's next sys_exit ends it. The call counts at its start, its duration and
 * error at its end.
 *
 * Units      bucket b covers [from + b * bucket_ns, from + (b + 1) * bucket_ns)
 * Ownership  rows are borrowed and die with the analysis
 */
#ifndef ANALYZE_SCHED_COUNTS_H
#define ANALYZE_SCHED_COUNTS_H

#include "analyze/walk/engine.h"
#include "analyze/walk/histogram.h"
#include "analyze/walk/markers.h"

struct analyze_counts;

enum analyze_counts_key {
	ANALYZE_COUNTS_BY_EVENT = 1,
	ANALYZE_COUNTS_BY_SYSCALL =
		2, /* not with the above: system calls are counted, not events */
	ANALYZE_COUNTS_BY_TASK = 4,
	ANALYZE_COUNTS_BY_CPU = 8,
	ANALYZE_COUNTS_BY_WINDOW = 16, /* with several windows; not with buckets */
};

struct analyze_counts_options {
	unsigned by;           /* ANALYZE_COUNTS_BY_*, ored */
	uint64_t bucket_ns;    /* 0: the window is one bucket; at most ANALYZE_COUNTS_BUCKETS */
	const uint64_t *types; /* bitmap of the event types to count, NULL: all; borrowed */
	size_t n_types;        /* bits in it */
	/* System calls with which tasks marked windows: not counted. Borrowed until the walk's end. */
	const struct markers_call *markers;
	size_t n_markers;
};

#define ANALYZE_COUNTS_BUCKETS ((uint64_t)1 << 40)

/* Keys that are not in @by are 0. */
struct analyze_counts_row {
	uint32_t type;   /* in the schema */
	int64_t nr;      /* of the system call */
	uint32_t task;   /* ANALYZE_NO_TASK: the sample had none */
	uint32_t cpu;    /* of system calls: events by the CPU of the begin, the rest by that of the
			  * return */
	uint64_t bucket; /* or the number of the window */
	uint64_t events; /* by syscall: calls that began */
	/* By syscall, for calls that returned: */
	uint64_t returns;
	uint64_t errors;       /* returns of -4095 to -1 */
	uint64_t broken;       /* returns without a usable sys_enter */
	struct histogram time; /* of the rest, not clipped; max_at: begin of the call */
};

int analyze_counts_new(struct analyze_counts **out, struct analyze_engine *eng,
		       const struct analyze_counts_options *opts, struct cdict_error *err);
void analyze_counts_free(struct analyze_counts *c);

size_t analyze_counts_row_count(const struct analyze_counts *c);
/* In the order in which they first happened. */
const struct analyze_counts_row *analyze_counts_row_at(const struct analyze_counts *c, size_t i);
const struct analyze_counts_options *analyze_counts_how(const struct analyze_counts *c);

/* analyze_counts_row_merge - adds the figures of @from to @to; the caller sets the key of @to. */
ANALYZE_CHECK int analyze_counts_row_merge(struct analyze_counts_row *to,
					   const struct analyze_counts_row *from);
void analyze_counts_row_fini(struct analyze_counts_row *row);

#endif

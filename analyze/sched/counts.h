/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * counts.h - how often something happened: events or system calls, by what they are, task, CPU and time bucket.
 *
 * A system call begins with raw_syscalls:sys_enter, or syscalls:sys_enter_NAME where there is none, and ends with the
 * next sys_exit of its thread; it is counted where it begins, and its time and error where it returns.
 *
 * Units      bucket b covers [from + b * bucket_ns, from + (b + 1) * bucket_ns)
 * Ownership  rows are borrowed and die with the analysis
 */
#ifndef ANALYZE_COUNTS_H
#define ANALYZE_COUNTS_H

#include "analyze/walk/engine.h"
#include "analyze/walk/histogram.h"

struct analyze_counts;

enum analyze_counts_key {
	ANALYZE_COUNTS_BY_EVENT = 1,
	ANALYZE_COUNTS_BY_SYSCALL =
		2, /* not with the above: system calls are counted, not events */
	ANALYZE_COUNTS_BY_TASK = 4,
	ANALYZE_COUNTS_BY_CPU = 8,
	ANALYZE_COUNTS_BY_WINDOW = 16, /* of several; not with buckets */
};

struct analyze_counts_options {
	unsigned by;           /* ANALYZE_COUNTS_BY_*, together */
	uint64_t bucket_ns;    /* 0: one, the window; at most ANALYZE_COUNTS_BUCKETS in it */
	const uint64_t *types; /* bitmap of the event types that count, NULL: all; borrowed */
	size_t n_types;        /* bits in it */
};

#define ANALYZE_COUNTS_BUCKETS ((uint64_t)1 << 40)

/* What is not in @by is 0. */
struct analyze_counts_row {
	uint32_t type;   /* in the schema */
	int64_t nr;      /* of the system call */
	uint32_t task;   /* ANALYZE_NO_TASK: the sample had none */
	uint32_t cpu;    /* of system calls: on which they began, and on which they returned */
	uint64_t bucket; /* or the number of the window */
	uint64_t events; /* by syscall: calls that began */
	/* By syscall, of those that returned: */
	uint64_t returns;
	uint64_t errors;       /* of them with -4095 to -1 */
	uint64_t broken;       /* of them without a usable sys_enter */
	struct histogram time; /* of the rest, whole; *.max_at when it began */
};

int analyze_counts_new(struct analyze_counts **out, struct analyze_engine *eng,
		       const struct analyze_counts_options *opts, struct cdict_error *err);
void analyze_counts_free(struct analyze_counts *c);

size_t analyze_counts_row_count(const struct analyze_counts *c);
/* In the order in which they first happened. */
const struct analyze_counts_row *analyze_counts_row_at(const struct analyze_counts *c, size_t i);
const struct analyze_counts_options *analyze_counts_how(const struct analyze_counts *c);

/* analyze_counts_row_merge - adds the numbers of @from to @to, whose key is the caller's. */
ANALYZE_CHECK int analyze_counts_row_merge(struct analyze_counts_row *to,
					   const struct analyze_counts_row *from);
void analyze_counts_row_fini(struct analyze_counts_row *row);

#endif

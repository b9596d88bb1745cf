/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * switches.h - context switches and busy time per CPU and time bucket.
 *
 * Units      bucket b covers [from + b * bucket_ns, from + (b + 1) * bucket_ns)
 * Ownership  cells are borrowed and die with the analysis
 */
#ifndef ANALYZE_SCHED_SWITCHES_H
#define ANALYZE_SCHED_SWITCHES_H

#include "analyze/walk/engine.h"

struct analyze_switches;

struct analyze_switches_options {
	uint64_t bucket_ns; /* 0: the window in @buckets parts */
	uint32_t buckets;   /* 0: 100; at most 1 << 20 buckets, the width grows if needed */
};

struct analyze_switch_cell {
	uint64_t switches;
	uint64_t involuntary;                  /* those with prev still runnable; never IDLE */
	uint64_t busy_ns, idle_ns, unknown_ns; /* sum = the bucket's width inside the window */
	uint64_t wakeups;                      /* by a waker on this CPU */
};

int analyze_switches_new(struct analyze_switches **out, struct analyze_engine *eng,
			 const struct analyze_switches_options *opts, struct cdict_error *err);
void analyze_switches_free(struct analyze_switches *s);

uint64_t analyze_switches_bucket_ns(const struct analyze_switches *s);
uint32_t analyze_switches_buckets(const struct analyze_switches *s);
/* Of @cpu < analyze_engine_cpus(), @bucket < analyze_switches_buckets(). */
const struct analyze_switch_cell *analyze_switches_at(const struct analyze_switches *s,
						      uint32_t cpu, uint32_t bucket);

#endif

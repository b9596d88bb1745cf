/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * siblings.h - the tasks on a core's other hardware threads while a vCPU is in the guest on one of
 * them (for vcpu.c).
 *
 * Only the end of a stretch in the guest confirms it, and only the end of a slice confirms its
 * task: the one that ends first is kept here until the other ends too.
 *
 * Units      *_ns in the recording's clock
 * Failure    out of memory is reported to the engine
 * Ownership  caller's storage; siblings_fini() empties
 */
#ifndef ANALYZE_KVM_SIBLINGS_H
#define ANALYZE_KVM_SIBLINGS_H

#include "analyze/kvm/vcpu.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"

/* Slices of other tasks that ended while a vCPU was in the guest. */
struct sibling_guest {
	ARRAY(struct analyze_beside) besides;
	bool crossed; /* later part: the stretch open at its begin was in the guest */
};

/* One or several stretches of @task in the guest beside a CPU whose current task is not confirmed
 * yet. */
struct sibling_stretch {
	uint32_t task;
	bool merged;             /* several, with @ns in all */
	uint64_t from_ns, to_ns; /* not clipped to the window */
	uint64_t ns;             /* clipped */
};

struct sibling_slice {
	uint32_t task;
	uint64_t end_ns;
};

struct sibling_cpu {
	uint32_t next; /* next thread of its core, itself if alone, or CDICT_CPU_UNKNOWN */
	ARRAY(struct sibling_stretch) open;
	ARRAY(struct sibling_slice) carried; /* later part: slices that began before it */
};

struct siblings {
	struct analyze_engine *eng;
	struct sibling_cpu *cpus; /* NULL: the topology is unknown */
	uint32_t n_cpus;
	uint64_t begun_ns;                  /* later part: its begin */
	ARRAY(struct sibling_guest) guests; /* by task */
	struct index index;                 /* (vCPU, other task) */
	ARRAY(uint64_t) ns;
};

/* siblings_init - for the cores in the engine's options; 0 or -ENOMEM. */
int siblings_init(struct siblings *s, struct analyze_engine *eng);
void siblings_fini(struct siblings *s);
/* siblings_next - the thread after @cpu in the ring of its core; @cpu when no other one is
 * known. */
uint32_t siblings_next(const struct siblings *s, uint32_t cpu);
/* siblings_ran - the piece @run of a CPU is over: counts it for the stretches beside it that wait
 * for its task. */
void siblings_ran(struct siblings *s, const struct analyze_run *run);
/* siblings_guest_ran - the same for @task, which has been in the guest beside it since @since_ns. */
void siblings_guest_ran(struct siblings *s, uint32_t task, const struct analyze_run *run,
			uint64_t since_ns);
/* siblings_enter - @task enters the guest; siblings_guest - it was in the guest on @cpu: adds to
 * @row. */
void siblings_enter(struct siblings *s, uint32_t task);
void siblings_guest(struct siblings *s, struct analyze_vcpu_row *row, uint32_t task, uint32_t cpu,
		    uint64_t from_ns, uint64_t to_ns);
/* siblings_crossed - in a later part: the stretch of @task in the guest began before the part. */
void siblings_crossed(struct siblings *s, uint32_t task);

/* For a walk in parts. siblings_begin - drops the figures so far, which belong to the part before;
 * siblings_join - adds @later and takes its state; @rests: whether a task had no event in @later; 0
 * or -ENOMEM. */
void siblings_begin(struct siblings *s);
int siblings_join(struct siblings *s, struct siblings *later,
		  bool (*rests)(const void *ctx, size_t task), const void *ctx);

/* siblings_sort - allocates *@out, what all rows were beside, and sets the rows' pointers into it;
 * 0 or -ENOMEM. */
int siblings_sort(const struct siblings *s, struct analyze_vcpu_row *rows, size_t n,
		  struct analyze_beside **out);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * siblings.h - who has the other threads of a core while a vCPU is in the guest on one of them (vcpu.c's).
 *
 * Of a stretch in the guest it shows only at its end that it was one, of a slice only at its end whose it was:
 * what ended is kept here until the other has ended too.
 *
 * Units      *_ns in the recording's clock
 * Failure    out of memory is told to the engine
 * Ownership  caller's storage; siblings_fini() empties
 */
#ifndef ANALYZE_SIBLINGS_H
#define ANALYZE_SIBLINGS_H

#include "analyze/kvm/vcpu.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"

/* Slices of others that ended while a vCPU was in the guest. */
struct sibling_guest {
	ARRAY(struct analyze_beside) heard;
	bool crossed; /* of a later part: what was open at its begin was a stretch in the guest */
};

/* A stretch of @task in the guest, or several, beside a CPU of which it is not known yet who has it. */
struct sibling_stretch {
	uint32_t task;
	bool merged;             /* several: @ns of them */
	uint64_t from_ns, to_ns; /* not clipped to the window */
	uint64_t ns;             /* clipped */
};

struct sibling_slice {
	uint32_t task;
	uint64_t end_ns;
};

struct sibling_cpu {
	uint32_t next; /* the next thread of its core, itself where it has no other, CDICT_CPU_UNKNOWN */
	ARRAY(struct sibling_stretch) open;
	ARRAY(struct sibling_slice) told; /* of a later part: those that began before it */
};

struct siblings {
	struct analyze_engine *eng;
	struct sibling_cpu *cpus; /* NULL: the topology is not known */
	uint32_t n_cpus;
	uint64_t begun_ns;                  /* of a later part: its begin */
	ARRAY(struct sibling_guest) guests; /* by task */
	struct index index;                 /* (vCPU, who) */
	ARRAY(uint64_t) ns;
};

/* siblings_init - of the cores that the engine's options tell; 0 or -ENOMEM. */
int siblings_init(struct siblings *s, struct analyze_engine *eng);
void siblings_fini(struct siblings *s);
/* siblings_next - the thread after @cpu in the ring of its core's; @cpu when there is no other, or none known. */
uint32_t siblings_next(const struct siblings *s, uint32_t cpu);
/* siblings_ran - the piece @run of a CPU is over: those beside whom nobody was known until now. */
void siblings_ran(struct siblings *s, const struct analyze_run *run);
/* siblings_heard - the same of @task, in the guest beside it since @since_ns. */
void siblings_heard(struct siblings *s, uint32_t task, const struct analyze_run *run,
		    uint64_t since_ns);
/* siblings_enter - @task enters the guest; siblings_guest - it was there, on @cpu: adds to @row. */
void siblings_enter(struct siblings *s, uint32_t task);
void siblings_guest(struct siblings *s, struct analyze_vcpu_row *row, uint32_t task, uint32_t cpu,
		    uint64_t from_ns, uint64_t to_ns);
/* siblings_crossed - of a later part: that stretch of @task in the guest had begun before it. */
void siblings_crossed(struct siblings *s, uint32_t task);

/* Of a walk in parts, 0 or -ENOMEM. siblings_begin - what was heard up to now is forgotten: it is the part's before;
 * siblings_join - adds @later, and goes on from there; @rests: whether nothing happened to a task in it. */
void siblings_begin(struct siblings *s);
int siblings_join(struct siblings *s, struct siblings *later,
		  bool (*rests)(const void *ctx, size_t task), const void *ctx);

/* siblings_sort - gives what all rows were beside, and sets the rows'. */
int siblings_sort(const struct siblings *s, struct analyze_vcpu_row *rows, size_t n,
		  struct analyze_beside **out);

#endif

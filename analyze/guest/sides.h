/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * sides.h - a host's recording and those of its guests, after the walks that keep what the vCPUs and
 * the guests' CPUs did: what inside.h looks up.
 *
 * Units      *_ns: times of the host's recording
 * Ownership  caller's storage, zeroed; the analyses and clocks are borrowed;
 *            guest_sides_fini() empties
 */
#ifndef ANALYZE_GUEST_SIDES_H
#define ANALYZE_GUEST_SIDES_H

#include "analyze/guest/clock.h"
#include "analyze/guest/vcpu_track.h"

/* ---- which task ran on each CPU of a guest ---- */

struct guest_runs;

/* guest_runs_new - registers with the engine of the guest's recording, before its walk. */
int guest_runs_new(struct guest_runs **out, struct analyze_engine *eng,
		   const struct guest_clock *clock, struct cdict_error *err);
void guest_runs_free(struct guest_runs *r);
/* guest_runs_at - the guest's task on its CPU @cpu at @ns, or ANALYZE_NO_TASK; *to_ns becomes the
 * piece's end, if that is earlier. */
uint32_t guest_runs_at(struct guest_runs *r, uint32_t cpu, uint64_t ns, uint64_t *to_ns);

/* ---- the sides ---- */

struct guest_side {
	const struct guest_clock *clock;
	const uint32_t *vcpus; /* the host's task of each of the guest's CPUs, or ANALYZE_NO_TASK */
	size_t n_vcpus;
	struct guest_runs *runs;
};

/* A vCPU of a joined guest. */
struct guest_vcpu {
	uint32_t guest; /* + 1; 0: no joined guest's */
	uint32_t cpu;   /* in the guest */
};

struct guest_sides {
	const struct guest_vcpu_track *track;
	ARRAY(struct guest_side) guests;
	ARRAY(struct guest_vcpu) of_task; /* by the host's task */
};

/* guest_sides_add - the next guest; 0 or -ENOMEM. A task that is a vCPU of several guests is one of
 * the first. */
int guest_sides_add(struct guest_sides *s, const struct guest_side *side);
void guest_sides_fini(struct guest_sides *s);

/* A task that had a CPU for which a vCPU waited. */
struct guest_culprit {
	uint32_t task;       /* the host's, or ANALYZE_NO_TASK */
	uint32_t guest;      /* + 1: it was this joined guest's vCPU, and ran ... */
	uint32_t guest_task; /* ... this task of the guest, or ANALYZE_NO_TASK */
	bool guest_idle;     /* that is IDLE of one of its CPUs */
};

/* guest_sides_culprit - who had the CPU at @ns, if it was the host's @task; *to_ns becomes the end of
 * the time for which this holds, if that is earlier. */
struct guest_culprit guest_sides_culprit(const struct guest_sides *s, uint32_t task, uint64_t ns,
					 uint64_t *to_ns);

#endif

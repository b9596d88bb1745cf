/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * vcpu_track.h - what every vCPU of a host's recording did at each moment, kept for lookups.
 *
 *	guest_vcpu_track_new(&track, eng, err);		// before the walk over the host's recording
 *	...
 *	for (; ns < to_ns; ns = piece.to_ns)
 *		piece = guest_vcpu_track_at(track, task, &at, ns, to_ns);
 *
 * The states are those of analyze/kvm/vcpu.h. A wait for a CPU is in pieces by the task that had the
 * CPU.
 *
 * Units      *_ns: times of the host's recording
 * Failure    0 or a negative code with *err filled; out of memory later ends the walk
 * Ownership  new gives, free takes
 */
#ifndef ANALYZE_GUEST_VCPU_TRACK_H
#define ANALYZE_GUEST_VCPU_TRACK_H

#include "analyze/kvm/vcpu.h"

struct guest_vcpu_track;

int guest_vcpu_track_new(struct guest_vcpu_track **out, struct analyze_engine *eng,
			 struct cdict_error *err);
void guest_vcpu_track_free(struct guest_vcpu_track *t);

struct guest_vcpu_piece {
	uint64_t from_ns, to_ns;
	enum analyze_vcpu_state state;
	uint32_t behind; /* of PREEMPTED and WAITING: had the CPU, or ANALYZE_NO_TASK */
	uint32_t reason; /* of EXIT and QEMU: guest_vcpu_track_reason(), or INDEX_NONE */
};

/* guest_vcpu_track_at - what the vCPU did from @ns on: a piece that ends at @to_ns or earlier. A task
 * that is no vCPU is unknown. *@at, 0 at first, makes a later lookup of the same vCPU fast. */
struct guest_vcpu_piece guest_vcpu_track_at(const struct guest_vcpu_track *t, uint32_t task,
					    size_t *at, uint64_t ns, uint64_t to_ns);
/* guest_vcpu_track_reason - the name of an exit's reason; guest_vcpu_track_reasons - their number. */
const char *guest_vcpu_track_reason(const struct guest_vcpu_track *t, uint32_t reason);
size_t guest_vcpu_track_reasons(const struct guest_vcpu_track *t);

#endif

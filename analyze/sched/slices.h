/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * slices.h - reports intervals one by one as they end, for pictures, which count them on a grid and
 * do not keep them.
 *
 * Reports the intervals that end in the window on a selected CPU; PIECE is clipped to the window.
 *
 * Units      *_ns in the recording's clock
 * Ownership  new gives, free takes; a slice is borrowed for the call
 */
#ifndef ANALYZE_SCHED_SLICES_H
#define ANALYZE_SCHED_SLICES_H

#include "analyze/walk/engine.h"

enum analyze_slice_kind {
	ANALYZE_SLICE_RUN = 0, /* switch-in to switch-out; one per sched_switch with prev = task */
	ANALYZE_SLICE_SLEEP,   /* switch-out to switch-in, whatever the reason */
	ANALYZE_SLICE_WAKEUP,  /* wake-up to switch-in */
	ANALYZE_SLICE_GUEST,   /* kvm_entry to kvm_exit; one per kvm_exit */
	ANALYZE_SLICE_EXIT,    /* kvm_exit to kvm_entry; one per kvm_entry */
	ANALYZE_SLICE_PIECE,   /* of a CPU's time, with the edges of the walk; they tile it */
	ANALYZE_SLICE_N,
};

struct analyze_slice {
	enum analyze_slice_kind kind;
	uint32_t task;     /* PIECE: ANALYZE_NO_TASK when unknown */
	uint32_t cpu;      /* of its end */
	uint64_t start_ns; /* ANALYZE_NO_TIME: not seen, or broken by loss */
	uint64_t end_ns;
	/* EXIT: from the kvm_exit that began it, as in struct analyze_kvm. */
	uint32_t isa; /* UINT32_MAX: it was not seen */
	uint64_t reason, how;
};

struct analyze_slices_options {
	unsigned kinds; /* a bit each: 1u << ANALYZE_SLICE_RUN, ... */
	int (*on_slice)(void *ctx, const struct analyze_slice *slice); /* not 0: out of memory */
	void *ctx;
};

struct analyze_slices;

/* analyze_slices_new - registers with @eng before its run; @opts is copied. */
int analyze_slices_new(struct analyze_slices **out, struct analyze_engine *eng,
		       const struct analyze_slices_options *opts, struct cdict_error *err);
void analyze_slices_free(struct analyze_slices *s);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * halts.h - how KVM ended the halts of vCPUs: by polling, or by sleeping after it had polled in vain.
 *
 * kvm_vcpu_wakeup tells of each halt when it ends how long it was, and whether the vCPU slept
 * in it; kvm_halt_poll_ns whenever KVM changed for how long the vCPU is to poll.
 *
 * Units      *_ns durations, whole
 * Ownership  rows are borrowed and die with the analysis
 */
#ifndef ANALYZE_HALTS_H
#define ANALYZE_HALTS_H

#include "analyze/walk/engine.h"

struct analyze_halts;

/* What ended, or was changed, in the window. */
struct analyze_halt_row {
	uint64_t polled, polled_ns; /* halts that ended while KVM polled: all of it on the CPU */
	uint64_t slept, slept_ns;   /* those in which it slept, polling first if it may */
	uint64_t grown, shrunk;     /* times the limit of polling was raised, lowered */
	uint64_t limit_ns;          /* the highest that was set */
};

int analyze_halts_new(struct analyze_halts **out, struct analyze_engine *eng,
		      struct cdict_error *err);
void analyze_halts_free(struct analyze_halts *h);
/* analyze_halts_row - of the task; never NULL. */
const struct analyze_halt_row *analyze_halts_row(const struct analyze_halts *h, uint32_t task);
/* analyze_halts_add - what both come to. */
void analyze_halts_add(struct analyze_halt_row *to, const struct analyze_halt_row *one);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * halts.h - how KVM ended the halts of vCPUs: while polling, or asleep after polling without
 * success.
 *
 * kvm_vcpu_wakeup records the end of each halt, with its length and whether the vCPU slept;
 * kvm_halt_poll_ns records each change of the vCPU's polling limit.
 *
 * Units      *_ns durations, whole
 * Ownership  rows are borrowed and die with the analysis
 */
#ifndef ANALYZE_KVM_HALTS_H
#define ANALYZE_KVM_HALTS_H

#include "analyze/walk/engine.h"

struct analyze_halts;

/* Halts that ended and limits that changed in the window. */
struct analyze_halt_row {
	uint64_t polled, polled_ns; /* halts that ended while KVM polled: on the CPU throughout */
	uint64_t slept, slept_ns;   /* halts with sleep, after polling if enabled */
	uint64_t grown, shrunk;     /* times the polling limit was raised, lowered */
	uint64_t limit_ns;          /* highest limit that was set */
};

int analyze_halts_new(struct analyze_halts **out, struct analyze_engine *eng,
		      struct cdict_error *err);
void analyze_halts_free(struct analyze_halts *h);
/* analyze_halts_row - the row of the task; never NULL. */
const struct analyze_halt_row *analyze_halts_row(const struct analyze_halts *h, uint32_t task);
/* analyze_halts_add - adds @one to @to. */
void analyze_halts_add(struct analyze_halt_row *to, const struct analyze_halt_row *one);

#endif

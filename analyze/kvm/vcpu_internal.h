/* SPDX-License-Identifier: LGPL-2.1-only */
/* vcpu_internal.h - the state of the vCPU analysis, shared by vcpu.c, vcpu_rows.c and
 * vcpu_parts.c. */
#ifndef ANALYZE_KVM_VCPU_INTERNAL_H
#define ANALYZE_KVM_VCPU_INTERNAL_H

#include "analyze/kvm/idle_cpus.h"
#include "analyze/kvm/siblings.h"
#include "analyze/kvm/vcpu.h"
#include "analyze/kvm/waiters.h"
#include "analyze/printing/reasons.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"

enum where { NEW, ON, PREEMPTED, WAITING, HALTED, BLOCKED, DEAD };
enum mode { MODE_UNKNOWN, MODE_GUEST, MODE_EXIT, MODE_QEMU };
enum what { ENTRY, EXIT, USERSPACE, OUT };

struct watch {
	uint64_t since_ns; /* accounted up to here */
	uint8_t where, mode;
	bool set, kvm_seen;
	bool late;       /* mode is unknown because some CPU was not recorded yet */
	bool ran;        /* a whole slice of it was seen */
	uint32_t cpu;    /* that it runs on or waits for */
	uint32_t reason; /* of the last exit, or INDEX_NONE */
	struct analyze_vcpu_row row;
};

struct analyze_vcpus {
	struct analyze_engine *eng;
	bool unreported; /* switches have no prev_state */
	/* off: no KVM events; some_cpus: it may run on CPUs that were not recorded, or switches
	 * have no prev_state. */
	bool off, some_cpus;
	struct analyze_reasons *names;
	ARRAY(struct watch) watches; /* by task */
	struct index reason_index;   /* (task, isa and code) */
	ARRAY(struct analyze_vcpu_reason) reasons;
	struct waiters waiters;
	struct siblings siblings;
	struct idle_cpus idle;
	ARRAY(struct watch) begin; /* of a later part of a walk, at its begin, without rows */
	struct waiters begin_waiters;
	struct analyze_capacity capacity;
	analyze_vcpu_piece_fn *on_piece; /* or NULL */
	void *on_piece_ctx;
	analyze_held_fn *on_held; /* or NULL */
	void *on_held_ctx;
	/* after the run */
	struct analyze_vcpu_row *rows;
	size_t n;
	struct analyze_vcpu_reason *sorted_reasons;
	struct analyze_antagonist *sorted_antagonists;
	struct analyze_beside *sorted_beside;
	char (*numbers)[24];
};

/* --- vcpu.c --- */

/* vcpu_watch - the watch of @task, created if new; NULL: out of memory, reported to the engine. */
struct watch *vcpu_watch(struct analyze_vcpus *v, uint32_t task);
/* vcpu_end - accounts for the thread's state at the walk's end. */
void vcpu_end(struct analyze_vcpus *v, struct watch *w, uint32_t task, uint64_t end_ns);

/* --- vcpu_rows.c --- */

int vcpu_finish(void *self, struct cdict_error *err); /* callback of struct analyze_ops */

/* --- vcpu_parts.c: callbacks of struct analyze_ops --- */

int vcpu_part(void *self, struct analyze_engine *eng, struct cdict_error *err);
void vcpu_part_free(void *self);
int vcpu_begun(void *self);
bool vcpu_agrees(const void *self, const void *later);
int vcpu_join(void *self, void *later);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/* exits_internal.h - the state of the exits analysis, shared by exits.c and exits_parts.c. */
#ifndef ANALYZE_KVM_EXITS_INTERNAL_H
#define ANALYZE_KVM_EXITS_INTERNAL_H

#include "analyze/kvm/exits.h"
#include "analyze/printing/reasons.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"

/* An open interval: its begin, CPU and row. */
struct open {
	uint64_t t_ns; /* ANALYZE_NO_TIME: none */
	uint32_t cpu;
	uint32_t row; /* INDEX_NONE: not known yet (an MMIO that began at the exit) */
	bool in;      /* it began in the window */
};

/* More than an exit can access ports and MSRs: further accesses are counted, not timed. */
enum { ACCESSES_MAX = 64 };

struct thread {
	bool known;   /* the members below are initialised */
	bool entered; /* had a kvm_entry: perf counts from there on */
	struct open exit, entry, mmio;
	ARRAY(struct open) accesses; /* of ports and MSRs, since the exit */
	uint64_t ran_ns;             /* analyze_engine_ran_ns() at the exit */
};

/* A thread's state at the begin of a later part of a walk. */
struct thread_begin {
	bool known;
	struct open exit, entry, mmio;
	size_t n_accesses;
	uint64_t ran_ns; /* since the exit */
};

struct analyze_exits {
	struct analyze_engine *eng;
	bool like_perf, no_accesses;
	void (*ended)(void *ctx, const struct analyze_exit_row *row, uint64_t t_ns, uint64_t ns);
	void *ctx;
	struct analyze_reasons *reasons;
	ARRAY(struct thread) threads; /* by task */
	ARRAY(struct thread_begin) begin;
	struct index exit_index, guest_index, access_index;
	ARRAY(struct analyze_exit_row) exits;
	ARRAY(struct analyze_guest_row) guests;
	ARRAY(struct analyze_access_row) accesses;
	char (*numbers)[24]; /* names of unknown codes */
	bool done;
};

/* --- exits_parts.c: callbacks of struct analyze_ops --- */

int exits_part(void *self, struct analyze_engine *eng, struct cdict_error *err);
void exits_part_free(void *self);
int exits_begun(void *self);
bool exits_agree(const void *self, const void *later);
int exits_join(void *self, void *later);

#endif

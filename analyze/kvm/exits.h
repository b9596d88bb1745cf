/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * exits.h - the reasons for guest exits, and how long they took.
 *
 * One row per thread and reason; commands merge rows by reason, VM or vCPU with
 * analyze_exit_row_merge(). An exit's time runs from kvm_exit to the next kvm_entry of the same
 * thread, whatever the thread did in between; it belongs to the window in which it ends, one
 * without an entry to that in which it begins. In HLT and similar exits (WFx on arm64) the guest is
 * idle: such rows have @idle set, totals keep them apart.
 *
 * Units      *_ns durations; *.max_at the time of the kvm_exit
 * Ownership  rows and names are borrowed and die with the analysis
 */
#ifndef ANALYZE_KVM_EXITS_H
#define ANALYZE_KVM_EXITS_H

#include "analyze/walk/engine.h"
#include "analyze/walk/histogram.h"

struct analyze_exits;
struct analyze_exit_row;

struct analyze_exits_options {
	/* Pair exactly as perf kvm stat report does: a thread counts from its first kvm_entry on,
	 * loss is ignored. For comparisons. */
	bool like_perf;
	/* Leave out accesses: analyze_exits_access_count() is then 0, and events of ports, MMIO,
	 * MSRs and injected interrupts are ignored. */
	bool no_accesses;
	/* Called for each exit in the window with a known end: it began at @t_ns and took @ns. @row
	 * is the row of its thread and reason, borrowed for the call. May be NULL; else the walk is
	 * in one part. */
	void (*ended)(void *ctx, const struct analyze_exit_row *row, uint64_t t_ns, uint64_t ns);
	void *ctx;
};

struct analyze_exit_row {
	uint32_t task;         /* the vCPU thread */
	uint32_t isa;          /* 1 VMX, 2 SVM, 0 no isa in the event */
	uint64_t reason;       /* code from the event (VMX: the low 16 bits) */
	const char *name;      /* from the capture's kvm_exit format, or the number in hex */
	bool idle;             /* HLT, WFx: the guest waits for an interrupt */
	uint64_t events;       /* exits in the window */
	uint64_t broken;       /* exits without a usable kvm_entry (edge, loss) */
	struct histogram time; /* time.count = events - broken */
	uint64_t cpu_ns;       /* part of time.sum on a CPU (0 without sched_switch) */
};

/* One thread's time in the guest: kvm_entry -> next kvm_exit. */
struct analyze_guest_row {
	uint32_t task;
	uint64_t entries;      /* kvm_entry events in the window */
	uint64_t broken;       /* entries without a usable kvm_exit */
	struct histogram time; /* intervals that ended in the window */
	uint64_t guest_ns;     /* their sum, clipped to the window */
};

enum analyze_access_kind {
	ANALYZE_ACCESS_PIO = 0, /* kvm_pio: where = port, kvm_pio -> kvm_entry */
	ANALYZE_ACCESS_MMIO,    /* kvm_mmio: where = gpa; read: kvm_exit -> kvm_mmio,
				 * write: kvm_mmio -> kvm_entry */
	ANALYZE_ACCESS_MSR,     /* kvm_msr: where = MSR number, kvm_msr -> kvm_entry */
	ANALYZE_ACCESS_VIRQ,    /* kvm_inj_virq: where = vector, no time */
	ANALYZE_ACCESS_N,
};

/* One row per thread, kind, place and direction. */
struct analyze_access_row {
	uint32_t task;
	enum analyze_access_kind kind;
	uint64_t where;
	bool write;            /* PIO, MMIO, MSR */
	uint64_t events;       /* in the window */
	struct histogram time; /* accesses with a known time; perf's Samples = time.count */
};

int analyze_exits_new(struct analyze_exits **out, struct analyze_engine *eng,
		      const struct analyze_exits_options *opts, struct cdict_error *err);
void analyze_exits_free(struct analyze_exits *x);

/* Rows in order of task, isa, reason; task; task, kind, where, write. */
size_t analyze_exits_count(const struct analyze_exits *x);
const struct analyze_exit_row *analyze_exits_at(const struct analyze_exits *x, size_t i);
size_t analyze_exits_guest_count(const struct analyze_exits *x);
const struct analyze_guest_row *analyze_exits_guest_at(const struct analyze_exits *x, size_t i);
size_t analyze_exits_access_count(const struct analyze_exits *x);
const struct analyze_access_row *analyze_exits_access_at(const struct analyze_exits *x, size_t i);

/* analyze_*_row_merge - adds the numbers of @from to @to; the caller sets the key
 * fields (task, reason, ...) of a fresh, zeroed @to and empties it with its fini. */
ANALYZE_CHECK int analyze_exit_row_merge(struct analyze_exit_row *to,
					 const struct analyze_exit_row *from);
void analyze_exit_row_fini(struct analyze_exit_row *row);
ANALYZE_CHECK int analyze_guest_row_merge(struct analyze_guest_row *to,
					  const struct analyze_guest_row *from);
void analyze_guest_row_fini(struct analyze_guest_row *row);
ANALYZE_CHECK int analyze_access_row_merge(struct analyze_access_row *to,
					   const struct analyze_access_row *from);
void analyze_access_row_fini(struct analyze_access_row *row);

#endif

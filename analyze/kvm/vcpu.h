/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * vcpu.h - where every vCPU's time went, and which tasks delayed it.
 *
 * A vCPU is a thread that entered or left a guest. Its row's states add up to the window, to the
 * ns. doc/figures.md defines the events that each state needs; in short: the first of two events of
 * the thread sets the state between them, and the second must fit, else the time is unknown. The
 * state after its last event lasts to the walk's end and is also in edge_ns; before its first event
 * it is unknown.
 *
 * Units      *_ns durations clipped to the window; *_at_ns times in the recording's clock
 * Ownership  rows are borrowed and die with the analysis
 */
#ifndef ANALYZE_KVM_VCPU_H
#define ANALYZE_KVM_VCPU_H

#include "analyze/walk/engine.h"
#include "analyze/walk/histogram.h"

struct analyze_vcpus;

enum analyze_vcpu_state {
	ANALYZE_VCPU_GUEST = 0, /* between kvm_entry and kvm_exit */
	ANALYZE_VCPU_EXIT, /* on a CPU, handling an exit in the kernel (and, when kvm_userspace_exit
				 * was not recorded, in QEMU) */
	ANALYZE_VCPU_QEMU, /* on a CPU, after kvm_userspace_exit, up to the next kvm_entry */
	ANALYZE_VCPU_PREEMPTED, /* switched out while runnable */
	ANALYZE_VCPU_WAITING,   /* woken, not yet on a CPU */
	ANALYZE_VCPU_HALTED,    /* asleep in a HLT (WFx) exit */
	ANALYZE_VCPU_BLOCKED,   /* asleep otherwise */
	ANALYZE_VCPU_UNKNOWN,   /* not seen: loss, contradiction, before the first event */
	ANALYZE_VCPU_STATES,
};

/* analyze_vcpu_state_name - "guest", "exit", "qemu", "preempted", "waiting", "halted",
 * "blocked", "unknown". */
const char *analyze_vcpu_state_name(enum analyze_vcpu_state state);

struct analyze_vcpu_reason {
	uint32_t isa;
	uint64_t reason;
	const char *name;
	bool idle;        /* HLT, WFx: the times here are on the CPU, polling included */
	uint64_t exit_ns; /* of ns[EXIT] */
	uint64_t qemu_ns; /* of ns[QEMU]: after this exit */
	bool in;          /* the window has such an exit */
};

struct analyze_wait {
	uint64_t at_ns, dur_ns; /* clipped to the window; dur_ns 0: there was none */
	uint32_t cpu;
	enum analyze_vcpu_state state; /* PREEMPTED or WAITING */
	uint32_t behind;               /* held the CPU longest during it, or ANALYZE_NO_TASK */
};

/* A task that ran on the CPU on which the vCPU was preempted or waited. */
struct analyze_antagonist {
	uint32_t task;         /* IDLE: the CPU was idle, the vCPU not yet switched in */
	uint64_t preempted_ns; /* of the vCPU's ns[PREEMPTED] */
	uint64_t waiting_ns;   /* of ns[WAITING] */
	uint64_t slices;       /* pieces of its run time that delayed the vCPU */
	uint64_t took_over;    /* times it was switched in for the vCPU, preempting it */
	uint32_t cpu;          /* on which it delayed the vCPU, CDICT_CPU_UNKNOWN: several */
	/* The wait in which it held one CPU (worst.cpu) longest, and for how long; both clipped
	 * to the window. */
	struct analyze_wait worst;
	uint64_t worst_held_ns;
};

/* A task on another hardware thread of the core while the vCPU was in the guest. */
struct analyze_beside {
	uint32_t task; /* IDLE: that thread was idle */
	uint64_t ns;
};

struct analyze_vcpu_row {
	uint32_t task;
	uint64_t ns[ANALYZE_VCPU_STATES]; /* sum = the window */
	uint64_t edge_ns;                 /* of GUEST, EXIT, QEMU: open at the walk's end */
	uint64_t lost_ns; /* of UNKNOWN: after its first KVM event (loss, contradiction), but not if
			   * unknown since before all CPUs were recorded */
	uint64_t absent_ns; /* of UNKNOWN: before its birth, after its death, on CPUs left out */
	uint64_t preemptions, waits, halts, blocks; /* that began in the window */
	struct histogram preempted; /* runnable waits that ended in the window, whole */
	struct histogram waiting;
	struct analyze_wait worst; /* longest of both, also of those that ended later */
	uint64_t behind_ns; /* part of ns[PREEMPTED] + ns[WAITING] with a known task on the CPU: the
			     * sum over the antagonists */
	const struct analyze_vcpu_reason *reasons; /* most time first */
	size_t n_reasons;
	const struct analyze_antagonist *antagonists; /* most time first */
	size_t n_antagonists;
	/* beside_ns: ns[GUEST] times the number of the core's other threads, or once if it has none
	 * (alone_ns) or the core is unknown. For the rest, not in alone_ns or @beside, the other
	 * thread's task is unknown. 0 without cores. */
	uint64_t beside_ns, alone_ns;
	const struct analyze_beside *beside; /* most time first */
	size_t n_beside;
	/* In @worst: the task that held one CPU longest in all, that CPU, and for how long; 0: none
	 * known. */
	uint32_t worst_by, worst_by_cpu;
	uint64_t worst_held_ns;
	/* By CPU: how long it was idle during the waits that make up idle_of_ns, part of
	 * ns[PREEMPTED] + ns[WAITING]; NULL: no such wait. */
	const uint64_t *idle_ns;
	uint64_t idle_of_ns;
};

/* The capacity to run vCPUs: time in the window on all CPUs with a known task. */
struct analyze_capacity {
	uint64_t busy_ns; /* any task but IDLE */
	uint64_t known_ns;
};

int analyze_vcpus_new(struct analyze_vcpus **out, struct analyze_engine *eng,
		      struct cdict_error *err);
void analyze_vcpus_free(struct analyze_vcpus *v);

/* A piece of a row's ns[], clipped to the window. */
struct analyze_vcpu_piece {
	uint32_t task;
	enum analyze_vcpu_state state;
	uint64_t from_ns, to_ns;
	const struct analyze_vcpu_reason *reason; /* of EXIT and QEMU: the exit's reason, or NULL */
	uint32_t behind; /* of PREEMPTED and WAITING: held the CPU longest, or ANALYZE_NO_TASK */
};

/* analyze_vcpu_named - whether it is a vCPU as far as is known: by its KVM events, or by the name that
 * QEMU gives such threads from their start, "CPU n/KVM". */
bool analyze_vcpu_named(const struct analyze_task *task);

/* @runner ran on @cpu from @from_ns to @to_ns while @task waited for that CPU. The pieces of a wait
 * come in order of time, before it is known whether the wait counts, and are not clipped. */
typedef void analyze_held_fn(void *ctx, uint32_t task, uint32_t runner, uint32_t cpu,
			     uint64_t from_ns, uint64_t to_ns);
/* analyze_vcpus_on_held - before the run: sets @on_held to be called for each such piece of a thread
 * that may be a vCPU. */
void analyze_vcpus_on_held(struct analyze_vcpus *v, analyze_held_fn *on_held, void *ctx);

/* analyze_vcpus_on_piece - before the run: sets @on_piece to be called for every piece when it is added,
 * also for threads that turn out not to be vCPUs. */
typedef void analyze_vcpu_piece_fn(void *ctx, const struct analyze_vcpu_piece *piece);
void analyze_vcpus_on_piece(struct analyze_vcpus *v, analyze_vcpu_piece_fn *on_piece, void *ctx);

/* Rows of all vCPUs, worst first: by ns[PREEMPTED] + ns[WAITING], then the task's index. */
size_t analyze_vcpus_row_count(const struct analyze_vcpus *v);
/* analyze_vcpu_life_ns - the base of its percentages: the window without absent_ns, summed if @row
 * is a sum of rows. */
uint64_t analyze_vcpu_life_ns(const struct analyze_vcpu_row *row);
/* analyze_vcpu_unknown_ns - the part of that with unknown state. */
static inline uint64_t analyze_vcpu_unknown_ns(const struct analyze_vcpu_row *row)
{
	return row->ns[ANALYZE_VCPU_UNKNOWN] - row->absent_ns;
}

/* analyze_vcpu_delayed_ns - runnable without a CPU. */
static inline uint64_t analyze_vcpu_delayed_ns(const struct analyze_vcpu_row *row)
{
	return row->ns[ANALYZE_VCPU_PREEMPTED] + row->ns[ANALYZE_VCPU_WAITING];
}

/* analyze_behind_ns - the part of a vCPU's delay behind this antagonist. */
static inline uint64_t analyze_behind_ns(const struct analyze_antagonist *a)
{
	return a->preempted_ns + a->waiting_ns;
}

const struct analyze_vcpu_row *analyze_vcpus_row_at(const struct analyze_vcpus *v, size_t i);

const struct analyze_capacity *analyze_vcpus_capacity(const struct analyze_vcpus *v);

#endif

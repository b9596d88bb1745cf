/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * vcpu.h - where every vCPU's time went, and who was in its way.
 *
 * A vCPU is a thread that entered or left a guest.  Its row's states add up to the
 * window, to the ns.  What a state needs to have been seen is in doc/figures.md; in
 * short: between two events of the thread the first says what it does, the second must
 * fit, or the time is unknown.  What it does after its last event lasts to the walk's
 * end and is also given apart as edge_ns; before its first event it is unknown.
 *
 * Units      *_ns durations clipped to the window; *_at_ns times in the recording's clock
 * Ownership  rows are borrowed and die with the analysis
 */
#ifndef ANALYZE_VCPU_H
#define ANALYZE_VCPU_H

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
	bool idle;        /* HLT, WFx: here the time on the CPU, polling included */
	uint64_t exit_ns; /* of ns[EXIT] */
	uint64_t qemu_ns; /* of ns[QEMU]: which exit took it there */
	bool in;          /* there was such an exit in the window */
};

struct analyze_wait {
	uint64_t at_ns, dur_ns; /* whole, not clipped; dur_ns 0: there was none */
	uint32_t cpu;
	enum analyze_vcpu_state state; /* PREEMPTED or WAITING */
	uint32_t behind;               /* who held the CPU longest during it, ANALYZE_NO_TASK */
};

/* Who ran on the CPU on which the vCPU was preempted or waited. */
struct analyze_antagonist {
	uint32_t task;         /* IDLE: the CPU was idle, the vCPU not yet switched in */
	uint64_t preempted_ns; /* of the vCPU's ns[PREEMPTED] */
	uint64_t waiting_ns;   /* of ns[WAITING] */
	uint64_t slices;       /* pieces of its running that were in the way */
	uint64_t took_over;    /* times it was switched in for the vCPU, preempting it */
	/* Of the waits that ended in the window, that in which it held one CPU longest (cpu is that
	 * one), and for how long: both whole, not clipped. */
	struct analyze_wait worst;
	uint64_t worst_held_ns;
};

/* Who had another thread of its core while the vCPU was in the guest. */
struct analyze_beside {
	uint32_t task; /* IDLE: nobody */
	uint64_t ns;
};

struct analyze_vcpu_row {
	uint32_t task;
	uint64_t ns[ANALYZE_VCPU_STATES]; /* sum = the window */
	uint64_t edge_ns;                 /* of GUEST, EXIT, QEMU: open at the walk's end */
	uint64_t lost_ns; /* of UNKNOWN: after its first KVM event (loss, contradiction), not since
			     * before all CPUs were recorded */
	uint64_t absent_ns; /* of UNKNOWN: before its birth, after its death, on CPUs left out */
	uint64_t preemptions, waits, halts, blocks; /* that began in the window */
	struct histogram preempted; /* runnable waits that ended in the window, whole */
	struct histogram waiting;
	struct analyze_wait worst; /* longest of both, by its end in the window */
	uint64_t behind_ns; /* ns[PREEMPTED] + ns[WAITING] with a known runner on the CPU: the
				    * sum over the antagonists */
	const struct analyze_vcpu_reason *reasons; /* most time first */
	size_t n_reasons;
	const struct analyze_antagonist *antagonists; /* most time first */
	size_t n_antagonists;
	/* ns[GUEST], once for each other thread of the core; once where it has none (alone_ns) or it is not known
	 * what core it is. What of it is not alone and beside nobody is not known. 0 without cores. */
	uint64_t beside_ns, alone_ns;
	const struct analyze_beside *beside; /* most time first */
	size_t n_beside;
	/* In @worst: who held one CPU longest in all, which, and for how long; 0: nobody known. */
	uint32_t worst_by, worst_by_cpu;
	uint64_t worst_held_ns;
};

/* What there is to run vCPUs on: time of the window on all CPUs, as far as it is known who ran. */
struct analyze_capacity {
	uint64_t busy_ns; /* anybody but IDLE */
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
	const struct analyze_vcpu_reason *reason; /* of EXIT and QEMU: the exit's, or NULL */
	uint32_t behind; /* of PREEMPTED and WAITING: who held the CPU longest, ANALYZE_NO_TASK */
};

/* analyze_vcpus_tell - before the run: @tell hears every piece as it is added; also of threads
 * that turn out to be no vCPUs. */
typedef void analyze_vcpu_tell(void *ctx, const struct analyze_vcpu_piece *piece);
void analyze_vcpus_tell(struct analyze_vcpus *v, analyze_vcpu_tell *tell, void *ctx);

/* Rows of all vCPUs, worst first: by ns[PREEMPTED] + ns[WAITING], then the task's index. */
size_t analyze_vcpus_row_count(const struct analyze_vcpus *v);
/* analyze_vcpu_life_ns - the time of which its percentages are: the window without absent_ns; of a
 * sum of rows that of all. */
uint64_t analyze_vcpu_life_ns(const struct analyze_vcpu_row *row);
/* analyze_vcpu_unknown_ns - of that, in which nobody knows what it did. */
static inline uint64_t analyze_vcpu_unknown_ns(const struct analyze_vcpu_row *row)
{
	return row->ns[ANALYZE_VCPU_UNKNOWN] - row->absent_ns;
}

/* analyze_vcpu_delayed_ns - runnable without a CPU. */
static inline uint64_t analyze_vcpu_delayed_ns(const struct analyze_vcpu_row *row)
{
	return row->ns[ANALYZE_VCPU_PREEMPTED] + row->ns[ANALYZE_VCPU_WAITING];
}

/* analyze_behind_ns - of a vCPU's delay, that behind this antagonist. */
static inline uint64_t analyze_behind_ns(const struct analyze_antagonist *a)
{
	return a->preempted_ns + a->waiting_ns;
}

const struct analyze_vcpu_row *analyze_vcpus_row_at(const struct analyze_vcpus *v, size_t i);

const struct analyze_capacity *analyze_vcpus_capacity(const struct analyze_vcpus *v);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * timeline.h - what each of some tasks did over time: vCPUs by their states (vcpu.h), other tasks
 * running, waiting, asleep; which task had the CPU while one waited; exits of the vCPUs; and which
 * task woke which.
 *
 * Stretches of a task come in order of time and do not overlap. Those of a vCPU tile the window.
 *
 * Units      *_ns: times in the recording's clock; stretches are clipped to the window
 * Failure    0 or a negative code with *err filled; out of memory later ends the walk
 * Ownership  new gives, free takes
 */
#ifndef ANALYZE_SCHED_TIMELINE_H
#define ANALYZE_SCHED_TIMELINE_H

#include "analyze/kvm/vcpu.h"
#include "analyze/walk/engine.h"

enum analyze_doing {
	ANALYZE_DOING_GUEST = 0,
	ANALYZE_DOING_EXIT,
	ANALYZE_DOING_QEMU,
	ANALYZE_DOING_RUNNING, /* on a CPU; not of a vCPU */
	ANALYZE_DOING_PREEMPTED,
	ANALYZE_DOING_WAITING,
	ANALYZE_DOING_HALTED,
	ANALYZE_DOING_ASLEEP, /* S; not of a vCPU */
	ANALYZE_DOING_BLOCKED,
	ANALYZE_DOING_UNKNOWN,
	ANALYZE_DOINGS,
};

/* analyze_doing_name - "guest", "exit", "qemu", "running", "preempted", "waiting", "halted",
 * "asleep", "blocked", "unknown". */
const char *analyze_doing_name(enum analyze_doing doing);

struct analyze_stretch {
	uint32_t task;
	enum analyze_doing doing;
	uint32_t cpu;    /* of RUNNING, else CDICT_CPU_UNKNOWN */
	uint32_t behind; /* of PREEMPTED and WAITING: held the CPU longest, or ANALYZE_NO_TASK */
	const struct analyze_vcpu_reason *reason; /* of EXIT and QEMU, or NULL */
	uint64_t from_ns, to_ns;
};

/* A kvm_exit in the window. */
struct analyze_timeline_exit {
	uint32_t task, isa;
	uint64_t reason; /* as analyze_reasons_code() converts it */
	uint64_t t_ns;
};

/* A wake-up in the window that made @task ready. */
struct analyze_timeline_wake {
	uint32_t task, cpu; /* @cpu: of the waker */
	uint32_t by;        /* or ANALYZE_NO_TASK: an interrupt, or unknown */
	uint64_t t_ns;
};

enum analyze_timeline_kind {
	ANALYZE_TIMELINE_NOT = 0, /* not wanted */
	ANALYZE_TIMELINE_TASK,
	ANALYZE_TIMELINE_VCPU,
};

struct analyze_timeline_options {
	/* The kind of @task, which may change once during the walk, from NOT. */
	enum analyze_timeline_kind (*kind)(void *ctx, uint32_t task);
	void (*on_stretch)(void *ctx, const struct analyze_stretch *stretch);
	/* NULL: not wanted. Exits of one vCPU come in order of time, when their reason is known. */
	void (*on_exit)(void *ctx, const struct analyze_timeline_exit *exit);
	void (*on_wake)(void *ctx, const struct analyze_timeline_wake *wake);
	/* NULL: not wanted. For tasks of kind TASK that wait. */
	analyze_held_fn *on_held;
	void *ctx;
	bool no_vcpus; /* kind is never VCPU: spares their analysis */
};

struct analyze_timeline;

int analyze_timeline_new(struct analyze_timeline **out, struct analyze_engine *eng,
			 const struct analyze_timeline_options *opts, struct cdict_error *err);
void analyze_timeline_free(struct analyze_timeline *t);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * ops.h - what the engine reports to an analysis during the walk (internal to analyze/).
 *
 * Times are those of the walk, which may start before the window and end after it:
 * from/to of a piece are clipped to the window already, @in is whether an instant
 * lies inside.  Every pointer is borrowed for the call.
 */
#ifndef ANALYZE_WALK_OPS_H
#define ANALYZE_WALK_OPS_H

#include "analyze/walk/engine.h"
#include "analyze/walk/histogram.h"

/* Event kinds that the engine handles; a bit each in analyze_ops.needs. */
enum analyze_kind {
	ANALYZE_KIND_OTHER = 0,
	ANALYZE_KIND_SWITCH,
	ANALYZE_KIND_WAKING,
	ANALYZE_KIND_WAKEUP,
	ANALYZE_KIND_WAKEUP_NEW,
	ANALYZE_KIND_MIGRATE,
	ANALYZE_KIND_RUNTIME, /* sched_stat_runtime */
	ANALYZE_KIND_IOWAIT,  /* sched_stat_iowait */
	ANALYZE_KIND_FORK,
	ANALYZE_KIND_EXEC,
	ANALYZE_KIND_EXIT, /* a process's */
	ANALYZE_KIND_KVM_ENTRY,
	ANALYZE_KIND_KVM_EXIT,
	ANALYZE_KIND_KVM_USERSPACE,
	ANALYZE_KIND_KVM_PIO,
	ANALYZE_KIND_KVM_MMIO,
	ANALYZE_KIND_KVM_MSR,
	ANALYZE_KIND_KVM_VIRQ,
	ANALYZE_KIND_KVM_WAKEUP,    /* kvm_vcpu_wakeup: value: ns, how: whether it slept */
	ANALYZE_KIND_KVM_HALT_POLL, /* kvm_halt_poll_ns: value: new limit, how: whether it grew */
	ANALYZE_KIND_SYS_ENTER,     /* raw_syscalls:sys_enter, syscalls:sys_enter_NAME */
	ANALYZE_KIND_SYS_EXIT,
	ANALYZE_KIND_KVM_REASON, /* the reason of the current exit, recorded a little later */
	ANALYZE_KIND_SAMPLE,     /* of perf's other events: base/sampled.h */
	ANALYZE_KIND_N,
};

#define ANALYZE_NEED(kind) (1u << ANALYZE_KIND_##kind)
/* Also the priorities of switches and wake-ups, which no figure uses; -1 is a valid one,
 * SCHED_DEADLINE. */
#define ANALYZE_NEED_PRIORITIES (UINT32_C(1) << 31)
#define ANALYZE_NO_PRIO INT32_MIN
/* Also whether an interrupt woke the task: analyze_wake.irq. */
#define ANALYZE_NEED_CONTEXT (UINT32_C(1) << 30)
#define ANALYZE_NEED_SYSCALLS (ANALYZE_NEED(SYS_ENTER) | ANALYZE_NEED(SYS_EXIT))
#define ANALYZE_NEED_WAKES (ANALYZE_NEED(WAKING) | ANALYZE_NEED(WAKEUP) | ANALYZE_NEED(WAKEUP_NEW))
/* Events that identify tasks and the running task: handled in every walk, so that all walks
 * agree. */
#define ANALYZE_NEED_TASKS                                                                         \
	(ANALYZE_NEED(FORK) | ANALYZE_NEED(EXEC) | ANALYZE_NEED(EXIT) | ANALYZE_NEED(SWITCH) |     \
	 ANALYZE_NEED_WAKES | ANALYZE_NEED(KVM_ENTRY) | ANALYZE_NEED(KVM_EXIT))

/* A piece of one CPU's time.  The pieces of a CPU tile the walk without gap or
 * overlap, in order of time. */
struct analyze_run {
	uint32_t cpu;
	uint32_t task; /* ANALYZE_NO_TASK: unknown */
	uint64_t start_ns, end_ns;
	uint64_t from_ns, to_ns;   /* clipped; from == to when outside the window */
	uint64_t ns;               /* in the window: to - from, less with several windows */
	bool start_seen, end_seen; /* a sched_switch at this end was seen */
	bool in;                   /* the end lies in the window */
};

/* A piece of one task's time off the CPU, or (ANALYZE_OFF_UNKNOWN) of time when its position is
 * unknown because events are missing. */
struct analyze_away {
	uint32_t task;
	uint32_t cpu; /* it was last on */
	enum analyze_off off;
	bool ended; /* by a switch-in; false: by the walk's end or a loss */
	bool io;    /* it slept for I/O, by sched_stat_iowait */
	bool in;    /* it ended, in the window */
	uint64_t start_ns, end_ns, from_ns, to_ns;
	uint64_t ns;       /* as in analyze_run */
	uint64_t ready_ns; /* its wake-up since, ANALYZE_NO_TIME: none */
	/* Its position is unknown, its wake-up is not: the time that it waited, which is part of no
	 * other piece. */
	bool waits;
};

struct analyze_switch {
	uint64_t t_ns;
	uint32_t cpu;
	bool in;
	uint32_t prev, next;
	enum analyze_off off;         /* of prev */
	bool involuntary;             /* prev could have run on; never IDLE */
	uint64_t prev_state;          /* as recorded */
	int32_t prev_prio, next_prio; /* or ANALYZE_NO_PRIO */
	/* prev's slice; ANALYZE_NO_TIME when its start was not seen. */
	uint64_t slice_start_ns;
	/* next's wait. */
	uint64_t away_ns;      /* its switch-out, ANALYZE_NO_TIME: unknown, or broken by loss */
	enum analyze_off away; /* its state since */
	uint64_t ready_ns;     /* its wake-up since, ANALYZE_NO_TIME: none, or broken by loss */
	uint32_t last_cpu;     /* it was on before, or CDICT_CPU_UNKNOWN */
	bool incomplete;       /* events after its wake-up or switch-out are missing */
};

struct analyze_wake {
	uint64_t t_ns;
	uint32_t cpu; /* of the waker */
	bool in;
	bool first;             /* makes it ready: it neither runs nor was woken already */
	enum analyze_kind kind; /* WAKING, WAKEUP or WAKEUP_NEW */
	uint32_t task;
	uint32_t target_cpu; /* CDICT_CPU_UNKNOWN when not recorded */
	int32_t prio;
	/* A hardware or software interrupt on @cpu woke it, not the task that ran there, by
	 * common_flags: TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ in the kernel's
	 * include/linux/trace_events.h. */
	bool irq;
	/* Not a current event: @task was woken while still on its CPU, by @waker (ANALYZE_NO_TASK:
	 * unknown) on @cpu, and has no other wake-up before its next switch-in. It is switched out
	 * now. */
	bool late;
	uint32_t waker;
};

struct analyze_sched { /* migrate, runtime, iowait */
	uint64_t t_ns;
	uint32_t cpu;
	bool in;
	enum analyze_kind kind;
	uint32_t task;
	uint64_t value; /* runtime, delay: ns */
	uint32_t orig_cpu, dest_cpu;
};

struct analyze_kvm {
	uint64_t t_ns;
	uint32_t cpu;
	bool in;
	enum analyze_kind kind;
	uint32_t task;  /* the thread */
	uint32_t isa;   /* KVM_EXIT, KVM_REASON: 0 when the event has none (reasons.h) */
	uint64_t value; /* exit reason, port, gpa, MSR, vector */
	uint64_t how;   /* rw of pio, type of mmio, write of msr, esr_ec of an arm64 exit */
};

/* A stored event, whatever its type. */
struct analyze_event {
	uint64_t t_ns;
	uint32_t cpu;
	bool in;
	uint32_t task; /* the sample's, or ANALYZE_NO_TASK */
	uint32_t type; /* in the schema */
};

struct analyze_syscall {
	uint64_t t_ns;
	uint32_t cpu;
	bool in;       /* ... and on a CPU that counts */
	bool exit;     /* sys_exit, else sys_enter */
	uint32_t task; /* the thread */
	int64_t nr, ret;
};

/* A sample of a hardware, software or cache event. The walk takes nothing from it: neither the
 * running task nor the task's number of events. */
struct analyze_sample {
	uint64_t t_ns;
	uint32_t cpu; /* or CDICT_CPU_UNKNOWN */
	bool in;
	uint32_t task, type; /* type: in the schema */
	uint64_t period;     /* events that it stands for */
};

/* The state of a task where the walk begins (analyze/windows/resume.c). Its latest KVM events were
 * reported before, by the usual callback; they may precede the switches. */
struct analyze_resume {
	uint32_t task;
	bool on;                /* it runs */
	bool lost;              /* it ran since in_ns, and its switch-out is missing */
	uint64_t out_ns, in_ns; /* the latest switches, ANALYZE_NO_TIME */
	uint32_t out_cpu, in_cpu;
	enum analyze_off off; /* at out_ns */
	bool ran;             /* a whole slice of it was seen */
	uint64_t kvm_ns;      /* its latest KVM event, or ANALYZE_NO_TIME */
	uint64_t ready_ns;    /* its wake-up since the switch-out, or ANALYZE_NO_TIME */
	bool waits;           /* it waits for @wait_cpu since @wait_ns: woken or preempted */
	uint64_t wait_ns;
	uint32_t wait_cpu;
};

/* analyze_type_tasks - the fields in which events of @type name tasks other than the sample's;
 * returns their number. */
unsigned analyze_type_tasks(const struct cdict_event_type *type, int fields[2]);

struct analyze_ops {
	unsigned needs;  /* ANALYZE_NEED() bits: kinds that the callbacks get */
	bool all_cpus;   /* also switches and wake-ups on CPUs that analyze_options leaves out */
	bool late_wakes; /* also call wake with analyze_wake.late */
	void (*run)(void *self, const struct analyze_run *run);
	void (*away)(void *self, const struct analyze_away *away);
	void (*sw)(void *self, const struct analyze_switch *sw);
	/* In a recording of some tasks: next was switched in, its predecessor is unknown (prev is
	 * ANALYZE_NO_TASK); reported once the slice has ended. */
	void (*in)(void *self, const struct analyze_switch *sw);
	void (*wake)(void *self, const struct analyze_wake *wake);
	void (*sched)(void *self, const struct analyze_sched *ev);
	void (*kvm)(void *self, const struct analyze_kvm *ev);
	/* Each event of the walk. */
	void (*event)(void *self, const struct analyze_event *ev);
	void (*syscall)(void *self, const struct analyze_syscall *sc);
	void (*sample)(void *self, const struct analyze_sample *s);
	/* @n more events in the window whose sample was @task on @cpu (or CDICT_CPU_UNKNOWN). */
	void (*events)(void *self, uint32_t task, uint32_t cpu, uint64_t n);
	/* resume replaces the switches and wake-ups before the walk's begin. @resumes: the analysis
	 * supports such a begin, with or without this call; else the walk covers the whole
	 * capture. */
	bool resumes;
	void (*resume)(void *self, const struct analyze_resume *r);
	/* After resume, for a waiting vCPU: the tasks on the CPU during the wait, piece by
	 * piece. */
	void (*waited)(void *self, uint32_t task, uint32_t cpu, uint32_t runner, uint64_t from_ns,
		       uint64_t to_ns);
	/* After the window: whether a later event can change the window's figures, in a capture
	 * without losses. NULL: no. */
	bool (*pending)(void *self);
	/* For a walk in two parts (analyze/walk/parts.c); without part the walk is in one. part
	 * registers an equal analysis with @eng; returns 1 if that is not possible; part_free frees
	 * it. begun, in the later part: the events so far set its state; their figures belong to
	 * the part before. agrees: whether the state at @later's begin is the present one, as far
	 * as it mattered. join: adds @later's figures and takes its state. All but part may be
	 * NULL. */
	int (*part)(void *self, struct analyze_engine *eng, struct cdict_error *err);
	void (*part_free)(void *self);
	int (*begun)(void *self);
	bool (*agrees)(const void *self, const void *later);
	int (*join)(void *self, void *later);
	/* Once the source's schema is known, before the first event; may be NULL. */
	int (*start)(void *self, const struct cdict_schema *schema, struct cdict_error *err);
	/* After the last event, when the remaining pieces have been reported. May be NULL. */
	int (*finish)(void *self, struct cdict_error *err);
};

/* analyze_engine_add - registers an analysis; @ops is borrowed. Before the run. */
int analyze_engine_add(struct analyze_engine *eng, const struct analyze_ops *ops, void *self,
		       struct cdict_error *err);

/* analyze_engine_find - the self of the (first) analysis registered with @ops, for another one that
 * uses its figures; NULL: none. All are registered from ops.start() on. */
void *analyze_engine_find(const struct analyze_engine *eng, const struct analyze_ops *ops);

/* analyze_engine_has_switches - whether @cpu is known to have switches outside the walk. */
bool analyze_engine_has_switches(const struct analyze_engine *eng, uint32_t cpu);

/* analyze_engine_walk_all - makes the walk cover the whole capture. Before the run. */
void analyze_engine_walk_all(struct analyze_engine *eng);

/* analyze_engine_out_of_memory - called by a callback whose allocation failed: ends the run with
 * -ENOMEM. */
void analyze_engine_out_of_memory(struct analyze_engine *eng);

/* analyze_count - histogram_add() that reports failure to @eng. */
static inline void analyze_count(struct analyze_engine *eng, struct histogram *h, uint64_t v,
				 uint64_t at)
{
	if (histogram_add(h, v, at))
		analyze_engine_out_of_memory(eng);
}

const struct analyze_options *analyze_engine_options(const struct analyze_engine *eng);
/* analyze_engine_last_cpu - the CPU that @task was last on, or CDICT_CPU_UNKNOWN. */
uint32_t analyze_engine_last_cpu(const struct analyze_engine *eng, uint32_t task);

/* analyze_engine_stack - the stack of the current event, in sw, wake, sched, kvm; CDICT_NO_STACK:
 * none. */
uint32_t analyze_engine_stack(const struct analyze_engine *eng);
/* analyze_engine_sampled - the task of the current event's sample, on @cpu; or ANALYZE_NO_TASK. */
uint32_t analyze_engine_sampled(const struct analyze_engine *eng, uint32_t cpu);

/* analyze_engine_state - prev_state as the recording kernel's letters: "S", "R+"; in @room. */
enum { ANALYZE_STATE_ROOM = 16 };
const char *analyze_engine_state(const struct analyze_engine *eng, uint64_t prev_state,
				 char room[ANALYZE_STATE_ROOM]);

uint64_t analyze_engine_now(const struct analyze_engine *eng);
/* analyze_engine_switched_in - whether a switch set the task running on @cpu: it has then run until
 * now, whatever comes next, or the running task is unknown since that switch. */
bool analyze_engine_switched_in(const struct analyze_engine *eng, uint32_t cpu);
/* analyze_engine_cut - the cut of a walk in parts, for ops.join(). */
uint64_t analyze_engine_cut(const struct analyze_engine *eng);
/* analyze_engine_moved_ns - when @task was last switched in or out, or ANALYZE_NO_TIME. */
uint64_t analyze_engine_moved_ns(const struct analyze_engine *eng, uint32_t task);
/* analyze_engine_part - clips [*from_ns, *to_ns] to its first part in the window, or in one of
 * several; false: none is left. */
bool analyze_engine_part(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns);

/* The window during the walk; with several, from the first to the last. */
void analyze_engine_window(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns);
/* Where the walk begins and (at finish) ended; contains the window. */
void analyze_engine_walk(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns);

/* analyze_engine_gap - the first time in [from_ns, to_ns] from which on events may be
 * missing on @cpu (CDICT_CPU_UNKNOWN: on any CPU), or ANALYZE_NO_TIME.  @kvm: KVM's
 * events rather than the scheduler's. */
uint64_t analyze_engine_gap(const struct analyze_engine *eng, bool kvm, uint32_t cpu,
			    uint64_t from_ns, uint64_t to_ns);

/* analyze_engine_lost - like analyze_engine_gap(), but on any CPU, and only where events were lost,
 * not where a CPU was not recorded yet. */
uint64_t analyze_engine_lost(const struct analyze_engine *eng, bool kvm, uint64_t from_ns,
			     uint64_t to_ns);

/* analyze_engine_gap_end - the end of the gap that contains @from_ns, a result of
 * analyze_engine_gap() for any CPU and the scheduler's events; @to_ns at most. */
uint64_t analyze_engine_gap_end(const struct analyze_engine *eng, uint64_t from_ns, uint64_t to_ns);

/* analyze_engine_pair_broken - whether events of the thread of @k can be missing between its own
 * event at @since_ns on @cpu and now. */
bool analyze_engine_pair_broken(const struct analyze_engine *eng, const struct analyze_kvm *k,
				uint64_t since_ns, uint32_t cpu);

/* analyze_engine_call_broken - like analyze_engine_pair_broken(), but for a system call that began
 * at @since_ns on @cpu. */
bool analyze_engine_call_broken(const struct analyze_engine *eng, const struct analyze_syscall *sc,
				uint64_t since_ns, uint32_t cpu);

/* analyze_engine_ran_ns - how long @task was on a CPU from the walk's start to now. */
uint64_t analyze_engine_ran_ns(const struct analyze_engine *eng, uint32_t task);
/* analyze_engine_running - the task running on @cpu, or ANALYZE_NO_TASK; *since_ns: since when. */
uint32_t analyze_engine_running(const struct analyze_engine *eng, uint32_t cpu, uint64_t *since_ns);

#endif

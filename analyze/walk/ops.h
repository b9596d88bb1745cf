/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * ops.h - what the engine tells an analysis while it walks (internal to analyze/).
 *
 * Times are those of the walk, which may start before the window and end after it:
 * from/to of a piece are clipped to the window already, @in says whether an instant
 * lies inside.  Every pointer is borrowed for the call.
 */
#ifndef ANALYZE_OPS_H
#define ANALYZE_OPS_H

#include "analyze/walk/engine.h"
#include "analyze/walk/histogram.h"

/* Event kinds the engine knows; a bit each in analyze_ops.needs. */
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
	ANALYZE_KIND_KVM_WAKEUP,    /* kvm_vcpu_wakeup: value ns, how whether it slept */
	ANALYZE_KIND_KVM_HALT_POLL, /* kvm_halt_poll_ns: value the new limit, how whether it grew */
	ANALYZE_KIND_SYS_ENTER,     /* raw_syscalls:sys_enter, syscalls:sys_enter_NAME */
	ANALYZE_KIND_SYS_EXIT,
	ANALYZE_KIND_KVM_REASON, /* what the exit that began is for, told a little later */
	ANALYZE_KIND_N,
};

#define ANALYZE_NEED(kind) (1u << ANALYZE_KIND_##kind)
/* Of switches and wake-ups the priorities, too, which no figure is made of; -1 is one, of deadlines. */
#define ANALYZE_NEED_PRIORITIES (UINT32_C(1) << 31)
#define ANALYZE_NO_PRIO INT32_MIN
#define ANALYZE_NEED_SYSCALLS (ANALYZE_NEED(SYS_ENTER) | ANALYZE_NEED(SYS_EXIT))
#define ANALYZE_NEED_WAKES (ANALYZE_NEED(WAKING) | ANALYZE_NEED(WAKEUP) | ANALYZE_NEED(WAKEUP_NEW))
/* What tells who is who and who runs: handled in every walk, so that all of them know
 * the same. */
#define ANALYZE_NEED_TASKS                                                                         \
	(ANALYZE_NEED(FORK) | ANALYZE_NEED(EXEC) | ANALYZE_NEED(EXIT) | ANALYZE_NEED(SWITCH) |     \
	 ANALYZE_NEED_WAKES | ANALYZE_NEED(KVM_ENTRY) | ANALYZE_NEED(KVM_EXIT))

/* A piece of one CPU's time.  The pieces of a CPU tile the walk without gap or
 * overlap, in order of time. */
struct analyze_run {
	uint32_t cpu;
	uint32_t task; /* ANALYZE_NO_TASK: nobody knows who ran */
	uint64_t start_ns, end_ns;
	uint64_t from_ns, to_ns;   /* clipped; from == to when outside the window */
	uint64_t ns;               /* of it in the window: to - from, of several less */
	bool start_seen, end_seen; /* there is a sched_switch at this end */
	bool in;                   /* the end lies in the window */
};

/* A piece of one task's time off the CPU, or (ANALYZE_OFF_UNKNOWN) of time when it is
 * not known where it was because events are missing. */
struct analyze_away {
	uint32_t task;
	uint32_t cpu; /* it was last on */
	enum analyze_off off;
	bool ended; /* a switch-in ends it; false: the walk's end or a loss */
	bool io;    /* sched_stat_iowait said it slept for I/O */
	bool in;    /* it ended, in the window */
	uint64_t start_ns, end_ns, from_ns, to_ns;
	uint64_t ns;       /* as in analyze_run */
	uint64_t ready_ns; /* it was woken since, ANALYZE_NO_TIME: not */
	/* Where it was is not known, but that it was woken: the time that it waited, which is part of no
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
	uint64_t away_ns; /* since when it was off, ANALYZE_NO_TIME: not known, or broken by loss */
	enum analyze_off away; /* its state since */
	uint64_t ready_ns;     /* its wake-up since, ANALYZE_NO_TIME: none, or broken by loss */
	uint32_t last_cpu;     /* it was on before, CDICT_CPU_UNKNOWN */
	bool incomplete;       /* a wake-up or switch-out was seen, but events are missing since */
};

struct analyze_wake {
	uint64_t t_ns;
	uint32_t cpu; /* of the waker */
	bool in;
	bool first;             /* makes it ready: it is not running, nor woken already */
	enum analyze_kind kind; /* WAKING, WAKEUP or WAKEUP_NEW */
	uint32_t task;
	uint32_t target_cpu; /* CDICT_CPU_UNKNOWN when not recorded */
	int32_t prio;
	/* No event of now: @task was woken while it was still on its CPU, by @waker (ANALYZE_NO_TASK: not
	 * known) on @cpu, and nothing else wakes it before its next switch-in.  It is switched out now. */
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

/* What a task did before the walk began, at a time at which it is known (analyze/windows/resume.c).  Its
 * latest KVM events were told before, as ever; they may be of before the switches. */
struct analyze_resume {
	uint32_t task;
	bool on;                /* it runs */
	bool lost;              /* it ran since in_ns, and its switch-out is missing */
	uint64_t out_ns, in_ns; /* the latest switches, ANALYZE_NO_TIME */
	uint32_t out_cpu, in_cpu;
	enum analyze_off off; /* at out_ns */
	bool ran;             /* a slice of it was seen whole */
	uint64_t kvm_ns;      /* its latest KVM event, ANALYZE_NO_TIME */
	uint64_t ready_ns;    /* the wake-up since it is off, ANALYZE_NO_TIME */
	bool waits;           /* woken or preempted: for @wait_cpu */
	uint32_t wait_cpu;
};

/* analyze_type_tasks - the fields in which events of @type name tasks, beside that of the sample;
 * how many. */
unsigned analyze_type_tasks(const struct cdict_event_type *type, int fields[2]);

struct analyze_ops {
	unsigned needs;  /* ANALYZE_NEED() bits: what the callbacks are told of */
	bool all_cpus;   /* switches and wake-ups on CPUs too that analyze_options leaves out */
	bool late_wakes; /* wake is called with analyze_wake.late, too */
	void (*run)(void *self, const struct analyze_run *run);
	void (*away)(void *self, const struct analyze_away *away);
	void (*sw)(void *self, const struct analyze_switch *sw);
	/* Of a recording of some tasks: next was switched in; who was switched out for it is not known (prev is
	 * ANALYZE_NO_TASK), and it is told once the slice has ended. */
	void (*in)(void *self, const struct analyze_switch *sw);
	void (*wake)(void *self, const struct analyze_wake *wake);
	void (*sched)(void *self, const struct analyze_sched *ev);
	void (*kvm)(void *self, const struct analyze_kvm *ev);
	/* @n more events in the window whose sample was @task on @cpu (CDICT_CPU_UNKNOWN). */
	void (*event)(void *self, const struct analyze_event *ev);
	void (*syscall)(void *self, const struct analyze_syscall *sc);
	void (*events)(void *self, uint32_t task, uint32_t cpu, uint64_t n);
	/* Instead of the switches and wake-ups before the walk's begin.  @resumes: there is such a
	 * begin, with this call or without; else the walk is of the whole capture. */
	bool resumes;
	void (*resume)(void *self, const struct analyze_resume *r);
	/* After it, of a vCPU that waits: who had the CPU then, piece by piece. */
	void (*waited)(void *self, uint32_t task, uint32_t cpu, uint32_t who, uint64_t from_ns,
		       uint64_t to_ns);
	/* After the window: whether an event to come can change what is told of it, in a capture
	 * without losses.  NULL: no. */
	bool (*pending)(void *self);
	/* Of a walk in two parts (analyze/walk/parts.c); no part: the walk is in one.  part registers an
	 * analysis as this one with @eng: 1: that cannot be; part_free takes it.  begun, of the later
	 * part: what it was told up to now is what goes on there, its figures are those of the part
	 * before.  agrees: what went on at @later's begin is what goes on now, as far as it
	 * mattered.  join: adds @later's figures, goes on from there.  May be NULL, but part. */
	int (*part)(void *self, struct analyze_engine *eng, struct cdict_error *err);
	void (*part_free)(void *self);
	int (*begun)(void *self);
	bool (*agrees)(const void *self, const void *later);
	int (*join)(void *self, void *later);
	/* Once the source's schema is known, before the first event; may be NULL. */
	int (*start)(void *self, const struct cdict_schema *schema, struct cdict_error *err);
	/* After the last; the remaining pieces have been told.  May be NULL. */
	int (*finish)(void *self, struct cdict_error *err);
};

/* analyze_engine_add - registers an analysis; @ops is borrowed. Before the run. */
int analyze_engine_add(struct analyze_engine *eng, const struct analyze_ops *ops, void *self,
		       struct cdict_error *err);

/* analyze_engine_find - the self of the analysis that was registered (first) with @ops, for
 * another that wants its figures; NULL: there is none.  From ops.start() on all are known. */
void *analyze_engine_find(const struct analyze_engine *eng, const struct analyze_ops *ops);

/* analyze_engine_has_switches - whether @cpu is known to have switches outside what is walked. */
bool analyze_engine_has_switches(const struct analyze_engine *eng, uint32_t cpu);

/* analyze_engine_walk_all - the walk has to be of the whole capture.  Before the run. */
void analyze_engine_walk_all(struct analyze_engine *eng);

/* analyze_engine_out_of_memory - what a callback says that could not allocate: the
 * run ends there, with -ENOMEM. */
void analyze_engine_out_of_memory(struct analyze_engine *eng);

/* analyze_count - counts @v in @h, as histogram_add(). */
static inline void analyze_count(struct analyze_engine *eng, struct histogram *h, uint64_t v,
				 uint64_t at)
{
	if (histogram_add(h, v, at))
		analyze_engine_out_of_memory(eng);
}

const struct analyze_options *analyze_engine_options(const struct analyze_engine *eng);
/* analyze_engine_last_cpu - the CPU @task was last on, CDICT_CPU_UNKNOWN. */
uint32_t analyze_engine_last_cpu(const struct analyze_engine *eng, uint32_t task);

/* analyze_engine_stack - of the event that is told of now, in sw, wake, sched, kvm; CDICT_NO_STACK: it has none. */
uint32_t analyze_engine_stack(const struct analyze_engine *eng);
/* analyze_engine_sampled - the task whose sample the event that is told of now is, of @cpu; ANALYZE_NO_TASK. */
uint32_t analyze_engine_sampled(const struct analyze_engine *eng, uint32_t cpu);

/* analyze_engine_state - prev_state as the recording kernel's letters: "S", "R+"; in @room. */
enum { ANALYZE_STATE_ROOM = 16 };
const char *analyze_engine_state(const struct analyze_engine *eng, uint64_t prev_state,
				 char room[ANALYZE_STATE_ROOM]);

uint64_t analyze_engine_now(const struct analyze_engine *eng);
/* analyze_engine_switched_in - whether a switch told who runs on @cpu: then it does until now, whatever
 * comes, or nobody is known to since that switch. */
bool analyze_engine_switched_in(const struct analyze_engine *eng, uint32_t cpu);
/* analyze_engine_cut - where a walk in parts is cut, for ops.join(). */
uint64_t analyze_engine_cut(const struct analyze_engine *eng);
/* analyze_engine_moved_ns - when @task was last switched in or out, or ANALYZE_NO_TIME. */
uint64_t analyze_engine_moved_ns(const struct analyze_engine *eng, uint32_t task);
/* analyze_engine_part - the first part of [*from_ns, *to_ns] that lies in the window, or in one of several; false: none
 * is left. */
bool analyze_engine_part(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns);

/* The window while walking; of several from the first to the last. */
void analyze_engine_window(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns);
/* Where the walk begins and (at finish) ended; holds the window. */
void analyze_engine_walk(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns);

/* analyze_engine_gap - the first time in [from_ns, to_ns] from which on events may be
 * missing on @cpu (CDICT_CPU_UNKNOWN: on any CPU), or ANALYZE_NO_TIME.  @kvm: KVM's
 * events rather than the scheduler's. */
uint64_t analyze_engine_gap(const struct analyze_engine *eng, bool kvm, uint32_t cpu,
			    uint64_t from_ns, uint64_t to_ns);

/* analyze_engine_lost - the same, on any CPU, where events were lost: not where a CPU was not recorded yet. */
uint64_t analyze_engine_lost(const struct analyze_engine *eng, bool kvm, uint64_t from_ns,
			     uint64_t to_ns);

/* analyze_engine_gap_end - how far the gap reaches that @from_ns, given by
 * analyze_engine_gap() of any CPU and the scheduler's events, lies in; @to_ns at most. */
uint64_t analyze_engine_gap_end(const struct analyze_engine *eng, uint64_t from_ns, uint64_t to_ns);

/* analyze_engine_pair_broken - whether events of the thread of @k can be missing between now and one
 * of its own at @since_ns on @cpu. */
bool analyze_engine_pair_broken(const struct analyze_engine *eng, const struct analyze_kvm *k,
				uint64_t since_ns, uint32_t cpu);

/* analyze_engine_call_broken - the same of a system call that began at @since_ns on @cpu. */
bool analyze_engine_call_broken(const struct analyze_engine *eng, const struct analyze_syscall *sc,
				uint64_t since_ns, uint32_t cpu);

/* analyze_engine_ran_ns - how long @task was on a CPU from the walk's start to now. */
uint64_t analyze_engine_ran_ns(const struct analyze_engine *eng, uint32_t task);
/* analyze_engine_running - who runs on @cpu now, or ANALYZE_NO_TASK; since when. */
uint32_t analyze_engine_running(const struct analyze_engine *eng, uint32_t cpu, uint64_t *since_ns);

#endif

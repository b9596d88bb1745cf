/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * engine.h - one walk over a capture that feeds every analysis.
 *
 *	struct analyze_options opts = { 0 };
 *	struct analyze_engine *eng;
 *	struct analyze_tasks *tasks;
 *
 *	analyze_engine_new(&eng, &opts, err);
 *	analyze_tasks_new(&tasks, eng, NULL, err);   // registers itself
 *	analyze_engine_run_reader(eng, reader, err); // once
 *	... analyze_tasks_row_count(tasks), analyze_tasks_row_at(tasks, i) ...
 *	analyze_tasks_free(tasks);                   // analyses first
 *	analyze_engine_free(eng);
 *
 * The engine keeps what is common: which task is which (tid reuse, exec), who
 * runs on each CPU, since when a task is off its CPU and when it was woken, and
 * where events are missing.  doc/figures.md defines every figure.
 *
 * Threads    an engine and its analyses belong to one thread
 * Units      *_ns durations in ns; t_ns, from_ns, ... in the recording's clock
 * Failure    0 or a negative code with *err filled
 * Ownership  new gives, free takes (NULL is fine); task pointers and rows are
 *            borrowed and die with the engine or their analysis
 */
#ifndef ANALYZE_ENGINE_H
#define ANALYZE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text/scope.h"
#include "base/text/timespec.h"
#include "cdict/event.h"
#include "cdict/loss.h"
#include "cdict/reader.h"
#include "cdict/schema.h"
#include "cdict/task.h"

struct analyze_engine;
struct digests; /* analyze/walk/digest.h */

#define ANALYZE_NO_TASK UINT32_MAX
#define ANALYZE_NO_TIME UINT64_MAX
/* With more CPU numbers than that, only those that have events or losses are told of: else three kilobytes with one
 * event of CPU 65535 would be a hundred megabytes of text. */
#define ANALYZE_CPUS_MANY 4096u

/* Why a task is off its CPU: prev_state when it was switched out. */
enum analyze_off {
	ANALYZE_OFF_RUNNABLE = 0, /* "R": taken from the CPU on the way to user mode, or yielded */
	ANALYZE_OFF_PREEMPTED,    /* "R+": preempted inside the kernel */
	ANALYZE_OFF_SLEEP,        /* "S", "I" */
	ANALYZE_OFF_DISK,         /* "D" */
	ANALYZE_OFF_OTHER,        /* "T", "t", "P", anything else */
	ANALYZE_OFF_DEAD,         /* "X", "Z": its last switch */
	ANALYZE_OFF_N,
	ANALYZE_OFF_UNKNOWN = ANALYZE_OFF_N,
};

/* One task: a tid between its birth and its death.  A tid that is used again
 * after a fork or an exit is another task; exec keeps the task. */
struct analyze_task {
	uint32_t index;        /* in the engine's table; CPU c's IDLE has its own row */
	int32_t tid;           /* 0: IDLE of @idle_cpu */
	int32_t pid;           /* -1 while no sample or record told */
	int32_t ppid;          /* -1 unknown */
	uint32_t idle_cpu;     /* CDICT_CPU_UNKNOWN for all but IDLE */
	char comm[16];         /* latest, NUL-terminated; untrusted text */
	uint32_t comm_changes; /* how often it changed after the first one known */
	uint64_t born_ns;      /* fork seen, else ANALYZE_NO_TIME */
	uint64_t exit_ns;      /* exit seen, else ANALYZE_NO_TIME */
	bool reused;           /* another task had this tid before, or has it after */
	bool unrecorded; /* a name in the events of those that were recorded: it has no figures */
	bool is_vcpu;    /* it entered or left a guest */
	int32_t vcpu_id; /* as KVM numbers it, repeats between VMs; -1 unknown */
	uint64_t events; /* events whose sample was this task, of every type, in the window */
	uint64_t first_ns, last_ns; /* first and last mention, ANALYZE_NO_TIME if none */
};

/* The walk.  The zero value: the whole capture, all CPUs. */
struct analyze_options {
	/* The window; 0 means the capture's first / last event.  Times are clipped to
	 * it; what happens at an instant counts when from <= t < to (or t = to when
	 * to is the capture's last event), so windows that touch add up.  What a window
	 * tells is what the whole capture tells of it, whenever it began or will end. */
	uint64_t from_ns, to_ns;
	/* Several windows inside of that, ascending, without overlap, each as the one: only they count.  With one or
	 * none they are not looked at.  Borrowed. */
	const struct timespec_window *windows;
	size_t n_windows;
	const uint64_t *cpus; /* bitmap of CPUs whose time counts, NULL = all */
	size_t n_cpus;        /* bits in it */
	/* Events of other CPUs are not even read: what is told of these is the same where nothing was lost, but
	 * tasks have other numbers, and of those that never were here nothing is known.  A file's only. */
	bool narrow;
	bool no_guest_mode; /* leave out samples with cpumode guest, as perf's reports do */
	unsigned jobs;      /* threads that decode ahead of the walk (struct cdict_query) */
	/* What the reader's events leave behind: the walk reads them first if nobody did, and goes
	 * over the window alone.  NULL: over the whole capture.  Borrowed. */
	struct digests *digests;
	/* Where the walk ends early: which tasks of processes that turn up later are to be known
	 * beside VMs'; NULL: all. */
	bool (*heeds)(void *ctx, int32_t tid);
	void *heeds_ctx;
	const int32_t *node_of_cpu; /* NUMA node per CPU, -1 unknown, or NULL; borrowed */
	size_t n_node_of_cpu;
	/* The core of each CPU, numbered from 0 and below n_core_of_cpu, -1 unknown, or NULL; borrowed. */
	const int32_t *core_of_cpu;
	size_t n_core_of_cpu;
};

/* analyze_engine_new - @opts may be NULL; bitmaps in it are borrowed. */
int analyze_engine_new(struct analyze_engine **out, const struct analyze_options *opts,
		       struct cdict_error *err);
void analyze_engine_free(struct analyze_engine *eng);

/* Where events come from; a reader, or a test's array. */
struct analyze_source {
	const struct cdict_schema *schema;
	void *ctx;
	/* 1 and *ev in order of time, 0 at the end, negative on failure. */
	int (*next)(void *ctx, struct cdict_event *ev, struct cdict_error *err);
	/* next() begins again; NULL: it cannot, and waits that only a later switch-in shows (early_wakes.c) are
	 * not found. */
	int (*rewind)(void *ctx, struct cdict_error *err);
	struct scope scope;
	uint64_t first_ns, last_ns; /* of the whole capture */
	uint32_t cpus;              /* 1 + the highest CPU number */
	size_t n_tasks, n_losses;
	const struct cdict_task_event *(*task_at)(void *ctx, size_t i);
	const struct cdict_loss *(*loss_at)(void *ctx, size_t i);
	/* The stack of the event that next() gave last, CDICT_NO_STACK: none.  NULL: none has one. */
	uint32_t (*stack)(void *ctx);
	/* Where CPUs begin at different times: when the first event of each CPU was, ANALYZE_NO_TIME: it has none. */
	void (*first_of_cpus)(void *ctx, uint64_t *first_ns, uint32_t cpus);
};

/* analyze_first_of_cpus - the same of a file. */
void analyze_first_of_cpus(const struct cdict_reader *r, uint64_t *first_ns, uint32_t cpus);

/* analyze_engine_run - walks @src once; the analyses' results are then ready. */
int analyze_engine_run(struct analyze_engine *eng, const struct analyze_source *src,
		       struct cdict_error *err);
/* analyze_engine_run_reader - the same for a file; reads every event type: each of them tells who runs, whatever the analyses ask for. */
int analyze_engine_run_reader(struct analyze_engine *eng, struct cdict_reader *r,
			      struct cdict_error *err);
/* analyze_engine_begin, analyze_engine_step - the same in steps of at most @events, for who has to
 * look up in between: step is called until it gives no 1; 0: the walk is done. */
int analyze_engine_begin(struct analyze_engine *eng, struct cdict_reader *r,
			 struct cdict_error *err);
int analyze_engine_step(struct analyze_engine *eng, uint64_t events, struct cdict_error *err);

/*
 * A walk in two parts, the later one by an engine of its own in another thread, say:
 *
 *	analyze_engine_begin_two(eng, reader, &parts, &later, err);
 *	analyze_engine_run_later(later, err);	// in another thread, unless NULL
 *	analyze_engine_step(eng, UINT64_MAX, err);
 *	analyze_engine_join(eng, later, err);	// both are done; unless NULL
 *
 * What is told is what a walk in one tells: where the later part did not begin as the first one left
 * off, @eng walks that itself.
 */
struct analyze_parts {
	struct cdict_reader *reader; /* another one of the same file */
	struct digests *digests;     /* of that, done */
	uint64_t cut_ns;             /* the later part begins there or before; 0: in the middle */
};

/* analyze_engine_begin_two - as analyze_engine_begin(); what @parts has is borrowed.  *later is given;
 * NULL: the walk is in one. */
int analyze_engine_begin_two(struct analyze_engine *eng, struct cdict_reader *r,
			     const struct analyze_parts *parts, struct analyze_engine **later,
			     struct cdict_error *err);
int analyze_engine_run_later(struct analyze_engine *later, struct cdict_error *err);
/* analyze_engine_join - the rest of the walk; @later is freed after that.  analyze_engine_joined():
 * whether its figures were taken. */
bool analyze_engine_joined(const struct analyze_engine *eng);
int analyze_engine_join(struct analyze_engine *eng, struct analyze_engine *later,
			struct cdict_error *err);

/* --- after the walk --- */

size_t analyze_engine_task_count(const struct analyze_engine *eng);
const struct analyze_task *analyze_engine_task(const struct analyze_engine *eng, uint32_t index);
uint32_t analyze_engine_cpus(const struct analyze_engine *eng);
/* analyze_engine_counts - whether the options leave the CPU in. */
bool analyze_engine_counts(const struct analyze_engine *eng, uint32_t cpu);

struct analyze_summary {
	uint64_t from_ns, to_ns;    /* the window; of several from the first to the last */
	uint64_t first_ns, last_ns; /* of the capture */
	uint64_t window_ns;         /* to - from; of several their sum */
	uint64_t events;            /* walked, in the window */
	uint64_t guest_mode;        /* of them with cpumode guest */
	uint64_t switches;          /* sched_switch in the window */
	uint64_t mismatches;        /* in the window: switches, samples of another than ran */
	uint64_t lost_events;       /* by the loss records that touch the window */
	uint64_t disorder;          /* in the window: events that ran backwards in time */
	uint64_t unknown_ns;        /* over all CPUs: time of which nobody knows who ran */
	uint32_t cpus_seen;         /* CPUs with a known runner at any time in the window */
	struct scope scope;         /* what of the machine was recorded */
	/* Which figures the capture can give. */
	bool has_switch, has_waking, has_wakeup, has_migrate, has_iowait, has_runtime;
	bool has_runs; /* for how long tasks ran: not of some tasks, whose switches in nothing tells */
	bool has_state;  /* sched_switch tells why (with has_switch) */
	bool undigested; /* digests do not know all of its KVM events */
	bool has_entry, has_exit, has_userspace_exit, has_sys_enter, has_sys_exit;
};
/* analyze_engine_absent_ns - time of the window before the task's birth and after its death, as far
 * as these were seen. */
uint64_t analyze_engine_absent_ns(const struct analyze_engine *eng, uint32_t index);
/* analyze_engine_open - what began before the window's end was not over when the capture ended: with more events
 * figures of the same window may be others. After the walk. */
bool analyze_engine_open(const struct analyze_engine *eng);
const struct analyze_summary *analyze_engine_summary(const struct analyze_engine *eng);

/* analyze_engine_clip - how much of [from_ns, to_ns] lies in the window, or in the windows. */
uint64_t analyze_engine_clip(const struct analyze_engine *eng, uint64_t from_ns, uint64_t to_ns);

/* analyze_engine_window_of - which of several windows @t_ns lies in, of one 0; analyze_engine_window_at - the windows by
 * number. */
size_t analyze_engine_window_of(const struct analyze_engine *eng, uint64_t t_ns);
void analyze_engine_window_at(const struct analyze_engine *eng, size_t i, uint64_t *from_ns,
			      uint64_t *to_ns);

/* analyze_engine_cpu_unknown_ns - time in the window of which nobody knows who
 * ran on @cpu (loss; a CPU without any event). */
uint64_t analyze_engine_cpu_unknown_ns(const struct analyze_engine *eng, uint32_t cpu);
/* analyze_engine_loss_ns - time in the window on @cpu (CDICT_CPU_UNKNOWN: of any
 * CPU, once) inside a gap: events are missing there. */
uint64_t analyze_engine_loss_ns(const struct analyze_engine *eng, uint32_t cpu);

#endif

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
 * The engine keeps the common state: the identity of tasks (tid reuse, exec), the task running on
 * each CPU, since when a task is off its CPU and when it was woken, and where events are missing.
 * doc/figures.md defines every figure.
 *
 * Threads    an engine and its analyses belong to one thread
 * Units      *_ns durations in ns; t_ns, from_ns, ... in the recording's clock
 * Failure    0 or a negative code with *err filled
 * Ownership  new gives, free takes (NULL is fine); task pointers and rows are
 *            borrowed and die with the engine or their analysis
 */
#ifndef ANALYZE_WALK_ENGINE_H
#define ANALYZE_WALK_ENGINE_H

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
/* With more CPU numbers than that, only CPUs with events or losses are reported: else a file of
 * three kilobytes with one event of CPU 65535 would become a hundred megabytes of text. */
#define ANALYZE_CPUS_MANY 4096u

/* Why a task is off its CPU: prev_state when it was switched out. */
enum analyze_off {
	ANALYZE_OFF_RUNNABLE = 0, /* "R": preempted on the way to user mode, or yielded */
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
	int32_t pid;           /* -1 until a sample or record has it */
	int32_t ppid;          /* -1 unknown */
	uint32_t idle_cpu;     /* CDICT_CPU_UNKNOWN for all but IDLE */
	char comm[16];         /* latest, NUL-terminated; untrusted text */
	uint32_t comm_changes; /* changes after the first known one */
	uint64_t born_ns;      /* fork seen, else ANALYZE_NO_TIME */
	uint64_t exit_ns;      /* exit seen, else ANALYZE_NO_TIME */
	bool reused;           /* another task had this tid before, or has it after */
	bool unrecorded;       /* only named in the events of recorded tasks: it has no figures */
	bool is_vcpu;          /* it entered or left a guest */
	int32_t vcpu_id;       /* as KVM numbers it, repeats between VMs; -1 unknown */
	uint64_t events;       /* events whose sample was this task, of every type, in the window */
	uint64_t first_ns, last_ns; /* first and last mention, ANALYZE_NO_TIME if none */
};

/* The walk.  The zero value: the whole capture, all CPUs. */
struct analyze_options {
	/* The window; 0 means the capture's first / last event. Times are clipped to it; what
	 * happens at an instant counts when from <= t < to (or t = to when to is the capture's last
	 * event), so windows that touch add up. A window's figures equal those of the whole capture
	 * for that time, whenever things began or will end. */
	uint64_t from_ns, to_ns;
	/* Several windows inside of that, ascending, without overlap, each like the one above: only
	 * they count. Ignored if there are fewer than two. Borrowed. */
	const struct timespec_window *windows;
	size_t n_windows;
	const uint64_t *cpus; /* bitmap of CPUs whose time counts, NULL = all */
	size_t n_cpus;        /* bits in it */
	/* Events of other CPUs are not even read: the figures of these are the same where nothing
	 * was lost, but tasks have other indexes, and tasks that never ran here are unknown. For
	 * files only. */
	bool narrow;
	bool no_guest_mode; /* leave out samples with cpumode guest, as perf's reports do */
	bool whole_waits;   /* see analyze_engine_longest() */
	unsigned jobs;      /* threads that decode ahead of the walk (struct cdict_query) */
	/* Digests of the reader's events: the walk completes them first if needed, and then covers
	 * only the window. NULL: covers the whole capture. Borrowed. */
	struct digests *digests;
	/* When the walk ends early: selects the tasks of later processes to keep, besides those of
	 * VMs; NULL: all. */
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

/* A source of events: a reader, or a test's array. */
struct analyze_source {
	const struct cdict_schema *schema;
	void *ctx;
	/* 1 and *ev in order of time, 0 at the end, negative on failure. */
	int (*next)(void *ctx, struct cdict_event *ev, struct cdict_error *err);
	/* Makes next() start again; NULL: not possible, and waits that only a later switch-in shows
	 * (early_wakes.c) are not found. */
	int (*rewind)(void *ctx, struct cdict_error *err);
	struct scope scope;
	uint64_t first_ns, last_ns; /* of the whole capture */
	uint32_t cpus;              /* 1 + the highest CPU number */
	size_t n_tasks, n_losses;
	const struct cdict_task_event *(*task_at)(void *ctx, size_t i);
	const struct cdict_loss *(*loss_at)(void *ctx, size_t i);
	/* The stack of the event that next() returned last, CDICT_NO_STACK: none. NULL: no event
	 * has one. */
	uint32_t (*stack)(void *ctx);
	/* When CPUs begin at different times: the time of each CPU's first event, ANALYZE_NO_TIME:
	 * none. */
	void (*first_of_cpus)(void *ctx, uint64_t *first_ns, uint32_t cpus);
};

/* analyze_first_of_cpus - first_of_cpus for a file. */
void analyze_first_of_cpus(const struct cdict_reader *r, uint64_t *first_ns, uint32_t cpus);

/* analyze_engine_run - walks @src once; the analyses' results are then ready. */
int analyze_engine_run(struct analyze_engine *eng, const struct analyze_source *src,
		       struct cdict_error *err);
/* analyze_engine_run_reader - like analyze_engine_run(), but for a file; reads every event type, as
 * each sample shows the running task, whatever the analyses need. */
int analyze_engine_run_reader(struct analyze_engine *eng, struct cdict_reader *r,
			      struct cdict_error *err);
/* analyze_engine_begin, analyze_engine_step - the same in steps of at most @events, for callers
 * with other work in between: call step while it returns 1; 0: the walk is done. */
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
 * The result is that of one walk: where the later part did not begin as the first one left off,
 * @eng walks it again itself.
 */
struct analyze_parts {
	struct cdict_reader *reader; /* a second one of the same file */
	struct digests *digests;     /* of that reader, done */
	uint64_t cut_ns;             /* the later part begins here or before; 0: in the middle */
};

/* analyze_engine_begin_two - like analyze_engine_begin(); the members of @parts are borrowed.
 * *later is set; NULL: the walk is in one part. */
int analyze_engine_begin_two(struct analyze_engine *eng, struct cdict_reader *r,
			     const struct analyze_parts *parts, struct analyze_engine **later,
			     struct cdict_error *err);
int analyze_engine_run_later(struct analyze_engine *later, struct cdict_error *err);
/* analyze_engine_join - the rest of the walk; @later is freed afterwards. analyze_engine_joined -
 * whether its figures were used. */
bool analyze_engine_joined(const struct analyze_engine *eng);
int analyze_engine_join(struct analyze_engine *eng, struct analyze_engine *later,
			struct cdict_error *err);

/* --- after the walk --- */

size_t analyze_engine_task_count(const struct analyze_engine *eng);
const struct analyze_task *analyze_engine_task(const struct analyze_engine *eng, uint32_t index);
uint32_t analyze_engine_cpus(const struct analyze_engine *eng);
/* analyze_engine_counts - whether the options include the CPU. */
bool analyze_engine_counts(const struct analyze_engine *eng, uint32_t cpu);

struct analyze_summary {
	uint64_t from_ns, to_ns;    /* the window; with several, from the first to the last */
	uint64_t first_ns, last_ns; /* of the capture */
	uint64_t window_ns;         /* to - from; with several, their sum */
	uint64_t events;            /* walked, in the window */
	uint64_t guest_mode;        /* those with cpumode guest */
	uint64_t switches;          /* sched_switch in the window */
	uint64_t mismatches;        /* in the window: switches, samples not of the running task */
	uint64_t lost_events;       /* by the loss records that touch the window */
	uint64_t disorder;          /* in the window: events that went back in time */
	uint64_t unknown_ns;        /* over all CPUs: time without a known running task */
	uint32_t cpus_seen;         /* CPUs with a known running task at any time in the window */
	struct scope scope;         /* what was recorded */
	/* Which figures the capture can give. */
	bool has_switch, has_waking, has_wakeup, has_migrate, has_iowait, has_runtime;
	bool has_runs;  /* run times: with SCOPE_TASKS only if the capture has sched_stat_runtime */
	bool has_state; /* sched_switch has prev_state (with has_switch) */
	bool undigested; /* digests do not cover all of its events */
	bool has_entry, has_exit, has_userspace_exit, has_sys_enter, has_sys_exit, has_sample;
};
/* analyze_engine_absent_ns - the window's time before the task's birth and after its death, if
 * these were seen. */
uint64_t analyze_engine_absent_ns(const struct analyze_engine *eng, uint32_t index);
/* analyze_engine_open - whether something that began before the window's end was still open when
 * the capture ended: more events could change the window's figures. After the walk. */
bool analyze_engine_open(const struct analyze_engine *eng);
const struct analyze_summary *analyze_engine_summary(const struct analyze_engine *eng);
/* analyze_engine_has_vcpus - whether the capture may have KVM entries or exits; false: its blocks have none. */
bool analyze_engine_has_vcpus(const struct analyze_engine *eng);

/* analyze_engine_clip - the time of [from_ns, to_ns] inside the window or windows. */
uint64_t analyze_engine_clip(const struct analyze_engine *eng, uint64_t from_ns, uint64_t to_ns);
/* analyze_engine_longest - replaces [*from_ns, *to_ns] by its longest part in one window; false: it has none.
 * With whole_waits it only ends with the window: the largest of all windows of a capture is then the largest of
 * the capture, also of a wait that is longer than a window. */
bool analyze_engine_longest(const struct analyze_engine *eng, uint64_t *from_ns, uint64_t *to_ns);

/* analyze_engine_window_of - the number of the window that contains @t_ns, 0 with one window;
 * analyze_engine_window_at - a window by number. */
size_t analyze_engine_window_of(const struct analyze_engine *eng, uint64_t t_ns);
void analyze_engine_window_at(const struct analyze_engine *eng, size_t i, uint64_t *from_ns,
			      uint64_t *to_ns);

/* analyze_engine_cpu_unknown_ns - time in the window without a known running task on @cpu (loss; a
 * CPU without any event). */
uint64_t analyze_engine_cpu_unknown_ns(const struct analyze_engine *eng, uint32_t cpu);
/* analyze_engine_loss_ns - time in the window on @cpu (CDICT_CPU_UNKNOWN: of any
 * CPU, once) inside a gap: events are missing there. */
uint64_t analyze_engine_loss_ns(const struct analyze_engine *eng, uint32_t cpu);

#endif

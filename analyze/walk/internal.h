/* SPDX-License-Identifier: LGPL-2.1-only */
/* internal.h - the engine's own state, shared by engine.c, table.c, gaps.c, types.c. */
#ifndef ANALYZE_INTERNAL_H
#define ANALYZE_INTERNAL_H

#include "analyze/printing/reasons.h"
#include "analyze/walk/ops.h"
#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/places.h"

/* --- types.c: where the fields of the known events are --- */

enum { FIELDS_MAX = 8 };

struct type_info {
	uint8_t kind;              /* enum analyze_kind */
	bool of_others;            /* perf gives it also to the task that it is about */
	int16_t common_pid;        /* index, -1 absent */
	int16_t field[FIELDS_MAX]; /* indexes by position in the kind's list, -1 absent */
};

/* Positions in type_info.field. */
enum {
	SW_PREV_PID,
	SW_NEXT_PID,
	SW_PREV_STATE,
	SW_PREV_COMM,
	SW_NEXT_COMM,
	SW_PREV_PRIO, /* with ANALYZE_NEED_PRIORITIES */
	SW_NEXT_PRIO,
};
enum { WAKE_PID, WAKE_TARGET, WAKE_COMM, WAKE_PRIO, WAKE_SUCCESS };
enum { MIG_PID, MIG_ORIG, MIG_DEST };
enum { STAT_PID, STAT_VALUE };
enum { FORK_CHILD, FORK_COMM };
enum { EXEC_PID, EXEC_OLD };
enum { KVM_VCPU, KVM_VALUE, KVM_HOW, KVM_ISA };
enum { SYS_NR, SYS_RET };

/* prev_state -> class, from the print format's own flag table. */
struct state_table {
	uint64_t known;  /* bits that the table names */
	uint8_t off[64]; /* class of each bit */
	char letter[64];
};

/* types_fields - by type a bitmap of the fields that are known, of the kinds in @needs, and of @common_pid.  One
 * allocation; NULL: out of memory. */
uint64_t **types_fields(const struct type_info *types, const struct cdict_schema *schema,
			unsigned needs, bool common_pid);
int types_resolve(struct type_info **out, const struct cdict_schema *schema,
		  struct state_table *states, struct analyze_summary *sum, struct cdict_error *err);

/* types_wakes - whether a wake-up woke its task: before Linux 4.3 the event says. */
static inline bool types_wakes(const struct cdict_event *ev, const struct type_info *ti)
{
	return ti->field[WAKE_SUCCESS] < 0 || ev->values[ti->field[WAKE_SUCCESS]];
}

/* types_isa - of a KVM_EXIT or KVM_REASON, as reasons.h has it. */
static inline uint32_t types_isa(const struct type_info *ti, const struct cdict_event *ev)
{
	if (ti->field[KVM_VALUE] < 0)
		return ANALYZE_ISA_UNTOLD;
	return ti->field[KVM_ISA] >= 0 ? (uint32_t)ev->values[ti->field[KVM_ISA]] : 0;
}

/* state_class - the class of a prev_state; the lowest named bit decides, as perf's
 * and the kernel's printing do. */
static inline enum analyze_off state_class(const struct state_table *st, uint64_t state)
{
	if (!state)
		return ANALYZE_OFF_RUNNABLE;
	if (state & st->known)
		return (enum analyze_off)st->off[__builtin_ctzll(state & st->known)];
	return ANALYZE_OFF_PREEMPTED;
}

/* types_prev_state, types_off - of a SWITCH; without the field 0, and a time off for a reason that is not known. */
static inline uint64_t types_prev_state(const struct type_info *ti, const struct cdict_event *ev)
{
	return ti->field[SW_PREV_STATE] >= 0 ? ev->values[ti->field[SW_PREV_STATE]] : 0;
}

static inline enum analyze_off types_off(const struct type_info *ti, const struct state_table *st,
					 const struct cdict_event *ev)
{
	return ti->field[SW_PREV_STATE] >= 0 ? state_class(st, types_prev_state(ti, ev))
					     : ANALYZE_OFF_OTHER;
}

/* --- gaps.c: where events are missing --- */

struct gap {
	uint32_t cpu; /* CDICT_CPU_UNKNOWN: any */
	uint64_t from_ns, to_ns;
	uint64_t reach_ns; /* the largest to_ns of this gap and those before it */
	bool late;         /* nothing was lost: the CPU was not recorded yet */
};

struct gap_set {
	struct gap *all; /* by from_ns */
	size_t n;
	struct gap **cpu; /* per CPU the gaps that touch it, by from_ns */
	size_t *n_cpu;
	uint32_t cpus;
};

int gaps_init(struct gap_set *set, const struct analyze_source *src, const struct type_info *types,
	      unsigned kinds, uint32_t cpus, struct cdict_error *err);
void gaps_fini(struct gap_set *set);
uint64_t gaps_find(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns);
/* gaps_lost - the same of gaps in which events were lost. */
uint64_t gaps_lost(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns);
/* gaps_end - how far the gaps reach that hold @from_ns or one of each other; @to_ns at most. */
uint64_t gaps_end(const struct gap_set *set, uint64_t from_ns, uint64_t to_ns);
/* gaps_blind - of the gaps of @cpu that end after @from_ns and begin before @to_ns: where the last one
 * begins, not before @from_ns, and where the latest ends; false: there is none. */
bool gaps_blind(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		uint64_t *begin_ns, uint64_t *end_ns);
/* gaps_ns - time of [from_ns, to_ns] in which events of @cpu (or of any) were lost, once. */
uint64_t gaps_ns(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns);

/* --- table.c: which task is which --- */

enum task_where { TASK_NEVER, TASK_ON, TASK_OFF, TASK_LOST };

struct task {
	struct analyze_task pub;
	uint64_t since_ns; /* ON: switch-in; OFF: switch-out; LOST: from then on unknown */
	uint64_t ready_ns; /* first wake-up since the switch-out, or ANALYZE_NO_TIME */
	uint64_t moved_ns; /* last switch in or out, ANALYZE_NO_TIME */
	uint64_t ran_ns;   /* closed slices, from the walk's start */
	uint64_t named_ns; /* latest record of its comm, ANALYZE_NO_TIME */
	uint32_t cpu;      /* last on */
	uint8_t where;     /* enum task_where */
	uint8_t off;       /* enum analyze_off, while OFF */
	bool io;           /* sched_stat_iowait since the switch-out */
	bool gone;         /* switched out dead */
	bool appeared;     /* its birth says since when it may have run unseen */
	bool recorded;     /* its own events were, where only those of some tasks were */
};

/* Where a task was, as in struct task. */
struct task_state {
	uint64_t since_ns, ready_ns;
	uint32_t cpu;
	uint8_t where, off;
	bool io;
};

struct task_table {
	ARRAY(struct task) all;
	struct places latest; /* by tid: the index of its latest task */
	uint64_t births;      /* tids that got another task: what was looked up before is stale */
	uint32_t *idle;       /* per CPU, ANALYZE_NO_TASK */
	uint32_t n_idle;
	bool failed; /* out of memory, once */
};

int table_init(struct task_table *tab, uint32_t cpus);
void table_fini(struct task_table *tab);
/* table_find - the current task of @tid, made when new; ANALYZE_NO_TASK when out of
 * memory (then tab->failed) or @tid is negative.  tid 0: IDLE of @cpu. */
uint32_t table_find(struct task_table *tab, int32_t tid, uint32_t cpu);
/* table_peek - the same, ANALYZE_NO_TASK when there is none. */
uint32_t table_peek(const struct task_table *tab, int32_t tid);
/* table_birth - @tid is a new task from @t_ns on. */
uint32_t table_birth(struct task_table *tab, int32_t tid, int32_t pid, int32_t ppid, uint64_t t_ns);
void task_comm(struct task *t, const void *comm, size_t len);

/* --- engine.c --- */

/* A CPU whose runner was contradicted: unknown up to its next switch. */
#define BLIND_TO_SWITCH UINT64_MAX

struct cpu_state {
	uint32_t cur;        /* who runs, ANALYZE_NO_TASK: not known */
	uint64_t cur_births; /* task_table.births when @cur was looked up */
	uint64_t since_ns;   /* this piece began */
	uint64_t blind_ns;   /* cur unknown: not known until then; afterwards prev will tell */
	bool seen;           /* a switch started the piece */
	uint64_t unknown_ns; /* in the window */
	bool any;            /* somebody was known to run here */
	/* The latest sample's task, to spare the look-up and to count its events together. */
	uint32_t last;
	int32_t last_tid, last_pid;
	uint64_t births;  /* task_table.births when @last was looked up */
	uint64_t last_ns; /* of the latest sample */
	uint64_t samples; /* in the window, not yet told of */
	bool counts;      /* by analyze_options.cpus */
	bool loose; /* SCOPE_TASKS: when cur was switched in is not known yet: struct loose_run */
	uint64_t own_ns; /* SCOPE_TASKS: of the latest event that is cur's own, or its switch-in */
};

/* Only of SCOPE_TASKS, so that a whole system's tasks and CPUs do without: of a CPU whose runner ran
 * since cpu_state.since_ns at the latest.  track_settle() finds the begin of its slice, not before
 * @floor_ns, and accounts for the CPU since @unseen_ns and the task since @before. */
struct loose_run {
	uint64_t unseen_ns, floor_ns;
	struct task_state before;
};

/* Of a task: what sched_stat_runtime accounted to it since it was switched in; nothing: to_ns is 0. */
struct accounted {
	uint64_t from_ns, to_ns;
};

struct hook {
	const struct analyze_ops *ops;
	void *self;
};

/* Who woke a task while it was on its CPU, and on which CPU: early_wakes.c. */
struct early_waker {
	bool any;
	uint32_t task, cpu;
};

/* A wait that began at a switch-out: early_wakes.c. */
struct early_wake {
	uint64_t out_ns;
	int32_t tid;
};

struct analyze_engine {
	struct analyze_options opts;
	ARRAY(struct hook) hooks;
	/* hooks by what they implement, NULL-terminated by ops */
	struct hook *on_run, *on_away, *on_sw, *on_wake, *on_sched, *on_kvm, *on_events, *on_event,
		*on_syscall, *on_in;
	unsigned needs;
	unsigned asked; /* of them what analyses asked for */

	struct type_info *types;
	size_t n_types;
	struct state_table states;
	struct gap_set sched_gaps, kvm_gaps, sys_gaps;
	uint64_t reach_ns; /* how far the scheduler gaps begun so far reach, 0: none begun */
	size_t begun;      /* gaps of sched_gaps.all begun */

	struct task_table table;
	struct cpu_state *cpus;
	uint32_t n_cpus;
	uint64_t now_ns;
	uint64_t walk_from_ns, walk_to_ns;
	uint64_t begin_ns; /* the events' that are walked */
	bool closed;       /* the window's end is the capture's last event */
	/* Of several windows those that are left of opts.windows; NULL: there is one. */
	struct timespec_window *windows;
	size_t n_windows;
	bool walk_all; /* some analysis needs all events */
	bool may_stop; /* after the window, when nothing is open */
	bool stopped;
	bool open;      /* it ended with the capture, and something of the window was not over */
	bool at_end;    /* tasks that turn up are heeded no more, but some */
	struct map vms; /* pids */
	uint32_t past;  /* events after the window */
	ARRAY(struct resume_wait) waits; /* where it begins */
	struct digest_switch *ahead;     /* by CPU: the next switch, when it was looked for */
	struct digest *at;               /* where the walk began, NULL: at the start */
	bool ran, out_of_memory;
	struct analyze_summary sum;

	const struct cdict_task_event **records; /* by time */
	size_t n_records, next_record;
	uint64_t record_ns; /* of the next one, UINT64_MAX after the last */

	uint32_t (*stack)(void *ctx); /* of the source, or NULL */
	void *stack_ctx;
	struct cdict_reader *reader; /* of a walk in steps */
	struct cdict_events *it;
	/* What leads up to @it was told of, its first event is here: none was given yet. */
	bool led, has_first;
	struct cdict_event first;

	struct loose_run *loose;                /* by CPU; NULL but for SCOPE_TASKS */
	ARRAY(struct accounted) accounted;      /* by task, as far as needed; only of SCOPE_TASKS */
	ARRAY(struct early_wake) early;         /* by out_ns */
	ARRAY(struct early_waker) early_wakers; /* by task, as far as needed; only with @early */
	size_t next_early;

	/* Of a walk in two parts. */
	uint64_t part_ns; /* of the first: where the later one begins; else 0 */
	bool is_later, walked, joined;
	struct task_table start;      /* of the later: tasks (all alone), */
	struct cpu_state *start_cpus; /* and CPUs as it began */
};

int engine_prepare(struct analyze_engine *eng, const struct analyze_source *src,
		   struct cdict_error *err);
/* engine_walk - at most @events of @src; 1: there are more, 0: that was all, and the analyses
 * have finished, unless it is a part. */
int engine_walk(struct analyze_engine *eng, const struct analyze_source *src, uint64_t events,
		struct cdict_error *err);
/* engine_end - after the last event. */
int engine_end(struct analyze_engine *eng, struct cdict_error *err);
/* engine_failed - no callback is called any more, no figure is given. */
bool engine_failed(const struct analyze_engine *eng);
/* engine_source, engine_open - reader.c's: the source of eng->reader; begins to read its events up to @to_ns. */
struct analyze_source engine_source(struct analyze_engine *eng);
int engine_open(struct analyze_engine *eng, uint64_t to_ns, unsigned jobs, struct cdict_error *err);
/* engine_lead - the same from begin_ns on to the walk's end; @lead is told of what leads up to it, with the fields
 * of DIGEST_NEEDS. */
int engine_lead(struct analyze_engine *eng, void (*lead)(void *ctx, const struct cdict_event *ev),
		void *ctx, struct cdict_error *err);
void engine_close(struct analyze_engine *eng);
/* engine_begin, engine_begin_events - the two steps of analyze_engine_begin(). */
int engine_begin(struct analyze_engine *eng, struct cdict_reader *r, struct cdict_error *err);
int engine_begin_events(struct analyze_engine *eng, struct cdict_error *err);
/* engine_records - what the records of tasks tell up to @t_ns. */
void engine_records(struct analyze_engine *eng, uint64_t t_ns);
/* early_wakes.c: finds, in a capture without sched_wakeup, the waits that begin at a switch-out from @from_ns on; @at: of
 * the events before, whose rows' late_wait is set, or NULL. */
struct digest;
int early_wakes_find(struct analyze_engine *eng, uint64_t from_ns, struct digest *at,
		     struct cdict_error *err);
/* early_wakes_of_source - the same of all of @src, which begins again then. */
int early_wakes_of_source(struct analyze_engine *eng, const struct analyze_source *src,
			  struct cdict_error *err);
/* early_wakes_take - whether one begins with the switch-out of @tid at @out_ns. */
bool early_wakes_take(struct analyze_engine *eng, uint64_t out_ns, int32_t tid);
/* resume.c, with opts.digests: sets begin_ns, and the state there; whether nothing of the window is
 * open; what else is known of the tasks, once the walk has stopped early. */
int engine_resume(struct analyze_engine *eng, uint64_t t_ns, struct cdict_error *err);
bool engine_settled(const struct analyze_engine *eng);
/* engine_pending - an analysis, or a task in the disk's hands, waits for what came of it. */
bool engine_pending(const struct analyze_engine *eng);
int engine_stop(struct analyze_engine *eng, struct cdict_error *err);
/* engine_heeds - whether the task is one to know of. */
bool engine_heeds(const struct analyze_engine *eng, int32_t tid, int32_t pid);
/* engine_switches_later - whether @cpu has switches after the walk has stopped. */
bool engine_switches_later(const struct analyze_engine *eng, uint32_t cpu);
/* track.c: the CPUs' and tasks' states. */
void track_switch(struct analyze_engine *eng, const struct cdict_event *ev,
		  const struct type_info *ti);
void track_wake(struct analyze_engine *eng, const struct cdict_event *ev,
		const struct type_info *ti);
void track_exec(struct analyze_engine *eng, const struct cdict_event *ev,
		const struct type_info *ti);
void track_sample(struct analyze_engine *eng, const struct cdict_event *ev, bool in);
void track_gaps(struct analyze_engine *eng, uint64_t t_ns);
/* track_lose - the position of the task is unknown from @since_ns on. */
void track_lose(struct analyze_engine *eng, struct task *t, uint64_t since_ns);
/* track_gap_since - where the first gap in (from, to) begins, or ANALYZE_NO_TIME. */
uint64_t track_gap_since(const struct analyze_engine *eng, uint64_t from_ns, uint64_t to_ns);
/* track_some.c: of a recording of some tasks.  Who runs on @cpu is known to up to its last own event, for whoever
 * came after it has no switch-out. */
void track_end_at_own(struct analyze_engine *eng, uint32_t cpu);
/* track_begin_loose - @task, which is on no other CPU, runs on @cpu from now on; no other task is known to. */
void track_begin_loose(struct analyze_engine *eng, uint32_t cpu, uint32_t task);
/* track_settle - where the slice of @cpu's runner began, before it is told; @switched: it is switched out now. */
void track_settle(struct analyze_engine *eng, uint32_t cpu, bool switched);
/* track_runtime - sched_stat_runtime. */
void track_runtime(struct analyze_engine *eng, const struct cdict_event *ev,
		   const struct type_info *ti);
/* track_forget_runtime - @task is switched out, or it is not known where it is. */
static inline void track_forget_runtime(struct analyze_engine *eng, uint32_t task)
{
	if (task < eng->accounted.n)
		eng->accounted.at[task] = (struct accounted){ 0 };
}
void track_finish(struct analyze_engine *eng, uint64_t end_ns);
void track_tell_run(struct analyze_engine *eng, uint32_t cpu, uint32_t task, uint64_t start_ns,
		    uint64_t end_ns, bool start_seen, bool end_seen);
/* track_tell_wait - the task, of which is not known where it was, waits since it was woken. */
void track_tell_wait(struct analyze_engine *eng, const struct task *t, uint32_t cpu,
		     uint64_t end_ns, bool ended);
/* track_tell_in - @t, which was off its CPU as @before says, was switched in on @cpu at @at_ns. */
void track_tell_in(struct analyze_engine *eng, uint32_t cpu, const struct task *t,
		   const struct task_state *before, uint64_t at_ns);
void track_tell_away(struct analyze_engine *eng, const struct task *t, enum analyze_off off,
		     uint64_t start_ns, uint64_t end_ns, bool ended);
/* track_flush - tells of the samples that were counted together. */
void track_flush(struct analyze_engine *eng);

/* engine_window - of several windows the first that ends at @t or later; n_windows: none. */
size_t engine_window(const struct analyze_engine *eng, uint64_t t);

static inline bool engine_in(const struct analyze_engine *eng, uint64_t t)
{
	if (eng->windows) {
		size_t i = analyze_engine_window_of(eng, t);

		if (i == eng->n_windows || t < eng->windows[i].from_ns)
			return false;
		return t < eng->windows[i].to_ns || eng->closed;
	}
	return t >= eng->sum.from_ns &&
	       (t < eng->sum.to_ns || (t == eng->sum.to_ns && eng->closed));
}

/* clip - [*a, *b] inside the window; equal when nothing is left. */
static inline void engine_clip(const struct analyze_engine *eng, uint64_t *a, uint64_t *b)
{
	uint64_t lo = *a > eng->sum.from_ns ? *a : eng->sum.from_ns;
	uint64_t hi = *b < eng->sum.to_ns ? *b : eng->sum.to_ns;

	*a = lo;
	*b = hi > lo ? hi : lo;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/* internal.h - the engine's own state, shared by engine.c, table.c, gaps.c, types.c. */
#ifndef ANALYZE_WALK_INTERNAL_H
#define ANALYZE_WALK_INTERNAL_H

#include "analyze/printing/reasons.h"
#include "analyze/walk/ops.h"
#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/places.h"

/* --- types.c: where the fields of the known events are --- */

enum { FIELDS_MAX = 8 };

struct type_info {
	uint8_t kind;              /* enum analyze_kind */
	bool of_others;            /* perf also delivers it to the task that it is about */
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
enum { WAKE_PID, WAKE_TARGET, WAKE_COMM, WAKE_PRIO, WAKE_SUCCESS, WAKE_FLAGS };
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

/* types_fields - for each type a bitmap of the known fields of the kinds in @needs, and common_pid
 * if @common_pid; returns one allocation, NULL: out of memory. */
uint64_t **types_fields(const struct type_info *types, const struct cdict_schema *schema,
			unsigned needs, bool common_pid);
int types_resolve(struct type_info **out, const struct cdict_schema *schema,
		  struct state_table *states, struct analyze_summary *sum, struct cdict_error *err);

/* types_wakes - whether a wake-up woke its task: before Linux 4.3 the event has a field
 * "success". */
static inline bool types_wakes(const struct cdict_event *ev, const struct type_info *ti)
{
	return ti->field[WAKE_SUCCESS] < 0 || ev->values[ti->field[WAKE_SUCCESS]];
}

/* types_isa - the isa of a KVM_EXIT or KVM_REASON, as in reasons.h. */
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

/* types_prev_state, types_off - prev_state of a SWITCH and its class; without the field 0 and
 * ANALYZE_OFF_OTHER. */
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
	bool late;    /* the CPU was not recorded yet; no event was lost */
	uint64_t from_ns, to_ns;
	uint64_t reach_ns; /* the largest to_ns of this gap and those before it */
};

/* Each list by from_ns. A gap of any CPU is stored once, not once per CPU: their product is unbounded. */
struct gap_set {
	struct gap *all;
	size_t n;
	struct gap *lost; /* those in which events were lost; is @all if all are */
	size_t n_lost;
	struct gap *any; /* of an unknown CPU; is @all if all are */
	size_t n_any;
	struct gap *own; /* by CPU: those of CPU c are own[begin[c]] to own[begin[c + 1] - 1] */
	size_t *begin;
	uint32_t cpus;
};

int gaps_init(struct gap_set *set, const struct analyze_source *src, const struct type_info *types,
	      unsigned kinds, uint32_t cpus, struct cdict_error *err);
void gaps_fini(struct gap_set *set);
uint64_t gaps_search(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns);
/* gaps_find - where events of @cpu (CDICT_CPU_UNKNOWN: of any CPU) are missing first in [from_ns, to_ns), or
 * ANALYZE_NO_TIME.  Often the only gaps are at the begin, of CPUs that were recorded late: most calls need no search. */
static inline uint64_t gaps_find(const struct gap_set *set, uint32_t cpu, uint64_t from_ns,
				 uint64_t to_ns)
{
	if (!set->n || set->all[set->n - 1].reach_ns <= from_ns)
		return ANALYZE_NO_TIME;
	return gaps_search(set, cpu, from_ns, to_ns);
}
/* gaps_lost - like gaps_find() of any CPU, but only gaps in which events were lost. */
uint64_t gaps_lost(const struct gap_set *set, uint64_t from_ns, uint64_t to_ns);
/* gaps_end - the end of the chain of touching gaps that contains @from_ns (else @from_ns); @to_ns
 * at most. */
uint64_t gaps_end(const struct gap_set *set, uint64_t from_ns, uint64_t to_ns);
/* gaps_blind - among the gaps of @cpu that end after @from_ns and begin before @to_ns: the begin of
 * the last one, @from_ns at least, and the latest end; returns false if there is none. */
bool gaps_blind(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		uint64_t *begin_ns, uint64_t *end_ns);
/* gaps_ns - the time in [from_ns, to_ns] in which events of @cpu (or of any CPU) were lost;
 * overlaps count once. */
uint64_t gaps_ns(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns);

/* --- table.c: which task is which --- */

enum task_where { TASK_NEVER, TASK_ON, TASK_OFF, TASK_LOST };

struct task {
	struct analyze_task pub;
	uint64_t since_ns; /* ON: switch-in; OFF: switch-out; LOST: unknown from then on */
	uint64_t ready_ns; /* first wake-up since the switch-out, or ANALYZE_NO_TIME */
	uint64_t moved_ns; /* last switch in or out, or ANALYZE_NO_TIME */
	uint64_t ran_ns;   /* closed slices, from the walk's start */
	uint64_t named_ns; /* latest record of its comm, or ANALYZE_NO_TIME */
	uint32_t cpu;      /* last on */
	uint8_t where;     /* enum task_where */
	uint8_t off;       /* enum analyze_off, while OFF */
	bool io;           /* sched_stat_iowait since the switch-out */
	bool gone;         /* switched out dead */
	bool appeared;     /* it may have run unseen since its birth */
	bool recorded;     /* SCOPE_TASKS: its own events were recorded */
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
	uint64_t births;      /* tids that were reused: earlier look-ups are stale */
	uint32_t *idle;       /* per CPU, ANALYZE_NO_TASK */
	uint32_t n_idle;
	bool failed; /* out of memory, once */
};

int table_init(struct task_table *tab, uint32_t cpus);
void table_fini(struct task_table *tab);
/* table_find - the current task of @tid, created if new; ANALYZE_NO_TASK when out of memory (then
 * tab->failed) or @tid is negative. tid 0: IDLE of @cpu. */
uint32_t table_find(struct task_table *tab, int32_t tid, uint32_t cpu);
/* table_peek - like table_find(), but ANALYZE_NO_TASK if there is none. */
uint32_t table_peek(const struct task_table *tab, int32_t tid);
/* table_birth - @tid is a new task from @t_ns on. */
uint32_t table_birth(struct task_table *tab, int32_t tid, int32_t pid, int32_t ppid, uint64_t t_ns);
void task_comm(struct task *t, const void *comm, size_t len);

/* --- engine.c --- */

/* An event contradicted the CPU's current task: unknown up to its next switch. */
#define BLIND_TO_SWITCH UINT64_MAX

struct cpu_state {
	uint32_t cur;        /* the running task, ANALYZE_NO_TASK: unknown */
	uint64_t cur_births; /* task_table.births when @cur was looked up */
	uint64_t since_ns;   /* start of this piece */
	uint64_t blind_ns; /* cur is unknown up to here at least; later, a switch's prev shows it */
	bool seen;         /* a switch started the piece */
	uint64_t unknown_ns; /* in the window */
	bool any;            /* a task was known to run here */
	/* The latest sample's task: saves look-ups and batches the count of its events. */
	uint32_t last;
	int32_t last_tid, last_pid;
	uint64_t births;  /* task_table.births when @last was looked up */
	uint64_t last_ns; /* of the latest sample */
	uint64_t samples; /* in the window, not reported yet */
	bool counts;      /* selected by analyze_options.cpus */
	bool loose;       /* SCOPE_TASKS: the switch-in of cur is not known yet: struct loose_run */
	uint64_t own_ns;  /* SCOPE_TASKS: time of cur's latest own event, or of its switch-in */
};

/* SCOPE_TASKS only, to keep cpu_state small for whole systems: a CPU whose task has run since
 * cpu_state.since_ns at the latest. track_settle() finds the start of its slice, not before
 * @floor_ns, and accounts for the CPU since @unseen_ns and the task since @before. */
struct loose_run {
	uint64_t unseen_ns, floor_ns;
	struct task_state before;
};

/* The time that sched_stat_runtime accounted to a task since its switch-in; to_ns is 0 when
 * none. */
struct accounted {
	uint64_t from_ns, to_ns;
};

struct hook {
	const struct analyze_ops *ops;
	void *self;
};

/* The task that woke another one still on its CPU, and the waker's CPU: early_wakes.c. */
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
	/* hooks by the callback they implement; ops NULL ends each list */
	struct hook *on_run, *on_away, *on_sw, *on_wake, *on_sched, *on_kvm, *on_events, *on_event,
		*on_syscall, *on_sample, *on_in;
	unsigned needs;
	unsigned asked; /* those of @needs that analyses requested */

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
	uint64_t begin_ns; /* of the walked events */
	bool closed;       /* the window's end is the capture's last event */
	/* With several windows: those that remain of opts.windows, then one that never begins;
	 * NULL: one window. */
	struct timespec_window *windows;
	size_t n_windows;
	bool walk_all; /* some analysis needs all events */
	bool may_stop; /* after the window, when nothing is open */
	bool stopped;
	bool open;      /* the capture ended before everything in the window was over */
	bool at_end;    /* of new tasks only some are still kept: engine_heeds() */
	struct map vms; /* pids */
	uint32_t past;  /* events after the window */
	ARRAY(struct resume_wait) waits; /* at its begin */
	struct digest_switch *ahead;     /* by CPU: the next switch, if it was looked up */
	struct digest *at;               /* where the walk began, NULL: at the capture's start */
	bool ran, out_of_memory;
	struct analyze_summary sum;

	const struct cdict_task_event **records; /* by time */
	size_t n_records, next_record;
	uint64_t record_ns; /* of the next one, UINT64_MAX after the last */

	uint32_t (*stack)(void *ctx); /* of the source, or NULL */
	void *stack_ctx;
	struct cdict_reader *reader; /* of a walk in steps */
	struct cdict_events *it;
	/* led: the events before @it were reported; has_first: @first holds its first event, not
	 * returned yet. */
	bool led, has_first;
	struct cdict_event first;

	struct loose_run *loose;                /* by CPU; NULL unless SCOPE_TASKS */
	ARRAY(struct accounted) accounted;      /* by task, as far as needed; SCOPE_TASKS only */
	ARRAY(struct early_wake) early;         /* by out_ns */
	ARRAY(struct early_waker) early_wakers; /* by task, as far as needed; only with @early */
	size_t next_early;

	/* For a walk in two parts. */
	uint64_t part_ns; /* first part: where the later one begins; else 0 */
	bool is_later, walked, joined;
	struct task_table start;      /* later part: tasks (all alone), */
	struct cpu_state *start_cpus; /* and CPUs at its begin */
};

int engine_prepare(struct analyze_engine *eng, const struct analyze_source *src,
		   struct cdict_error *err);
/* engine_walk - walks at most @events of @src; returns 1: there are more, 0: at the end; the
 * analyses have then finished, unless this is a part. */
int engine_walk(struct analyze_engine *eng, const struct analyze_source *src, uint64_t events,
		struct cdict_error *err);
/* engine_end - after the last event. */
int engine_end(struct analyze_engine *eng, struct cdict_error *err);
/* engine_failed - whether the walk failed: no more callbacks, no figures. */
bool engine_failed(const struct analyze_engine *eng);
/* engine_source, engine_open - in reader.c: the source of eng->reader; starts reading its events up
 * to @to_ns. */
struct analyze_source engine_source(struct analyze_engine *eng);
int engine_open(struct analyze_engine *eng, uint64_t to_ns, unsigned jobs, struct cdict_error *err);
/* engine_lead - like engine_open(), but from begin_ns to the walk's end; earlier events are passed
 * to @lead, with the fields of DIGEST_NEEDS. */
int engine_lead(struct analyze_engine *eng, void (*lead)(void *ctx, const struct cdict_event *ev),
		void *ctx, struct cdict_error *err);
void engine_close(struct analyze_engine *eng);
/* engine_begin, engine_begin_events - the two steps of analyze_engine_begin(). */
int engine_begin(struct analyze_engine *eng, struct cdict_reader *r, struct cdict_error *err);
int engine_begin_events(struct analyze_engine *eng, struct cdict_error *err);
/* engine_records - applies the task records up to @t_ns. */
void engine_records(struct analyze_engine *eng, uint64_t t_ns);
/* early_wakes.c: finds, in a capture without sched_wakeup, the waits that begin at a switch-out
 * from @from_ns on; @at: the digest of the events before, in whose rows late_wait is set, or
 * NULL. */
struct digest;
int early_wakes_find(struct analyze_engine *eng, uint64_t from_ns, struct digest *at,
		     struct cdict_error *err);
/* early_wakes_of_source - like early_wakes_find(), but for all of @src, which is then rewound. */
int early_wakes_of_source(struct analyze_engine *eng, const struct analyze_source *src,
			  struct cdict_error *err);
/* early_wakes_take - whether such a wait begins with the switch-out of @tid at @out_ns. */
bool early_wakes_take(struct analyze_engine *eng, uint64_t out_ns, int32_t tid);
/* resume.c, with opts.digests. engine_resume - sets begin_ns and the state there; engine_settled -
 * whether nothing in the window is open; engine_stop - reads the remaining facts about the tasks after
 * the walk has stopped early. */
int engine_resume(struct analyze_engine *eng, uint64_t t_ns, struct cdict_error *err);
bool engine_settled(const struct analyze_engine *eng);
/* engine_pending - whether an analysis still needs later events, or a task is in a disk sleep. */
bool engine_pending(const struct analyze_engine *eng);
int engine_stop(struct analyze_engine *eng, struct cdict_error *err);
/* engine_heeds - whether to keep the task. */
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
/* track_some.c: recordings of some tasks. track_end_at_own - ends the task running on @cpu at its
 * last own event, as its switch-out was not recorded; its position is then unknown. */
void track_end_at_own(struct analyze_engine *eng, uint32_t cpu);
/* track_begin_loose - @task, on no other CPU, now runs on @cpu, where no other task is known to
 * run. */
void track_begin_loose(struct analyze_engine *eng, uint32_t cpu, uint32_t task);
/* track_settle - finds the start of the running slice of @cpu before it is reported; @switched: its
 * task is being switched out. */
void track_settle(struct analyze_engine *eng, uint32_t cpu, bool switched);
/* track_runtime - handles sched_stat_runtime. */
void track_runtime(struct analyze_engine *eng, const struct cdict_event *ev,
		   const struct type_info *ti);
/* track_forget_runtime - @task is switched out, or its position is unknown. */
static inline void track_forget_runtime(struct analyze_engine *eng, uint32_t task)
{
	if (task < eng->accounted.n)
		eng->accounted.at[task] = (struct accounted){ 0 };
}
void track_finish(struct analyze_engine *eng, uint64_t end_ns);
void track_notify_run(struct analyze_engine *eng, uint32_t cpu, uint32_t task, uint64_t start_ns,
		      uint64_t end_ns, bool start_seen, bool end_seen);
/* track_notify_wait - reports that the task, whose position was unknown, has waited since its
 * wake-up. */
void track_notify_wait(struct analyze_engine *eng, const struct task *t, uint32_t cpu,
		       uint64_t end_ns, bool ended);
/* track_notify_in - reports that @t, off its CPU as in @before, was switched in on @cpu at @at_ns. */
void track_notify_in(struct analyze_engine *eng, uint32_t cpu, const struct task *t,
		     const struct task_state *before, uint64_t at_ns);
void track_notify_away(struct analyze_engine *eng, const struct task *t, enum analyze_off off,
		       uint64_t start_ns, uint64_t end_ns, bool ended);
/* track_flush - reports the samples that were counted together. */
void track_flush(struct analyze_engine *eng);

/* engine_window - the first of several windows that ends at @t or later; n_windows: none. */
size_t engine_window(const struct analyze_engine *eng, uint64_t t);

static inline bool engine_in(const struct analyze_engine *eng, uint64_t t)
{
	if (eng->windows) {
		size_t i = analyze_engine_window_of(eng, t);

		if (t < eng->windows[i].from_ns)
			return false;
		return t < eng->windows[i].to_ns || eng->closed;
	}
	return t >= eng->sum.from_ns &&
	       (t < eng->sum.to_ns || (t == eng->sum.to_ns && eng->closed));
}

/* engine_clip - clips [*a, *b] to the window; *a == *b when nothing is left. */
static inline void engine_clip(const struct analyze_engine *eng, uint64_t *a, uint64_t *b)
{
	uint64_t lo = *a > eng->sum.from_ns ? *a : eng->sum.from_ns;
	uint64_t hi = *b < eng->sum.to_ns ? *b : eng->sum.to_ns;

	*a = lo;
	*b = hi > lo ? hi : lo;
}

#endif

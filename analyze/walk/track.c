// SPDX-License-Identifier: LGPL-2.1-only
/*
 * track.c - the task running on each CPU, and since when other tasks are off.
 *
 * The state comes from switches: the next of one is the prev of the CPU's following one. At the
 * walk's start and after a gap the first switch's prev also shows the time before it.
 * Contradictions become unknown time, never guesses.
 */
#include <string.h>

#include "analyze/walk/internal.h"

static struct task *task_at(struct analyze_engine *eng, uint32_t index)
{
	return &eng->table.all.at[index];
}

/* Cheap while no gap has begun. */
uint64_t track_gap_since(const struct analyze_engine *eng, uint64_t from_ns, uint64_t to_ns)
{
	if (eng->reach_ns <= from_ns)
		return ANALYZE_NO_TIME;
	return gaps_find(&eng->sched_gaps, CDICT_CPU_UNKNOWN, from_ns, to_ns);
}

/* Until when in (t->since_ns, to) a task off its CPU is known to be off: up to the first gap; if
 * some CPUs or tasks were not recorded it may run unseen from the start. */
static uint64_t known_off_until(const struct analyze_engine *eng, const struct task *t,
				uint64_t to_ns)
{
	if (eng->sum.scope.kind != SCOPE_SYSTEM)
		return t->since_ns;
	return track_gap_since(eng, t->since_ns, to_ns);
}

/* Whether the task is known to be woken and to wait, while its position before is unknown. */
static bool waits_somewhere(const struct analyze_engine *eng, const struct task *t, uint64_t end_ns)
{
	return t->where != TASK_ON && t->ready_ns != ANALYZE_NO_TIME &&
	       track_gap_since(eng, t->ready_ns, end_ns) == ANALYZE_NO_TIME &&
	       (t->where != TASK_OFF ||
		track_gap_since(eng, t->since_ns, end_ns) != ANALYZE_NO_TIME);
}

/* Reports the wait of @t in the window; from @end_ns on nothing is known of it. The walk may have gone on after the window:
 * what is lost there does not matter. */
static void notify_open_wait(struct analyze_engine *eng, const struct task *t, uint64_t end_ns)
{
	if (end_ns > eng->sum.to_ns)
		end_ns = eng->sum.to_ns;
	if (waits_somewhere(eng, t, end_ns))
		track_notify_wait(eng, t, t->cpu, end_ns, false);
}

void track_lose(struct analyze_engine *eng, struct task *t, uint64_t since_ns)
{
	track_forget_runtime(eng, t->pub.index);
	t->where = TASK_LOST;
	t->since_ns = since_ns;
	t->ready_ns = ANALYZE_NO_TIME;
}

/* The task on @cpu, known from samples alone, did not run until now: ends it at its last sample. */
static void end_at_last_sample(struct analyze_engine *eng, uint32_t cpu)
{
	struct cpu_state *c = &eng->cpus[cpu];
	uint64_t at = c->last_ns > c->since_ns ? c->last_ns : c->since_ns;

	track_notify_run(eng, cpu, c->cur, c->since_ns, at, false, false);
	track_lose(eng, task_at(eng, c->cur), at);
	c->since_ns = at;
	c->cur = ANALYZE_NO_TASK;
	eng->sum.mismatches += engine_in(eng, eng->now_ns);
}

static bool is_of_tasks(const struct analyze_engine *eng)
{
	return eng->sum.scope.kind == SCOPE_TASKS;
}

/* The task turns up elsewhere although it was taken to run on its CPU: ends that. */
static void leave_cpu(struct analyze_engine *eng, struct task *t)
{
	struct cpu_state *c = t->cpu < eng->n_cpus ? &eng->cpus[t->cpu] : NULL;

	if (!c || c->cur != t->pub.index) {
		track_lose(eng, t, t->since_ns);
	} else if (is_of_tasks(eng)) {
		track_end_at_own(eng, t->cpu);
	} else if (!c->seen && c->last == c->cur) {
		end_at_last_sample(eng, t->cpu);
		c->blind_ns = eng->now_ns;
	} else {
		track_lose(eng, t, t->since_ns);
		c->cur = ANALYZE_NO_TASK;
		c->blind_ns = BLIND_TO_SWITCH;
		eng->sum.mismatches += engine_in(eng, eng->now_ns);
	}
}

/* A task turns up running at @at, without a switch-in, on a CPU with an unknown task since
 * @unseen_ns: reports its time before as far as it is known. */
static void turn_up(struct analyze_engine *eng, struct task *t, uint64_t unseen_ns, uint64_t at)
{
	uint64_t off;

	switch ((enum task_where)t->where) {
	case TASK_NEVER:
		break;
	case TASK_ON:
		leave_cpu(eng, t);
		/* fall through */
	case TASK_LOST:
		track_notify_away(eng, t, ANALYZE_OFF_UNKNOWN, t->since_ns, at, false);
		break;
	case TASK_OFF:
		off = known_off_until(eng, t, at);
		if (off == ANALYZE_NO_TIME)
			off = unseen_ns > t->since_ns ? unseen_ns : t->since_ns;
		if (off > at)
			off = at;
		track_notify_away(eng, t, (enum analyze_off)t->off, t->since_ns, off, false);
		track_notify_away(eng, t, ANALYZE_OFF_UNKNOWN, off, at, false);
		break;
	}
}

/* Whether @t may have run since @since_ns. */
static bool plausible(const struct task *t, uint64_t since_ns)
{
	return t->where != TASK_ON && (t->where != TASK_LOST || t->since_ns <= since_ns) &&
	       (t->moved_ns == ANALYZE_NO_TIME || t->moved_ns < since_ns);
}

static void mention(struct analyze_engine *eng, struct task *t)
{
	if (t->pub.first_ns == ANALYZE_NO_TIME)
		t->pub.first_ns = eng->now_ns;
	t->pub.last_ns = eng->now_ns;
}

/* The task of @tid; if it was switched out dead, a new task from now on. */
static uint32_t living(struct analyze_engine *eng, int32_t tid, uint32_t cpu)
{
	uint32_t i = table_find(&eng->table, tid, cpu);

	if (i != ANALYZE_NO_TASK && task_at(eng, i)->gone)
		i = table_birth(&eng->table, tid, task_at(eng, i)->pub.pid, -1, eng->now_ns);
	if (i != ANALYZE_NO_TASK)
		mention(eng, task_at(eng, i));
	return i;
}

static void comm_of(const struct cdict_event *ev, int field, struct task *t)
{
	struct cdict_bytes b;

	if (field < 0 || t->pub.tid == 0)
		return;
	b = cdict_event_bytes(ev, (size_t)field);
	if (b.len < sizeof(t->pub.comm) && !t->pub.comm[b.len] &&
	    !memcmp(t->pub.comm, b.data, b.len))
		return;
	if (b.len)
		task_comm(t, b.data, strnlen((const char *)b.data, b.len));
}

/* @prev is switched out on @cpu, and its switch-in is missing. */
static void appear(struct analyze_engine *eng, uint32_t cpu, uint32_t prev)
{
	struct task *p = task_at(eng, prev);
	uint64_t since_ns = eng->cpus[cpu].since_ns;

	/* Not seen before: it had some of the time in which the running task is unknown. */
	if (p->where == TASK_NEVER) {
		p->appeared = true;
		p->cpu = cpu;
		if (p->pub.born_ns != ANALYZE_NO_TIME && p->pub.born_ns > since_ns)
			since_ns = p->pub.born_ns;
		track_notify_away(eng, p, ANALYZE_OFF_UNKNOWN, since_ns, eng->now_ns, false);
	}
	turn_up(eng, p, eng->cpus[cpu].since_ns, eng->now_ns);
}

/* Ends the piece of @cpu in which @prev is switched out. */
static void end_piece(struct analyze_engine *eng, uint32_t cpu, uint32_t prev)
{
	struct cpu_state *c = &eng->cpus[cpu];
	uint64_t t = eng->now_ns, from;

	task_at(eng, prev)->recorded = true;
	if (c->cur == prev) {
		track_notify_run(eng, cpu, prev, c->since_ns, t, c->seen, true);
		return;
	}
	if (c->cur != ANALYZE_NO_TASK) {
		eng->sum.mismatches += engine_in(eng, eng->now_ns);
		track_lose(eng, task_at(eng, c->cur), c->since_ns);
		track_notify_run(eng, cpu, ANALYZE_NO_TASK, c->since_ns, t, false, true);
		appear(eng, cpu, prev);
		return;
	}
	from = c->blind_ns > c->since_ns ? c->blind_ns : c->since_ns;
	if (from > t || !plausible(task_at(eng, prev), from))
		from = t;
	track_notify_run(eng, cpu, ANALYZE_NO_TASK, c->since_ns, from, false, false);
	if (c->blind_ns == BLIND_TO_SWITCH)
		appear(eng, cpu, prev);
	else
		turn_up(eng, task_at(eng, prev), c->since_ns, from);
	if (from < t)
		track_notify_run(eng, cpu, prev, from, t, false, true);
}

/* In a recording of some tasks: @prev, which is switched out, ran on @cpu; settles since when. */
static void own_slice(struct analyze_engine *eng, uint32_t cpu, uint32_t prev)
{
	struct cpu_state *c = &eng->cpus[cpu];

	if (c->cur != prev) {
		track_end_at_own(eng, cpu);
		if (task_at(eng, prev)->where == TASK_ON)
			leave_cpu(eng, task_at(eng, prev));
		track_begin_loose(eng, cpu, prev);
	}
	track_settle(eng, cpu, true);
}

/* The value of a priority field, if an analysis needs it. */
static int32_t priority(const struct analyze_engine *eng, const struct cdict_event *ev, int field)
{
	if (field < 0 || !(eng->needs & ANALYZE_NEED_PRIORITIES))
		return ANALYZE_NO_PRIO;
	return (int32_t)ev->values[field];
}

/* Reports the wake-up of @task, which is switched out on @cpu but was woken before:
 * early_wakes.c. */
static void wake_late(struct analyze_engine *eng, uint32_t cpu, uint32_t task)
{
	bool known = task < eng->early_wakers.n && eng->early_wakers.at[task].any;
	struct early_waker by =
		known ? eng->early_wakers.at[task]
		      : (struct early_waker){ .task = ANALYZE_NO_TASK, .cpu = CDICT_CPU_UNKNOWN };
	struct analyze_wake wake = { .t_ns = eng->now_ns,
				     .cpu = by.cpu,
				     .kind = ANALYZE_KIND_WAKING,
				     .in = engine_in(eng, eng->now_ns),
				     .first = true,
				     .late = true,
				     .waker = by.task,
				     .task = task,
				     .target_cpu = cpu,
				     .prio = ANALYZE_NO_PRIO };

	task_at(eng, task)->ready_ns = eng->now_ns;
	for (const struct hook *h = eng->on_wake; h->ops; h++)
		if (h->ops->late_wakes && (h->ops->all_cpus || analyze_engine_counts(eng, cpu)))
			h->ops->wake(h->self, &wake);
}

void track_switch(struct analyze_engine *eng, const struct cdict_event *ev,
		  const struct type_info *ti)
{
	struct cpu_state *c = &eng->cpus[ev->cpu];
	uint64_t t = eng->now_ns;
	struct analyze_switch sw = { .t_ns = t,
				     .cpu = ev->cpu,
				     .in = engine_in(eng, t),
				     .slice_start_ns = ANALYZE_NO_TIME,
				     .away_ns = ANALYZE_NO_TIME,
				     .ready_ns = ANALYZE_NO_TIME };
	struct task *p, *n;

	sw.prev = c->cur;
	if (sw.prev != ANALYZE_NO_TASK &&
	    task_at(eng, sw.prev)->pub.tid == (int32_t)ev->values[ti->field[SW_PREV_PID]])
		mention(eng, task_at(eng, sw.prev));
	else
		sw.prev = living(eng, (int32_t)ev->values[ti->field[SW_PREV_PID]], ev->cpu);
	sw.next = living(eng, (int32_t)ev->values[ti->field[SW_NEXT_PID]], ev->cpu);
	if (sw.prev == ANALYZE_NO_TASK || sw.next == ANALYZE_NO_TASK)
		return;
	p = task_at(eng, sw.prev);
	n = task_at(eng, sw.next);
	sw.prev_state = types_prev_state(ti, ev);
	sw.prev_prio = priority(eng, ev, ti->field[SW_PREV_PRIO]);
	sw.next_prio = priority(eng, ev, ti->field[SW_NEXT_PRIO]);
	sw.off = types_off(ti, &eng->states, ev);
	sw.involuntary = p->pub.tid &&
			 (sw.off == ANALYZE_OFF_RUNNABLE || sw.off == ANALYZE_OFF_PREEMPTED);
	comm_of(ev, ti->field[SW_PREV_COMM], p);
	if (!n->pub.comm[0])
		comm_of(ev, ti->field[SW_NEXT_COMM], n);

	if (is_of_tasks(eng))
		own_slice(eng, ev->cpu, sw.prev);
	if (c->cur == sw.prev && c->seen)
		sw.slice_start_ns = c->since_ns;
	end_piece(eng, ev->cpu, sw.prev);
	p->where = TASK_OFF;
	p->off = (uint8_t)sw.off;
	p->gone = sw.off == ANALYZE_OFF_DEAD && p->pub.tid;
	p->since_ns = p->moved_ns = t;
	p->ready_ns = ANALYZE_NO_TIME;
	track_forget_runtime(eng, p->pub.index);
	p->io = false;
	p->cpu = ev->cpu;

	sw.last_cpu = n->cpu;
	sw.away = ANALYZE_OFF_UNKNOWN;
	if (eng->sum.scope.kind == SCOPE_CPUS) {
		/* Its position since, and the begin of its wait, may be on CPUs that were not
		 * recorded. */
		sw.last_cpu = CDICT_CPU_UNKNOWN;
		n->ready_ns = ANALYZE_NO_TIME;
		turn_up(eng, n, t, t);
	} else if (n->where == TASK_OFF &&
		   track_gap_since(eng, n->since_ns, t) == ANALYZE_NO_TIME) {
		sw.away_ns = n->since_ns;
		sw.away = (enum analyze_off)n->off;
		track_notify_away(eng, n, sw.away, n->since_ns, t, true);
	} else {
		sw.incomplete = n->where != TASK_NEVER;
		turn_up(eng, n, t, t);
	}
	if (n->ready_ns != ANALYZE_NO_TIME) {
		if (track_gap_since(eng, n->ready_ns, t) == ANALYZE_NO_TIME) {
			sw.ready_ns = n->ready_ns;
		} else {
			sw.incomplete = true;
			if (t > eng->sum.to_ns)
				notify_open_wait(eng, n, t);
		}
		if (sw.ready_ns != ANALYZE_NO_TIME && sw.away_ns == ANALYZE_NO_TIME)
			track_notify_wait(eng, n, ev->cpu, t, true);
	}
	n->ready_ns = ANALYZE_NO_TIME;
	n->cpu = ev->cpu;
	n->since_ns = n->moved_ns = t;

	eng->sum.switches += sw.in;
	for (const struct hook *h = eng->on_sw; h->ops; h++)
		if (c->counts || h->ops->all_cpus)
			h->ops->sw(h->self, &sw);

	if (eng->early.n && early_wakes_take(eng, t, task_at(eng, sw.prev)->pub.tid))
		wake_late(eng, ev->cpu, sw.prev);

	c->since_ns = c->own_ns = t;
	if (t < c->blind_ns && c->blind_ns != BLIND_TO_SWITCH) {
		/* Inside a gap: it was switched in, but for an unknown time. */
		n->where = TASK_LOST;
		c->cur = ANALYZE_NO_TASK;
	} else {
		n->where = TASK_ON;
		c->cur = sw.next;
		c->cur_births = eng->table.births;
		c->blind_ns = 0;
	}
	c->seen = true;
}

/* Notes that the task running on @cpu wakes @task, which may be on its CPU. */
static void keep_waker(struct analyze_engine *eng, uint32_t task, uint32_t cpu)
{
	if (task >= eng->early_wakers.n && array_resize(&eng->early_wakers, (size_t)task + 1)) {
		analyze_engine_out_of_memory(eng);
		return;
	}
	eng->early_wakers.at[task] = (struct early_waker){ .any = true,
							   .task = analyze_engine_sampled(eng, cpu),
							   .cpu = cpu };
}

void track_wake(struct analyze_engine *eng, const struct cdict_event *ev,
		const struct type_info *ti)
{
	enum analyze_kind kind = (enum analyze_kind)ti->kind;
	struct analyze_wake wake = { .t_ns = eng->now_ns,
				     .cpu = ev->cpu,
				     .kind = kind,
				     .in = engine_in(eng, eng->now_ns),
				     .target_cpu = CDICT_CPU_UNKNOWN };
	struct task *t;

	wake.task = living(eng, (int32_t)ev->values[ti->field[WAKE_PID]], CDICT_CPU_UNKNOWN);
	if (wake.task == ANALYZE_NO_TASK || !types_wakes(ev, ti))
		return;
	t = task_at(eng, wake.task);
	if (!t->pub.comm[0])
		comm_of(ev, ti->field[WAKE_COMM], t);
	if (ti->field[WAKE_TARGET] >= 0)
		wake.target_cpu = (uint32_t)ev->values[ti->field[WAKE_TARGET]];
	wake.prio = priority(eng, ev, ti->field[WAKE_PRIO]);
	if (eng->needs & ANALYZE_NEED_CONTEXT && ti->field[WAKE_FLAGS] >= 0)
		wake.irq = ev->values[ti->field[WAKE_FLAGS]] & (0x08 | 0x10);
	wake.first = t->where != TASK_ON && t->ready_ns == ANALYZE_NO_TIME;
	if (wake.first)
		t->ready_ns = eng->now_ns;
	/* The latest before a switch-out counts, even if the task's switch-in is unknown. */
	if (eng->early.n)
		keep_waker(eng, wake.task, ev->cpu);
	for (const struct hook *h = eng->on_wake; h->ops; h++)
		if (h->ops->all_cpus || analyze_engine_counts(eng, ev->cpu))
			h->ops->wake(h->self, &wake);
}

/* A thread that is not its group's leader and execs takes over the leader's tid. */
void track_exec(struct analyze_engine *eng, const struct cdict_event *ev,
		const struct type_info *ti)
{
	int32_t tid = (int32_t)ev->values[ti->field[EXEC_PID]];
	int32_t old_tid = (int32_t)ev->values[ti->field[EXEC_OLD]];
	struct cpu_state *c;
	uint32_t old, leader;

	if (tid == old_tid || ev->cpu >= eng->n_cpus)
		return;
	c = &eng->cpus[ev->cpu];
	old = table_peek(&eng->table, old_tid);
	leader = table_find(&eng->table, tid, ev->cpu);
	if (old == ANALYZE_NO_TASK || leader == ANALYZE_NO_TASK || c->cur != old)
		return;
	track_settle(eng, ev->cpu, false);
	track_notify_run(eng, ev->cpu, old, c->since_ns, eng->now_ns, c->seen, false);
	task_at(eng, old)->where = TASK_OFF;
	task_at(eng, old)->off = ANALYZE_OFF_DEAD;
	task_at(eng, old)->gone = true;
	task_at(eng, old)->moved_ns = eng->now_ns;
	if (!task_at(eng, leader)->gone)
		turn_up(eng, task_at(eng, leader), 0, eng->now_ns);
	task_at(eng, leader)->where = TASK_ON;
	task_at(eng, leader)->gone = false;
	task_at(eng, leader)->since_ns = task_at(eng, leader)->moved_ns = eng->now_ns;
	task_at(eng, leader)->cpu = ev->cpu;
	mention(eng, task_at(eng, leader));
	c->cur = leader;
	c->cur_births = eng->table.births;
	c->since_ns = c->own_ns = eng->now_ns;
	c->seen = false;
}

/* Reports the samples that were counted together. */
static void flush_samples(struct analyze_engine *eng, uint32_t cpu)
{
	struct cpu_state *c = &eng->cpus[cpu];

	if (c->last == ANALYZE_NO_TASK)
		return;
	if (c->last_ns > task_at(eng, c->last)->pub.last_ns)
		task_at(eng, c->last)->pub.last_ns = c->last_ns;
	if (!c->samples)
		return;
	task_at(eng, c->last)->pub.events += c->samples;
	for (const struct hook *h = eng->on_events; h->ops; h++)
		h->ops->events(h->self, c->last, cpu, c->samples);
	c->samples = 0;
}

/* A sample with an unknown CPU only concerns its task. */
static void sample_of_no_cpu(struct analyze_engine *eng, const struct cdict_event *ev, bool in)
{
	uint32_t i = ev->tid > 0 ? table_find(&eng->table, ev->tid, CDICT_CPU_UNKNOWN)
				 : ANALYZE_NO_TASK;

	if (i == ANALYZE_NO_TASK)
		return;
	mention(eng, task_at(eng, i));
	task_at(eng, i)->recorded = true;
	task_at(eng, i)->pub.events += in;
	for (const struct hook *h = eng->on_events; in && h->ops; h++)
		h->ops->events(h->self, i, CDICT_CPU_UNKNOWN, 1);
}

/* Handles a sample of another task than the CPU's last one. */
static bool other_sample(struct analyze_engine *eng, const struct cdict_event *ev)
{
	struct cpu_state *c = &eng->cpus[ev->cpu];
	enum analyze_kind kind = (enum analyze_kind)eng->types[ev->type->index].kind;
	uint32_t i;

	/* After a switch it is mostly the task that was switched in. */
	if (c->cur != ANALYZE_NO_TASK && c->cur_births == eng->table.births &&
	    task_at(eng, c->cur)->pub.tid == ev->tid)
		i = c->cur;
	else
		i = table_find(&eng->table, ev->tid, ev->cpu);
	if (i == ANALYZE_NO_TASK)
		return false;
	flush_samples(eng, ev->cpu);
	if (c->cur != ANALYZE_NO_TASK && !c->seen && !is_of_tasks(eng) &&
	    task_at(eng, c->cur)->pub.tid != ev->tid && kind != ANALYZE_KIND_SWITCH &&
	    kind != ANALYZE_KIND_EXEC) {
		/* The switch between the two was not seen. */
		end_at_last_sample(eng, ev->cpu);
		c->blind_ns = eng->now_ns;
	}
	c->last = i;
	c->last_tid = ev->tid;
	c->last_pid = ev->pid;
	c->births = eng->table.births;
	mention(eng, task_at(eng, i));
	if (ev->pid > 0)
		task_at(eng, i)->pub.pid = ev->pid;
	return true;
}

/* The latest sample's task has run on @cpu since @from_ns. */
static void start_piece(struct analyze_engine *eng, uint32_t cpu, uint64_t from_ns)
{
	struct cpu_state *c = &eng->cpus[cpu];
	struct task *t = task_at(eng, c->last);

	t->where = TASK_ON;
	t->since_ns = t->moved_ns = from_ns;
	t->ready_ns = ANALYZE_NO_TIME;
	t->cpu = cpu;
	c->cur = c->last;
	c->cur_births = c->births;
	c->since_ns = from_ns;
	c->seen = false;
	c->blind_ns = 0;
}

/* No task is known to run on @cpu: takes its last sample's task, if plausible. */
static void take_runner(struct analyze_engine *eng, uint32_t cpu)
{
	struct cpu_state *c = &eng->cpus[cpu];
	struct task *t = task_at(eng, c->last);
	uint64_t from = c->blind_ns > c->since_ns ? c->blind_ns : c->since_ns;

	if (from > eng->now_ns || t->gone || !eng->sum.has_switch)
		return;
	if (t->where == TASK_ON && eng->cpus[t->cpu].cur == c->last && !eng->cpus[t->cpu].seen)
		leave_cpu(eng, t);
	if (!plausible(t, from))
		from = eng->now_ns;
	if (!plausible(t, from))
		return;
	track_notify_run(eng, cpu, ANALYZE_NO_TASK, c->since_ns, from, false, false);
	turn_up(eng, t, c->since_ns, from);
	start_piece(eng, cpu, from);
}

/* Handles a sample on @cpu in a recording of some tasks. Wake-ups and sched_stat_* are also
 * delivered to the task that they are about, whichever task runs: such a sample only ends a piece
 * that it contradicts. */
static void sample_of_some(struct analyze_engine *eng, const struct cdict_event *ev,
			   const struct type_info *ti)
{
	uint32_t cpu = ev->cpu;
	struct cpu_state *c = &eng->cpus[cpu];
	struct task *t = task_at(eng, c->last);
	/* sched_stat_runtime is the running task's own event */
	bool own = !ti->of_others || (ti->kind == ANALYZE_KIND_RUNTIME &&
				      t->pub.tid == (int32_t)ev->values[ti->field[STAT_PID]]);

	t->recorded |= own;
	if (ti->kind == ANALYZE_KIND_SWITCH || !eng->sum.has_switch)
		return;
	if (ti->kind == ANALYZE_KIND_EXEC && c->cur != ANALYZE_NO_TASK)
		return; /* the task may have a new tid: track_exec() */
	if (c->cur != c->last)
		track_end_at_own(eng, cpu);
	if (!own)
		return;
	if (c->cur == ANALYZE_NO_TASK && c->blind_ns <= eng->now_ns && !t->gone) {
		if (t->where == TASK_ON)
			leave_cpu(eng, t);
		track_begin_loose(eng, cpu, c->last);
	}
	c->own_ns = eng->now_ns;
}

/* Any event shows the task running on its CPU: counts it, takes the pid and, if the running task is
 * unknown, takes it from the event. */
void track_sample(struct analyze_engine *eng, const struct cdict_event *ev, bool in)
{
	struct cpu_state *c;

	if (ev->tid < 0 || (!ev->tid && ev->pid))
		return;
	if (ev->cpu >= eng->n_cpus) {
		sample_of_no_cpu(eng, ev, in);
		return;
	}
	c = &eng->cpus[ev->cpu];
	if ((ev->tid != c->last_tid || ev->pid != c->last_pid || c->births != eng->table.births) &&
	    !other_sample(eng, ev))
		return;
	c->last_ns = eng->now_ns;
	c->samples += in && c->counts;
	if (is_of_tasks(eng))
		sample_of_some(eng, ev, &eng->types[ev->type->index]);
	else if (c->cur == ANALYZE_NO_TASK &&
		 eng->types[ev->type->index].kind != ANALYZE_KIND_SWITCH)
		take_runner(eng, ev->cpu);
}

/* A gap begins on @cpu. */
static void blind(struct analyze_engine *eng, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	struct cpu_state *c = &eng->cpus[cpu];

	if (is_of_tasks(eng))
		track_end_at_own(eng, cpu);
	if (from_ns < c->since_ns)
		from_ns = c->since_ns;
	if (c->cur != ANALYZE_NO_TASK) {
		track_notify_run(eng, cpu, c->cur, c->since_ns, from_ns, c->seen, false);
		track_lose(eng, task_at(eng, c->cur), from_ns);
		c->cur = ANALYZE_NO_TASK;
		c->blind_ns = to_ns;
	} else {
		track_notify_run(eng, cpu, ANALYZE_NO_TASK, c->since_ns, from_ns, false, false);
		if (c->blind_ns == BLIND_TO_SWITCH || to_ns > c->blind_ns)
			c->blind_ns = to_ns;
	}
	c->since_ns = from_ns;
}

void track_gaps(struct analyze_engine *eng, uint64_t t_ns)
{
	const struct gap_set *set = &eng->sched_gaps;

	for (; eng->begun < set->n && set->all[eng->begun].from_ns < t_ns; eng->begun++) {
		const struct gap *h = &set->all[eng->begun];

		if (h->to_ns <= eng->walk_from_ns)
			continue;
		if (h->to_ns > eng->reach_ns)
			eng->reach_ns = h->to_ns;
		if (h->cpu < eng->n_cpus)
			blind(eng, h->cpu, h->from_ns, h->to_ns);
		for (uint32_t c = 0; h->cpu == CDICT_CPU_UNKNOWN && c < eng->n_cpus; c++)
			blind(eng, c, h->from_ns, h->to_ns);
	}
}

void track_flush(struct analyze_engine *eng)
{
	for (uint32_t cpu = 0; cpu < eng->n_cpus; cpu++)
		flush_samples(eng, cpu);
}

void track_finish(struct analyze_engine *eng, uint64_t end_ns)
{
	track_gaps(eng, end_ns);
	eng->now_ns = end_ns;
	for (uint32_t cpu = 0; cpu < eng->n_cpus; cpu++) {
		struct cpu_state *c = &eng->cpus[cpu];

		flush_samples(eng, cpu);
		if (is_of_tasks(eng) && c->cur != ANALYZE_NO_TASK) {
			const struct task *t = task_at(eng, c->cur);

			if (!t->recorded || t->pub.exit_ns < end_ns)
				track_end_at_own(eng, cpu);
			else
				track_settle(eng, cpu, false);
		}
		track_notify_run(eng, cpu, c->cur, c->since_ns, end_ns, c->seen,
				 engine_switches_later(eng, cpu));
		c->since_ns = end_ns;
	}
	for (size_t i = 0; i < eng->table.all.n; i++) {
		struct task *t = task_at(eng, (uint32_t)i);
		uint64_t to = end_ns, gap;

		t->pub.unrecorded = is_of_tasks(eng) && !t->recorded;
		if (t->pub.exit_ns < to)
			to = t->pub.exit_ns;
		if (t->where == TASK_LOST) {
			track_notify_away(eng, t, ANALYZE_OFF_UNKNOWN, t->since_ns, to, false);
		} else if (t->where == TASK_OFF && !t->gone) {
			gap = known_off_until(eng, t, end_ns);
			if (gap > end_ns)
				gap = end_ns;
			track_notify_away(eng, t, (enum analyze_off)t->off, t->since_ns, gap,
					  false);
			track_notify_away(eng, t, ANALYZE_OFF_UNKNOWN, gap, to, false);
		}
		notify_open_wait(eng, t, end_ns);
	}
}

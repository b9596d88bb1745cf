// SPDX-License-Identifier: LGPL-2.1-only
/*
 * track_some.c - the running tasks in a recording of some tasks.
 *
 * Their events show the switch-out but not the switch-in. sched_stat_runtime has the run time of a
 * task so far: the time accounted since the last switch-out is the slice. So the begin of a slice
 * is open ("loose") until it ends.
 */
#include "analyze/walk/index.h"
#include "analyze/walk/internal.h"

static struct task *task_at(struct analyze_engine *eng, uint32_t index)
{
	return &eng->table.all.at[index];
}

void track_begin_loose(struct analyze_engine *eng, uint32_t cpu, uint32_t task)
{
	struct cpu_state *c = &eng->cpus[cpu];
	struct task *t = task_at(eng, task);

	eng->loose[cpu] = (struct loose_run){
		.unseen_ns = c->since_ns,
		.floor_ns = c->blind_ns > c->since_ns ? c->blind_ns : c->since_ns,
		.before = { .since_ns = t->since_ns,
			    .ready_ns = t->ready_ns,
			    .cpu = t->cpu,
			    .where = t->where,
			    .off = t->off,
			    .io = t->io },
	};
	c->loose = true;
	t->where = TASK_ON;
	t->since_ns = t->moved_ns = eng->now_ns;
	t->ready_ns = ANALYZE_NO_TIME;
	t->cpu = cpu;
	c->cur = task;
	c->cur_births = eng->table.births;
	c->since_ns = c->own_ns = eng->now_ns;
	c->seen = false;
	c->blind_ns = 0;
}

/* Finds the begin of the slice; false: it is unknown, and *from_ns is when the task was first seen
 * in it. */
static bool find_begin(struct analyze_engine *eng, uint32_t cpu, bool switched, uint64_t *from_ns)
{
	const struct cpu_state *c = &eng->cpus[cpu];
	const struct loose_run *run = &eng->loose[cpu];
	const struct task *t = task_at(eng, c->cur);
	uint64_t floor = run->floor_ns, at;
	bool known = run->before.where != TASK_NEVER || t->pub.born_ns != ANALYZE_NO_TIME;

	*from_ns = c->since_ns;
	if (c->cur >= eng->accounted.n || !eng->accounted.at[c->cur].to_ns)
		return false;
	/* The runtime is accounted just before each sched_switch: both ends are early by the same
	 * time. */
	at = eng->accounted.at[c->cur].from_ns;
	if (switched)
		at += eng->now_ns - eng->accounted.at[c->cur].to_ns;
	if (run->before.where != TASK_NEVER && run->before.since_ns > floor)
		floor = run->before.since_ns;
	if (t->pub.born_ns != ANALYZE_NO_TIME && t->pub.born_ns > floor)
		floor = t->pub.born_ns;
	if (at < floor) {
		at = floor;
		known &= at > eng->walk_from_ns;
	}
	if (at > c->since_ns)
		at = c->since_ns;
	*from_ns = at;
	return known && at >= run->floor_ns;
}

/* Reports the task's time from when it was last seen to @from_ns; @known: it was switched in
 * then. */
static void notify_before(struct analyze_engine *eng, uint32_t cpu, uint64_t from_ns, bool known)
{
	const struct task_state *before = &eng->loose[cpu].before;
	struct task *t = task_at(eng, eng->cpus[cpu].cur), now = *t;

	t->cpu = before->cpu;
	t->io = before->io;
	t->ready_ns = before->ready_ns;
	if (known && (before->where != TASK_NEVER || before->ready_ns < from_ns))
		track_notify_in(eng, cpu, t, before, from_ns);
	else if (before->where != TASK_NEVER)
		track_notify_away(eng, t, ANALYZE_OFF_UNKNOWN, before->since_ns, from_ns, false);
	t->cpu = now.cpu;
	t->io = now.io;
	t->ready_ns = now.ready_ns;
}

void track_settle(struct analyze_engine *eng, uint32_t cpu, bool switched)
{
	struct cpu_state *c = &eng->cpus[cpu];
	uint64_t from_ns, first_ns = c->since_ns;

	if (!c->loose || c->cur == ANALYZE_NO_TASK)
		return;
	c->loose = false;
	c->seen = find_begin(eng, cpu, switched, &from_ns);
	track_notify_run(eng, cpu, ANALYZE_NO_TASK, eng->loose[cpu].unseen_ns, from_ns, false,
			 c->seen);
	notify_before(eng, cpu, from_ns, c->seen);
	c->since_ns = from_ns;
	/* ran_ns as used meanwhile did not include this time. */
	task_at(eng, c->cur)->ran_ns -= first_ns - from_ns;
}

void track_end_at_own(struct analyze_engine *eng, uint32_t cpu)
{
	struct cpu_state *c = &eng->cpus[cpu];
	struct task *t;

	if (c->cur == ANALYZE_NO_TASK)
		return;
	t = task_at(eng, c->cur);
	/* An exiting task's events end before its last switch-out. */
	if (t->pub.exit_ns != ANALYZE_NO_TIME && t->pub.exit_ns > c->own_ns &&
	    t->pub.exit_ns <= eng->now_ns)
		c->own_ns = t->pub.exit_ns;
	track_settle(eng, cpu, false);
	track_notify_run(eng, cpu, c->cur, c->since_ns, c->own_ns, c->seen, false);
	track_lose(eng, t, c->own_ns);
	c->since_ns = c->own_ns;
	c->cur = ANALYZE_NO_TASK;
}

void track_runtime(struct analyze_engine *eng, const struct cdict_event *ev,
		   const struct type_info *ti)
{
	uint64_t ns = ev->values[ti->field[STAT_VALUE]];
	uint32_t i = table_find(&eng->table, (int32_t)ev->values[ti->field[STAT_PID]], ev->cpu);
	struct accounted *a = row_at(&eng->accounted, i); /* NULL, too, without a task */

	if (a) {
		if (!a->to_ns)
			a->from_ns = ns < eng->now_ns ? eng->now_ns - ns : 0;
		a->to_ns = eng->now_ns;
	} else if (i != ANALYZE_NO_TASK) {
		analyze_engine_out_of_memory(eng);
	}
}

// SPDX-License-Identifier: LGPL-2.1-only
/* track_notify.c - reports pieces of time to the analyses, clipped to the window. */
#include "analyze/walk/internal.h"

bool analyze_engine_counts(const struct analyze_engine *eng, uint32_t cpu)
{
	return cpu >= eng->n_cpus || eng->cpus[cpu].counts;
}

bool analyze_engine_switched_in(const struct analyze_engine *eng, uint32_t cpu)
{
	return cpu < eng->n_cpus && eng->cpus[cpu].cur != ANALYZE_NO_TASK && eng->cpus[cpu].seen &&
	       eng->sum.scope.kind != SCOPE_TASKS;
}

/* Clips the piece to the window and passes it to the analyses. */
static void report_away(struct analyze_engine *eng, struct analyze_away *away)
{
	away->from_ns = away->start_ns;
	away->to_ns = away->end_ns;
	engine_clip(eng, &away->from_ns, &away->to_ns);
	away->ns = analyze_engine_clip(eng, away->from_ns, away->to_ns);
	for (const struct hook *h = eng->on_away; h->ops; h++)
		h->ops->away(h->self, away);
}

/* IDLE may run whenever the running task is unknown, and only then. */
static void notify_idle_unknown(struct analyze_engine *eng, const struct analyze_run *run)
{
	struct analyze_away away = { .cpu = run->cpu,
				     .off = ANALYZE_OFF_UNKNOWN,
				     .start_ns = run->start_ns,
				     .end_ns = run->end_ns,
				     .ready_ns = ANALYZE_NO_TIME };

	if (!eng->cpus[run->cpu].counts)
		return;
	away.task = table_find(&eng->table, 0, run->cpu);
	report_away(eng, &away);
}

void track_notify_run(struct analyze_engine *eng, uint32_t cpu, uint32_t task, uint64_t start_ns,
		      uint64_t end_ns, bool start_seen, bool end_seen)
{
	struct cpu_state *c = &eng->cpus[cpu];
	struct analyze_run run = { .cpu = cpu,
				   .task = task,
				   .start_ns = start_ns,
				   .end_ns = end_ns,
				   .from_ns = start_ns,
				   .to_ns = end_ns,
				   .start_seen = start_seen,
				   .end_seen = end_seen };

	/* Only switch-outs of some tasks were recorded: the switch-ins are unknown. */
	if (!eng->sum.has_runs)
		run.task = task = ANALYZE_NO_TASK;
	engine_clip(eng, &run.from_ns, &run.to_ns);
	run.ns = analyze_engine_clip(eng, run.from_ns, run.to_ns);
	if (task == ANALYZE_NO_TASK) {
		if (start_ns == end_ns)
			return;
		c->unknown_ns += run.ns;
		notify_idle_unknown(eng, &run);
	} else {
		eng->table.all.at[task].ran_ns += end_ns - start_ns;
		c->any |= run.ns || engine_in(eng, end_ns);
	}
	if (!c->counts)
		return;
	run.in = end_seen && engine_in(eng, end_ns);
	for (const struct hook *h = eng->on_run; h->ops; h++)
		h->ops->run(h->self, &run);
}

void track_notify_wait(struct analyze_engine *eng, const struct task *t, uint32_t cpu,
		       uint64_t end_ns, bool ended)
{
	struct analyze_away away = { .task = t->pub.index,
				     .cpu = cpu,
				     .off = ANALYZE_OFF_UNKNOWN,
				     .start_ns = t->ready_ns,
				     .end_ns = end_ns,
				     .ready_ns = t->ready_ns,
				     .ended = ended,
				     .in = ended && engine_in(eng, end_ns),
				     .waits = true };

	if (t->ready_ns >= end_ns || !t->pub.tid || !analyze_engine_counts(eng, cpu))
		return;
	report_away(eng, &away);
}

void track_notify_away(struct analyze_engine *eng, const struct task *t, enum analyze_off off,
		       uint64_t start_ns, uint64_t end_ns, bool ended)
{
	struct analyze_away away = { .task = t->pub.index,
				     .cpu = t->cpu,
				     .off = off,
				     .ended = ended,
				     .io = t->io,
				     .in = ended && engine_in(eng, end_ns),
				     .start_ns = start_ns,
				     .end_ns = end_ns,
				     .ready_ns = t->ready_ns };

	if (start_ns >= end_ns && !ended)
		return;
	/* Unknown time of IDLE depends on its CPU: notify_idle_unknown(). */
	if (!analyze_engine_counts(eng, t->cpu) || (off == ANALYZE_OFF_UNKNOWN && !t->pub.tid))
		return;
	report_away(eng, &away);
}

void track_notify_in(struct analyze_engine *eng, uint32_t cpu, const struct task *t,
		     const struct task_state *before, uint64_t at_ns)
{
	struct analyze_switch sw = { .t_ns = at_ns,
				     .cpu = cpu,
				     .in = engine_in(eng, at_ns),
				     .prev = ANALYZE_NO_TASK,
				     .next = t->pub.index,
				     .slice_start_ns = ANALYZE_NO_TIME,
				     .away = ANALYZE_OFF_UNKNOWN,
				     .away_ns = ANALYZE_NO_TIME,
				     .ready_ns = before->ready_ns,
				     .last_cpu = before->cpu };

	if (before->where == TASK_OFF &&
	    track_gap_since(eng, before->since_ns, at_ns) == ANALYZE_NO_TIME) {
		sw.away = (enum analyze_off)before->off;
		sw.away_ns = before->since_ns;
		track_notify_away(eng, t, sw.away, before->since_ns, at_ns, true);
	} else if (before->where != TASK_NEVER) {
		sw.incomplete = true;
		track_notify_away(eng, t, ANALYZE_OFF_UNKNOWN, before->since_ns, at_ns, false);
	}
	if (sw.ready_ns > at_ns) { /* it already ran */
		sw.ready_ns = ANALYZE_NO_TIME;
	} else if (track_gap_since(eng, sw.ready_ns, at_ns) != ANALYZE_NO_TIME) {
		sw.ready_ns = ANALYZE_NO_TIME;
		sw.incomplete = true;
	} else if (sw.away_ns == ANALYZE_NO_TIME) {
		track_notify_wait(eng, t, cpu, at_ns, true);
	}
	for (const struct hook *h = eng->on_in; h->ops; h++)
		if (eng->cpus[cpu].counts || h->ops->all_cpus)
			h->ops->in(h->self, &sw);
}

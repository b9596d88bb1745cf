// SPDX-License-Identifier: LGPL-2.1-only
/* resume_end.c - where a walk may end, and the figures after it. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/windows/resume.h"
#include "base/fail.h"

/* Whether the task running on @cpu, which has no more switches, runs there to the end. */
static bool stays(const struct analyze_engine *eng, const struct digest *whole, uint32_t cpu)
{
	const struct cpu_state *c = &eng->cpus[cpu];
	const struct digest_row *row;
	int32_t tid;

	if (c->cur == ANALYZE_NO_TASK || !c->seen)
		return false;
	tid = eng->table.all.at[c->cur].pub.tid;
	if (!tid)
		return true;
	row = digest_find(whole, tid, cpu);
	return row && row->in[0].cpu == cpu && row->in[0].t_ns == c->since_ns &&
	       digest_later(row->in[0].t_ns, row->out[0].t_ns);
}

/* Whether the piece of @cpu that is open at the window's end ends with a matching switch, which
 * confirms it. */
static bool ends_well(const struct analyze_engine *eng, uint32_t cpu)
{
	const struct cpu_state *c = &eng->cpus[cpu];
	struct digest_switch *next = &eng->ahead[cpu];
	struct cdict_error err;

	if (!digests_broken(eng->opts.digests) || c->since_ns >= eng->sum.to_ns)
		return true;
	/* Another task may turn up elsewhere meanwhile. */
	if (eng->table.all.at[c->cur].pub.tid)
		return false;
	if (next->t_ns <= eng->now_ns &&
	    digests_next_switch(eng->opts.digests, cpu, eng->now_ns, UINT64_MAX, next, &err))
		return false;
	return next->t_ns != ANALYZE_NO_TIME && !next->prev;
}

/* The running task has been unknown since @to_ns or later, or in a gap that lasts until then. */
static bool is_unknown(const struct cpu_state *c, uint64_t to_ns)
{
	return c->cur == ANALYZE_NO_TASK &&
	       (c->since_ns >= to_ns || (c->blind_ns >= to_ns && c->blind_ns != BLIND_TO_SWITCH));
}

bool engine_pending(const struct analyze_engine *eng)
{
	for (size_t i = 0; i < eng->hooks.n; i++)
		if (eng->hooks.at[i].ops->pending &&
		    eng->hooks.at[i].ops->pending(eng->hooks.at[i].self))
			return true;
	for (size_t i = 0; eng->sum.has_iowait && i < eng->table.all.n; i++) {
		const struct task *t = &eng->table.all.at[i];

		if (t->where == TASK_OFF && t->off == ANALYZE_OFF_DISK &&
		    t->since_ns < eng->sum.to_ns)
			return true;
	}
	return false;
}

bool engine_settled(const struct analyze_engine *eng)
{
	const struct digest *whole = digests_whole(eng->opts.digests);

	if (engine_pending(eng))
		return false;
	for (uint32_t c = 0; c < whole->n_cpus && c < eng->n_cpus; c++) {
		const struct digest_cpu *d = &whole->cpus[c];

		if (d->last_ns == ANALYZE_NO_TIME)
			continue;
		if (!eng->sum.has_switch || is_unknown(&eng->cpus[c], eng->sum.to_ns))
			continue;
		if (d->first_switch_ns == ANALYZE_NO_TIME || d->first_switch_ns >= eng->now_ns ||
		    eng->cpus[c].cur == ANALYZE_NO_TASK)
			return false;
		if (d->switch_ns <= eng->now_ns ? !stays(eng, whole, c) : !ends_well(eng, c))
			return false;
	}
	return true;
}

bool analyze_engine_has_switches(const struct analyze_engine *eng, uint32_t cpu)
{
	const struct digest *whole = eng->opts.digests ? digests_whole(eng->opts.digests) : NULL;

	return whole && cpu < whole->n_cpus && whole->cpus[cpu].first_switch_ns != ANALYZE_NO_TIME;
}

bool engine_switches_later(const struct analyze_engine *eng, uint32_t cpu)
{
	const struct digest *whole = eng->stopped ? digests_whole(eng->opts.digests) : NULL;
	struct digest_switch next;
	struct cdict_error err;

	if (!whole || cpu >= whole->n_cpus ||
	    !digest_later(whole->cpus[cpu].switch_ns, eng->now_ns))
		return false;
	/* Events before it may be missing. */
	return !resume_is_gap(eng, cpu, eng->now_ns, whole->cpus[cpu].switch_ns) ||
	       (!digests_next_switch(eng->opts.digests, cpu, eng->now_ns, UINT64_MAX, &next,
				     &err) &&
		!resume_is_gap(eng, cpu, eng->now_ns, next.t_ns));
}

bool engine_heeds(const struct analyze_engine *eng, int32_t tid, int32_t pid)
{
	return !eng->at_end || table_peek(&eng->table, tid) != ANALYZE_NO_TASK ||
	       map_find(&eng->vms, (uint32_t)(pid > 0 ? pid : tid), 0) ||
	       (pid > 0 && table_peek(&eng->table, pid) != ANALYZE_NO_TASK) ||
	       eng->opts.heeds(eng->opts.heeds_ctx, tid);
}

/* Finds the processes that have a vCPU. */
static int find_vms(struct analyze_engine *eng, const struct digest *whole)
{
	for (size_t i = 0; i < whole->rows.n; i++) {
		const struct digest_row *row = &whole->rows.at[i];
		const struct digest_task *task = &whole->tasks.at[row->task];
		int32_t pid = task->pid_ns != ANALYZE_NO_TIME ? task->pid : task->tid;

		if (row->kvm && !map_add(&eng->vms, (uint32_t)pid, 0))
			return -ENOMEM;
	}
	return 0;
}

int engine_stop(struct analyze_engine *eng, struct cdict_error *err)
{
	const struct digest *whole = digests_whole(eng->opts.digests);
	const struct digest_task **tasks;
	size_t n;

	eng->at_end = eng->opts.heeds != NULL;
	if (find_vms(eng, whole))
		return cdict_fail_nomem(err);
	tasks = resume_meet(eng, whole, &n);
	if (!tasks)
		return cdict_fail_nomem(err);
	engine_records(eng, UINT64_MAX);
	for (size_t i = 0; i < n && !eng->table.failed; i++) {
		uint32_t task = table_peek(&eng->table, tasks[i]->tid);

		if (task != ANALYZE_NO_TASK)
			resume_take_names(whole, tasks[i], &eng->table.all.at[task]);
	}
	for (uint32_t c = 0; c < whole->n_cpus && c < eng->n_cpus; c++) {
		const struct digest_task *idle = digest_find_task(whole, 0, c);
		uint32_t task;

		task = idle ? table_find(&eng->table, 0, c) : ANALYZE_NO_TASK;
		if (task != ANALYZE_NO_TASK)
			resume_take_names(whole, idle, &eng->table.all.at[task]);
	}
	free(tasks);
	return eng->table.failed ? cdict_fail_nomem(err) : 0;
}

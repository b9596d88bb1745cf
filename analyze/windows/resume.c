// SPDX-License-Identifier: LGPL-2.1-only
/*
 * resume.c - a walk that begins at the window, in the state after the events before it, and ends
 * when nothing in the window is open.
 *
 * The latest switch of a task shows its position: on the CPU that switched it in last, off the CPU,
 * or, if that CPU has switched in another task since, unknown. If the digest is not sufficient, the
 * walk begins earlier, if need be at the capture's start.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/windows/resume.h"
#include "base/fail.h"

/* Attempts to begin earlier; then the walk begins at the capture's start. */
enum { TRIES = 8 };

/* ---- tasks, in the order in which a whole walk meets them ---- */

static int by_first(const void *a, const void *b)
{
	const struct digest_task *const *x = a, *const *y = b;

	if ((*x)->first_ns != (*y)->first_ns)
		return (*x)->first_ns < (*y)->first_ns ? -1 : 1;
	return (*x)->tid < (*y)->tid ? -1 : (*x)->tid > (*y)->tid;
}

/* All but IDLE in that order; the caller frees the array; NULL: out of memory. */
static const struct digest_task **in_order(const struct digest *d, size_t *n)
{
	const struct digest_task **tasks = calloc(d->tasks.n + 1, sizeof(*tasks));

	*n = 0;
	for (size_t i = 0; tasks && i < d->tasks.n; i++)
		if (d->tasks.at[i].tid)
			tasks[(*n)++] = &d->tasks.at[i];
	for (size_t i = 1; tasks && i < *n; i++)
		if (by_first(&tasks[i - 1], &tasks[i]) > 0) { /* tasks of a file are mostly in
							       * order */
			qsort(tasks, *n, sizeof(*tasks), by_first);
			break;
		}
	return tasks;
}

static void take_comm(struct task *t, const struct digest_task *task)
{
	if (task->comm_ns == ANALYZE_NO_TIME)
		return;
	if (task->comm_kept ? !t->pub.comm[0]
			    : t->named_ns == ANALYZE_NO_TIME || task->comm_ns >= t->named_ns)
		task_comm(t, task->comm, strnlen(task->comm, sizeof(task->comm)));
}

void resume_take_names(const struct digest *d, const struct digest_task *task, struct task *t)
{
	const struct digest_row *row = task->row ? &d->rows.at[task->row - 1] : NULL;
	const struct digest_kvm *k = row && row->kvm ? &d->kvm.at[row->kvm - 1] : NULL;

	take_comm(t, task);
	if (task->pid_ns != ANALYZE_NO_TIME)
		t->pub.pid = task->pid;
	t->pub.first_ns = task->named_ns;
	t->pub.last_ns = task->last_ns;
	if (!k)
		return;
	t->pub.is_vcpu = k->exit.t_ns != ANALYZE_NO_TIME || k->entry.t_ns != ANALYZE_NO_TIME;
	t->pub.vcpu_id = k->vcpu_id;
}

/* A reused tid is two tasks, whose events in digests cannot be distinguished. */
static bool is_used_again(const struct analyze_engine *eng, const struct digest *whole)
{
	for (size_t i = 0; i < eng->n_records; i++) {
		const struct cdict_task_event *rec = eng->records[i];
		const struct digest_task *task;

		if (rec->what != CDICT_TASK_FORK || rec->tid <= 0 || !rec->t_ns)
			continue;
		task = digest_find_task(whole, rec->tid, 0);
		if (task && task->first_ns < rec->t_ns)
			return true;
	}
	return false;
}

/* ---- the state ---- */

/* How long the task was on a CPU from @exit_ns to @t_ns. */
static uint64_t ran_since(const struct digest_row *row, uint64_t exit_ns, uint64_t t_ns)
{
	uint64_t out = row->out[0].t_ns, in = row->in[0].t_ns;

	if (!digest_later(out, exit_ns))
		return t_ns - exit_ns;
	return out - exit_ns + (digest_later(in, out) ? t_ns - in : 0);
}

static void notify_kvm(struct analyze_engine *eng, const struct digest_row *row, uint32_t task,
		       enum analyze_kind kind, const struct digest_when *when)
{
	const struct digest_kvm *d = &eng->at->kvm.at[row->kvm - 1];
	struct analyze_kvm k = { .t_ns = when->t_ns, .cpu = when->cpu, .kind = kind, .task = task };

	if (when->t_ns == ANALYZE_NO_TIME)
		return;
	if (kind == ANALYZE_KIND_KVM_EXIT) {
		k.isa = d->isa;
		k.value = d->value;
		k.how = d->how;
	}
	eng->now_ns = when->t_ns;
	for (const struct hook *h = eng->on_kvm; h->ops; h++)
		h->ops->kvm(h->self, &k);
}

/* Reports the vCPU's latest events as if they came now; the analyses keep what they need. */
static void notify_kvms(struct analyze_engine *eng, const struct digest_row *row, uint32_t task)
{
	const struct digest_kvm *k = &eng->at->kvm.at[row->kvm - 1];

	if (k->entry.t_ns < k->exit.t_ns)
		notify_kvm(eng, row, task, ANALYZE_KIND_KVM_ENTRY, &k->entry);
	notify_kvm(eng, row, task, ANALYZE_KIND_KVM_EXIT, &k->exit);
	if (k->entry.t_ns > k->exit.t_ns)
		notify_kvm(eng, row, task, ANALYZE_KIND_KVM_ENTRY, &k->entry);
	if (k->user.t_ns != ANALYZE_NO_TIME && k->user.t_ns == resume_latest_kvm(k))
		notify_kvm(eng, row, task, ANALYZE_KIND_KVM_USERSPACE, &k->user);
}

/* A vCPU's wait for one CPU. */
struct resume_wait {
	uint32_t task, cpu;
	bool last; /* it still waits there */
	uint64_t from_ns, to_ns;
};

static void add_wait(struct analyze_engine *eng, uint32_t task, const struct digest_when *wait,
		     const struct digest_when *now, uint64_t t_ns)
{
	struct resume_wait first = { task, wait->cpu, false, wait->t_ns, now->t_ns };
	struct resume_wait last = { task, now->cpu, true, now->t_ns, t_ns };

	/* A wake-up to the same CPU is not a move. */
	if (first.cpu == last.cpu)
		first.to_ns = last.from_ns = first.from_ns;
	if ((first.from_ns < first.to_ns && array_push(&eng->waits, first)) ||
	    array_push(&eng->waits, last))
		eng->out_of_memory = true;
}

struct waited {
	struct analyze_engine *eng;
	uint32_t cpu;
	bool last;
};

static void report_waited(struct analyze_engine *eng, struct resume_wait *w, uint32_t runner,
			  uint64_t to_ns)
{
	if (to_ns > w->to_ns)
		to_ns = w->to_ns;
	if (to_ns <= w->from_ns)
		return;
	for (size_t i = 0; i < eng->hooks.n; i++)
		if (eng->hooks.at[i].ops->waited)
			eng->hooks.at[i].ops->waited(eng->hooks.at[i].self, w->task, w->cpu, runner,
						     w->from_ns, to_ns);
	w->from_ns = to_ns;
}

static int on_past_switch(void *ctx, uint64_t t_ns, int32_t prev)
{
	struct waited *past = ctx;
	struct analyze_engine *eng = past->eng;
	uint32_t runner = prev ? table_peek(&eng->table, prev)
			       : table_find(&eng->table, 0, past->cpu);

	for (size_t i = 0; i < eng->waits.n; i++)
		if (eng->waits.at[i].cpu == past->cpu && eng->waits.at[i].last == past->last)
			report_waited(eng, &eng->waits.at[i], runner, t_ns);
	return 0;
}

/* Reports the tasks on the CPUs that vCPUs wait for, since the waits began: first CPUs that they no
 * longer wait for. */
static int resume_waits(struct analyze_engine *eng, uint64_t t_ns, struct cdict_error *err)
{
	int ret = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t c = 0; c < eng->n_cpus && !ret; c++) {
			struct waited past = { eng, c, pass == 1 };
			uint64_t from_ns = t_ns;

			for (size_t i = 0; i < eng->waits.n; i++)
				if (eng->waits.at[i].cpu == c &&
				    eng->waits.at[i].last == past.last &&
				    eng->waits.at[i].from_ns < from_ns)
					from_ns = eng->waits.at[i].from_ns;
			if (from_ns == t_ns)
				continue;
			ret = digests_switches(eng->opts.digests, c, from_ns, t_ns, on_past_switch,
					       &past, err);
			/* The task running there now had the CPU up to the move. */
			for (size_t i = 0; i < eng->waits.n && pass == 0; i++)
				if (eng->waits.at[i].cpu == c && !eng->waits.at[i].last)
					report_waited(eng, &eng->waits.at[i], eng->cpus[c].cur,
						      t_ns);
		}
	}
	return ret;
}

static void resume_task(struct analyze_engine *eng, const struct digest_row *row, uint32_t task,
			uint64_t t_ns)
{
	const struct digest_kvm *k = row->kvm ? &eng->at->kvm.at[row->kvm - 1] : NULL;
	struct analyze_resume r = { .task = task,
				    .out_ns = row->out[0].t_ns,
				    .out_cpu = row->out[0].cpu,
				    .in_ns = row->in[0].t_ns,
				    .in_cpu = row->in[0].cpu,
				    .off = (enum analyze_off)row->off,
				    .ran = resume_has_run(row),
				    .kvm_ns = k ? resume_latest_kvm(k) : ANALYZE_NO_TIME,
				    .ready_ns = ANALYZE_NO_TIME,
				    .wait_ns = ANALYZE_NO_TIME,
				    .wait_cpu = CDICT_CPU_UNKNOWN };
	struct task *t = &eng->table.all.at[task];

	t->moved_ns = row->in[0].t_ns;
	if (digest_later(row->out[0].t_ns, t->moved_ns) || t->moved_ns == ANALYZE_NO_TIME)
		t->moved_ns = row->out[0].t_ns;
	if (k)
		notify_kvms(eng, row, task);
	eng->now_ns = t_ns;
	t = &eng->table.all.at[task];
	if (row->tid && resume_is_lost(eng->at, row)) {
		t->where = TASK_LOST;
		t->since_ns = digests_broken(eng->opts.digests) &&
					      eng->at->cpus[row->early.cpu].first_prev != row->tid
				      ? eng->walk_from_ns
				      : row->early.t_ns;
		t->moved_ns = eng->walk_from_ns;
		t->cpu = row->early.cpu;
	}
	if (resume_is_displaced(eng, eng->at, row, t_ns)) {
		uint64_t gap = gaps_find(&eng->sched_gaps, r.in_cpu, r.in_ns, t_ns);
		const struct digest_cpu *c = &eng->at->cpus[r.in_cpu];

		r.lost = true;
		t->where = TASK_LOST;
		t->since_ns = gap != ANALYZE_NO_TIME && c->switch_ns == r.in_ns &&
					      c->cur == row->tid
				      ? gap
				      : r.in_ns;
		t->cpu = r.in_cpu;
		if (digest_later(row->wake[0].t_ns, row->lost_ns) &&
		    row->lost_ns != ANALYZE_NO_TIME) {
			struct digest_when wait = row->wake[0];

			if (wait.cpu == CDICT_CPU_UNKNOWN)
				wait.cpu = r.in_cpu;
			t->ready_ns = r.ready_ns = wait.t_ns;
			r.waits = !resume_is_gap(eng, CDICT_CPU_UNKNOWN, wait.t_ns, t_ns);
			r.wait_ns = wait.t_ns;
			r.wait_cpu = resume_moved_to(row, &wait).cpu;
		}
	} else if (digest_later(r.in_ns, r.out_ns)) {
		t->where = TASK_ON;
		t->since_ns = r.in_ns;
		t->cpu = r.in_cpu;
	} else {
		struct digest_when wait = resume_wait_of(eng->at, row);

		if (r.out_ns != ANALYZE_NO_TIME) {
			t->where = TASK_OFF;
			t->off = row->off;
			t->since_ns = r.out_ns;
			t->cpu = r.out_cpu;
			t->gone = row->off == ANALYZE_OFF_DEAD && row->tid;
			t->io = digest_later(row->io_ns, r.out_ns);
		}
		if (digest_later(row->wake[0].t_ns, t->where == TASK_LOST ? t->since_ns : r.out_ns))
			t->ready_ns = r.ready_ns = row->wake[0].t_ns;
		else if (row->late_wait)
			t->ready_ns = r.ready_ns = r.out_ns;
		r.waits = wait.t_ns != ANALYZE_NO_TIME &&
			  !resume_is_gap(eng, CDICT_CPU_UNKNOWN, wait.t_ns, t_ns);
		/* Runnable before a gap, and woken after it: it waits since then. */
		if (!r.waits && wait.t_ns != ANALYZE_NO_TIME &&
		    digest_later(row->wake[0].t_ns, wait.t_ns) &&
		    !resume_is_gap(eng, CDICT_CPU_UNKNOWN, row->wake[0].t_ns, t_ns)) {
			r.waits = true;
			wait = row->wake[0];
			if (wait.cpu == CDICT_CPU_UNKNOWN)
				wait.cpu = r.out_cpu;
		}
		if (wait.t_ns != ANALYZE_NO_TIME) {
			struct digest_when now = resume_moved_to(row, &wait);

			r.wait_ns = wait.t_ns;
			r.wait_cpu = now.cpu;
			if (row->tid && resume_is_candidate(eng, row))
				add_wait(eng, task, &wait, &now, t_ns);
		}
	}
	if (k && eng->sum.has_switch && digest_later(k->exit.t_ns, k->entry.t_ns)) {
		/* The exit was reported as at a run time of 0 ns. */
		uint64_t ran = ran_since(row, k->exit.t_ns, t_ns);

		t->ran_ns = ran - (t->where == TASK_ON ? t_ns - t->since_ns : 0);
	}
	r.on = t->where == TASK_ON;
	if (row->tid)
		for (size_t i = 0; i < eng->hooks.n; i++)
			if (eng->hooks.at[i].ops->resume)
				eng->hooks.at[i].ops->resume(eng->hooks.at[i].self, &r);
}

static void resume_cpu(struct analyze_engine *eng, uint32_t cpu)
{
	const struct digest_cpu *d = &eng->at->cpus[cpu];
	struct cpu_state *c = &eng->cpus[cpu];
	uint64_t begin = eng->walk_from_ns, end = begin;
	bool switched = d->switch_ns != ANALYZE_NO_TIME, blind;
	struct task *t;

	if (!eng->sum.has_switch)
		return;
	blind = gaps_blind(&eng->sched_gaps, cpu, switched ? d->switch_ns : begin, eng->now_ns,
			   &begin, &end);
	if (blind && (switched || d->sample_ns == ANALYZE_NO_TIME)) {
		c->since_ns = c->own_ns = begin;
		c->blind_ns = end;
		c->seen = switched;
	} else if (switched) {
		c->cur = resume_runs_on(eng->at, cpu) ? table_find(&eng->table, d->cur, cpu)
						      : ANALYZE_NO_TASK;
		c->blind_ns = c->cur == ANALYZE_NO_TASK ? BLIND_TO_SWITCH : 0;
		c->since_ns = c->own_ns = d->switch_ns;
		c->seen = true;
		c->cur_births = eng->table.births;
	} else if (d->sample_ns != ANALYZE_NO_TIME) {
		/* No other task was seen there, so it has run since the CPU's start. */
		c->cur = c->last = table_find(&eng->table, d->sample_tid, cpu);
		c->cur_births = c->births = eng->table.births;
		c->last_tid = d->sample_tid;
		c->last_pid = d->sample_pid;
		c->last_ns = d->sample_ns;
		if (c->cur == ANALYZE_NO_TASK)
			return;
		t = &eng->table.all.at[c->cur];
		t->where = TASK_ON;
		c->since_ns = t->since_ns = t->moved_ns = end;
		t->cpu = cpu;
		t->ran_ns -= eng->now_ns - t->since_ns; /* counted by resume_task() */
	}
}

/* Skips gaps that began before @t_ns: their effect is in the state. */
static void pass_gaps(struct analyze_engine *eng, uint64_t t_ns)
{
	const struct gap_set *set = &eng->sched_gaps;

	for (; eng->begun < set->n && set->all[eng->begun].from_ns < t_ns; eng->begun++)
		if (set->all[eng->begun].to_ns > eng->reach_ns)
			eng->reach_ns = set->all[eng->begun].to_ns;
}

const struct digest_task **resume_meet(struct analyze_engine *eng, const struct digest *d,
				       size_t *n)
{
	const struct digest_task **tasks = in_order(d, n);

	for (size_t i = 0; tasks && i < *n; i++) {
		struct analyze_task *pub;
		uint32_t task;

		engine_records(eng, tasks[i]->first_ns);
		if (!engine_heeds(eng, tasks[i]->tid,
				  tasks[i]->pid_ns != ANALYZE_NO_TIME ? tasks[i]->pid : -1))
			continue;
		task = table_find(&eng->table, tasks[i]->tid, CDICT_CPU_UNKNOWN);
		if (task == ANALYZE_NO_TASK)
			break;
		pub = &eng->table.all.at[task].pub;
		if (pub->first_ns == ANALYZE_NO_TIME)
			pub->first_ns = tasks[i]->named_ns;
	}
	return tasks;
}

static const struct digest_row *row_of(const struct digest *d, const struct digest_task *task)
{
	return task->row ? &d->rows.at[task->row - 1] : NULL;
}

/* Sets the state before @t_ns. */
static int resume(struct analyze_engine *eng, uint64_t t_ns, struct cdict_error *err)
{
	const struct digest *at = eng->at;
	size_t n;
	const struct digest_task **tasks = resume_meet(eng, at, &n);

	if (!tasks)
		return cdict_fail_nomem(err);
	engine_records(eng, t_ns - 1);
	pass_gaps(eng, t_ns);
	eng->now_ns = t_ns;
	for (size_t i = 0; i < n && !eng->table.failed; i++) {
		uint32_t task = table_peek(&eng->table, tasks[i]->tid);

		resume_take_names(at, tasks[i], &eng->table.all.at[task]);
		if (tasks[i]->row)
			resume_task(eng, row_of(at, tasks[i]), task, t_ns);
	}
	for (uint32_t c = 0; c < at->n_cpus && c < eng->n_cpus; c++) {
		const struct digest_task *idle = digest_find_task(at, 0, c);

		if (idle) {
			uint32_t task = table_find(&eng->table, 0, c);

			if (task == ANALYZE_NO_TASK)
				break;
			resume_take_names(at, idle, &eng->table.all.at[task]);
			if (idle->row)
				resume_task(eng, row_of(at, idle), task, t_ns);
		}
		resume_cpu(eng, c);
	}
	free(tasks);
	if (eng->table.failed || eng->out_of_memory)
		return cdict_fail_nomem(err);
	return resume_waits(eng, t_ns, err);
}

int engine_resume(struct analyze_engine *eng, uint64_t t_ns, struct cdict_error *err)
{
	struct digests *d = eng->opts.digests;
	uint64_t begin = t_ns;
	int ret = 0;

	eng->begin_ns = eng->walk_from_ns;
	eng->may_stop = digests_can_resume(d) && !is_used_again(eng, digests_whole(d));
	if (!eng->may_stop)
		return 0;
	eng->at = calloc(1, sizeof(*eng->at));
	eng->ahead = calloc((size_t)eng->n_cpus + 1, sizeof(*eng->ahead));
	if (!eng->at || !eng->ahead)
		return cdict_fail_nomem(err);
	for (unsigned i = 0; i < TRIES && begin > eng->walk_from_ns; i++) {
		digest_fini(eng->at);
		eng->begin_ns = begin;
		/* A later part opens its events when it runs. */
		ret = digests_at(d, begin, eng->is_later ? NULL : eng, eng->at, err);
		if (!ret)
			ret = early_wakes_find(eng, begin, eng->at, err);
		if (ret)
			return ret;
		t_ns = resume_check(eng, eng->at, begin);
		if (t_ns == begin)
			return resume(eng, begin, err);
		if (t_ns == RESUME_IMPOSSIBLE)
			break;
		begin = t_ns;
	}
	engine_close(eng);
	eng->begin_ns = eng->walk_from_ns;
	eng->early.n = 0;
	return 0;
}

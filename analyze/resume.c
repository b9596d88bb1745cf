// SPDX-License-Identifier: LGPL-2.1-only
/*
 * resume.c - a walk that begins at the window, in the state in which the events before leave
 * everything, and ends where nothing of the window is open.
 *
 * The latest switch of a task tells where it is: on the CPU which switched it in last, off it, or, where
 * that CPU switched somebody else in since, nobody knows where.  Where that, or what is left of the
 * rest, does not say enough the walk begins earlier, at the latest at the capture's start.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/digest.h"
#include "base/fail.h"

/* Tries to begin earlier, before the walk begins at the start; events in which a wake-up is looked for. */
enum { TRIES = 8, EVENTS_AHEAD = 1 << 16 };

static const uint64_t impossible = ANALYZE_NO_TIME;

static bool after(uint64_t a, uint64_t b)
{
	return a != ANALYZE_NO_TIME && (b == ANALYZE_NO_TIME || a > b);
}

/* ---- whether a digest says enough: the time it is of, an earlier one, or impossible ---- */

static bool is_gap(const struct analyze_engine *eng, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	return eng->sched_gaps.n &&
	       gaps_find(&eng->sched_gaps, cpu, from_ns, to_ns) != ANALYZE_NO_TIME;
}

/* A vCPU with an exit that has no entry yet: since then it was switched out and in once at most, so
 * that its time on a CPU and what it goes back to are known. */
static bool is_simple(const struct digest_row *row, uint64_t exit_ns)
{
	if (after(row->in[1].t_ns, exit_ns) || after(row->out[1].t_ns, exit_ns))
		return false;
	if (!after(row->in[0].t_ns, exit_ns))
		return true;
	return after(row->out[0].t_ns, exit_ns) && after(row->in[0].t_ns, row->out[0].t_ns);
}

static uint64_t latest_kvm(const struct digest_kvm *k)
{
	uint64_t t = k->exit.t_ns;

	if (after(k->entry.t_ns, t))
		t = k->entry.t_ns;
	return after(k->user.t_ns, t) ? k->user.t_ns : t;
}

static uint64_t check_kvm(const struct analyze_engine *eng, const struct digest *d,
			  const struct digest_row *row, const struct digest_kvm *k, uint64_t t_ns)
{
	const unsigned accesses = ANALYZE_NEED(KVM_PIO) | ANALYZE_NEED(KVM_MMIO) |
				  ANALYZE_NEED(KVM_MSR);
	uint64_t latest = latest_kvm(k);

	if (latest == ANALYZE_NO_TIME)
		return t_ns;
	if (is_gap(eng, CDICT_CPU_UNKNOWN, latest, t_ns) ||
	    gaps_find(&eng->kvm_gaps, CDICT_CPU_UNKNOWN, latest, t_ns) != ANALYZE_NO_TIME)
		return latest;
	/* One without an exit before it. */
	if (eng->needs & accesses && k->access_ns != ANALYZE_NO_TIME &&
	    k->entry.t_ns != ANALYZE_NO_TIME && k->access_ns >= k->entry.t_ns &&
	    !after(k->exit.t_ns, k->entry.t_ns))
		return k->entry.t_ns;
	if (k->exit.t_ns == k->entry.t_ns)
		return latest;
	/* It does something while it is off its CPU. */
	if (after(row->out[0].t_ns, row->in[0].t_ns) && latest >= row->out[0].t_ns)
		return row->out[0].t_ns;
	if (after(k->exit.t_ns, k->entry.t_ns) &&
	    ((eng->needs & accesses && k->access_ns != ANALYZE_NO_TIME &&
	      k->access_ns >= k->exit.t_ns) ||
	     !is_simple(row, k->exit.t_ns) ||
	     (after(row->out[0].t_ns, k->exit.t_ns) &&
	      after(d->cpus[row->out[0].cpu].break_ns, k->exit.t_ns))))
		return k->exit.t_ns;
	return t_ns;
}

/* A slice of it was seen whole. */
static bool has_run(const struct digest_row *row)
{
	return row->out[0].t_ns != ANALYZE_NO_TIME &&
	       (after(row->out[0].t_ns, row->in[0].t_ns) ? row->in[0].t_ns != ANALYZE_NO_TIME
							 : row->in[1].t_ns != ANALYZE_NO_TIME);
}

/* Those whose waits are watched, as analyze/vcpu.c has them, and that are vCPUs in the end. */
static bool is_candidate(const struct analyze_engine *eng, const struct digest_row *row)
{
	const struct digest_row *whole = digest_find(digests_whole(eng->opts.digests), row->tid, 0);
	const char *comm = eng->at->tasks.at[row->task].comm;

	return whole && whole->kvm &&
	       (row->kvm || !has_run(row) || (!memcmp(comm, "CPU ", 4) && strstr(comm, "/KVM")));
}

/* It was seen on a CPU that had no switch yet, and is not known to have left it. */
static bool is_lost(const struct digest *d, const struct digest_row *row)
{
	const struct digest_cpu *c;

	if (row->early.t_ns == ANALYZE_NO_TIME || row->in[0].t_ns != ANALYZE_NO_TIME ||
	    row->out[0].t_ns != ANALYZE_NO_TIME)
		return false;
	c = &d->cpus[row->early.cpu];
	return c->switch_ns != ANALYZE_NO_TIME;
}

/* Since when it waits, and for which CPU at first; of a task that is off its CPU. */
static struct digest_when wait_of(const struct digest *d, const struct digest_row *row)
{
	struct digest_when wait = { ANALYZE_NO_TIME, CDICT_CPU_UNKNOWN };

	if (row->out[0].t_ns != ANALYZE_NO_TIME) {
		if (row->off == ANALYZE_OFF_DEAD)
			return wait;
		if (row->off == ANALYZE_OFF_RUNNABLE || row->off == ANALYZE_OFF_PREEMPTED)
			return row->out[0];
	}
	if (after(row->wake[0].t_ns, is_lost(d, row) ? row->early.t_ns : row->out[0].t_ns)) {
		wait = row->wake[0];
		if (wait.cpu == CDICT_CPU_UNKNOWN && row->out[0].t_ns != ANALYZE_NO_TIME)
			wait.cpu = row->out[0].cpu;
	}
	return wait;
}

/* Where it waits now, and since when: by the latest that named a CPU. */
static struct digest_when moved_to(const struct digest_row *row, const struct digest_when *wait)
{
	const struct digest_when *moved = &row->moved[0];
	struct digest_when now = *wait;

	if (after(row->woken.t_ns, now.t_ns) && row->woken.cpu != CDICT_CPU_UNKNOWN)
		now = row->woken;
	if (after(moved->t_ns, now.t_ns))
		now = *moved;
	/* The wake-up tells what the migration before it did. */
	else if (after(moved->t_ns, wait->t_ns) && moved->cpu == now.cpu)
		now.t_ns = moved->t_ns;
	return now;
}

/* It was moved once at most: of more only the last is known. */
static bool is_one_move(const struct digest_row *row, const struct digest_when *wait)
{
	struct digest_when now = moved_to(row, wait);

	if (after(row->moved[1].t_ns, wait->t_ns) ||
	    (after(row->moved[0].t_ns, wait->t_ns) && row->moved[0].cpu != now.cpu))
		return false;
	return !after(row->woken.t_ns, wait->t_ns) ||
	       (wait->t_ns != row->out[0].t_ns &&
		(row->woken.cpu == now.cpu || row->woken.cpu == wait->cpu));
}

/* It was switched in last on a CPU that switched another one in since, or that events are missing of: so
 * is its switch-out. */
static bool is_displaced(const struct analyze_engine *eng, const struct digest *d,
			 const struct digest_row *row, uint64_t t_ns)
{
	const struct digest_cpu *c;

	if (!after(row->in[0].t_ns, row->out[0].t_ns))
		return false;
	c = &d->cpus[row->in[0].cpu];
	return c->switch_ns != row->in[0].t_ns || c->cur != row->tid ||
	       is_gap(eng, row->in[0].cpu, row->in[0].t_ns, t_ns);
}

static int on_first_switch(void *ctx, uint64_t t_ns, int32_t prev)
{
	(void)prev;
	*(uint64_t *)ctx = t_ns;
	return 1;
}

/* Of several wake-ups since @from_ns the first one counts; false: it is not known. */
static bool take_first_wake(const struct analyze_engine *eng, struct digest_row *row,
			    uint64_t from_ns)
{
	struct cdict_error err;

	if (row->wake[1].t_ns != ANALYZE_NO_TIME && row->wake[1].t_ns >= from_ns &&
	    digests_first_wake(eng->opts.digests, row->tid, from_ns, EVENTS_AHEAD, &row->wake[0],
			       &err) != 1)
		return false;
	row->wake[1] = (struct digest_when){ ANALYZE_NO_TIME, CDICT_CPU_UNKNOWN };
	return true;
}

/* Of one that is: the time at which that is known, or from which it shows.  Before the switch that
 * showed it a wake-up says nothing, after it does. */
static uint64_t check_displaced(const struct analyze_engine *eng, struct digest_row *row,
				uint64_t t_ns)
{
	const struct digest_kvm *k = row->kvm ? &eng->at->kvm.at[row->kvm - 1] : NULL;
	uint64_t in = row->in[0].t_ns, gap;
	struct cdict_error err;

	if (row->in[1].t_ns == in || (k && after(k->exit.t_ns, k->entry.t_ns)))
		return in;
	if (row->wake[0].t_ns == ANALYZE_NO_TIME || row->wake[0].t_ns < in)
		return t_ns;
	if (digests_switches(eng->opts.digests, row->in[0].cpu, in + 1, t_ns, on_first_switch,
			     &row->lost_ns, &err))
		return in;
	gap = gaps_find(&eng->sched_gaps, row->in[0].cpu, in, t_ns);
	if (gap < row->lost_ns)
		row->lost_ns = gap;
	if (row->lost_ns == ANALYZE_NO_TIME || row->lost_ns == row->wake[0].t_ns)
		return in;
	/* Before it none counts: of more than one the first after it does. */
	if (row->wake[0].t_ns < row->lost_ns)
		return t_ns;
	return take_first_wake(eng, row, row->lost_ns) && row->wake[0].t_ns != row->lost_ns ? t_ns
											    : in;
}

/* Whether it is not known of all CPUs who ran there since @from_ns. */
static bool was_broken(const struct analyze_engine *eng, const struct digest *d, uint64_t from_ns,
		       uint64_t t_ns)
{
	for (uint32_t c = 0; c < d->n_cpus; c++)
		if (after(d->cpus[c].break_ns, from_ns))
			return true;
	return is_gap(eng, CDICT_CPU_UNKNOWN, from_ns, t_ns);
}

static uint64_t check_row(const struct analyze_engine *eng, const struct digest *d,
			  struct digest_row *row, uint64_t t_ns)
{
	uint64_t out = row->out[0].t_ns, in = row->in[0].t_ns, off;
	struct digest_when wait;
	bool lost;

	if (!row->tid)
		return t_ns;
	lost = is_lost(d, row);
	/* Woken and seen without a switch: it runs to some, it waits to others. */
	if (lost &&
	    (is_gap(eng, CDICT_CPU_UNKNOWN, eng->walk_from_ns, t_ns) || row->early_on_many ||
	     row->wake[1].t_ns != ANALYZE_NO_TIME || row->wake[0].t_ns <= row->early.t_ns))
		return impossible;
	/* Nobody saw it leave: which sample was the last before the switch? */
	if (lost && digests_broken(eng->opts.digests) &&
	    (d->cpus[row->early.cpu].mixed || row->wake[0].t_ns != ANALYZE_NO_TIME))
		return impossible;
	if (out != ANALYZE_NO_TIME && out == in)
		return out;
	if (is_displaced(eng, d, row, t_ns)) {
		if (check_displaced(eng, row, t_ns) != t_ns)
			return in;
	} else if (!after(in, out)) {
		if (out != ANALYZE_NO_TIME && row->off == ANALYZE_OFF_DEAD &&
		    after(row->woken.t_ns, out))
			return impossible; /* another one has its tid */
		/* Which wake-up was the first? */
		off = lost ? row->early.t_ns : out;
		if (!lost &&
		    !take_first_wake(eng, row,
				     off != ANALYZE_NO_TIME ? off
							    : d->tasks.at[row->task].first_ns))
			return out == ANALYZE_NO_TIME ? impossible : out;
		if (row->wake[0].t_ns != ANALYZE_NO_TIME && row->wake[0].t_ns == off)
			return out == ANALYZE_NO_TIME ? impossible : out;
		wait = wait_of(d, row);
		if (wait.t_ns != ANALYZE_NO_TIME && is_candidate(eng, row) &&
		    (!is_one_move(row, &wait) || was_broken(eng, d, wait.t_ns, t_ns)))
			return wait.t_ns;
	}
	return row->kvm ? check_kvm(eng, d, row, &d->kvm.at[row->kvm - 1], t_ns) : t_ns;
}

/* Whether who was switched in last on @cpu was not seen anywhere else after that. */
static bool runs_on(const struct digest *d, uint32_t cpu)
{
	const struct digest_cpu *c = &d->cpus[cpu];
	const struct digest_row *row = digest_find(d, c->cur, cpu);

	return !c->cur || (row && row->in[0].cpu == cpu && row->in[0].t_ns == c->switch_ns &&
			   after(row->in[0].t_ns, row->out[0].t_ns));
}

static uint64_t check_cpu(const struct analyze_engine *eng, const struct digest *d, uint32_t cpu,
			  uint64_t t_ns)
{
	const struct digest_cpu *c = &d->cpus[cpu];
	bool switched = c->switch_ns != ANALYZE_NO_TIME;
	uint64_t from_ns = switched ? c->switch_ns : eng->walk_from_ns, begin, end;
	const struct digest_row *row;

	if (!eng->sum.has_switch)
		return t_ns;
	/* A sample after a gap says who runs, from when on depends. */
	if (gaps_blind(&eng->sched_gaps, cpu, from_ns, t_ns, &begin, &end) &&
	    c->sample_ns != ANALYZE_NO_TIME && (switched ? c->sample_ns >= end : c->first_ns < end))
		return switched ? c->switch_ns : impossible;
	if (c->switch_ns != ANALYZE_NO_TIME) {
		row = digest_find(d, c->cur, cpu);
		if (!row || (!runs_on(d, cpu) && row->in[0].t_ns == c->switch_ns))
			return c->switch_ns;
	} else if (c->sample_ns != ANALYZE_NO_TIME) {
		row = digest_find(d, c->sample_tid, cpu);
		if (c->mixed || !row || row->in[0].t_ns != ANALYZE_NO_TIME ||
		    row->out[0].t_ns != ANALYZE_NO_TIME || row->wake[0].t_ns != ANALYZE_NO_TIME)
			return impossible;
		for (uint32_t other = 0; c->sample_tid && other < d->n_cpus; other++)
			if (other != cpu && d->cpus[other].switch_ns == ANALYZE_NO_TIME &&
			    d->cpus[other].sample_ns != ANALYZE_NO_TIME &&
			    d->cpus[other].sample_tid == c->sample_tid)
				return impossible;
	}
	return t_ns;
}

static uint64_t check(const struct analyze_engine *eng, const struct digest *d, uint64_t t_ns)
{
	uint64_t begin = t_ns, t;

	for (uint32_t c = 0; c < d->n_cpus; c++) {
		t = check_cpu(eng, d, c, t_ns);
		if (t == impossible)
			return t;
		begin = t < begin ? t : begin;
	}
	for (size_t i = 0; i < d->rows.n; i++) {
		if (!d->tasks.at[d->rows.at[i].task].row)
			continue;
		t = check_row(eng, d, &d->rows.at[i], t_ns);
		if (t == impossible)
			return t;
		begin = t < begin ? t : begin;
	}
	return begin;
}

/* ---- tasks, in the order in which a whole walk meets them ---- */

static int by_first(const void *a, const void *b)
{
	const struct digest_task *const *x = a, *const *y = b;

	if ((*x)->first_ns != (*y)->first_ns)
		return (*x)->first_ns < (*y)->first_ns ? -1 : 1;
	return (*x)->tid < (*y)->tid ? -1 : (*x)->tid > (*y)->tid;
}

/* All but IDLE, in that order; given, NULL: out of memory. */
static const struct digest_task **in_order(const struct digest *d, size_t *n)
{
	const struct digest_task **tasks = calloc(d->tasks.n + 1, sizeof(*tasks));

	*n = 0;
	for (size_t i = 0; tasks && i < d->tasks.n; i++)
		if (d->tasks.at[i].tid)
			tasks[(*n)++] = &d->tasks.at[i];
	if (tasks && *n)
		qsort(tasks, *n, sizeof(*tasks), by_first);
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

static void take_names(const struct digest *d, const struct digest_task *task, struct task *t)
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

/* A tid that is used again is of two tasks: their events cannot be told apart. */
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

	if (!after(out, exit_ns))
		return t_ns - exit_ns;
	return out - exit_ns + (after(in, out) ? t_ns - in : 0);
}

static void tell_kvm(struct analyze_engine *eng, const struct digest_row *row, uint32_t task,
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

/* What the vCPU did last, as if it did it now: the analyses know what to keep of it. */
static void tell_kvms(struct analyze_engine *eng, const struct digest_row *row, uint32_t task)
{
	const struct digest_kvm *k = &eng->at->kvm.at[row->kvm - 1];

	if (k->entry.t_ns < k->exit.t_ns)
		tell_kvm(eng, row, task, ANALYZE_KIND_KVM_ENTRY, &k->entry);
	tell_kvm(eng, row, task, ANALYZE_KIND_KVM_EXIT, &k->exit);
	if (k->entry.t_ns > k->exit.t_ns)
		tell_kvm(eng, row, task, ANALYZE_KIND_KVM_ENTRY, &k->entry);
	if (k->user.t_ns != ANALYZE_NO_TIME && k->user.t_ns == latest_kvm(k))
		tell_kvm(eng, row, task, ANALYZE_KIND_KVM_USERSPACE, &k->user);
}

/* A stretch in which a vCPU waits for one CPU. */
struct resume_wait {
	uint32_t task, cpu;
	bool last; /* it waits there still */
	uint64_t from_ns, to_ns;
};

static void add_wait(struct analyze_engine *eng, uint32_t task, const struct digest_when *wait,
		     const struct digest_when *now, uint64_t t_ns)
{
	struct resume_wait first = { task, wait->cpu, false, wait->t_ns, now->t_ns };
	struct resume_wait last = { task, now->cpu, true, now->t_ns, t_ns };

	if ((first.from_ns < first.to_ns && array_push(&eng->waits, first)) ||
	    array_push(&eng->waits, last))
		eng->out_of_memory = true;
}

struct waited {
	struct analyze_engine *eng;
	uint32_t cpu;
	bool last;
};

static void tell_waited(struct analyze_engine *eng, struct resume_wait *w, uint32_t who,
			uint64_t to_ns)
{
	if (to_ns > w->to_ns)
		to_ns = w->to_ns;
	if (to_ns <= w->from_ns)
		return;
	for (size_t i = 0; i < eng->hooks.n && who != ANALYZE_NO_TASK; i++)
		if (eng->hooks.at[i].ops->waited)
			eng->hooks.at[i].ops->waited(eng->hooks.at[i].self, w->task, who,
						     w->from_ns, to_ns);
	w->from_ns = to_ns;
}

static int on_past_switch(void *ctx, uint64_t t_ns, int32_t prev)
{
	struct waited *past = ctx;
	struct analyze_engine *eng = past->eng;
	uint32_t who = prev ? table_peek(&eng->table, prev) : table_find(&eng->table, 0, past->cpu);

	for (size_t i = 0; i < eng->waits.n; i++)
		if (eng->waits.at[i].cpu == past->cpu && eng->waits.at[i].last == past->last)
			tell_waited(eng, &eng->waits.at[i], who, t_ns);
	return 0;
}

/* Who had the CPUs for which vCPUs wait, since they do: first those for which they do not any more. */
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
			/* Who runs there now had it up to the move. */
			for (size_t i = 0; i < eng->waits.n && pass == 0; i++)
				if (eng->waits.at[i].cpu == c && !eng->waits.at[i].last)
					tell_waited(eng, &eng->waits.at[i], eng->cpus[c].cur, t_ns);
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
				    .ran = has_run(row),
				    .kvm_ns = k ? latest_kvm(k) : ANALYZE_NO_TIME,
				    .ready_ns = ANALYZE_NO_TIME,
				    .wait_cpu = CDICT_CPU_UNKNOWN };
	struct task *t = &eng->table.all.at[task];

	t->moved_ns = row->in[0].t_ns;
	if (after(row->out[0].t_ns, t->moved_ns) || t->moved_ns == ANALYZE_NO_TIME)
		t->moved_ns = row->out[0].t_ns;
	if (k)
		tell_kvms(eng, row, task);
	eng->now_ns = t_ns;
	t = &eng->table.all.at[task];
	if (row->tid && is_lost(eng->at, row)) {
		t->where = TASK_LOST;
		t->since_ns = digests_broken(eng->opts.digests) &&
					      eng->at->cpus[row->early.cpu].first_prev != row->tid
				      ? eng->walk_from_ns
				      : row->early.t_ns;
		t->moved_ns = eng->walk_from_ns;
		t->cpu = row->early.cpu;
	}
	if (is_displaced(eng, eng->at, row, t_ns)) {
		uint64_t gap = gaps_find(&eng->sched_gaps, r.in_cpu, r.in_ns, t_ns);
		const struct digest_cpu *c = &eng->at->cpus[r.in_cpu];

		r.lost = true;
		t->where = TASK_LOST;
		t->since_ns = gap != ANALYZE_NO_TIME && c->switch_ns == r.in_ns &&
					      c->cur == row->tid
				      ? gap
				      : r.in_ns;
		t->cpu = r.in_cpu;
		if (after(row->wake[0].t_ns, row->lost_ns) && row->lost_ns != ANALYZE_NO_TIME) {
			struct digest_when wait = row->wake[0];

			if (wait.cpu == CDICT_CPU_UNKNOWN)
				wait.cpu = r.in_cpu;
			t->ready_ns = r.ready_ns = wait.t_ns;
			r.waits = !is_gap(eng, CDICT_CPU_UNKNOWN, wait.t_ns, t_ns);
			r.wait_cpu = moved_to(row, &wait).cpu;
		}
	} else if (after(r.in_ns, r.out_ns)) {
		t->where = TASK_ON;
		t->since_ns = r.in_ns;
		t->cpu = r.in_cpu;
	} else {
		struct digest_when wait = wait_of(eng->at, row);

		if (r.out_ns != ANALYZE_NO_TIME) {
			t->where = TASK_OFF;
			t->off = row->off;
			t->since_ns = r.out_ns;
			t->cpu = r.out_cpu;
			t->gone = row->off == ANALYZE_OFF_DEAD && row->tid;
			t->io = after(row->io_ns, r.out_ns);
		}
		if (after(row->wake[0].t_ns, t->where == TASK_LOST ? t->since_ns : r.out_ns))
			t->ready_ns = r.ready_ns = row->wake[0].t_ns;
		if (wait.t_ns != ANALYZE_NO_TIME) {
			struct digest_when now = moved_to(row, &wait);

			r.waits = !is_gap(eng, CDICT_CPU_UNKNOWN, wait.t_ns, t_ns);
			r.wait_cpu = now.cpu;
			if (row->tid && is_candidate(eng, row))
				add_wait(eng, task, &wait, &now, t_ns);
		}
	}
	if (k && eng->sum.has_switch && after(k->exit.t_ns, k->entry.t_ns)) {
		/* As it was told: the exit was when the task had run for 0 ns. */
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
		c->cur = runs_on(eng->at, cpu) ? table_find(&eng->table, d->cur, cpu)
					       : ANALYZE_NO_TASK;
		c->blind_ns = c->cur == ANALYZE_NO_TASK ? BLIND_TO_SWITCH : 0;
		c->since_ns = c->own_ns = d->switch_ns;
		c->seen = true;
		c->cur_births = eng->table.births;
	} else if (d->sample_ns != ANALYZE_NO_TIME) {
		/* Nobody else was there, so it runs since the CPU's start. */
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

/* Gaps that began before @t_ns: what they broke is in the state. */
static void pass_gaps(struct analyze_engine *eng, uint64_t t_ns)
{
	const struct gap_set *set = &eng->sched_gaps;

	for (; eng->begun < set->n && set->all[eng->begun].from_ns < t_ns; eng->begun++)
		if (set->all[eng->begun].to_ns > eng->reach_ns)
			eng->reach_ns = set->all[eng->begun].to_ns;
}

/* The tasks that @d has heard of, in the order in which a walk meets them; given, NULL: out of memory. */
static const struct digest_task **meet(struct analyze_engine *eng, const struct digest *d,
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
	const struct digest_task **tasks = meet(eng, at, &n);

	if (!tasks)
		return cdict_fail_nomem(err);
	engine_records(eng, t_ns - 1);
	pass_gaps(eng, t_ns);
	eng->now_ns = t_ns;
	for (size_t i = 0; i < n && !eng->table.failed; i++) {
		uint32_t task = table_peek(&eng->table, tasks[i]->tid);

		take_names(at, tasks[i], &eng->table.all.at[task]);
		if (tasks[i]->row)
			resume_task(eng, row_of(at, tasks[i]), task, t_ns);
	}
	for (uint32_t c = 0; c < at->n_cpus && c < eng->n_cpus; c++) {
		const struct digest_task *idle = digest_find_task(at, 0, c);

		if (idle) {
			uint32_t task = table_find(&eng->table, 0, c);

			if (task == ANALYZE_NO_TASK)
				break;
			take_names(at, idle, &eng->table.all.at[task]);
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

int engine_resume(struct analyze_engine *eng, struct cdict_error *err)
{
	struct digests *d = eng->opts.digests;
	uint64_t t_ns = eng->sum.from_ns, begin = t_ns;
	int ret = 0;

	eng->begin_ns = eng->walk_from_ns;
	eng->may_stop = digests_tell(d) && !is_used_again(eng, digests_whole(d));
	if (!eng->may_stop)
		return 0;
	eng->at = calloc(1, sizeof(*eng->at));
	eng->ahead = calloc((size_t)eng->n_cpus + 1, sizeof(*eng->ahead));
	if (!eng->at || !eng->ahead)
		return cdict_fail_nomem(err);
	for (unsigned i = 0; i < TRIES && begin > eng->walk_from_ns; i++) {
		digest_fini(eng->at);
		ret = digests_at(d, begin, eng->at, err);
		if (ret)
			return ret;
		t_ns = check(eng, eng->at, begin);
		if (t_ns == impossible)
			return 0;
		if (t_ns == begin) {
			eng->begin_ns = begin;
			return resume(eng, begin, err);
		}
		begin = t_ns;
	}
	return 0;
}

/* ---- the end ---- */

/* Who runs on @cpu, where no switch comes any more, runs on there as far as is known. */
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
	       after(row->in[0].t_ns, row->out[0].t_ns);
}

static int on_next_switch(void *ctx, uint64_t t_ns, int32_t prev)
{
	struct resume_ahead *a = ctx;

	a->t_ns = t_ns;
	a->prev = prev;
	return 1;
}

/* Whether what goes on on @cpu since before the window's end ends with a switch that fits: then it
 * is what it seems. */
static bool ends_well(const struct analyze_engine *eng, uint32_t cpu)
{
	const struct cpu_state *c = &eng->cpus[cpu];
	struct resume_ahead *a = &eng->ahead[cpu];
	struct cdict_error err;

	if (!digests_broken(eng->opts.digests) || c->since_ns >= eng->sum.to_ns)
		return true;
	/* Another task may turn up elsewhere meanwhile. */
	if (eng->table.all.at[c->cur].pub.tid)
		return false;
	if (a->t_ns <= eng->now_ns) {
		*a = (struct resume_ahead){ .t_ns = ANALYZE_NO_TIME };
		if (digests_switches(eng->opts.digests, cpu, eng->now_ns + 1, UINT64_MAX,
				     on_next_switch, a, &err) < 0)
			return false;
	}
	return a->t_ns != ANALYZE_NO_TIME && !a->prev;
}

/* Nobody is known to run on the CPU since @to_ns or later, or in a gap that lasts until then. */
static bool is_unknown(const struct cpu_state *c, uint64_t to_ns)
{
	return c->cur == ANALYZE_NO_TASK &&
	       (c->since_ns >= to_ns || (c->blind_ns >= to_ns && c->blind_ns != BLIND_TO_SWITCH));
}

bool engine_settled(const struct analyze_engine *eng)
{
	const struct digest *whole = digests_whole(eng->opts.digests);

	for (size_t i = 0; i < eng->hooks.n; i++)
		if (eng->hooks.at[i].ops->pending &&
		    eng->hooks.at[i].ops->pending(eng->hooks.at[i].self))
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
	for (size_t i = 0; eng->sum.has_iowait && i < eng->table.all.n; i++) {
		const struct task *t = &eng->table.all.at[i];

		if (t->where == TASK_OFF && t->off == ANALYZE_OFF_DISK &&
		    t->since_ns < eng->sum.to_ns)
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
	struct resume_ahead next = { .t_ns = ANALYZE_NO_TIME };
	struct cdict_error err;

	if (!whole || cpu >= whole->n_cpus || !after(whole->cpus[cpu].switch_ns, eng->now_ns))
		return false;
	/* Events may be missing before it. */
	return !is_gap(eng, cpu, eng->now_ns, whole->cpus[cpu].switch_ns) ||
	       (digests_switches(eng->opts.digests, cpu, eng->now_ns + 1, UINT64_MAX,
				 on_next_switch, &next, &err) >= 0 &&
		!is_gap(eng, cpu, eng->now_ns, next.t_ns));
}

bool engine_heeds(const struct analyze_engine *eng, int32_t tid, int32_t pid)
{
	return !eng->at_end || table_peek(&eng->table, tid) != ANALYZE_NO_TASK ||
	       map_find(&eng->vms, (uint32_t)(pid > 0 ? pid : tid), 0) ||
	       (pid > 0 && table_peek(&eng->table, pid) != ANALYZE_NO_TASK) ||
	       eng->opts.heeds(eng->opts.heeds_ctx, tid);
}

/* The processes that have a vCPU. */
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
	tasks = meet(eng, whole, &n);
	if (!tasks)
		return cdict_fail_nomem(err);
	engine_records(eng, UINT64_MAX);
	for (size_t i = 0; i < n && !eng->table.failed; i++) {
		uint32_t task = table_peek(&eng->table, tasks[i]->tid);

		if (task != ANALYZE_NO_TASK)
			take_names(whole, tasks[i], &eng->table.all.at[task]);
	}
	for (uint32_t c = 0; c < whole->n_cpus && c < eng->n_cpus; c++) {
		const struct digest_task *idle = digest_find_task(whole, 0, c);
		uint32_t task;

		task = idle ? table_find(&eng->table, 0, c) : ANALYZE_NO_TASK;
		if (task != ANALYZE_NO_TASK)
			take_names(whole, idle, &eng->table.all.at[task]);
	}
	free(tasks);
	return eng->table.failed ? cdict_fail_nomem(err) : 0;
}

// SPDX-License-Identifier: LGPL-2.1-only
/* resume_check.c - whether a digest is sufficient for a walk to begin at its time; if not, how much
 * earlier. */
#include <string.h>

#include "analyze/windows/resume.h"

/* Events to search for a wake-up. */
enum { EVENTS_AHEAD = 1 << 16 };

bool resume_is_gap(const struct analyze_engine *eng, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	return gaps_find(&eng->sched_gaps, cpu, from_ns, to_ns) != ANALYZE_NO_TIME;
}

/* A vCPU with an exit, also to user space, but no entry yet: it was switched out and in at most once since, so that its
 * time on a CPU and the mode to which it returns are known. */
static bool is_simple(const struct digest_row *row, uint64_t exit_ns)
{
	if (digest_later(row->in[1].t_ns, exit_ns) || digest_later(row->out[1].t_ns, exit_ns))
		return false;
	if (!digest_later(row->in[0].t_ns, exit_ns))
		return true;
	return digest_later(row->out[0].t_ns, exit_ns) &&
	       digest_later(row->in[0].t_ns, row->out[0].t_ns);
}

uint64_t resume_latest_kvm(const struct digest_kvm *k)
{
	uint64_t t = k->exit.t_ns;

	if (digest_later(k->entry.t_ns, t))
		t = k->entry.t_ns;
	return digest_later(k->user.t_ns, t) ? k->user.t_ns : t;
}

static uint64_t check_kvm(const struct analyze_engine *eng, const struct digest *d,
			  const struct digest_row *row, const struct digest_kvm *k, uint64_t t_ns)
{
	const unsigned accesses = ANALYZE_NEED(KVM_PIO) | ANALYZE_NEED(KVM_MMIO) |
				  ANALYZE_NEED(KVM_MSR);
	uint64_t latest = resume_latest_kvm(k);

	/* Accesses without an event before them: the digest has only the last one. */
	if (latest == ANALYZE_NO_TIME)
		return eng->needs & accesses && k->access_ns != ANALYZE_NO_TIME ? RESUME_IMPOSSIBLE
										: t_ns;
	if (resume_is_gap(eng, CDICT_CPU_UNKNOWN, latest, t_ns) ||
	    gaps_find(&eng->kvm_gaps, CDICT_CPU_UNKNOWN, latest, t_ns) != ANALYZE_NO_TIME)
		return latest;
	/* An access without an exit before it. */
	if (eng->needs & accesses && k->access_ns != ANALYZE_NO_TIME &&
	    k->entry.t_ns != ANALYZE_NO_TIME && k->access_ns >= k->entry.t_ns &&
	    !digest_later(k->exit.t_ns, k->entry.t_ns))
		return k->entry.t_ns;
	if (k->exit.t_ns == k->entry.t_ns)
		return latest;
	/* A KVM event while the task was off its CPU. */
	if (digest_later(row->out[0].t_ns, row->in[0].t_ns) && latest >= row->out[0].t_ns)
		return row->out[0].t_ns;
	if (digest_later(k->exit.t_ns, k->entry.t_ns) &&
	    ((eng->needs & accesses && k->access_ns != ANALYZE_NO_TIME &&
	      k->access_ns >= k->exit.t_ns) ||
	     !is_simple(row, k->exit.t_ns) ||
	     (digest_later(row->out[0].t_ns, k->exit.t_ns) &&
	      digest_later(d->cpus[row->out[0].cpu].break_ns, k->exit.t_ns))))
		return k->exit.t_ns;
	/* Back in user space, and no exit is recorded. */
	if (latest == k->user.t_ns && !digest_later(k->exit.t_ns, k->entry.t_ns) &&
	    !is_simple(row, latest))
		return latest;
	return t_ns;
}

bool resume_has_run(const struct digest_row *row)
{
	return row->out[0].t_ns != ANALYZE_NO_TIME &&
	       (digest_later(row->out[0].t_ns, row->in[0].t_ns)
			? row->in[0].t_ns != ANALYZE_NO_TIME
			: row->in[1].t_ns != ANALYZE_NO_TIME);
}

bool resume_is_candidate(const struct analyze_engine *eng, const struct digest_row *row)
{
	const struct digest_row *whole = digest_find(digests_whole(eng->opts.digests), row->tid, 0);
	const char *comm = eng->at->tasks.at[row->task].comm;

	return whole && whole->kvm &&
	       (row->kvm || !resume_has_run(row) ||
		(!memcmp(comm, "CPU ", 4) && strstr(comm, "/KVM")));
}

bool resume_is_lost(const struct digest *d, const struct digest_row *row)
{
	const struct digest_cpu *c;

	if (row->early.t_ns == ANALYZE_NO_TIME || row->in[0].t_ns != ANALYZE_NO_TIME ||
	    row->out[0].t_ns != ANALYZE_NO_TIME)
		return false;
	c = &d->cpus[row->early.cpu];
	return c->switch_ns != ANALYZE_NO_TIME;
}

struct digest_when resume_wait_of(const struct digest *d, const struct digest_row *row)
{
	struct digest_when wait = { ANALYZE_NO_TIME, CDICT_CPU_UNKNOWN };

	if (row->out[0].t_ns != ANALYZE_NO_TIME) {
		if (row->off == ANALYZE_OFF_DEAD)
			return wait;
		if (row->off == ANALYZE_OFF_RUNNABLE || row->off == ANALYZE_OFF_PREEMPTED)
			return row->out[0];
	}
	if (row->late_wait)
		return row->out[0];
	if (digest_later(row->wake[0].t_ns,
			 resume_is_lost(d, row) ? row->early.t_ns : row->out[0].t_ns)) {
		wait = row->wake[0];
		if (wait.cpu == CDICT_CPU_UNKNOWN && row->out[0].t_ns != ANALYZE_NO_TIME)
			wait.cpu = row->out[0].cpu;
	}
	return wait;
}

/* By the latest wake-up or migration that named a CPU. */
struct digest_when resume_moved_to(const struct digest_row *row, const struct digest_when *wait)
{
	const struct digest_when *moved = &row->moved[0];
	struct digest_when now = *wait;

	if (digest_later(row->woken.t_ns, now.t_ns) && row->woken.cpu != CDICT_CPU_UNKNOWN)
		now = row->woken;
	if (digest_later(moved->t_ns, now.t_ns))
		now = *moved;
	/* The wake-up repeats the CPU of the migration before it. */
	else if (digest_later(moved->t_ns, wait->t_ns) && moved->cpu == now.cpu)
		now.t_ns = moved->t_ns;
	return now;
}

/* Whether it was moved at most once: the digest has only the last move. */
static bool is_one_move(const struct digest_row *row, const struct digest_when *wait)
{
	struct digest_when now = resume_moved_to(row, wait);

	/* Wake-ups between the first and the last may also have moved it. */
	if (row->woken_often)
		return false;
	if (digest_later(row->moved[1].t_ns, wait->t_ns) ||
	    (digest_later(row->moved[0].t_ns, wait->t_ns) && row->moved[0].cpu != now.cpu))
		return false;
	return !digest_later(row->woken.t_ns, wait->t_ns) ||
	       (wait->t_ns != row->out[0].t_ns &&
		(row->woken.cpu == now.cpu || row->woken.cpu == wait->cpu));
}

bool resume_is_displaced(const struct analyze_engine *eng, const struct digest *d,
			 const struct digest_row *row, uint64_t t_ns)
{
	const struct digest_cpu *c;

	if (!digest_later(row->in[0].t_ns, row->out[0].t_ns))
		return false;
	c = &d->cpus[row->in[0].cpu];
	return c->switch_ns != row->in[0].t_ns || c->cur != row->tid ||
	       resume_is_gap(eng, row->in[0].cpu, row->in[0].t_ns, t_ns);
}

static bool is_since(const struct digest_when *when, uint64_t from_ns)
{
	return when->t_ns != ANALYZE_NO_TIME && when->t_ns >= from_ns;
}

/* Takes the first of several wake-ups since @from_ns, of any kind; false: it is unknown. If events were lost after all of
 * them, the state at @t_ns is unknown whichever was the first: the latest one will do. Not of a vCPU, whose wait is known
 * up to the loss. */
static bool take_first_wake(const struct analyze_engine *eng, struct digest_row *row,
			    uint64_t from_ns, uint64_t t_ns)
{
	const struct digest_when never = { ANALYZE_NO_TIME, CDICT_CPU_UNKNOWN };
	struct digest_when last = row->wake[1];
	bool up_first = is_since(&row->up[0], from_ns) &&
			(!is_since(&row->wake[0], from_ns) || row->up[0].t_ns < row->wake[0].t_ns);
	bool unreported = !digests_have_ups(eng->opts.digests)
				  ? is_since(&row->woken, from_ns)
				  : up_first && row->up[0].cpu == CDICT_CPU_UNKNOWN;
	struct cdict_error err;

	if (is_since(&last, from_ns) || is_since(&row->up[1], from_ns) || unreported) {
		struct digest_when latest = row->wake[0];
		int found = digests_first_wake(eng->opts.digests, row->tid, from_ns, EVENTS_AHEAD,
					       &row->wake[0], &err);

		if (found < 0 ||
		    (!found && (resume_is_candidate(eng, row) ||
				!resume_is_gap(eng, CDICT_CPU_UNKNOWN, row->woken.t_ns, t_ns))))
			return false;
		if (!found)
			row->wake[0] = row->woken;
		/* The latest of all and one before it are known. */
		row->woken_often = is_since(&last, from_ns) ? last.t_ns != row->wake[0].t_ns ||
								      last.cpu != row->wake[0].cpu
							    : latest.t_ns != row->wake[0].t_ns;
	} else if (up_first) {
		row->wake[0] = row->up[0];
	}
	row->wake[1] = row->up[0] = row->up[1] = never;
	return true;
}

/* For a displaced task: @t_ns, or an earlier time at which to begin. A wake-up counts only after
 * the switch or gap that displaced it. */
static uint64_t check_displaced(const struct analyze_engine *eng, struct digest_row *row,
				uint64_t t_ns)
{
	const struct digest_kvm *k = row->kvm ? &eng->at->kvm.at[row->kvm - 1] : NULL;
	uint64_t in = row->in[0].t_ns, gap;
	struct digest_switch next;
	struct cdict_error err;

	if (row->in[1].t_ns == in || (k && digest_later(k->exit.t_ns, k->entry.t_ns)))
		return in;
	if (!is_since(&row->woken, in))
		return t_ns;
	if (digests_next_switch(eng->opts.digests, row->in[0].cpu, in, t_ns, &next, &err))
		return in;
	row->lost_ns = next.t_ns;
	gap = gaps_find(&eng->sched_gaps, row->in[0].cpu, in, t_ns);
	if (gap < row->lost_ns)
		row->lost_ns = gap;
	if (row->lost_ns == ANALYZE_NO_TIME || row->lost_ns == row->woken.t_ns)
		return in;
	/* Wake-ups before lost_ns do not count; of those after it the first one does. */
	if (row->woken.t_ns < row->lost_ns)
		return t_ns;
	return take_first_wake(eng, row, row->lost_ns, t_ns) && row->wake[0].t_ns != row->lost_ns
		       ? t_ns
		       : in;
}

/* Whether the running task of some CPU is unknown at a time since @from_ns. */
static bool was_broken(const struct analyze_engine *eng, const struct digest *d, uint64_t from_ns,
		       uint64_t t_ns)
{
	for (uint32_t c = 0; c < d->n_cpus; c++)
		if (digest_later(d->cpus[c].break_ns, from_ns))
			return true;
	return resume_is_gap(eng, CDICT_CPU_UNKNOWN, from_ns, t_ns);
}

/* Whether it was woken more than once, or before it was seen on a CPU. */
static bool is_woken_early(const struct analyze_engine *eng, const struct digest_row *row)
{
	if (row->woken.t_ns != ANALYZE_NO_TIME && !digests_have_ups(eng->opts.digests))
		return true;
	return row->wake[1].t_ns != ANALYZE_NO_TIME || row->up[1].t_ns != ANALYZE_NO_TIME ||
	       row->wake[0].t_ns <= row->early.t_ns || row->up[0].t_ns <= row->early.t_ns;
}

static uint64_t check_row(const struct analyze_engine *eng, const struct digest *d,
			  struct digest_row *row, uint64_t t_ns)
{
	uint64_t out = row->out[0].t_ns, in = row->in[0].t_ns, off;
	struct digest_when wait;
	bool lost;

	if (!row->tid)
		return t_ns;
	lost = resume_is_lost(d, row);
	/* Woken and sampled without a switch: analyses differ on whether it runs or waits. */
	if (lost && (resume_is_gap(eng, CDICT_CPU_UNKNOWN, eng->walk_from_ns, t_ns) ||
		     row->early_on_many || is_woken_early(eng, row)))
		return RESUME_IMPOSSIBLE;
	/* Its switch-out was not seen: which sample was the last before it? */
	if (lost && digests_broken(eng->opts.digests) &&
	    (d->cpus[row->early.cpu].mixed || row->woken.t_ns != ANALYZE_NO_TIME))
		return RESUME_IMPOSSIBLE;
	if (out != ANALYZE_NO_TIME && out == in)
		return out;
	/* Was it on its CPU already? */
	if (eng->sum.has_waking && !eng->sum.has_wakeup && in != ANALYZE_NO_TIME &&
	    in == row->woken.t_ns)
		return in;
	if (resume_is_displaced(eng, d, row, t_ns)) {
		if (check_displaced(eng, row, t_ns) != t_ns)
			return in;
	} else if (!digest_later(in, out)) {
		if (out != ANALYZE_NO_TIME && row->off == ANALYZE_OFF_DEAD &&
		    digest_later(row->woken.t_ns, out))
			return RESUME_IMPOSSIBLE; /* another task has its tid */
		/* Which wake-up was the first? */
		off = lost ? row->early.t_ns : out;
		if (!take_first_wake(eng, row,
				     off != ANALYZE_NO_TIME ? off : d->tasks.at[row->task].first_ns,
				     t_ns))
			return out == ANALYZE_NO_TIME ? RESUME_IMPOSSIBLE : out;
		if (row->wake[0].t_ns != ANALYZE_NO_TIME && row->wake[0].t_ns == off)
			return out == ANALYZE_NO_TIME ? RESUME_IMPOSSIBLE : out;
		wait = resume_wait_of(d, row);
		if (wait.t_ns != ANALYZE_NO_TIME && resume_is_candidate(eng, row) &&
		    (!is_one_move(row, &wait) || was_broken(eng, d, wait.t_ns, t_ns)))
			return wait.t_ns;
	}
	return row->kvm ? check_kvm(eng, d, row, &d->kvm.at[row->kvm - 1], t_ns) : t_ns;
}

bool resume_runs_on(const struct digest *d, uint32_t cpu)
{
	const struct digest_cpu *c = &d->cpus[cpu];
	const struct digest_row *row = digest_find(d, c->cur, cpu);

	return !c->cur || (row && row->in[0].cpu == cpu && row->in[0].t_ns == c->switch_ns &&
			   digest_later(row->in[0].t_ns, row->out[0].t_ns));
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
	/* A sample after a gap shows the running task, but not since when. */
	if (gaps_blind(&eng->sched_gaps, cpu, from_ns, t_ns, &begin, &end) &&
	    c->sample_ns != ANALYZE_NO_TIME && (switched ? c->sample_ns >= end : c->first_ns < end))
		return switched ? c->switch_ns : RESUME_IMPOSSIBLE;
	if (c->switch_ns != ANALYZE_NO_TIME) {
		row = digest_find(d, c->cur, cpu);
		if (!row || (!resume_runs_on(d, cpu) && row->in[0].t_ns == c->switch_ns))
			return c->switch_ns;
	} else if (c->sample_ns != ANALYZE_NO_TIME) {
		row = digest_find(d, c->sample_tid, cpu);
		if (c->mixed || !row || row->in[0].t_ns != ANALYZE_NO_TIME ||
		    row->out[0].t_ns != ANALYZE_NO_TIME || row->woken.t_ns != ANALYZE_NO_TIME)
			return RESUME_IMPOSSIBLE;
		for (uint32_t other = 0; c->sample_tid && other < d->n_cpus; other++)
			if (other != cpu && d->cpus[other].switch_ns == ANALYZE_NO_TIME &&
			    d->cpus[other].sample_ns != ANALYZE_NO_TIME &&
			    d->cpus[other].sample_tid == c->sample_tid)
				return RESUME_IMPOSSIBLE;
	}
	return t_ns;
}

uint64_t resume_check(const struct analyze_engine *eng, const struct digest *d, uint64_t t_ns)
{
	uint64_t begin = t_ns, t;

	for (uint32_t c = 0; c < d->n_cpus; c++) {
		t = check_cpu(eng, d, c, t_ns);
		if (t == RESUME_IMPOSSIBLE)
			return t;
		begin = t < begin ? t : begin;
	}
	for (size_t i = 0; i < d->rows.n; i++) {
		if (!d->tasks.at[d->rows.at[i].task].row)
			continue;
		t = check_row(eng, d, &d->rows.at[i], t_ns);
		if (t == RESUME_IMPOSSIBLE)
			return t;
		begin = t < begin ? t : begin;
	}
	return begin;
}

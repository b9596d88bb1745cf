// SPDX-License-Identifier: LGPL-2.1-only
/*
 * parts.c - a walk in two parts at the same time.
 *
 * The later part begins like the walk of a window, in the state rebuilt from digests (resume.c),
 * but its window is the whole: the part that sees the end of an interval open at the cut reports it
 * once, whole. So only counts have to be added, and the state at the later part's end becomes the
 * state of the whole. The state at its begin is compared with the state at the end of the first
 * part, as far as the later part used it; for tasks without an event in the later part the first
 * part's state is taken.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/digest.h"
#include "base/fail.h"

/* ---- beginning ---- */

static double events_before(const struct cdict_reader *r, uint64_t t_ns)
{
	double sum = 0;

	for (size_t i = 0; i < cdict_reader_block_count(r); i++) {
		const struct cdict_block_info *b = cdict_reader_block_at(r, i);

		if (b->last_ns < t_ns)
			sum += b->events;
		else if (b->first_ns < t_ns)
			sum += (double)(t_ns - b->first_ns) / (double)(b->last_ns - b->first_ns) *
			       b->events;
	}
	return sum;
}

/* The time at which about half of the events are over. */
static uint64_t middle(const struct cdict_reader *r, uint64_t from_ns, uint64_t to_ns)
{
	double half = (double)cdict_reader_events(r) / 2;

	for (unsigned i = 0; i < 24 && to_ns - from_ns > 1; i++) {
		uint64_t t_ns = from_ns + (to_ns - from_ns) / 2;

		if (events_before(r, t_ns) < half)
			from_ns = t_ns;
		else
			to_ns = t_ns;
	}
	return to_ns;
}

static bool is_damaged(const struct cdict_reader *r)
{
	struct cdict_damage damage;

	cdict_reader_damage(r, &damage);
	return damage.blocks || damage.cut || damage.skipped_bytes;
}

/* Whether @eng's walk may be in parts; more checks follow when the later one begins. */
static bool may_part(const struct analyze_engine *eng, const struct analyze_parts *parts)
{
	const struct analyze_options *o = &eng->opts;

	return !eng->walk_all && !eng->windows && !o->cpus && !o->no_guest_mode &&
	       eng->sum.from_ns == eng->sum.first_ns && eng->closed &&
	       digests_can_resume(parts->digests) && !is_damaged(eng->reader) &&
	       !is_damaged(parts->reader);
}

/* Whether no event is missing from @t_ns on. */
static bool is_whole_from(const struct gap_set *set, uint64_t t_ns)
{
	return !set->n || set->all[set->n - 1].reach_ns < t_ns;
}

/* Registers the same analyses with @later; false: one of them does not support it. */
static bool add_analyses(const struct analyze_engine *eng, struct analyze_engine *later, int *ret,
			 struct cdict_error *err)
{
	for (size_t i = 0; i < eng->hooks.n; i++) {
		const struct hook *h = &eng->hooks.at[i];

		if (i < later->hooks.n && later->hooks.at[i].ops == h->ops)
			continue; /* registered by the one before */
		*ret = h->ops->part ? h->ops->part(h->self, later, err) : 1;
		if (*ret || i >= later->hooks.n || later->hooks.at[i].ops != h->ops)
			return false;
	}
	return later->hooks.n == eng->hooks.n;
}

/* Takes the present state as the begin of the later part. */
static int set_begin(struct analyze_engine *later)
{
	later->may_stop = false;
	later->opts.digests = NULL;
	later->start_cpus = calloc((size_t)later->n_cpus + 1, sizeof(*later->start_cpus));
	if (!later->start_cpus ||
	    array_reserve(&later->start.all, later->table.all.n ? later->table.all.n : 1))
		return -ENOMEM;
	memcpy(later->start_cpus, later->cpus, later->n_cpus * sizeof(*later->cpus));
	if (later->table.all.n)
		memcpy(later->start.all.at, later->table.all.at,
		       later->table.all.n * sizeof(*later->table.all.at));
	later->start.all.n = later->table.all.n;
	for (size_t i = 0; i < later->hooks.n; i++)
		if (later->hooks.at[i].ops->begun &&
		    later->hooks.at[i].ops->begun(later->hooks.at[i].self))
			return -ENOMEM;
	return 0;
}

/* *out stays NULL when there is no later part. */
static int begin_later(struct analyze_engine *eng, const struct analyze_parts *parts,
		       struct analyze_engine **out, struct cdict_error *err)
{
	struct analyze_options opts = eng->opts;
	struct analyze_engine *later;
	struct analyze_source src;
	uint64_t cut_ns = parts->cut_ns;
	int ret;

	opts.digests = parts->digests;
	ret = analyze_engine_new(&later, &opts, err);
	if (ret)
		return ret;
	later->is_later = true;
	later->reader = parts->reader;
	src = engine_source(later);
	if (!add_analyses(eng, later, &ret, err)) {
		analyze_engine_free(later);
		return ret < 0 ? ret : 0;
	}
	ret = engine_prepare(later, &src, err);
	if (!ret)
		ret = engine_resume(
			later, cut_ns ? cut_ns : middle(parts->reader, src.first_ns, src.last_ns),
			err);
	if (!ret && later->begin_ns > later->walk_from_ns &&
	    is_whole_from(&later->sched_gaps, later->begin_ns) &&
	    is_whole_from(&later->kvm_gaps, later->begin_ns)) {
		if (set_begin(later))
			ret = cdict_fail_nomem(err);
		if (!ret)
			*out = later;
	}
	if (!*out)
		analyze_engine_free(later);
	return ret;
}

int analyze_engine_begin_two(struct analyze_engine *eng, struct cdict_reader *r,
			     const struct analyze_parts *parts, struct analyze_engine **later,
			     struct cdict_error *err)
{
	int ret = engine_begin(eng, r, err);

	*later = NULL;
	if (!ret && !eng->opts.digests && may_part(eng, parts))
		ret = begin_later(eng, parts, later, err);
	if (ret || !*later)
		return ret ? ret : engine_begin_events(eng, err);
	eng->part_ns = (*later)->begin_ns;
	ret = early_wakes_find(eng, eng->begin_ns, NULL, err);
	if (!ret)
		ret = engine_open(eng, eng->part_ns - 1, 1, err);
	if (ret) {
		analyze_engine_free(*later);
		*later = NULL;
	}
	return ret;
}

int analyze_engine_run_later(struct analyze_engine *later, struct cdict_error *err)
{
	int ret = engine_open(later, later->walk_to_ns, 1, err);

	if (!ret)
		ret = analyze_engine_step(later, UINT64_MAX, err);
	later->walked = !ret;
	return ret;
}

/* ---- the two parts' states ---- */

static bool same_state(const struct task *a, const struct task *b)
{
	return a->where == b->where && a->since_ns == b->since_ns && a->ready_ns == b->ready_ns &&
	       a->moved_ns == b->moved_ns && a->cpu == b->cpu && a->gone == b->gone &&
	       (a->where == TASK_ON || a->io == b->io) && /* io: of its last time off */
	       (a->where != TASK_OFF || a->off == b->off);
}

/* Whether @now, from the first part's end, is the state with which the later part began, as far as
 * that part used it. */
static bool task_agrees(const struct task *now, const struct task *start, const struct task *end)
{
	if (now->pub.tid != start->pub.tid || now->pub.idle_cpu != start->pub.idle_cpu ||
	    now->pub.exit_ns != start->pub.exit_ns)
		return false;
	/* Both a record and an event may set the birth; the difference matters for tasks that
	 * appeared. */
	return same_state(start, end) ||
	       (same_state(now, start) &&
		(!end->appeared || now->pub.born_ns == start->pub.born_ns));
}

static bool cpu_agrees(const struct cpu_state *now, const struct cpu_state *start)
{
	if (now->cur != start->cur || now->since_ns != start->since_ns ||
	    now->blind_ns != start->blind_ns || now->seen != start->seen)
		return false;
	/* If only samples show the running task, the latest one matters. */
	return now->seen || (now->last == start->last &&
			     (now->last == ANALYZE_NO_TASK || now->last_ns == start->last_ns));
}

static bool agrees(const struct analyze_engine *eng, const struct analyze_engine *later)
{
	size_t n = eng->table.all.n;

	if (!later->walked || is_damaged(eng->reader) || is_damaged(later->reader) ||
	    later->start.all.n != n)
		return false;
	for (uint32_t c = 0; c < eng->n_cpus; c++)
		if (!cpu_agrees(&eng->cpus[c], &later->start_cpus[c]))
			return false;
	for (size_t i = 0; i < n; i++)
		if (!task_agrees(&eng->table.all.at[i], &later->start.all.at[i],
				 &later->table.all.at[i]))
			return false;
	for (size_t i = 0; i < eng->hooks.n; i++) {
		const struct hook *h = &eng->hooks.at[i];

		if (h->ops->agrees && !h->ops->agrees(h->self, later->hooks.at[i].self))
			return false;
	}
	return true;
}

/* ---- the whole ---- */

/* Merges the properties of a task: the later part's take precedence, as digests make them those of
 * the whole. */
static void join_names(struct analyze_task *to, const struct analyze_task *now, bool named)
{
	if (now->first_ns != ANALYZE_NO_TIME)
		to->first_ns = now->first_ns;
	if (now->last_ns != ANALYZE_NO_TIME &&
	    (to->last_ns == ANALYZE_NO_TIME || to->last_ns < now->last_ns))
		to->last_ns = now->last_ns;
	if (!named)
		memcpy(to->comm, now->comm, sizeof(to->comm));
	to->comm_changes += now->comm_changes;
	if (to->vcpu_id < 0)
		to->vcpu_id = now->vcpu_id;
	to->is_vcpu |= now->is_vcpu;
	to->events += now->events;
}

/* @t is the task at the later part's end. */
static void join_task(struct task *t, const struct task *now, const struct task *start,
		      uint64_t part_ns)
{
	bool named = (t->pub.last_ns != ANALYZE_NO_TIME && t->pub.last_ns >= part_ns) ||
		     (t->named_ns != ANALYZE_NO_TIME && t->named_ns >= part_ns);

	if (same_state(start, t)) {
		t->where = now->where;
		t->since_ns = now->since_ns;
		t->ready_ns = now->ready_ns;
		t->moved_ns = now->moved_ns;
		t->cpu = now->cpu;
		t->off = now->off;
		t->io = now->io;
		t->gone = now->gone;
	}
	if (t->pub.born_ns == start->pub.born_ns)
		t->pub.born_ns = now->pub.born_ns;
	if (t->pub.pid == start->pub.pid && now->pub.pid >= 0)
		t->pub.pid = now->pub.pid;
	t->ran_ns += now->ran_ns - start->ran_ns;
	t->recorded |= now->recorded;
	join_names(&t->pub, &now->pub, named);
}

static int join(struct analyze_engine *eng, struct analyze_engine *later)
{
	struct task_table table = eng->table;
	struct cpu_state *cpus = eng->cpus;
	struct analyze_summary *sum = &eng->sum;

	track_flush(later);
	eng->table = later->table;
	eng->cpus = later->cpus;
	later->table = table;
	later->cpus = cpus;
	for (size_t i = 0; i < table.all.n; i++)
		join_task(&eng->table.all.at[i], &table.all.at[i], &later->start.all.at[i],
			  eng->part_ns);
	for (uint32_t c = 0; c < eng->n_cpus; c++) {
		eng->cpus[c].unknown_ns += cpus[c].unknown_ns;
		eng->cpus[c].any |= cpus[c].any;
	}
	sum->events += later->sum.events;
	sum->guest_mode += later->sum.guest_mode;
	sum->switches += later->sum.switches;
	sum->mismatches += later->sum.mismatches;
	sum->disorder += later->sum.disorder;
	eng->now_ns = later->now_ns;
	eng->begun = later->begun;
	eng->next_record = later->next_record;
	eng->record_ns = later->record_ns;
	for (size_t i = 0; i < eng->hooks.n; i++) {
		const struct hook *h = &eng->hooks.at[i];

		if (h->ops->join && h->ops->join(h->self, later->hooks.at[i].self))
			return -ENOMEM;
	}
	return 0;
}

int analyze_engine_join(struct analyze_engine *eng, struct analyze_engine *later,
			struct cdict_error *err)
{
	int ret;

	eng->now_ns = eng->part_ns;
	engine_records(eng, eng->part_ns - 1);
	track_flush(eng);
	if (engine_failed(eng))
		return cdict_fail_nomem(err);
	if (agrees(eng, later)) {
		ret = join(eng, later) ? cdict_fail_nomem(err) : 0;
		eng->part_ns = 0;
		eng->joined = !ret;
		return ret ? ret : engine_end(eng, err);
	}
	eng->begin_ns = eng->part_ns;
	eng->part_ns = 0;
	ret = early_wakes_find(eng, eng->walk_from_ns, NULL, err);
	if (!ret)
		ret = engine_open(eng, eng->walk_to_ns, eng->opts.jobs, err);
	return ret ? ret : analyze_engine_step(eng, UINT64_MAX, err);
}

bool analyze_engine_joined(const struct analyze_engine *eng)
{
	return eng->joined;
}

uint64_t analyze_engine_cut(const struct analyze_engine *eng)
{
	return eng->part_ns;
}

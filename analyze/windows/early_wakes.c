// SPDX-License-Identifier: LGPL-2.1-only
/*
 * early_wakes.c - waits due to a sched_waking before the switch-out.
 *
 * A task may be woken while it is still on its way off the CPU: sched_waking, the switch-out,
 * sched_wakeup, the switch-in. Where sched_wakeup is recorded it begins the wait. Where it is not,
 * only the switch-in shows that nothing else woke the task: then the wait began with the
 * switch-out. To report everything in order of time, such captures are read twice: the waits found
 * here are known when the switch-out comes.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/windows/resume.h"
#include "base/fail.h"
#include "base/memory/map.h"

/* Events to read after a window, to find the switch-in of tasks that were off their CPU before
 * it. */
enum { EVENTS_AHEAD = 1 << 14 };

#define NEEDS (ANALYZE_NEED(SWITCH) | ANALYZE_NEED_WAKES)

/* The state of a tid. */
struct sleeper {
	bool known;        /* it was switched in or out since the reading began */
	bool on, open;     /* on: on a CPU; open: off it, woken before, and no event since */
	uint64_t woken_ns; /* latest wake-up while on a CPU or not yet known, or ANALYZE_NO_TIME */
	uint64_t out_ns;
};

struct search {
	struct analyze_engine *eng;
	struct digest *at; /* digest of the events before, or NULL */
	struct map index;  /* tid -> index in @all */
	ARRAY(struct sleeper) all;
	size_t open;    /* number with sleeper.open */
	uint64_t to_ns; /* waits that begin later are not needed */
};

static struct sleeper *sleeper_of(struct search *s, int32_t tid)
{
	uint32_t *i = map_add(&s->index, (uint32_t)tid, 0);
	struct sleeper *of;

	if (!i)
		return NULL;
	if (*i != MAP_NEW)
		return &s->all.at[*i];
	of = array_add(&s->all);
	if (!of)
		return NULL;
	*i = (uint32_t)s->all.n - 1;
	*of = (struct sleeper){ .woken_ns = ANALYZE_NO_TIME };
	return of;
}

static bool sleeps(enum analyze_off off)
{
	return off != ANALYZE_OFF_RUNNABLE && off != ANALYZE_OFF_PREEMPTED &&
	       off != ANALYZE_OFF_DEAD && off != ANALYZE_OFF_UNKNOWN;
}

static void close_wait(struct search *s, struct sleeper *of)
{
	s->open -= of->open;
	of->open = false;
}

static struct digest_row *row_of(const struct digest *d, int32_t tid)
{
	const struct digest_task *task = d ? digest_find_task(d, tid, CDICT_CPU_UNKNOWN) : NULL;

	return task && task->row ? &d->rows.at[task->row - 1] : NULL;
}

static int push(struct search *s, int32_t tid, uint64_t out_ns)
{
	const struct early_wake early = { out_ns, tid };

	return array_push(&s->eng->early, early) ? -ENOMEM : 0;
}

/* A task that was off its CPU before the first event read is switched in: was it woken in its last
 * slice? The digest just before its switch-out has the latest switch-in and wake-up. */
static int look_back(struct search *s, int32_t tid, struct cdict_error *err)
{
	struct digest_row *row = row_of(s->at, tid), *then;
	struct digest before = { 0 };
	uint64_t out = row ? row->out[0].t_ns : ANALYZE_NO_TIME, since;
	int ret;

	if (out == ANALYZE_NO_TIME || digest_later(row->in[0].t_ns, out) ||
	    !sleeps((enum analyze_off)row->off) || digest_later(row->woken.t_ns, out))
		return 0;
	ret = digests_at(s->eng->opts.digests, out, NULL, &before, err);
	then = ret ? NULL : row_of(&before, tid);
	if (then && then->woken.t_ns != ANALYZE_NO_TIME) {
		since = digest_later(then->in[0].t_ns, then->out[0].t_ns) ? then->in[0].t_ns
									  : s->eng->walk_from_ns;
		row->late_wait = then->woken.t_ns >= since &&
				 !resume_is_gap(s->eng, CDICT_CPU_UNKNOWN, then->woken.t_ns, out);
		if (row->late_wait && push(s, tid, out))
			ret = cdict_fail_nomem(err);
	}
	digest_fini(&before);
	return ret;
}

/* The latest wake-up of @tid, which is on a CPU, in this slice but before the first event read. */
static uint64_t woken_before(const struct search *s, int32_t tid)
{
	const struct digest_row *row = row_of(s->at, tid);

	return row && !digest_later(row->out[0].t_ns, row->in[0].t_ns) &&
			       (row->in[0].t_ns == ANALYZE_NO_TIME ||
				digest_later(row->woken.t_ns, row->in[0].t_ns))
		       ? row->woken.t_ns
		       : ANALYZE_NO_TIME;
}

static int on_switch(struct search *s, const struct cdict_event *ev, const struct type_info *ti,
		     struct cdict_error *err)
{
	int32_t prev = (int32_t)ev->values[ti->field[SW_PREV_PID]];
	int32_t next = (int32_t)ev->values[ti->field[SW_NEXT_PID]];
	enum analyze_off off = state_class(&s->eng->states, ev->values[ti->field[SW_PREV_STATE]]);
	struct sleeper *of = prev > 0 ? sleeper_of(s, prev) : NULL;
	int ret = 0;

	if (prev > 0 && !of)
		return cdict_fail_nomem(err);
	if (of) {
		if (!of->known && of->woken_ns == ANALYZE_NO_TIME)
			of->woken_ns = woken_before(s, prev);
		close_wait(s, of);
		of->open = of->woken_ns != ANALYZE_NO_TIME && sleeps(off) && ev->t_ns <= s->to_ns &&
			   !resume_is_gap(s->eng, CDICT_CPU_UNKNOWN, of->woken_ns, ev->t_ns);
		s->open += of->open;
		of->known = true;
		of->on = false;
		of->out_ns = ev->t_ns;
		of->woken_ns = ANALYZE_NO_TIME;
	}
	of = next > 0 ? sleeper_of(s, next) : NULL;
	if (next > 0 && !of)
		return cdict_fail_nomem(err);
	if (!of)
		return 0;
	if (of->open && push(s, next, of->out_ns))
		return cdict_fail_nomem(err);
	if (!of->known && of->woken_ns == ANALYZE_NO_TIME)
		ret = look_back(s, next, err);
	close_wait(s, of);
	of->known = of->on = true;
	of->woken_ns = ANALYZE_NO_TIME;
	return ret;
}

static int on_wake(struct search *s, const struct cdict_event *ev, const struct type_info *ti,
		   struct cdict_error *err)
{
	int32_t tid = (int32_t)ev->values[ti->field[WAKE_PID]];
	struct sleeper *of;

	if (tid <= 0 || !types_wakes(ev, ti))
		return 0;
	of = sleeper_of(s, tid);
	if (!of)
		return cdict_fail_nomem(err);
	close_wait(s, of);
	if (of->on || !of->known)
		of->woken_ns = ev->t_ns;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct early_wake *x = a, *y = b;

	if (x->out_ns != y->out_ns)
		return x->out_ns < y->out_ns ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int on_event(struct search *s, const struct cdict_event *ev, struct cdict_error *err)
{
	const struct type_info *ti = &s->eng->types[ev->type->index];

	if (ti->kind == ANALYZE_KIND_SWITCH)
		return on_switch(s, ev, ti, err);
	return ANALYZE_NEED_WAKES & 1u << ti->kind ? on_wake(s, ev, ti, err) : 0;
}

static void search_end(struct search *s)
{
	struct analyze_engine *eng = s->eng;

	map_fini(&s->index);
	array_fini(&s->all);
	if (eng->early.n)
		qsort(eng->early.at, eng->early.n, sizeof(*eng->early.at), by_time);
}

static bool is_needed(const struct analyze_engine *eng)
{
	return !eng->opts.narrow && (eng->asked & ANALYZE_NEED_WAKES) && eng->sum.has_switch &&
	       eng->sum.has_waking && !eng->sum.has_wakeup && eng->sum.scope.kind == SCOPE_SYSTEM &&
	       !eng->opts.no_guest_mode;
}

/* The events to read: the walk's own, if they are open and at their first, so that no block is read twice. */
struct source {
	const struct analyze_engine *eng;
	struct cdict_events *it;
	uint64_t *types; /* that are read */
	bool first;      /* the walk's first event is still to come */
};

static int open_source(struct source *src, uint64_t from_ns, struct cdict_error *err)
{
	const struct analyze_engine *eng = src->eng;
	struct cdict_query query = { .size = sizeof(query),
				     .from_ns = from_ns,
				     .to_ns = eng->walk_to_ns,
				     .jobs = eng->opts.jobs,
				     .n_types = eng->n_types,
				     .n_fields = eng->n_types };
	uint64_t **fields =
		types_fields(eng->types, cdict_reader_schema(eng->reader), NEEDS, false);
	int ret;

	src->types = calloc(eng->n_types / 64 + 1, sizeof(*src->types));
	for (size_t i = 0; src->types && i < eng->n_types; i++)
		if (NEEDS & 1u << eng->types[i].kind)
			src->types[i / 64] |= UINT64_C(1) << i % 64;
	query.fields = (const uint64_t *const *)fields;
	query.types = src->types;
	ret = fields && src->types ? 0 : cdict_fail_nomem(err);
	if (!ret && eng->led && eng->has_first && from_ns == eng->begin_ns)
		ret = cdict_events_fork(&src->it, eng->it, &query, err);
	src->first = src->it != NULL;
	if (!ret && !src->it)
		ret = cdict_events_open(&src->it, eng->reader, &query, err);
	free(fields);
	return ret;
}

static int next_event(struct source *src, struct cdict_event *ev, struct cdict_error *err)
{
	const struct analyze_engine *eng = src->eng;
	int ret;

	do {
		ret = src->first ? 1 : cdict_events_next(src->it, ev, err);
		if (src->first)
			*ev = eng->first;
		src->first = false;
	} while (ret > 0 && !(ev->type->index < eng->n_types &&
			      NEEDS & 1u << eng->types[ev->type->index].kind));
	return ret;
}

int early_wakes_find(struct analyze_engine *eng, uint64_t from_ns, struct digest *at,
		     struct cdict_error *err)
{
	uint64_t to_ns = eng->part_ns && eng->part_ns < eng->sum.to_ns ? eng->part_ns
								       : eng->sum.to_ns;
	struct search s = { .eng = eng, .at = at, .to_ns = to_ns };
	struct source src = { .eng = eng };
	unsigned ahead = EVENTS_AHEAD;
	struct cdict_event ev;
	int ret;

	eng->early.n = eng->next_early = 0;
	if (!eng->reader || !is_needed(eng))
		return 0;
	ret = open_source(&src, from_ns, err);
	/* Continues after the window until no wait is open; a wait may extend beyond both ends. */
	while (!ret && (ret = next_event(&src, &ev, err)) > 0 &&
	       (ev.t_ns <= to_ns || s.open || (at && ahead--)))
		ret = on_event(&s, &ev, err);
	cdict_events_close(src.it);
	free(src.types);
	search_end(&s);
	return ret < 0 ? ret : 0;
}

int early_wakes_of_source(struct analyze_engine *eng, const struct analyze_source *src,
			  struct cdict_error *err)
{
	struct search s = { .eng = eng, .to_ns = eng->walk_to_ns };
	struct cdict_event ev;
	int ret = 0;

	if (!src->rewind || !is_needed(eng))
		return 0;
	while (!ret && (ret = src->next(src->ctx, &ev, err)) > 0 && ev.t_ns <= eng->walk_to_ns)
		ret = ev.type->index < eng->n_types ? on_event(&s, &ev, err) : 0;
	search_end(&s);
	return ret < 0 ? ret : src->rewind(src->ctx, err);
}

bool early_wakes_take(struct analyze_engine *eng, uint64_t out_ns, int32_t tid)
{
	while (eng->next_early < eng->early.n && eng->early.at[eng->next_early].out_ns < out_ns)
		eng->next_early++;
	for (size_t i = eng->next_early; i < eng->early.n && eng->early.at[i].out_ns == out_ns; i++)
		if (eng->early.at[i].tid == tid)
			return true;
	return false;
}

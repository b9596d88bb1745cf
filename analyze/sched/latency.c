// SPDX-License-Identifier: LGPL-2.1-only
/* latency.c - see latency.h. */
#include "analyze/sched/latency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "analyze/walk/sparse.h"
#include "base/fail.h"
#include "base/saturate.h"

/* perf's struct work_atom: perf only uses the latest one of a task. */
enum { ATOM_SLEEPING = 0, ATOM_WAIT_CPU, ATOM_SCHED_IN, ATOM_IGNORE };

struct atom {
	bool has;
	uint8_t state;
	uint64_t out_ns, wake_ns;
};

struct analyze_latency {
	struct analyze_engine *eng;
	bool by_cpu;
	enum analyze_perf like_perf;
	struct sparse rows;       /* by task, or CPU */
	ARRAY(uint32_t) order;    /* after the run: the numbers of rows with waits */
	ARRAY(struct atom) atoms; /* by task */
	struct analyze_latency_row spill;
	struct analyze_latency_row returned; /* the row returned last, borrows from the one in rows */
	size_t reported_at;                  /* + 1 */
	struct analyze_latency_row wakeup;
};

_Static_assert(sizeof(struct analyze_latency_row) % 8 == 0 &&
		       sizeof(struct analyze_latency_row) <= SPARSE_SIZE_MAX,
	       "words of a row");

static struct analyze_latency_row *row_of(struct analyze_latency *l, uint32_t task, uint32_t cpu)
{
	struct analyze_latency_row *row = sparse_row(&l->rows, l->by_cpu ? cpu : task);

	if (row)
		return row;
	analyze_engine_out_of_memory(l->eng);
	return &l->spill;
}

static struct atom *atom_of(struct analyze_latency *l, uint32_t task)
{
	struct atom *a = row_at(&l->atoms, task);

	if (!a)
		analyze_engine_out_of_memory(l->eng);
	return a;
}

static void atom_out(struct atom *a, uint64_t t, bool runnable)
{
	*a = (struct atom){ .has = true,
			    .out_ns = t,
			    .wake_ns = runnable ? t : 0,
			    .state = runnable ? ATOM_WAIT_CPU : ATOM_SLEEPING };
}

/* builtin-sched.c, latency_switch_event() and add_sched_in_event(). */
static void perf_switch(struct analyze_latency *l, const struct analyze_switch *sw)
{
	struct atom *a = atom_of(l, sw->prev);
	bool runnable = sw->prev_state == 0;
	struct analyze_perf_latency *p;
	uint64_t ns;

	if (l->like_perf == ANALYZE_PERF_6_12)
		runnable |= sw->off == ANALYZE_OFF_PREEMPTED;
	if (a)
		atom_out(a, sw->t_ns, runnable);
	a = atom_of(l, sw->next);
	if (!a)
		return;
	if (!a->has)
		atom_out(a, sw->t_ns, true);
	if (a->state != ATOM_WAIT_CPU)
		return;
	if (sw->t_ns < a->wake_ns) {
		a->state = ATOM_IGNORE;
		return;
	}
	a->state = ATOM_SCHED_IN;
	if (!sw->in)
		return;
	p = &row_of(l, sw->next, sw->cpu)->perf;
	ns = sw->t_ns - a->wake_ns;
	p->sum_ns += ns;
	p->count++;
	if (ns > p->max_ns) {
		p->max_ns = ns;
		p->max_start_ns = a->wake_ns;
		p->max_end_ns = sw->t_ns;
	}
}

static void on_in(void *self, const struct analyze_switch *sw)
{
	struct analyze_latency *l = self;
	bool idle = !analyze_engine_task(l->eng, sw->next)->tid;
	bool runnable = sw->away == ANALYZE_OFF_RUNNABLE || sw->away == ANALYZE_OFF_PREEMPTED;

	if (!sw->in || idle)
		return;
	if (sw->ready_ns != ANALYZE_NO_TIME)
		analyze_count(l->eng, &row_of(l, sw->next, sw->cpu)->wakeup,
			      sw->t_ns - sw->ready_ns, sw->ready_ns);
	else if (runnable && sw->away_ns != ANALYZE_NO_TIME)
		analyze_count(l->eng, &row_of(l, sw->next, sw->cpu)->preempt,
			      sw->t_ns - sw->away_ns, sw->away_ns);
	if (sw->incomplete)
		row_of(l, sw->next, sw->cpu)->incomplete++;
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_latency *l = self;

	if (l->like_perf)
		perf_switch(l, sw);
	on_in(l, sw);
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct analyze_latency *l = self;
	enum analyze_kind not_seen = ANALYZE_KIND_WAKING;
	struct atom *a;

	if (l->like_perf == ANALYZE_PERF_6_12 && analyze_engine_summary(l->eng)->has_waking)
		not_seen = ANALYZE_KIND_WAKEUP;
	if (!l->like_perf || wake->kind == not_seen)
		return;
	a = atom_of(l, wake->task);
	if (!a)
		return;
	if (!a->has)
		atom_out(a, wake->t_ns, false);
	if (a->state != ATOM_SLEEPING || a->out_ns > wake->t_ns)
		return;
	a->state = ATOM_WAIT_CPU;
	a->wake_ns = wake->t_ns;
}

static void on_sched(void *self, const struct analyze_sched *ev)
{
	struct analyze_latency *l = self;
	struct atom *a;

	if (!l->like_perf || ev->kind != ANALYZE_KIND_RUNTIME)
		return;
	a = atom_of(l, ev->task);
	if (a && !a->has)
		atom_out(a, ev->t_ns, true);
	if (ev->in && !l->by_cpu)
		saturated_add(&row_of(l, ev->task, ev->cpu)->perf.runtime_ns, ev->value);
}

static int part(void *self, struct analyze_engine *eng, struct cdict_error *err)
{
	const struct analyze_latency *l = self;
	const struct analyze_latency_options opts = { .by_cpu = l->by_cpu };
	struct analyze_latency *later;

	return analyze_latency_new(&later, eng, &opts, err);
}

static void part_free(void *self)
{
	analyze_latency_free(self);
}

static int join(void *self, void *later)
{
	struct analyze_latency *l = self;
	struct analyze_latency *other = later;
	struct analyze_latency_row from;
	int ret = 0;

	for (uint32_t i = 0; i < other->rows.slots.n && !ret; i++) {
		struct analyze_latency_row *row;

		if (!sparse_read(&other->rows, i, &from))
			continue;
		row = sparse_row(&l->rows, i);
		ret = row ? analyze_latency_row_merge(row, &from) : -ENOMEM;
	}
	return ret;
}

/* Leaves out rows without waits. */
static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_latency *l = self;
	struct analyze_latency_row *row = &l->returned;

	for (uint32_t i = 0; i < l->rows.slots.n; i++) {
		if (sparse_read(&l->rows, i, row) &&
		    (row->wakeup.count || row->preempt.count || row->incomplete ||
		     row->perf.count) &&
		    array_push(&l->order, i))
			return cdict_fail_nomem(err);
	}
	return 0;
}

static const struct analyze_ops ops = {
	.needs = ANALYZE_NEED_WAKES,
	.sw = on_switch,
	.in = on_in,
	.wake = on_wake,
	.finish = on_finish,
	.resumes = true,
	.part = part,
	.part_free = part_free,
	.join = join,
};

static const struct analyze_ops ops_like_perf = {
	.needs = ANALYZE_NEED_WAKES | ANALYZE_NEED(RUNTIME),
	.sw = on_switch,
	.in = on_in,
	.wake = on_wake,
	.sched = on_sched,
	.finish = on_finish,
};

int analyze_latency_new(struct analyze_latency **out, struct analyze_engine *eng,
			const struct analyze_latency_options *opts, struct cdict_error *err)
{
	struct analyze_latency *l = calloc(1, sizeof(*l));
	int ret;

	*out = NULL;
	if (!l)
		return cdict_fail_nomem(err);
	l->eng = eng;
	l->rows.size = sizeof(struct analyze_latency_row);
	l->by_cpu = opts && opts->by_cpu;
	l->like_perf = opts ? opts->like_perf : ANALYZE_NOT_PERF;
	ret = analyze_engine_add(eng, l->like_perf ? &ops_like_perf : &ops, l, err);
	if (ret) {
		free(l);
		return ret;
	}
	*out = l;
	return 0;
}

static void row_fini(void *row)
{
	analyze_latency_row_fini(row);
}

void analyze_latency_free(struct analyze_latency *l)
{
	if (!l)
		return;
	sparse_fini(&l->rows, row_fini);
	analyze_latency_row_fini(&l->spill);
	array_fini(&l->order);
	array_fini(&l->atoms);
	free(l);
}

struct analyze_latency *analyze_latency_of(const struct analyze_engine *eng)
{
	struct analyze_latency *l = analyze_engine_find(eng, &ops);

	if (!l || l->by_cpu)
		l = analyze_engine_find(eng, &ops_like_perf);
	return l && !l->by_cpu ? l : NULL;
}

const struct histogram *analyze_latency_wakeup(struct analyze_latency *l, uint32_t task)
{
	return sparse_read(&l->rows, task, &l->wakeup) ? &l->wakeup.wakeup : NULL;
}

size_t analyze_latency_row_count(const struct analyze_latency *l)
{
	return l->order.n;
}

const struct analyze_latency_row *analyze_latency_row_at(struct analyze_latency *l, size_t i)
{
	if (l->reported_at == i + 1)
		return &l->returned;
	l->reported_at = i + 1;
	sparse_read(&l->rows, l->order.at[i], &l->returned);
	l->returned.task = l->by_cpu ? ANALYZE_NO_TASK : l->order.at[i];
	l->returned.cpu = l->by_cpu ? l->order.at[i] : CDICT_CPU_UNKNOWN;
	return &l->returned;
}

int analyze_latency_row_merge(struct analyze_latency_row *to,
			      const struct analyze_latency_row *from)
{
	int ret = histogram_merge(&to->wakeup, &from->wakeup) |
		  histogram_merge(&to->preempt, &from->preempt);

	to->incomplete += from->incomplete;
	to->perf.count += from->perf.count;
	saturated_add(&to->perf.sum_ns, from->perf.sum_ns);
	saturated_add(&to->perf.runtime_ns, from->perf.runtime_ns);
	if (from->perf.max_ns > to->perf.max_ns) {
		to->perf.max_ns = from->perf.max_ns;
		to->perf.max_start_ns = from->perf.max_start_ns;
		to->perf.max_end_ns = from->perf.max_end_ns;
	}
	return ret;
}

void analyze_latency_row_fini(struct analyze_latency_row *row)
{
	histogram_fini(&row->wakeup);
	histogram_fini(&row->preempt);
}

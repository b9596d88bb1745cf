// SPDX-License-Identifier: LGPL-2.1-only
/* tasks.c - see tasks.h. */
#include "analyze/sched/tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "analyze/walk/sparse.h"
#include "base/fail.h"
#include "base/saturate.h"

struct analyze_tasks {
	struct analyze_engine *eng;
	bool per_cpu;
	bool stat_runtime;
	struct analyze_latency *latency;  /* counts the wake-ups; NULL: this analysis does */
	struct index index;               /* per_cpu: (task, CPU) */
	struct sparse rows;               /* by number in the index, else by task */
	ARRAY(uint32_t) order;            /* after the run: the numbers of rows */
	struct analyze_task_row spill;    /* target of writes after a failed allocation */
	struct analyze_task_row returned; /* the row returned last, borrows from the one in rows */
	size_t reported_at;               /* + 1 */
};

/* A new row: no CPU yet. */
static const struct analyze_task_row fresh = { .cpu = CDICT_CPU_UNKNOWN };

_Static_assert(sizeof(fresh) % 8 == 0 && sizeof(fresh) <= SPARSE_SIZE_MAX, "words of a row");

static struct analyze_task_row *row_of_cpu(struct analyze_tasks *t, uint32_t task, uint32_t cpu)
{
	struct analyze_task_row *row = sparse_row(&t->rows, index_take(&t->index, task, cpu));

	if (row)
		return row;
	analyze_engine_out_of_memory(t->eng);
	return &t->spill;
}

static inline struct analyze_task_row *row_of(struct analyze_tasks *t, uint32_t task, uint32_t cpu)
{
	struct analyze_task_row *row;

	if (t->per_cpu)
		return row_of_cpu(t, task, cpu);
	row = sparse_row(&t->rows, task);
	if (row)
		return row;
	analyze_engine_out_of_memory(t->eng);
	return &t->spill;
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct analyze_tasks *t = self;
	struct analyze_task_row *row;
	bool whole = run->start_seen && run->end_seen;

	if (run->task == ANALYZE_NO_TASK || (!run->ns && !run->in))
		return;
	row = row_of(t, run->task, run->cpu);
	row->cpu = run->cpu;
	row->run_ns += run->ns;
	if (!whole)
		row->edge_ns += run->ns;
	else if (run->in)
		analyze_count(t->eng, &row->slice, run->end_ns - run->start_ns, run->start_ns);
}

/* Counts the runnable part of a time off the CPU, in the window. */
static void waited(const struct analyze_tasks *t, struct analyze_task_row *row,
		   const struct analyze_away *away)
{
	bool preempted = away->off == ANALYZE_OFF_RUNNABLE || away->off == ANALYZE_OFF_PREEMPTED;
	uint64_t from_ns = away->start_ns, to_ns = away->end_ns;

	if (!preempted && away->ready_ns > from_ns)
		from_ns = away->ready_ns; /* ANALYZE_NO_TIME is the largest */
	if (from_ns >= to_ns)
		return;
	row->delayed_ns += analyze_engine_clip(t->eng, from_ns, to_ns);
	if (to_ns - from_ns > row->worst.dur_ns &&
	    analyze_engine_longest(t->eng, &from_ns, &to_ns) && to_ns - from_ns > row->worst.dur_ns)
		row->worst = (struct analyze_wait){
			.at_ns = from_ns,
			.dur_ns = to_ns - from_ns,
			/* switched_in() sets the one on which it ends */
			.cpu = preempted ? away->cpu : CDICT_CPU_UNKNOWN,
			.state = preempted ? ANALYZE_VCPU_PREEMPTED : ANALYZE_VCPU_WAITING,
			.behind = ANALYZE_NO_TASK,
		};
}

static void on_away(void *self, const struct analyze_away *away)
{
	struct analyze_tasks *t = self;
	struct analyze_task_row *row;
	uint64_t ns = away->ns;

	if ((!ns && !away->in) || (away->waits && t->per_cpu && away->cpu == CDICT_CPU_UNKNOWN))
		return;
	row = row_of(t, away->task, away->cpu);
	if (away->waits) {
		waited(t, row, away);
		return;
	}
	row->cpu = away->cpu;
	if (away->off == ANALYZE_OFF_UNKNOWN) {
		row->unknown_ns += ns;
		return;
	}
	if (!analyze_engine_task(t->eng, away->task)->tid)
		return;
	row->off_ns[away->off] += ns;
	waited(t, row, away);
	if (away->off == ANALYZE_OFF_DISK && away->io) {
		row->iowait_ns += ns;
		row->iowaits += away->in;
	}
	if (away->ended) {
		row->open_off_ns = ns;
		row->open_off = (uint8_t)away->off;
	} else {
		row->tail_ns[away->off] += ns;
	}
}

static struct analyze_task_row *switched_in(struct analyze_tasks *t,
					    const struct analyze_switch *sw)
{
	struct analyze_task_row *row = row_of(t, sw->next, sw->cpu);
	const int32_t *node;

	row->cpu = sw->cpu;
	row->switch_ins++;
	if (sw->ready_ns != ANALYZE_NO_TIME && !t->latency)
		analyze_count(t->eng, &row->latency, sw->t_ns - sw->ready_ns, sw->ready_ns);
	/* a runnable task waits since its switch-out, even with a wake-up */
	row->delays += sw->ready_ns != ANALYZE_NO_TIME ||
		       ((sw->away == ANALYZE_OFF_RUNNABLE || sw->away == ANALYZE_OFF_PREEMPTED) &&
			sw->away_ns != ANALYZE_NO_TIME &&
			analyze_engine_task(t->eng, sw->next)->tid);
	if (row->worst.dur_ns && row->worst.at_ns + row->worst.dur_ns == sw->t_ns)
		row->worst.cpu = sw->cpu;
	if (sw->last_cpu == CDICT_CPU_UNKNOWN || sw->last_cpu == sw->cpu)
		return row;
	row->migrations++;
	node = analyze_engine_options(t->eng)->node_of_cpu;
	if (node && sw->last_cpu < analyze_engine_options(t->eng)->n_node_of_cpu &&
	    sw->cpu < analyze_engine_options(t->eng)->n_node_of_cpu)
		row->node_migrations += node[sw->last_cpu] != node[sw->cpu] &&
					node[sw->last_cpu] >= 0 && node[sw->cpu] >= 0;
	return row;
}

static void on_in(void *self, const struct analyze_switch *sw)
{
	if (sw->in)
		switched_in(self, sw);
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_tasks *t = self;
	struct analyze_task_row *row;

	if (!sw->in) {
		if (t->per_cpu || !sparse_has(&t->rows, sw->prev))
			return;
		row = row_of(t, sw->prev, sw->cpu);
		row->open_off_ns = row->open_latency_ns = 0;
		return;
	}
	row = row_of(t, sw->prev, sw->cpu);
	row->open_off_ns = row->open_latency_ns = 0;
	row->cpu = sw->cpu;
	row->switches++;
	row->edge_outs += sw->slice_start_ns == ANALYZE_NO_TIME;
	if (analyze_engine_task(t->eng, sw->prev)->tid)
		row->outs[sw->off]++;
	row = switched_in(t, sw);
	if (sw->ready_ns != ANALYZE_NO_TIME)
		row->open_latency_ns = sw->t_ns - sw->ready_ns;
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct analyze_tasks *t = self;

	if (!wake->in ||
	    (wake->kind == ANALYZE_KIND_WAKEUP && analyze_engine_summary(t->eng)->has_waking))
		return;
	row_of(t, wake->task, wake->target_cpu == CDICT_CPU_UNKNOWN ? wake->cpu : wake->target_cpu)
		->wakeups++;
}

static void on_sched(void *self, const struct analyze_sched *ev)
{
	struct analyze_tasks *t = self;

	if (!ev->in)
		return;
	if (ev->kind == ANALYZE_KIND_MIGRATE)
		row_of(t, ev->task, ev->dest_cpu)->migrate_events++;
	else if (ev->kind == ANALYZE_KIND_RUNTIME && t->stat_runtime)
		saturated_add(&row_of(t, ev->task, ev->cpu)->stat_runtime_ns, ev->value);
}

static void on_events(void *self, uint32_t task, uint32_t cpu, uint64_t n)
{
	row_of(self, task, cpu)->events += n;
}

static int part(void *self, struct analyze_engine *eng, struct cdict_error *err)
{
	const struct analyze_tasks *t = self;
	const struct analyze_tasks_options opts = { t->per_cpu, t->stat_runtime };
	struct analyze_tasks *later;

	return analyze_tasks_new(&later, eng, &opts, err);
}

static void part_free(void *self)
{
	analyze_tasks_free(self);
}

/* The task of a row. */
static uint32_t task_of(const struct analyze_tasks *t, uint32_t number)
{
	return t->per_cpu ? (uint32_t)t->index.keys.at[number].a : number;
}

/* For the times that perf has not counted, the latest switch decides. */
static int join_row(struct analyze_task_row *to, const struct analyze_task_row *from)
{
	if (from->cpu != CDICT_CPU_UNKNOWN)
		to->cpu = from->cpu;
	if (from->switches || from->open_off_ns) {
		to->open_off_ns = from->open_off_ns;
		to->open_off = from->open_off;
	}
	if (from->switches || from->open_latency_ns)
		to->open_latency_ns = from->open_latency_ns;
	return analyze_task_row_merge(to, from);
}

static int join(void *self, void *later)
{
	struct analyze_tasks *t = self;
	struct analyze_tasks *l = later;
	int ret = 0;

	for (uint32_t i = 0; i < l->rows.slots.n && !ret; i++) {
		const struct analyze_task_row *from;
		struct analyze_task_row *to;

		if (!sparse_has(&l->rows, i))
			continue;
		from = sparse_row(&l->rows, i);
		to = t->per_cpu ? row_of(t, task_of(l, i), (uint32_t)l->index.keys.at[i].b)
				: row_of(t, i, CDICT_CPU_UNKNOWN);
		ret = !from || to == &t->spill ? -ENOMEM : join_row(to, from);
	}
	return ret;
}

/* IDLE of a CPU that never went idle has no row. */
static bool is_there(const struct analyze_tasks *t, uint32_t task)
{
	const struct analyze_task *a = analyze_engine_task(t->eng, task);

	return a->tid || a->first_ns != ANALYZE_NO_TIME;
}

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_tasks *t = self;

	(void)schema, (void)err;
	if (!t->per_cpu)
		t->latency = analyze_latency_of(t->eng);
	return 0;
}

struct placed {
	uint32_t task, cpu, number;
};

static int by_task(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/* With per_cpu the numbers are in order of the rows' first appearance. */
static int sort_by_task(struct analyze_tasks *t)
{
	struct placed *all = calloc(t->order.n + 1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < t->order.n; i++) {
		uint32_t number = t->order.at[i];

		all[i] = (struct placed){ task_of(t, number), (uint32_t)t->index.keys.at[number].b,
					  number };
	}
	qsort(all, t->order.n, sizeof(*all), by_task);
	for (size_t i = 0; i < t->order.n; i++)
		t->order.at[i] = all[i].number;
	free(all);
	return 0;
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_tasks *t = self;

	for (uint32_t i = 0; i < t->rows.slots.n; i++) {
		if (sparse_has(&t->rows, i) && is_there(t, task_of(t, i)) &&
		    array_push(&t->order, i))
			return cdict_fail_nomem(err);
	}
	return t->per_cpu && sort_by_task(t) ? cdict_fail_nomem(err) : 0;
}

static const struct analyze_ops ops = {
	.needs = ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE) | ANALYZE_NEED(IOWAIT),
	.run = on_run,
	.away = on_away,
	.sw = on_switch,
	.in = on_in,
	.wake = on_wake,
	.sched = on_sched,
	.events = on_events,
	.start = on_start,
	.finish = on_finish,
	.resumes = true,
	.part = part,
	.part_free = part_free,
	.join = join,
};

static const struct analyze_ops ops_stat_runtime = {
	.needs = ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE) | ANALYZE_NEED(IOWAIT) |
		 ANALYZE_NEED(RUNTIME),
	.run = on_run,
	.away = on_away,
	.sw = on_switch,
	.in = on_in,
	.wake = on_wake,
	.sched = on_sched,
	.events = on_events,
	.start = on_start,
	.finish = on_finish,
	.resumes = true,
	.part = part,
	.part_free = part_free,
	.join = join,
};

int analyze_tasks_new(struct analyze_tasks **out, struct analyze_engine *eng,
		      const struct analyze_tasks_options *opts, struct cdict_error *err)
{
	struct analyze_tasks *t = calloc(1, sizeof(*t));
	int ret;

	*out = NULL;
	if (!t)
		return cdict_fail_nomem(err);
	t->eng = eng;
	t->rows = (struct sparse){ .size = sizeof(fresh), .fresh = &fresh };
	t->per_cpu = opts && opts->per_cpu;
	t->stat_runtime = opts && opts->stat_runtime;
	ret = analyze_engine_add(eng, t->stat_runtime ? &ops_stat_runtime : &ops, t, err);
	if (ret) {
		free(t);
		return ret;
	}
	*out = t;
	return 0;
}

static void row_fini(void *row)
{
	analyze_task_row_fini(row);
}

void analyze_tasks_free(struct analyze_tasks *t)
{
	if (!t)
		return;
	sparse_fini(&t->rows, row_fini);
	analyze_task_row_fini(&t->spill);
	array_fini(&t->order);
	index_fini(&t->index);
	free(t);
}

size_t analyze_tasks_row_count(const struct analyze_tasks *t)
{
	return t->order.n;
}

const struct analyze_task_row *analyze_tasks_row_at(struct analyze_tasks *t, size_t i)
{
	uint32_t number = t->order.at[i];
	struct analyze_task_row *returned = &t->returned;
	const struct histogram *h = NULL;

	if (t->reported_at == i + 1)
		return returned;
	t->reported_at = i + 1;
	sparse_read(&t->rows, number, returned);
	returned->task = task_of(t, number);
	if (t->per_cpu)
		returned->cpu = (uint32_t)t->index.keys.at[number].b;
	for (unsigned s = 0; s < ANALYZE_OFF_N; s++) {
		if (s == ANALYZE_OFF_RUNNABLE || s == ANALYZE_OFF_PREEMPTED)
			returned->involuntary += returned->outs[s];
		else
			returned->voluntary += returned->outs[s];
	}
	if (t->latency)
		h = analyze_latency_wakeup(t->latency, returned->task);
	if (h)
		returned->latency = *h;
	return returned;
}

int analyze_task_row_merge(struct analyze_task_row *to, const struct analyze_task_row *from)
{
	int ret = histogram_merge(&to->slice, &from->slice);

	to->run_ns += from->run_ns;
	to->edge_ns += from->edge_ns;
	saturated_add(&to->unknown_ns, from->unknown_ns);
	saturated_add(&to->switches, from->switches);
	saturated_add(&to->switch_ins, from->switch_ins);
	saturated_add(&to->edge_outs, from->edge_outs);
	for (unsigned s = 0; s < ANALYZE_OFF_N; s++) {
		saturated_add(&to->outs[s], from->outs[s]);
		saturated_add(&to->off_ns[s], from->off_ns[s]);
		saturated_add(&to->tail_ns[s], from->tail_ns[s]);
	}
	saturated_add(&to->voluntary, from->voluntary);
	saturated_add(&to->involuntary, from->involuntary);
	saturated_add(&to->iowait_ns, from->iowait_ns);
	saturated_add(&to->iowaits, from->iowaits);
	saturated_add(&to->wakeups, from->wakeups);
	saturated_add(&to->migrations, from->migrations);
	saturated_add(&to->node_migrations, from->node_migrations);
	saturated_add(&to->migrate_events, from->migrate_events);
	saturated_add(&to->events, from->events);
	saturated_add(&to->delays, from->delays);
	saturated_add(&to->delayed_ns, from->delayed_ns);
	if (from->worst.dur_ns > to->worst.dur_ns)
		to->worst = from->worst;
	ret |= histogram_merge(&to->latency, &from->latency);
	saturated_add(&to->stat_runtime_ns, from->stat_runtime_ns);
	return ret;
}

void analyze_task_row_fini(struct analyze_task_row *row)
{
	histogram_fini(&row->slice);
	histogram_fini(&row->latency);
}

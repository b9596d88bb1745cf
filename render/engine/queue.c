/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Run queues: the number of tasks that wait for each CPU in columns of a range, and the waits themselves if there are few
 * enough: who waits for it at any time, and since when.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/sched/coremap.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "render/bins/columns.h"
#include "render/engine/engine_internal.h"

struct wait {
	uint32_t task, cpu;
	uint64_t from_ns, to_ns;
	uint64_t ready_ns; /* since when it waits, also for other CPUs */
};

/* A CPU's queue so far. */
struct queue {
	uint32_t length;
	uint64_t since_ns;
};

struct queues {
	struct analyze_coremap *map;
	struct columns columns;
	uint32_t cpus;
	ARRAY(struct wait) unknown; /* from_ns, to_ns */
	struct queue *now;          /* by CPU */
	uint64_t *ns;               /* [CPU][column]: length times time */
	uint32_t *most;             /* [CPU][column]: the largest length that lasted */
	ARRAY(struct wait) open;    /* by the walk's task; to_ns 0: it does not wait */
	ARRAY(struct wait) all;
	bool too_many;
};

/* Takes the CPU's length, which is the same since since_ns, into the columns up to @t_ns. */
static void pass(struct queues *q, uint32_t cpu, uint64_t t_ns, unsigned n)
{
	struct queue *now = &q->now[cpu];
	uint64_t from_ns = now->since_ns, to_ns = t_ns;
	uint32_t *most = &q->most[cpu * (size_t)n];

	now->since_ns = t_ns;
	from_ns = from_ns < q->columns.from_ns ? q->columns.from_ns : from_ns;
	to_ns = to_ns > q->columns.to_ns ? q->columns.to_ns : to_ns;
	if (to_ns <= from_ns || !now->length)
		return;
	for (unsigned i = columns_of(&q->columns, from_ns),
		      last = columns_of(&q->columns, to_ns - 1);
	     i <= last; i++)
		most[i] = most[i] < now->length ? now->length : most[i];
}

/* Ends the wait of the walk's @task for its CPU. */
static void end(struct page_engine *e, uint32_t task, uint64_t t_ns)
{
	struct queues *q = e->state;
	struct wait *w = &q->open.at[task];
	uint64_t from_ns = w->from_ns, to_ns = t_ns;

	w->to_ns = 0;
	if (w->cpu >= q->cpus)
		return;
	pass(q, w->cpu, t_ns, e->q.columns);
	q->now[w->cpu].length--;
	from_ns = from_ns < q->columns.from_ns ? q->columns.from_ns : from_ns;
	to_ns = to_ns > q->columns.to_ns ? q->columns.to_ns : to_ns;
	if (to_ns <= from_ns)
		return;
	columns_spread(&q->columns, &q->ns[w->cpu * (size_t)e->q.columns], 0, from_ns, to_ns);
	if (q->all.n >= e->q.max)
		q->too_many = true;
	if (!q->too_many && array_push(&q->all, (struct wait){ page_tasks_number(e, task), w->cpu,
							       from_ns - e->t0_ns, to_ns - e->t0_ns,
							       w->ready_ns - e->t0_ns }))
		analyze_engine_out_of_memory(e->eng);
}

static void end_all(struct page_engine *e, uint64_t t_ns)
{
	struct queues *q = e->state;

	for (size_t i = 0; i < q->open.n; i++)
		if (q->open.at[i].to_ns)
			end(e, (uint32_t)i, t_ns);
}

static void on_wait(void *ctx, uint32_t task, uint32_t cpu, uint64_t t_ns)
{
	struct page_engine *e = ctx;
	struct queues *q = e->state;
	uint64_t ready_ns = t_ns;

	if (task == ANALYZE_NO_TASK) {
		end_all(e, t_ns);
		return;
	}
	if (task >= q->open.n && array_resize(&q->open, (size_t)task + 1)) {
		analyze_engine_out_of_memory(e->eng);
		return;
	}
	if (q->open.at[task].to_ns) {
		ready_ns = q->open.at[task].ready_ns;
		end(e, task, t_ns);
	}
	if (cpu == CDICT_CPU_UNKNOWN)
		return;
	q->open.at[task] = (struct wait){ task, cpu, t_ns, UINT64_MAX, ready_ns };
	if (cpu >= q->cpus)
		return;
	pass(q, cpu, t_ns, e->q.columns);
	q->now[cpu].length++;
}

static int queues_add(struct page_engine *e, struct cdict_error *err)
{
	struct queues *q = e->state;
	size_t n;

	q->cpus = (uint32_t)cdict_reader_cpus(e->reader);
	n = ((size_t)q->cpus + 1) * e->q.columns;
	q->now = calloc((size_t)q->cpus + 1, sizeof(*q->now));
	q->ns = calloc(n, sizeof(*q->ns));
	q->most = calloc(n, sizeof(*q->most));
	if (!q->now || !q->ns || !q->most ||
	    columns_init(&q->columns, e->t0_ns + e->q.from_ns, e->t0_ns + e->q.to_ns, e->q.columns))
		return cdict_fail_nomem(err);
	if (analyze_coremap_new(&q->map, e->eng, err))
		return err ? err->code : -ENOMEM;
	analyze_coremap_on_wait(q->map, on_wait, e);
	return 0;
}

/* The gaps, in which every length is unknown. */
static int add_unknown(struct page_engine *e)
{
	struct queues *q = e->state;
	uint64_t to_ns = q->columns.to_ns, end_ns;

	for (uint64_t at = q->columns.from_ns; at < to_ns; at = end_ns) {
		at = analyze_engine_gap(e->eng, false, CDICT_CPU_UNKNOWN, at, to_ns);
		if (at == ANALYZE_NO_TIME)
			break;
		end_ns = analyze_engine_gap_end(e->eng, at, to_ns);
		if (array_push(&q->unknown, (struct wait){ .from_ns = at - e->t0_ns,
							   .to_ns = end_ns - e->t0_ns }))
			return -ENOMEM;
	}
	return 0;
}

static int queues_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct queues *q = e->state;
	size_t n = q->cpus * (size_t)e->q.columns;
	uint32_t most = 0;

	end_all(e, q->columns.to_ns);
	if (add_unknown(e))
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < n; i++)
		most = q->most[i] > most ? q->most[i] : most;
	json_u64(a->j, "columns", e->q.columns);
	json_u64(a->j, "longest", most);
	arrays_put(a, "ns", q->ns, n);
	arrays_put(a, "most", q->most, n);
	arrays_member(a, "unknown_from", q->unknown, from_ns);
	arrays_member(a, "unknown_to", q->unknown, to_ns);
	json_bool(a->j, "exact", !q->too_many);
	if (q->too_many)
		return 0;
	arrays_member(a, "task", q->all, task);
	arrays_member(a, "cpu", q->all, cpu);
	arrays_member(a, "from", q->all, from_ns);
	arrays_member(a, "to", q->all, to_ns);
	arrays_member(a, "ready", q->all, ready_ns);
	return 0;
}

static void queues_fini(struct page_engine *e)
{
	struct queues *q = e->state;

	analyze_coremap_free(q->map);
	columns_fini(&q->columns);
	free(q->now);
	free(q->ns);
	free(q->most);
	array_fini(&q->open);
	array_fini(&q->unknown);
	array_fini(&q->all);
}

const struct page_call page_queues = { .state_size = sizeof(struct queues),
				       .add = queues_add,
				       .write = queues_write,
				       .fini = queues_fini };

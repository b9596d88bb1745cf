/* SPDX-License-Identifier: GPL-2.0-only */
/* The intervals of a heat map: those of a selected block, and their ends within the second. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/sched/slices.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "render/bins/bins.h"
#include "render/engine/engine_internal.h"

/* Bars of the histogram: three per decade. */
#define BAR_ROWS (BINS_PER_DECADE / 3)
#define BARS (BINS_ROWS / BAR_ROWS)

#define SECOND_NS UINT64_C(1000000000)
#define SECONDS_MAX 100000u

struct interval {
	uint32_t task, cpu;
	uint64_t from_ns, to_ns, order;
};

struct intervals {
	struct analyze_slices *slices;
	struct analyze_reasons *reasons;
	ARRAY(uint8_t) heated; /* by task: 0 not tested yet, 1 no, 2 yes */
	/* select: a heap of the shown ones */
	ARRAY(struct interval) all;
	uint64_t total;
	/* subsecond */
	uint64_t first; /* second */
	size_t seconds;
	uint32_t *count; /* [second][column] */
	/* histogram */
	uint64_t bars[BARS];
};

/* Whether the interval counts; negative: out of memory. */
static int is_heated(struct page_engine *e, const struct analyze_slice *slice)
{
	struct intervals *v = e->state;
	uint32_t task = slice->task;

	if (task >= v->heated.n && array_resize(&v->heated, (size_t)task + 1))
		return -ENOMEM;
	if (!v->heated.at[task])
		v->heated.at[task] = page_tasks_heated(e, task) ? 2 : 1;
	return v->heated.at[task] == 2 && page_engine_wants(e, v->reasons, slice);
}

static int intervals_add(struct page_engine *e, struct cdict_error *err)
{
	struct analyze_slices_options how = { .kinds = e->q.kinds,
					      .on_slice = e->call->on_slice,
					      .ctx = e };
	struct intervals *v = e->state;
	int rc = e->reasons.n ? page_engine_reasons(e, &v->reasons, err) : 0;

	return rc ? rc : analyze_slices_new(&v->slices, e->eng, &how, err);
}

static void intervals_fini(struct page_engine *e)
{
	struct intervals *v = e->state;

	analyze_slices_free(v->slices);
	analyze_reasons_free(v->reasons);
	array_fini(&v->heated);
	array_fini(&v->all);
	free(v->count);
}

/* ---- select ---- */

static int longest_first(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	uint64_t xn = x->to_ns - x->from_ns, yn = y->to_ns - y->from_ns;

	if (xn != yn)
		return xn > yn ? -1 : 1;
	if (x->to_ns != y->to_ns)
		return x->to_ns < y->to_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The heap has the shortest one, which is dropped first, on top. */
static void sink_down(struct interval *heap, size_t n)
{
	struct interval top = heap[0];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && longest_first(&heap[child], &heap[child + 1]) < 0)
			child++;
		if (longest_first(&top, &heap[child]) >= 0)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = top;
}

static void rise(struct interval *heap, size_t i)
{
	struct interval last = heap[i];

	for (; i && longest_first(&heap[(i - 1) / 2], &last) < 0; i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = last;
}

static int on_selected(void *ctx, const struct analyze_slice *s)
{
	struct page_engine *e = ctx;
	struct intervals *v = e->state;
	uint64_t dur_ns = s->end_ns - s->start_ns;
	struct interval one = {
		.task = s->task, .cpu = s->cpu, .from_ns = s->start_ns, .to_ns = s->end_ns
	};
	int heated = is_heated(e, s);

	if (heated <= 0 || s->start_ns == ANALYZE_NO_TIME || dur_ns < e->q.lo_ns ||
	    (e->q.hi_ns && dur_ns >= e->q.hi_ns))
		return heated < 0 ? heated : 0;
	one.order = v->total++;
	if (v->all.n < e->q.max) {
		if (array_push(&v->all, one))
			return -ENOMEM;
		rise(v->all.at, v->all.n - 1);
	} else if (v->all.n && longest_first(&one, &v->all.at[0]) < 0) {
		v->all.at[0] = one;
		sink_down(v->all.at, v->all.n);
	}
	return 0;
}

static int select_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct intervals *v = e->state;

	(void)err;
	if (v->all.n)
		qsort(v->all.at, v->all.n, sizeof(*v->all.at), longest_first);
	json_u64(a->j, "total", v->total);
	json_open(a->j, "rows", '[', true);
	for (size_t i = 0; i < v->all.n; i++) {
		const struct interval *row = &v->all.at[i];

		json_open(a->j, NULL, '{', false);
		page_number_json(a->j, "task", page_tasks_number(e, row->task));
		page_number_json(a->j, "cpu", row->cpu);
		json_i64(a->j, "from", (int64_t)(row->from_ns - e->t0_ns));
		json_i64(a->j, "to", (int64_t)(row->to_ns - e->t0_ns));
		json_close(a->j);
	}
	json_close(a->j);
	return 0;
}

const struct page_call page_select = { .state_size = sizeof(struct intervals),
				       .on_slice = on_selected,
				       .add = intervals_add,
				       .write = select_write,
				       .fini = intervals_fini };

/* ---- histogram of lengths ---- */

static int on_counted(void *ctx, const struct analyze_slice *s)
{
	struct page_engine *e = ctx;
	struct intervals *v = e->state;
	uint64_t dur_ns = s->end_ns - s->start_ns;
	int heated = is_heated(e, s);
	unsigned bar = 0;

	if (heated <= 0 || s->start_ns == ANALYZE_NO_TIME || dur_ns < bins_edge(0))
		return heated < 0 ? heated : 0;
	while (bar < BARS && bins_edge((bar + 1) * BAR_ROWS) <= dur_ns)
		bar++;
	if (bar < BARS)
		v->bars[bar]++;
	return 0;
}

/* Without the empty bars at both ends. */
static int histogram_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	const struct intervals *v = e->state;
	unsigned first = 0, end = BARS;

	(void)err;
	while (first < end && !v->bars[first])
		first++;
	while (first < end && !v->bars[end - 1])
		end--;
	json_open(a->j, "bars", '[', true);
	for (; first < end; first++) {
		json_open(a->j, NULL, '{', false);
		json_u64(a->j, "from_ns", bins_edge(first * BAR_ROWS));
		json_u64(a->j, "to_ns", bins_edge((first + 1) * BAR_ROWS));
		json_u64(a->j, "count", v->bars[first]);
		json_close(a->j);
	}
	json_close(a->j);
	return 0;
}

const struct page_call page_histogram = { .state_size = sizeof(struct intervals),
					  .on_slice = on_counted,
					  .add = intervals_add,
					  .write = histogram_write,
					  .fini = intervals_fini };

/* ---- offset within the second ---- */

static int on_subsecond(void *ctx, const struct analyze_slice *s)
{
	struct page_engine *e = ctx;
	struct intervals *v = e->state;
	int heated = is_heated(e, s);
	uint64_t t_ns = s->end_ns - e->t0_ns, row = t_ns / SECOND_NS - v->first;

	if (heated > 0 && row < v->seconds)
		v->count[row * e->q.columns + t_ns % SECOND_NS * e->q.columns / SECOND_NS]++;
	return heated < 0 ? heated : 0;
}

static int subsecond_add(struct page_engine *e, struct cdict_error *err)
{
	int rc = intervals_add(e, err);
	struct intervals *v = e->state;
	uint64_t n;

	if (rc)
		return rc;
	v->first = e->q.from_ns / SECOND_NS;
	n = e->q.to_ns / SECOND_NS - v->first + 1;
	v->seconds = n < SECONDS_MAX ? n : SECONDS_MAX;
	v->count = calloc(v->seconds * e->q.columns, sizeof(*v->count));
	return v->count ? 0 : cdict_fail_nomem(err);
}

static int subsecond_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	const struct intervals *v = e->state;

	(void)err;
	json_u64(a->j, "seconds", v->seconds);
	json_u64(a->j, "columns", e->q.columns);
	arrays_put(a, "count", v->count, v->seconds * e->q.columns);
	return 0;
}

const struct page_call page_subsecond = { .state_size = sizeof(struct intervals),
					  .on_slice = on_subsecond,
					  .add = subsecond_add,
					  .write = subsecond_write,
					  .fini = intervals_fini };

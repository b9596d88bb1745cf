/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * States of selected tasks over time: columns of a range with the time in each state, and the intervals themselves if
 * there are few enough.  With q.type "vm" also the exits of their vCPUs, and who woke them.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/sched/timeline.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "render/bins/columns.h"
#include "render/bins/lanes.h"
#include "render/engine/engine_internal.h"

#define NONE PAGE_NO_TASK

struct interval {
	uint32_t task, state, cpu, behind, reason;
	uint64_t from_ns, to_ns;
};

struct exit {
	uint32_t task, reason;
	uint64_t t_ns;
};

struct wakeup {
	uint32_t task, by, cpu; /* by: NONE: an interrupt, or unknown */
	uint64_t t_ns;
};

struct tracks {
	struct analyze_timeline *timeline;
	struct page_reasons reasons;
	struct columns columns;
	size_t n, n_vcpus; /* selected tasks */
	uint32_t *rows;    /* by the page's number: row, or NONE */
	uint32_t *vcpu;    /* by row: number among the vCPUs, or NONE */
	uint64_t *ns;      /* [row][state][column] */
	ARRAY(struct interval) all;
	bool too_many;
	/* with exits and wake-ups */
	bool whole;
	struct lanes *most; /* of each vCPU's exits in a column, the most frequent reason */
	uint32_t *exits;    /* [vCPU][column] */
	ARRAY(struct exit) each;
	ARRAY(struct wakeup) wakes;
	uint64_t n_exits, n_wakes; /* beyond q.max: counted only */
};

/* The row of the walk's @task, or NONE. */
static uint32_t row_of(struct page_engine *e, uint32_t task)
{
	const struct tracks *t = e->state;
	uint32_t number = page_tasks_number(e, task);

	return number == NONE ? NONE : t->rows[number];
}

static enum analyze_timeline_kind kind_of(void *ctx, uint32_t task)
{
	struct page_engine *e = ctx;
	const struct tracks *t = e->state;
	uint32_t row = row_of(e, task);

	return row == NONE            ? ANALYZE_TIMELINE_NOT
	       : t->vcpu[row] == NONE ? ANALYZE_TIMELINE_TASK
				      : ANALYZE_TIMELINE_VCPU;
}

static void on_stretch(void *ctx, const struct analyze_stretch *s)
{
	struct page_engine *e = ctx;
	struct tracks *t = e->state;
	size_t row = row_of(e, s->task);
	struct interval *last = t->all.n ? &t->all.at[t->all.n - 1] : NULL;
	struct interval one = { .task = page_tasks_number(e, s->task),
				.state = s->doing,
				.cpu = s->cpu,
				.behind = page_tasks_number(e, s->behind),
				.reason = NONE,
				.from_ns = s->from_ns - e->t0_ns,
				.to_ns = s->to_ns - e->t0_ns };

	columns_spread(&t->columns, &t->ns[(row * ANALYZE_DOINGS + s->doing) * e->q.columns], 0,
		       s->from_ns, s->to_ns);
	if (t->too_many)
		return;
	if (s->reason)
		one.reason = page_reasons_number(&t->reasons, e, s->reason->isa, s->reason->reason);
	if (last && last->task == one.task && last->state == one.state &&
	    last->to_ns == one.from_ns && last->behind == one.behind &&
	    last->reason == one.reason && last->cpu == one.cpu) {
		last->to_ns = one.to_ns;
		return;
	}
	t->too_many = t->all.n >= e->q.max;
	if (!t->too_many && array_push(&t->all, one))
		analyze_engine_out_of_memory(e->eng);
}

static void on_exit_of(void *ctx, const struct analyze_timeline_exit *exit)
{
	struct page_engine *e = ctx;
	struct tracks *t = e->state;
	uint32_t vcpu = t->vcpu[row_of(e, exit->task)];
	uint32_t reason = page_reasons_number(&t->reasons, e, exit->isa, exit->reason);
	unsigned column = columns_of(&t->columns, exit->t_ns);

	t->exits[(size_t)vcpu * e->q.columns + column]++;
	if (lanes_add_in(t->most, vcpu, column, reason, 1) ||
	    (t->n_exits++ < e->q.max &&
	     array_push(&t->each, (struct exit){ page_tasks_number(e, exit->task), reason,
						 exit->t_ns - e->t0_ns })))
		analyze_engine_out_of_memory(e->eng);
}

static void on_wake(void *ctx, const struct analyze_timeline_wake *wake)
{
	struct page_engine *e = ctx;
	struct tracks *t = e->state;

	if (t->n_wakes++ < e->q.max &&
	    array_push(&t->wakes, (struct wakeup){ page_tasks_number(e, wake->task),
						   page_tasks_number(e, wake->by), wake->cpu,
						   wake->t_ns - e->t0_ns }))
		analyze_engine_out_of_memory(e->eng);
}

/* ---- the question ---- */

static int find_rows(struct page_engine *e)
{
	size_t n = e->tasks.all.n;
	struct tracks *t = e->state;

	t->rows = malloc((n + 1) * sizeof(*t->rows));
	t->vcpu = malloc((n + 1) * sizeof(*t->vcpu));
	if (!t->rows || !t->vcpu)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		t->rows[i] = e->chosen && e->chosen[i / 64] >> i % 64 & 1 ? (uint32_t)t->n++ : NONE;
	/* the tasks may be sorted by tid */
	for (size_t i = 0; i < n; i++) {
		const struct page_task_key *task = &e->tasks.all.at[i];

		if (t->rows[task->number] != NONE)
			t->vcpu[t->rows[task->number]] = task->vcpu ? (uint32_t)t->n_vcpus++ : NONE;
	}
	return 0;
}

static int tracks_add(struct page_engine *e, struct cdict_error *err)
{
	struct analyze_timeline_options how = { .kind = kind_of,
						.on_stretch = on_stretch,
						.ctx = e };
	struct tracks *t = e->state;
	int rc = page_engine_reasons(e, &t->reasons.names, err);

	if (rc)
		return rc;
	t->whole = e->q.type && !strcmp(e->q.type, "vm");
	if (find_rows(e) ||
	    columns_init(&t->columns, e->t0_ns + e->q.from_ns, e->t0_ns + e->q.to_ns, e->q.columns))
		return cdict_fail_nomem(err);
	how.no_vcpus = !t->n_vcpus;
	t->ns = calloc((t->n + 1) * ANALYZE_DOINGS * e->q.columns, sizeof(*t->ns));
	t->exits = calloc((t->n_vcpus + 1) * e->q.columns, sizeof(*t->exits));
	t->most = lanes_new(t->columns.from_ns, t->columns.to_ns, e->q.columns,
			    (uint32_t)t->n_vcpus + 1);
	if (!t->ns || !t->exits || !t->most)
		return cdict_fail_nomem(err);
	if (t->whole) {
		how.on_exit = on_exit_of;
		how.on_wake = on_wake;
	}
	return analyze_timeline_new(&t->timeline, e->eng, &how, err);
}

/* The exits and wake-ups; those one by one only if there are few enough. */
static void write_whole(struct page_engine *e, struct arrays *a)
{
	struct tracks *t = e->state;
	size_t cells = t->n_vcpus * e->q.columns;

	arrays_put(a, "exits", t->exits, cells);
	arrays_put(a, "most", lanes_majority(t->most, 0), cells);
	json_bool(a->j, "each_exit", t->n_exits <= e->q.max);
	if (t->n_exits > e->q.max)
		t->each.n = 0;
	arrays_member(a, "exit_task", t->each, task);
	arrays_member(a, "exit_at", t->each, t_ns);
	arrays_member(a, "exit_reason", t->each, reason);
	json_u64(a->j, "wakeups", t->n_wakes);
	if (t->n_wakes > e->q.max)
		t->wakes.n = 0;
	arrays_member(a, "wake_at", t->wakes, t_ns);
	arrays_member(a, "wake_by", t->wakes, by);
	arrays_member(a, "wake_task", t->wakes, task);
	arrays_member(a, "wake_cpu", t->wakes, cpu);
}

static int tracks_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct tracks *t = e->state;
	uint32_t *vcpus = malloc((t->n_vcpus + 1) * sizeof(*vcpus));

	if (!vcpus)
		return cdict_fail_nomem(err);
	json_u64(a->j, "columns", e->q.columns);
	json_open(a->j, "states", '[', false);
	for (size_t i = 0; i < ANALYZE_DOINGS; i++)
		json_text(a->j, NULL, analyze_doing_name((enum analyze_doing)i));
	json_close(a->j);
	json_open(a->j, "tasks", '[', false);
	for (uint32_t i = 0; i < e->tasks.all.n; i++) {
		if (t->rows[i] == NONE)
			continue;
		json_u64(a->j, NULL, i);
		if (t->vcpu[t->rows[i]] != NONE)
			vcpus[t->vcpu[t->rows[i]]] = i;
	}
	json_close(a->j);
	arrays_put(a, "vcpus", vcpus, t->n_vcpus);
	free(vcpus);
	arrays_put(a, "ns", t->ns, t->n * ANALYZE_DOINGS * e->q.columns);
	if (t->whole)
		write_whole(e, a);
	page_reasons_write(a->j, "reasons", &t->reasons);
	json_bool(a->j, "exact", !t->too_many);
	if (t->too_many)
		return 0;
	arrays_member(a, "task", t->all, task);
	arrays_member(a, "state", t->all, state);
	arrays_member(a, "cpu", t->all, cpu);
	arrays_member(a, "behind", t->all, behind);
	arrays_member(a, "reason", t->all, reason);
	arrays_member(a, "from", t->all, from_ns);
	arrays_member(a, "to", t->all, to_ns);
	return 0;
}

static void tracks_fini(struct page_engine *e)
{
	struct tracks *t = e->state;

	analyze_timeline_free(t->timeline);
	page_reasons_fini(&t->reasons);
	free(t->rows);
	free(t->vcpu);
	free(t->ns);
	free(t->exits);
	lanes_free(t->most);
	array_fini(&t->each);
	array_fini(&t->wakes);
	columns_fini(&t->columns);
	array_fini(&t->all);
}

const struct page_call page_tracks = { .state_size = sizeof(struct tracks),
				       .add = tracks_add,
				       .write = tracks_write,
				       .fini = tracks_fini };

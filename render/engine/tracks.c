/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * States of selected tasks over time: columns of a range with the time in each state, and the intervals themselves if
 * there are few enough.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "render/bins/columns.h"
#include "render/engine/engine_internal.h"

enum track_state { RUNNING, PREEMPTED, WAITING, ASLEEP, BLOCKED, UNKNOWN, TRACK_STATES };

static const char *const words[TRACK_STATES] = { "running", "preempted", "waiting",
						 "asleep",  "blocked",   "unknown" };

struct interval {
	uint32_t task, state, cpu;
	uint64_t from_ns, to_ns;
};

struct tracks {
	struct analyze_ops ops;
	struct columns columns;
	size_t n;           /* selected tasks */
	uint32_t *rows;     /* by the page's number: row, or PAGE_NO_TASK */
	uint64_t *ns;       /* [row][state][column] */
	uint64_t *ready_ns; /* by row: since when the task is awake, or ANALYZE_NO_TIME */
	ARRAY(struct interval) all;
	bool too_many;
};

/* The row of the walk's @task, or PAGE_NO_TASK. */
static uint32_t row_of(struct page_engine *e, uint32_t task)
{
	const struct tracks *t = e->state;
	uint32_t number = page_tasks_number(e, task);

	return number == PAGE_NO_TASK ? PAGE_NO_TASK : t->rows[number];
}

static void add_time(struct page_engine *e, uint32_t row, uint32_t task, enum track_state state,
		     uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	struct tracks *t = e->state;
	uint64_t first_ns = t->columns.from_ns, last_ns = t->columns.to_ns;
	uint64_t *ns = &t->ns[(row * (size_t)TRACK_STATES + state) * e->q.columns];

	from_ns = from_ns < first_ns ? first_ns : from_ns;
	to_ns = to_ns > last_ns ? last_ns : to_ns;
	if (to_ns <= from_ns)
		return;
	columns_spread(&t->columns, ns, 0, from_ns, to_ns);
	if (t->all.n >= e->q.max)
		t->too_many = true;
	if (!t->too_many &&
	    array_push(&t->all, (struct interval){ page_tasks_number(e, task), state, cpu,
						   from_ns - e->t0_ns, to_ns - e->t0_ns }))
		analyze_engine_out_of_memory(e->eng);
}

static void on_run(void *self, const struct analyze_run *run)
{
	uint32_t row = run->task == ANALYZE_NO_TASK ? PAGE_NO_TASK : row_of(self, run->task);

	if (row != PAGE_NO_TASK)
		add_time(self, row, run->task, RUNNING, run->cpu, run->from_ns, run->to_ns);
}

static void on_away(void *self, const struct analyze_away *away)
{
	static const enum track_state states[] = {
		[ANALYZE_OFF_RUNNABLE] = PREEMPTED, [ANALYZE_OFF_PREEMPTED] = PREEMPTED,
		[ANALYZE_OFF_SLEEP] = ASLEEP,       [ANALYZE_OFF_DISK] = BLOCKED,
		[ANALYZE_OFF_OTHER] = BLOCKED,      [ANALYZE_OFF_DEAD] = UNKNOWN,
		[ANALYZE_OFF_UNKNOWN] = UNKNOWN,
	};
	struct page_engine *e = self;
	const struct tracks *t = e->state;
	uint32_t row = row_of(e, away->task);
	enum track_state state = away->off == ANALYZE_OFF_OTHER &&
						 !analyze_engine_summary(e->eng)->has_state
					 ? UNKNOWN
					 : states[away->off];
	uint64_t ready_ns;

	if (row == PAGE_NO_TASK || away->waits)
		return;
	ready_ns = t->ready_ns[row];
	if ((state != ASLEEP && state != BLOCKED) || ready_ns < away->start_ns ||
	    ready_ns >= away->end_ns)
		ready_ns = away->end_ns;
	add_time(e, row, away->task, state, CDICT_CPU_UNKNOWN, away->start_ns, ready_ns);
	add_time(e, row, away->task, WAITING, CDICT_CPU_UNKNOWN, ready_ns, away->end_ns);
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct page_engine *e = self;
	uint32_t row = wake->first ? row_of(e, wake->task) : PAGE_NO_TASK;

	if (row != PAGE_NO_TASK)
		((struct tracks *)e->state)->ready_ns[row] = wake->t_ns;
}

/* In a walk that resumes later: a task that was woken before. */
static void on_resume(void *self, const struct analyze_resume *r)
{
	uint32_t row = row_of(self, r->task);

	if (row != PAGE_NO_TASK)
		((struct tracks *)((struct page_engine *)self)->state)->ready_ns[row] = r->ready_ns;
}

static int tracks_add(struct page_engine *e, struct cdict_error *err)
{
	size_t n = e->tasks.all.n;
	struct tracks *t = e->state;

	t->rows = malloc((n + 1) * sizeof(*t->rows));
	for (uint32_t i = 0; t->rows && i < n; i++) {
		bool asked = e->chosen && e->chosen[i / 64] >> i % 64 & 1;

		t->rows[i] = asked ? (uint32_t)t->n++ : PAGE_NO_TASK;
	}
	t->ns = calloc((t->n + 1) * TRACK_STATES * e->q.columns, sizeof(*t->ns));
	t->ready_ns = malloc((t->n + 1) * sizeof(*t->ready_ns));
	if (!t->rows || !t->ns || !t->ready_ns ||
	    columns_init(&t->columns, e->t0_ns + e->q.from_ns, e->t0_ns + e->q.to_ns, e->q.columns))
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < t->n; i++)
		t->ready_ns[i] = ANALYZE_NO_TIME;
	t->ops = (struct analyze_ops){ .needs = ANALYZE_NEED_WAKES,
				       .run = on_run,
				       .away = on_away,
				       .wake = on_wake,
				       .late_wakes = true,
				       .resume = on_resume,
				       .resumes = true };
	return analyze_engine_add(e->eng, &t->ops, e, err);
}

static int tracks_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	const struct tracks *t = e->state;

	(void)err;
	json_u64(a->j, "columns", e->q.columns);
	json_open(a->j, "states", '[', false);
	for (size_t i = 0; i < TRACK_STATES; i++)
		json_text(a->j, NULL, words[i]);
	json_close(a->j);
	json_open(a->j, "tasks", '[', false);
	for (uint32_t i = 0; i < e->tasks.all.n; i++)
		if (t->rows[i] != PAGE_NO_TASK)
			json_u64(a->j, NULL, i);
	json_close(a->j);
	arrays_put(a, "ns", t->ns, t->n * TRACK_STATES * e->q.columns);
	json_bool(a->j, "exact", !t->too_many);
	if (t->too_many)
		return 0;
	arrays_member(a, "task", t->all, task);
	arrays_member(a, "state", t->all, state);
	arrays_member(a, "cpu", t->all, cpu);
	arrays_member(a, "from", t->all, from_ns);
	arrays_member(a, "to", t->all, to_ns);
	return 0;
}

static void tracks_fini(struct page_engine *e)
{
	struct tracks *t = e->state;

	free(t->rows);
	free(t->ns);
	free(t->ready_ns);
	columns_fini(&t->columns);
	array_fini(&t->all);
}

const struct page_call page_tracks = { .state_size = sizeof(struct tracks),
				       .add = tracks_add,
				       .write = tracks_write,
				       .fini = tracks_fini };

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * States of selected tasks over time: columns of a range with the time in each state, and the intervals themselves if
 * there are few enough.  With q.type "vm" also the exits of their vCPUs, and who woke them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/kvm/vcpu.h"
#include "analyze/kvm/waiters.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "render/bins/columns.h"
#include "render/bins/lanes.h"
#include "render/engine/engine_internal.h"

#define NONE PAGE_NO_TASK

/* Those of vCPUs, and of other tasks. */
enum track_state {
	GUEST,
	HANDLING,
	QEMU,
	RUNNING,
	PREEMPTED,
	WAITING,
	HALTED,
	ASLEEP,
	BLOCKED,
	UNKNOWN,
	TRACK_STATES
};

static const char *const words[TRACK_STATES] = { "guest",     "exit",    "qemu",   "running",
						 "preempted", "waiting", "halted", "asleep",
						 "blocked",   "unknown" };

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

/* The latest exit of a vCPU: its reason may be recorded a little later. */
struct open_exit {
	bool set;
	uint64_t t_ns;
	uint32_t reason;
};

struct tracks {
	struct analyze_ops ops;
	struct analyze_vcpus *vcpus; /* NULL: none is selected */
	struct waiters waiters;
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
	struct open_exit *open; /* by vCPU */
	struct lanes *most;     /* of each vCPU's exits in a column, the most frequent reason */
	uint32_t *exits;        /* [vCPU][column] */
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

/* The row of @task, if it is not a vCPU. */
static uint32_t plain_row(struct page_engine *e, uint32_t task)
{
	const struct tracks *t = e->state;
	uint32_t row = task == ANALYZE_NO_TASK ? NONE : row_of(e, task);

	return row != NONE && t->vcpu[row] == NONE ? row : NONE;
}

/* @what: all but the times. */
static void add_time(struct page_engine *e, uint32_t row, const struct interval *what,
		     uint64_t from_ns, uint64_t to_ns)
{
	struct tracks *t = e->state;
	uint64_t first_ns = t->columns.from_ns, last_ns = t->columns.to_ns;
	uint64_t *ns = &t->ns[(row * (size_t)TRACK_STATES + what->state) * e->q.columns];
	struct interval *last = t->all.n ? &t->all.at[t->all.n - 1] : NULL, one = *what;

	one.from_ns = (from_ns < first_ns ? first_ns : from_ns) - e->t0_ns;
	one.to_ns = (to_ns > last_ns ? last_ns : to_ns) - e->t0_ns;
	if (to_ns > last_ns ? last_ns <= from_ns : to_ns <= from_ns)
		return;
	if (to_ns <= first_ns)
		return;
	columns_spread(&t->columns, ns, 0, one.from_ns + e->t0_ns, one.to_ns + e->t0_ns);
	if (t->too_many)
		return;
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

/* ---- vCPUs ---- */

static void on_piece(void *ctx, const struct analyze_vcpu_piece *piece)
{
	static const enum track_state states[] = {
		[ANALYZE_VCPU_GUEST] = GUEST,     [ANALYZE_VCPU_EXIT] = HANDLING,
		[ANALYZE_VCPU_QEMU] = QEMU,       [ANALYZE_VCPU_PREEMPTED] = PREEMPTED,
		[ANALYZE_VCPU_WAITING] = WAITING, [ANALYZE_VCPU_HALTED] = HALTED,
		[ANALYZE_VCPU_BLOCKED] = BLOCKED, [ANALYZE_VCPU_UNKNOWN] = UNKNOWN,
	};
	struct page_engine *e = ctx;
	struct tracks *t = e->state;
	uint32_t row = row_of(e, piece->task);
	struct interval what = { .task = page_tasks_number(e, piece->task),
				 .state = states[piece->state],
				 .cpu = CDICT_CPU_UNKNOWN,
				 .behind = page_tasks_number(e, piece->behind),
				 .reason = NONE };

	if (row == NONE || t->vcpu[row] == NONE)
		return;
	if (piece->reason)
		what.reason = page_reasons_number(&t->reasons, e, piece->reason->isa,
						  piece->reason->reason);
	add_time(e, row, &what, piece->from_ns, piece->to_ns);
}

/* Counts the latest exit of a vCPU: its reason is known now. */
static void close_exit(struct page_engine *e, uint32_t vcpu)
{
	struct tracks *t = e->state;
	struct open_exit *open = &t->open[vcpu];
	unsigned column;

	if (!open->set)
		return;
	open->set = false;
	column = columns_of(&t->columns, open->t_ns);
	t->exits[(size_t)vcpu * e->q.columns + column]++;
	if (lanes_add_in(t->most, vcpu, column, open->reason, 1))
		analyze_engine_out_of_memory(e->eng);
}

static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct page_engine *e = self;
	struct tracks *t = e->state;
	uint32_t row = row_of(e, k->task), vcpu = row == NONE ? NONE : t->vcpu[row], isa = k->isa;
	uint64_t code = k->value;
	bool late = k->kind == ANALYZE_KIND_KVM_REASON;

	if (vcpu == NONE || !k->in || (!late && k->kind != ANALYZE_KIND_KVM_EXIT) ||
	    k->t_ns < t->columns.from_ns || k->t_ns > t->columns.to_ns ||
	    (late && !t->open[vcpu].set))
		return;
	if (!late) {
		close_exit(e, vcpu);
		t->open[vcpu] = (struct open_exit){ .set = true, .t_ns = k->t_ns };
	}
	analyze_reasons_code(t->reasons.names, &isa, &code, k->how);
	t->open[vcpu].reason = page_reasons_number(&t->reasons, e, isa, code);
	if (late) {
		for (size_t i = t->each.n; i; i--) {
			if (t->each.at[i - 1].task != page_tasks_number(e, k->task))
				continue;
			t->each.at[i - 1].reason = t->open[vcpu].reason;
			break;
		}
	} else if (t->n_exits++ < e->q.max &&
		   array_push(&t->each,
			      (struct exit){ page_tasks_number(e, k->task), t->open[vcpu].reason,
					     k->t_ns - e->t0_ns })) {
		analyze_engine_out_of_memory(e->eng);
	}
}

/* ---- other tasks ---- */

static void on_run(void *self, const struct analyze_run *run)
{
	struct page_engine *e = self;
	struct tracks *t = e->state;
	uint32_t row = plain_row(e, run->task);
	struct interval what = { .state = RUNNING, .cpu = run->cpu, .behind = NONE, .reason = NONE };

	if (run->task != ANALYZE_NO_TASK)
		waiters_ran(&t->waiters, run->cpu, run->task, run->start_ns, run->end_ns);
	if (row == NONE)
		return;
	what.task = page_tasks_number(e, run->task);
	add_time(e, row, &what, run->from_ns, run->to_ns);
}

/* A wait of a task whose position is unknown: takes it from the unknown time, reported just before. */
static void carve(struct page_engine *e, uint32_t row, uint32_t task, uint64_t from_ns,
		  uint64_t to_ns)
{
	struct tracks *t = e->state;
	uint64_t *unknown = &t->ns[(row * (size_t)TRACK_STATES + UNKNOWN) * e->q.columns];
	uint64_t *waited;

	from_ns = from_ns < t->columns.from_ns ? t->columns.from_ns : from_ns;
	to_ns = to_ns > t->columns.to_ns ? t->columns.to_ns : to_ns;
	if (to_ns <= from_ns)
		return;
	waited = calloc(e->q.columns, sizeof(*waited));
	if (!waited) {
		analyze_engine_out_of_memory(e->eng);
		return;
	}
	columns_spread(&t->columns, waited, 0, from_ns, to_ns);
	for (unsigned i = 0; i < e->q.columns; i++)
		unknown[i] -= unknown[i] < waited[i] ? unknown[i] : waited[i];
	free(waited);
	for (size_t i = t->all.n; i; i--) {
		struct interval *last = &t->all.at[i - 1];

		if (last->task != page_tasks_number(e, task))
			continue;
		if (last->state == UNKNOWN && last->to_ns > from_ns - e->t0_ns)
			last->to_ns = last->from_ns > from_ns - e->t0_ns ? last->from_ns
									 : from_ns - e->t0_ns;
		return;
	}
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
	uint32_t row = plain_row(e, away->task);
	struct interval what = {
		.state = states[away->off], .cpu = CDICT_CPU_UNKNOWN, .behind = NONE, .reason = NONE
	};
	uint64_t ready_ns = away->ready_ns;

	if (row == NONE)
		return;
	what.task = page_tasks_number(e, away->task);
	if (away->off == ANALYZE_OFF_OTHER && !analyze_engine_summary(e->eng)->has_state)
		what.state = UNKNOWN;
	if (away->waits) {
		carve(e, row, away->task, away->start_ns, away->end_ns);
		ready_ns = away->start_ns;
	} else if ((what.state != ASLEEP && what.state != BLOCKED) || ready_ns < away->start_ns ||
		   ready_ns > away->end_ns) /* or ANALYZE_NO_TIME */
		ready_ns = away->end_ns;
	if (what.state == PREEMPTED)
		what.behind = page_tasks_number(e, waiters_top(&t->waiters, away->task));
	add_time(e, row, &what, away->start_ns, ready_ns);
	what.state = WAITING;
	what.behind = page_tasks_number(e, waiters_top(&t->waiters, away->task));
	add_time(e, row, &what, ready_ns, away->end_ns);
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct page_engine *e = self;
	struct tracks *t = e->state;
	struct wakeup w = { .by = NONE, .cpu = wake->cpu };
	uint32_t row = row_of(e, wake->task), by;
	uint64_t since_ns;

	if (row == NONE)
		return;
	if (!wake->first) {
		if (wake->target_cpu != CDICT_CPU_UNKNOWN)
			waiters_move(&t->waiters, wake->task, wake->target_cpu, wake->t_ns);
		return;
	}
	if (t->vcpu[row] == NONE)
		waiters_add(&t->waiters, wake->task,
			    wake->target_cpu != CDICT_CPU_UNKNOWN
				    ? wake->target_cpu
				    : analyze_engine_last_cpu(e->eng, wake->task),
			    wake->t_ns, true);
	if (!t->whole || wake->t_ns < t->columns.from_ns || wake->t_ns > t->columns.to_ns ||
	    t->n_wakes++ >= e->q.max)
		return;
	by = wake->late ? wake->waker : analyze_engine_running(e->eng, wake->cpu, &since_ns);
	if (by == ANALYZE_NO_TASK && !wake->late)
		by = analyze_engine_sampled(e->eng, wake->cpu);
	if (!wake->irq && by != ANALYZE_NO_TASK && analyze_engine_task(e->eng, by)->tid)
		w.by = page_tasks_number(e, by);
	w.task = page_tasks_number(e, wake->task);
	w.t_ns = wake->t_ns - e->t0_ns;
	if (array_push(&t->wakes, w))
		analyze_engine_out_of_memory(e->eng);
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct page_engine *e = self;
	struct tracks *t = e->state;
	struct waiter done;

	if (sw->involuntary && plain_row(e, sw->prev) != NONE)
		waiters_add(&t->waiters, sw->prev, sw->cpu, sw->t_ns, false);
	if (plain_row(e, sw->next) != NONE)
		waiters_end(&t->waiters, sw->next, WAIT_BROKEN, &done);
}

static void on_sched(void *self, const struct analyze_sched *ev)
{
	struct tracks *t = ((struct page_engine *)self)->state;

	if (ev->kind == ANALYZE_KIND_MIGRATE)
		waiters_move(&t->waiters, ev->task, ev->dest_cpu, ev->t_ns);
}

/* In a walk that resumes later: a task that has waited since before. */
static void on_resume(void *self, const struct analyze_resume *r)
{
	struct page_engine *e = self;
	struct tracks *t = e->state;

	if (r->waits && plain_row(e, r->task) != NONE)
		waiters_add(&t->waiters, r->task, r->wait_cpu,
			    r->ready_ns != ANALYZE_NO_TIME ? r->ready_ns : r->out_ns,
			    r->ready_ns != ANALYZE_NO_TIME);
}

/* ---- the question ---- */

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct page_engine *e = self;

	(void)schema;
	return waiters_init(&((struct tracks *)e->state)->waiters, e->eng) ? cdict_fail_nomem(err)
									   : 0;
}

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

static int add_vcpus(struct page_engine *e, struct cdict_error *err)
{
	struct tracks *t = e->state;
	int rc = page_engine_reasons(e, &t->reasons.names, err);

	if (!rc)
		rc = analyze_vcpus_new(&t->vcpus, e->eng, err);
	if (rc)
		return rc;
	analyze_vcpus_on_piece(t->vcpus, on_piece, e);
	if (!t->whole)
		return 0;
	t->open = calloc(t->n_vcpus, sizeof(*t->open));
	t->exits = calloc(t->n_vcpus * e->q.columns, sizeof(*t->exits));
	t->most =
		lanes_new(t->columns.from_ns, t->columns.to_ns, e->q.columns, (uint32_t)t->n_vcpus);
	t->ops.kvm = on_kvm;
	t->ops.needs |= ANALYZE_NEED(KVM_EXIT) | ANALYZE_NEED(KVM_REASON);
	return t->open && t->exits && t->most ? 0 : cdict_fail_nomem(err);
}

static int tracks_add(struct page_engine *e, struct cdict_error *err)
{
	struct tracks *t = e->state;
	int rc;

	t->whole = e->q.type && !strcmp(e->q.type, "vm");
	if (find_rows(e) ||
	    columns_init(&t->columns, e->t0_ns + e->q.from_ns, e->t0_ns + e->q.to_ns, e->q.columns))
		return cdict_fail_nomem(err);
	t->ns = calloc((t->n + 1) * TRACK_STATES * e->q.columns, sizeof(*t->ns));
	if (!t->ns)
		return cdict_fail_nomem(err);
	t->ops = (struct analyze_ops){ .needs = ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE) |
						(t->whole ? ANALYZE_NEED_CONTEXT : 0),
				       .start = on_start,
				       .run = on_run,
				       .away = on_away,
				       .wake = on_wake,
				       .sw = on_switch,
				       .sched = on_sched,
				       .late_wakes = true,
				       .resume = on_resume,
				       .resumes = true };
	rc = t->n_vcpus ? add_vcpus(e, err) : 0;
	return rc ? rc : analyze_engine_add(e->eng, &t->ops, e, err);
}

/* The exits and wake-ups; those one by one only if there are few enough. */
static void write_whole(struct page_engine *e, struct arrays *a)
{
	struct tracks *t = e->state;
	size_t cells = t->n_vcpus * e->q.columns;

	for (uint32_t vcpu = 0; vcpu < t->n_vcpus; vcpu++)
		close_exit(e, vcpu);
	arrays_put(a, "exits", t->exits, cells);
	arrays_put(a, "most", t->most ? lanes_majority(t->most, 0) : NULL, cells);
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
	for (size_t i = 0; i < TRACK_STATES; i++)
		json_text(a->j, NULL, words[i]);
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
	arrays_put(a, "ns", t->ns, t->n * TRACK_STATES * e->q.columns);
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

	analyze_vcpus_free(t->vcpus);
	waiters_fini(&t->waiters);
	page_reasons_fini(&t->reasons);
	free(t->rows);
	free(t->vcpu);
	free(t->ns);
	free(t->open);
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

// SPDX-License-Identifier: LGPL-2.1-only
/* critical.c - see critical.h. Every switch-in is kept, with the wake-up before it; the path is
 * followed from the window's end. */
#include "analyze/sched/critical.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/kvm/waiters.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"

enum { RING = 1 << 20, DEPTH = 64 };

/* Why a task was off its CPU: its switch-out, and its wake-up since. */
struct away {
	uint64_t out_ns;   /* ANALYZE_NO_TIME: unknown */
	uint64_t ready_ns; /* ANALYZE_NO_TIME: none */
	uint64_t waker_in; /* number of the waker's switch-in, 0: an interrupt, or unknown */
	uint32_t waker;
	bool runnable;
};

struct switch_in {
	uint64_t t_ns;
	uint64_t before; /* number of the task's previous one, 0: none */
	uint32_t task, cpu;
	uint32_t behind; /* had the CPU longest during the wait */
	struct away away;
};

/* A task now. */
struct state {
	bool set;
	uint64_t in; /* number of its latest switch-in */
	struct away away;
};

struct analyze_critical {
	struct analyze_engine *eng;
	analyze_critical_is *is;
	void *ctx;
	uint32_t task; /* ANALYZE_NO_TASK: not seen yet */
	struct waiters waiters;
	ARRAY(struct switch_in) ring; /* number n is at (n - 1) % RING */
	uint64_t n;
	ARRAY(struct state) states;
	ARRAY(struct analyze_critical_segment) path; /* latest first until finish */
	bool failed;
	/* The walk may go on after the window. */
	bool over;
	uint32_t last_behind; /* had the CPU longest in the wait at the window's end */
};

static const char *const names[ANALYZE_CRITICAL_KINDS] = { "running", "preempted", "waiting",
							   "blocked", "unknown" };

const char *analyze_critical_name(enum analyze_critical_kind kind)
{
	return names[kind];
}

static const struct away nothing = { .out_ns = ANALYZE_NO_TIME,
				     .ready_ns = ANALYZE_NO_TIME,
				     .waker = ANALYZE_NO_TASK };

/* Whether @t_ns is after the window: what happens then is no part of the path. */
static bool is_over(struct analyze_critical *c, uint64_t t_ns)
{
	uint64_t from_ns, to_ns;

	analyze_engine_window(c->eng, &from_ns, &to_ns);
	if (t_ns <= to_ns)
		return false;
	if (!c->over && c->task != ANALYZE_NO_TASK)
		c->last_behind = waiters_top(&c->waiters, c->task);
	c->over = true;
	return true;
}

static struct state *state_of(struct analyze_critical *c, uint32_t task)
{
	struct state *s = row_at(&c->states, task);

	if (!s)
		analyze_engine_out_of_memory(c->eng);
	if (!s || s->set)
		return s;
	*s = (struct state){ .set = true, .away = nothing };
	if (c->is(c->ctx, task))
		c->task = task;
	return s;
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct analyze_critical *c = self;
	struct state *s = state_of(c, wake->task);
	uint32_t waker;
	uint64_t since_ns;

	if (!s || is_over(c, wake->t_ns))
		return;
	if (!wake->first) {
		if (wake->target_cpu != CDICT_CPU_UNKNOWN)
			waiters_move(&c->waiters, wake->task, wake->target_cpu, wake->t_ns);
		return;
	}
	waker = wake->late ? wake->waker : analyze_engine_running(c->eng, wake->cpu, &since_ns);
	s->away.ready_ns = wake->t_ns;
	s->away.waker_in = 0;
	s->away.waker = ANALYZE_NO_TASK;
	if (!wake->irq && waker != ANALYZE_NO_TASK && analyze_engine_task(c->eng, waker)->tid) {
		s->away.waker = waker;
		s->away.waker_in = waker < c->states.n ? c->states.at[waker].in : 0;
	}
	waiters_add(&c->waiters, wake->task,
		    wake->target_cpu != CDICT_CPU_UNKNOWN
			    ? wake->target_cpu
			    : analyze_engine_last_cpu(c->eng, wake->task),
		    wake->t_ns, true);
}

static void on_in(void *self, const struct analyze_switch *sw)
{
	struct analyze_critical *c = self;
	struct state *s = state_of(c, sw->next);
	struct waiter done = { .held_by = ANALYZE_NO_TASK };
	struct switch_in in = { .t_ns = sw->t_ns, .task = sw->next, .cpu = sw->cpu };

	if (!s || is_over(c, sw->t_ns) || !analyze_engine_task(c->eng, sw->next)->tid)
		return;
	waiters_end(&c->waiters, sw->next, WAIT_WHOLE, &done);
	in.behind = done.held_by;
	in.before = s->in;
	in.away = s->away;
	/* what the walk takes for broken by a loss is unknown */
	in.away.out_ns = sw->away_ns;
	if (in.away.ready_ns != sw->ready_ns)
		in.away.ready_ns = ANALYZE_NO_TIME;
	in.away.runnable = sw->away == ANALYZE_OFF_RUNNABLE || sw->away == ANALYZE_OFF_PREEMPTED;
	if (c->n < RING && array_push(&c->ring, in)) {
		analyze_engine_out_of_memory(c->eng);
		return;
	}
	c->ring.at[c->n % RING] = in;
	s->in = ++c->n;
	s->away = nothing;
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_critical *c = self;
	struct state *s = state_of(c, sw->prev);

	if (!s || is_over(c, sw->t_ns))
		return;
	s->away = nothing;
	s->away.out_ns = sw->t_ns;
	s->away.runnable = sw->involuntary;
	if (sw->involuntary)
		waiters_add(&c->waiters, sw->prev, sw->cpu, sw->t_ns, false);
	on_in(c, sw);
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct analyze_critical *c = self;

	if (run->task != ANALYZE_NO_TASK)
		waiters_ran(&c->waiters, run->cpu, run->task, run->start_ns, run->end_ns);
}

static void on_sched(void *self, const struct analyze_sched *ev)
{
	struct analyze_critical *c = self;

	if (ev->kind == ANALYZE_KIND_MIGRATE && !is_over(c, ev->t_ns))
		waiters_move(&c->waiters, ev->task, ev->dest_cpu, ev->t_ns);
}

/* ---- the path ---- */

static const struct switch_in *switch_in_at(const struct analyze_critical *c, uint64_t number)
{
	return number && c->n - number < RING ? &c->ring.at[(number - 1) % RING] : NULL;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void add(struct analyze_critical *c, struct analyze_critical_segment seg)
{
	if (seg.to_ns > seg.from_ns && array_push(&c->path, seg))
		c->failed = true;
}

static void follow(struct analyze_critical *c, uint32_t task, uint64_t number, uint64_t lo,
		   uint64_t t, unsigned depth);

/* Before @t the task was off its CPU, for @away: adds that time back to @lo, and returns when it left
 * the CPU, or @lo. */
static uint64_t off(struct analyze_critical *c, struct analyze_critical_segment seg,
		    const struct away *away, uint64_t lo, uint64_t t)
{
	seg.to_ns = t;
	if (away->runnable && away->out_ns != ANALYZE_NO_TIME) {
		seg.kind = ANALYZE_CRITICAL_PREEMPTED;
		seg.from_ns = later(away->out_ns, lo);
		add(c, seg);
		return seg.from_ns;
	}
	if (away->ready_ns != ANALYZE_NO_TIME) {
		seg.kind = ANALYZE_CRITICAL_WAITING;
		seg.from_ns = later(away->ready_ns, lo);
		add(c, seg);
		t = seg.to_ns = seg.from_ns;
	}
	seg.cpu = CDICT_CPU_UNKNOWN;
	seg.other = ANALYZE_NO_TASK;
	seg.from_ns = away->out_ns == ANALYZE_NO_TIME ? lo : later(away->out_ns, lo);
	if (away->waker_in && seg.depth < DEPTH) {
		follow(c, away->waker, away->waker_in, seg.from_ns, t, seg.depth + 1);
		return seg.from_ns;
	}
	seg.kind = away->out_ns == ANALYZE_NO_TIME ? ANALYZE_CRITICAL_UNKNOWN
						   : ANALYZE_CRITICAL_BLOCKED;
	add(c, seg);
	return seg.from_ns;
}

/* Adds what @task, which ran at @t since its switch-in @number, did back to @lo. */
static void follow(struct analyze_critical *c, uint32_t task, uint64_t number, uint64_t lo,
		   uint64_t t, unsigned depth)
{
	while (t > lo) {
		const struct switch_in *in = switch_in_at(c, number);
		struct analyze_critical_segment seg = { .task = task,
							.depth = depth,
							.cpu = CDICT_CPU_UNKNOWN,
							.other = ANALYZE_NO_TASK,
							.from_ns = lo,
							.to_ns = t };

		if (!in || in->t_ns > t) {
			seg.kind = ANALYZE_CRITICAL_UNKNOWN;
			add(c, seg);
			return;
		}
		seg.cpu = in->cpu;
		seg.kind = ANALYZE_CRITICAL_RUNNING;
		seg.from_ns = later(in->t_ns, lo);
		add(c, seg);
		t = seg.from_ns;
		if (t <= lo)
			return;
		seg.other = in->behind;
		t = off(c, seg, &in->away, lo, t);
		number = in->before;
	}
}

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_critical *c = self;

	(void)schema;
	return waiters_init(&c->waiters, c->eng) ? cdict_fail_nomem(err) : 0;
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_critical *c = self;
	struct state *s = c->task != ANALYZE_NO_TASK ? state_of(c, c->task) : NULL;
	uint64_t from_ns, to_ns;
	struct analyze_critical_segment seg = { .task = c->task,
						.cpu = CDICT_CPU_UNKNOWN,
						.other = c->last_behind };

	if (!s)
		return c->task != ANALYZE_NO_TASK ? cdict_fail_nomem(err) : 0;
	if (!c->over)
		seg.other = waiters_top(&c->waiters, c->task);
	analyze_engine_window(c->eng, &from_ns, &to_ns);
	if (s->away.out_ns != ANALYZE_NO_TIME || s->away.ready_ns != ANALYZE_NO_TIME)
		to_ns = off(c, seg, &s->away, from_ns, to_ns);
	follow(c, c->task, s->in, from_ns, to_ns, 0);
	for (size_t i = 0; i < c->path.n / 2; i++) {
		struct analyze_critical_segment *a = &c->path.at[i];
		struct analyze_critical_segment *b = &c->path.at[c->path.n - 1 - i], kept = *a;

		*a = *b;
		*b = kept;
	}
	return c->failed ? cdict_fail_nomem(err) : 0;
}

static const struct analyze_ops ops = {
	.needs = ANALYZE_NEED(SWITCH) | ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE) |
		 ANALYZE_NEED_CONTEXT,
	.all_cpus = true,
	.late_wakes = true,
	.start = on_start,
	.run = on_run,
	.sw = on_switch,
	.in = on_in,
	.wake = on_wake,
	.sched = on_sched,
	.finish = on_finish,
};

int analyze_critical_new(struct analyze_critical **out, struct analyze_engine *eng,
			 analyze_critical_is *is, void *ctx, struct cdict_error *err)
{
	struct analyze_critical *c = calloc(1, sizeof(*c));
	int rc;

	*out = NULL;
	if (!c)
		return cdict_fail_nomem(err);
	c->eng = eng;
	c->is = is;
	c->ctx = ctx;
	c->task = ANALYZE_NO_TASK;
	c->last_behind = ANALYZE_NO_TASK;
	rc = analyze_engine_add(eng, &ops, c, err);
	if (rc) {
		analyze_critical_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

void analyze_critical_free(struct analyze_critical *c)
{
	if (!c)
		return;
	waiters_fini(&c->waiters);
	array_fini(&c->states);
	array_fini(&c->path);
	array_fini(&c->ring);
	free(c);
}

size_t analyze_critical_count(const struct analyze_critical *c)
{
	return c->path.n;
}

const struct analyze_critical_segment *analyze_critical_at(const struct analyze_critical *c,
							   size_t i)
{
	return &c->path.at[i];
}

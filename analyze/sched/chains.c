// SPDX-License-Identifier: LGPL-2.1-only
/* chains.c - see chains.h. The latest wake-ups are in a ring; each refers to the one that made its
 * waker ready. */
#include "analyze/sched/chains.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/kvm/waiters.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"

/* Wake-ups to go back: half a second at 250,000 a second. */
enum { RING = 1 << 17 };

struct wakeup {
	uint64_t t_ns;
	uint64_t before;    /* number of the wake-up of @waker, 0: not recorded */
	uint64_t waited_ns; /* of @waker between both */
	uint32_t task, waker, cpu;
	bool irq;
};

/* A task now. */
struct state {
	uint64_t woken;     /* number of the wake-up that made it ready, 0: not recorded */
	uint64_t waited_ns; /* since then, without the present wait */
	uint64_t out_ns;    /* since when it is off the CPU, but runnable; 0: it is not */
	uint32_t by;        /* preempted by */
};

struct analyze_chains {
	struct analyze_engine *eng;
	struct analyze_chains_options opts;
	struct waiters waiters;
	struct wakeup *ring;        /* wake-up n is at n % RING */
	uint64_t n_wakeups;         /* the newest one has this number */
	ARRAY(struct state) states; /* by task */
	struct index index;         /* of rows, by task */
	ARRAY(struct analyze_chain_row) rows;
};

static struct state *state_of(struct analyze_chains *c, uint32_t task)
{
	struct state *s = row_at(&c->states, task);

	if (!s)
		analyze_engine_out_of_memory(c->eng);
	return s;
}

static const struct wakeup *wakeup_at(const struct analyze_chains *c, uint64_t number)
{
	return number && c->n_wakeups - number < RING ? &c->ring[number % RING] : NULL;
}

static bool is_idle(const struct analyze_chains *c, uint32_t task)
{
	return !analyze_engine_task(c->eng, task)->tid;
}

static bool is_runnable(enum analyze_off off)
{
	return off == ANALYZE_OFF_RUNNABLE || off == ANALYZE_OFF_PREEMPTED;
}

static bool is_lost(const struct analyze_chains *c, uint64_t from_ns, uint64_t to_ns)
{
	return analyze_engine_gap(c->eng, false, CDICT_CPU_UNKNOWN, from_ns, to_ns) !=
	       ANALYZE_NO_TIME;
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct analyze_chains *c = self;
	struct state *s = state_of(c, wake->task);
	struct wakeup w = {
		.t_ns = wake->t_ns, .task = wake->task, .cpu = wake->cpu, .irq = wake->irq
	};
	uint64_t since_ns;

	if (!s)
		return;
	/* a runnable task waits since its switch-out, even with a wake-up */
	if (!wake->first || (s->out_ns && !is_lost(c, s->out_ns, wake->t_ns))) {
		if (wake->target_cpu != CDICT_CPU_UNKNOWN)
			waiters_move(&c->waiters, wake->task, wake->target_cpu, wake->t_ns);
		return;
	}
	w.waker = wake->late ? wake->waker : analyze_engine_running(c->eng, wake->cpu, &since_ns);
	if (w.waker == ANALYZE_NO_TASK && !wake->late)
		w.waker = analyze_engine_sampled(c->eng, wake->cpu);
	if (w.waker != ANALYZE_NO_TASK && w.waker < c->states.n) {
		w.before = c->states.at[w.waker].woken;
		w.waited_ns = c->states.at[w.waker].waited_ns;
	}
	c->ring[++c->n_wakeups % RING] = w;
	s->woken = c->n_wakeups;
	s->waited_ns = 0;
	if (c->opts.wanted(c->opts.ctx, wake->task))
		waiters_add(&c->waiters, wake->task,
			    wake->target_cpu != CDICT_CPU_UNKNOWN
				    ? wake->target_cpu
				    : analyze_engine_last_cpu(c->eng, wake->task),
			    wake->t_ns, true);
}

/* Sets the links after the first one. */
static void follow(const struct analyze_chains *c, struct analyze_chain_row *row, uint64_t number)
{
	const struct wakeup *w = wakeup_at(c, number);
	struct analyze_chain_link *last = &row->link[0];

	row->by = ANALYZE_NO_TASK;
	for (;; last = &row->link[row->n_links - 1]) {
		const struct wakeup *before;

		if (!w) {
			row->end = ANALYZE_CHAIN_LONG;
			return;
		}
		last->cpu = w->cpu;
		if (w->irq || (w->waker != ANALYZE_NO_TASK && is_idle(c, w->waker))) {
			row->end = ANALYZE_CHAIN_INTERRUPT;
			return;
		}
		if (w->waker == ANALYZE_NO_TASK) {
			row->end = ANALYZE_CHAIN_UNKNOWN;
			return;
		}
		if (!w->before) {
			row->end = ANALYZE_CHAIN_NOT_WOKEN;
			row->by = w->waker;
			return;
		}
		before = wakeup_at(c, w->before);
		if (!before || row->n_links == ANALYZE_CHAIN_LINKS) {
			row->end = ANALYZE_CHAIN_LONG;
			return;
		}
		if (is_lost(c, before->t_ns, w->t_ns)) {
			row->end = ANALYZE_CHAIN_LOST;
			return;
		}
		row->link[row->n_links++] =
			(struct analyze_chain_link){ .task = w->waker,
						     .cpu = CDICT_CPU_UNKNOWN,
						     .from_ns = before->t_ns,
						     .waited_ns = w->waited_ns,
						     .ran_ns = w->t_ns - before->t_ns -
							       w->waited_ns };
		w = before;
	}
}

/* @task waited for @wait, of which the part in the window counts. */
static void keep_worst(struct analyze_chains *c, uint32_t task, struct analyze_wait wait,
		       bool ended, const struct waiter *done)
{
	uint64_t from_ns = wait.at_ns, to_ns = wait.at_ns + wait.dur_ns;
	const struct state *s = state_of(c, task);
	struct analyze_chain_row *row;

	if (!s || !analyze_engine_longest(c->eng, &from_ns, &to_ns))
		return;
	row = row_at(&c->rows, index_take(&c->index, task, 0));
	if (!row) {
		analyze_engine_out_of_memory(c->eng);
		return;
	}
	row->task = task;
	if (c->opts.at_ns ? c->opts.at_ns < wait.at_ns || c->opts.at_ns >= wait.at_ns + wait.dur_ns
			  : to_ns - from_ns <= row->worst.dur_ns)
		return;
	row->open = !ended || to_ns < wait.at_ns + wait.dur_ns;
	wait.at_ns = from_ns;
	wait.dur_ns = to_ns - from_ns;
	wait.behind = done->held_by;
	row->worst = wait;
	row->held_ns = done->held_ns;
	row->n_links = 1;
	row->link[0] = (struct analyze_chain_link){ .task = task,
						    .cpu = CDICT_CPU_UNKNOWN,
						    .from_ns = wait.at_ns,
						    .waited_ns = wait.dur_ns };
	if (wait.state == ANALYZE_VCPU_WAITING) {
		follow(c, row, s->woken);
		return;
	}
	row->end = ANALYZE_CHAIN_PREEMPTED;
	row->by = s->by;
}

static void on_in(void *self, const struct analyze_switch *sw)
{
	struct analyze_chains *c = self;
	struct state *s = state_of(c, sw->next);
	struct waiter done = { .held_by = ANALYZE_NO_TASK };
	bool wanted, runnable = is_runnable(sw->away) && sw->away_ns != ANALYZE_NO_TIME;
	uint64_t from_ns = runnable ? sw->away_ns : sw->ready_ns;

	if (!s || is_idle(c, sw->next))
		return;
	s->out_ns = 0;
	wanted = c->opts.wanted(c->opts.ctx, sw->next);
	if (wanted)
		waiters_end(&c->waiters, sw->next,
			    from_ns == ANALYZE_NO_TIME ? WAIT_BROKEN : WAIT_WHOLE, &done);
	if (from_ns == ANALYZE_NO_TIME)
		return;
	if (wanted && analyze_engine_counts(c->eng, sw->cpu)) {
		if (c->opts.on_wait)
			c->opts.on_wait(c->opts.ctx, sw->next, from_ns, sw->t_ns);
		keep_worst(c, sw->next,
			   (struct analyze_wait){ .at_ns = from_ns,
						  .dur_ns = sw->t_ns - from_ns,
						  .cpu = sw->cpu,
						  .state = runnable ? ANALYZE_VCPU_PREEMPTED
								    : ANALYZE_VCPU_WAITING },
			   true, &done);
	}
	s->waited_ns += sw->t_ns - from_ns;
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_chains *c = self;
	struct state *s = state_of(c, sw->prev);
	struct waiter done;

	if (!s)
		return;
	s->by = sw->next;
	s->out_ns = sw->involuntary ? sw->t_ns : 0;
	if (sw->involuntary) {
		if (c->opts.wanted(c->opts.ctx, sw->prev))
			waiters_add(&c->waiters, sw->prev, sw->cpu, sw->t_ns, false);
	} else {
		s->woken = 0;
		waiters_end(&c->waiters, sw->prev, WAIT_BROKEN, &done);
	}
	on_in(c, sw);
}

static void on_sched(void *self, const struct analyze_sched *ev)
{
	struct analyze_chains *c = self;

	if (ev->kind == ANALYZE_KIND_MIGRATE)
		waiters_move(&c->waiters, ev->task, ev->dest_cpu, ev->t_ns);
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct analyze_chains *c = self;

	if (run->task != ANALYZE_NO_TASK)
		waiters_ran(&c->waiters, run->cpu, run->task, run->start_ns, run->end_ns);
}

static void on_away(void *self, const struct analyze_away *away)
{
	struct analyze_chains *c = self;
	bool lost, runnable = is_runnable(away->off);
	uint64_t from_ns = runnable ? away->start_ns : away->ready_ns;
	struct waiter done = { .cpu = away->cpu, .held_by = ANALYZE_NO_TASK };

	if (away->ended || (away->off == ANALYZE_OFF_UNKNOWN && !away->waits) ||
	    !c->opts.wanted(c->opts.ctx, away->task))
		return;
	if (from_ns == ANALYZE_NO_TIME || from_ns >= away->end_ns)
		return;
	if (c->opts.on_wait)
		c->opts.on_wait(c->opts.ctx, away->task, from_ns, away->end_ns);
	/* it waits at the walk's end, or events are missing since @end_ns */
	lost = away->end_ns < analyze_engine_now(c->eng);
	waiters_end(&c->waiters, away->task, lost ? WAIT_BROKEN : WAIT_WHOLE, &done);
	keep_worst(c, away->task,
		   (struct analyze_wait){ .at_ns = from_ns,
					  .dur_ns = away->end_ns - from_ns,
					  .cpu = done.cpu,
					  .state = runnable ? ANALYZE_VCPU_PREEMPTED
							    : ANALYZE_VCPU_WAITING },
		   lost, &done);
}

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_chains *c = self;

	(void)schema;
	return waiters_init(&c->waiters, c->eng) ? cdict_fail_nomem(err) : 0;
}

static int by_task(const void *a, const void *b)
{
	const struct analyze_chain_row *x = a, *y = b;

	return x->task < y->task ? -1 : x->task > y->task;
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_chains *c = self;

	(void)err;
	if (c->rows.n)
		qsort(c->rows.at, c->rows.n, sizeof(*c->rows.at), by_task);
	return 0;
}

static const struct analyze_ops ops = {
	.needs = ANALYZE_NEED(SWITCH) | ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE) |
		 ANALYZE_NEED_CONTEXT,
	.all_cpus = true,
	.late_wakes = true,
	.start = on_start,
	.run = on_run,
	.away = on_away,
	.sw = on_switch,
	.in = on_in,
	.wake = on_wake,
	.sched = on_sched,
	.finish = on_finish,
};

int analyze_chains_new(struct analyze_chains **out, struct analyze_engine *eng,
		       const struct analyze_chains_options *opts, struct cdict_error *err)
{
	struct analyze_chains *c = calloc(1, sizeof(*c));
	int rc;

	*out = NULL;
	if (!c)
		return cdict_fail_nomem(err);
	c->eng = eng;
	c->opts = *opts;
	c->ring = calloc(RING, sizeof(*c->ring));
	rc = c->ring ? analyze_engine_add(eng, &ops, c, err) : cdict_fail_nomem(err);
	if (rc) {
		analyze_chains_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

void analyze_chains_free(struct analyze_chains *c)
{
	if (!c)
		return;
	waiters_fini(&c->waiters);
	array_fini(&c->states);
	array_fini(&c->rows);
	index_fini(&c->index);
	free(c->ring);
	free(c);
}

size_t analyze_chains_row_count(const struct analyze_chains *c)
{
	return c->rows.n;
}

const struct analyze_chain_row *analyze_chains_row_at(const struct analyze_chains *c, size_t i)
{
	return &c->rows.at[i];
}

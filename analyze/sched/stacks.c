// SPDX-License-Identifier: LGPL-2.1-only
/* stacks.c - see stacks.h. */
#include "analyze/sched/stacks.h"

#include <stdlib.h>

#include "analyze/kvm/exits.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "base/saturate.h"

/* An interval that began with a stack: a task's time off the CPU, a vCPU's exit. */
struct begun {
	uint64_t t_ns;
	uint32_t stack;
	bool known;
};

struct analyze_stacks {
	struct analyze_engine *eng;
	enum analyze_stacks_by by;
	struct analyze_exits *exits;
	uint32_t event;             /* SAMPLES: the type, or CDICT_TYPE_ANY */
	ARRAY(struct begun) begun;  /* by task */
	struct index index, others; /* (task, other), stack; the key of @other */
	ARRAY(struct analyze_stack_row) rows;
	bool done;
};

static void begin_wait(struct analyze_stacks *s, uint32_t task, uint64_t t_ns)
{
	struct begun *b = row_at(&s->begun, task);

	if (!b)
		analyze_engine_out_of_memory(s->eng);
	else
		*b = (struct begun){ t_ns, analyze_engine_stack(s->eng), true };
}

/* The stack of the interval that began at @t_ns; not an earlier one's, if that begin was not
 * seen. */
static uint32_t stack_since(const struct analyze_stacks *s, uint32_t task, uint64_t t_ns)
{
	const struct begun *b = task < s->begun.n ? &s->begun.at[task] : NULL;

	return b && b->known && b->t_ns == t_ns ? b->stack : CDICT_NO_STACK;
}

static struct analyze_stack_row *row_of(struct analyze_stacks *s, uint32_t task, uint32_t stack,
					uint64_t a, uint64_t b)
{
	uint32_t other = index_take(&s->others, a, b);
	struct analyze_stack_row *row;

	row = other == INDEX_NONE
		      ? NULL
		      : row_at(&s->rows,
			       index_take(&s->index, task | (uint64_t)other << 32, stack));
	if (!row) {
		analyze_engine_out_of_memory(s->eng);
		return NULL;
	}
	row->task = task;
	row->stack = stack;
	row->waker = ANALYZE_NO_TASK;
	return row;
}

static void on_away(void *self, const struct analyze_away *away)
{
	struct analyze_stacks *s = self;
	uint64_t ns = away->ns;
	struct analyze_stack_row *row;

	/* as analyze_tasks counts it */
	if (s->by != ANALYZE_STACKS_OFF_CPU || (!ns && !away->in) ||
	    away->off == ANALYZE_OFF_UNKNOWN || !analyze_engine_task(s->eng, away->task)->tid)
		return;
	row = row_of(s, away->task, stack_since(s, away->task, away->start_ns), 0, 0);
	if (!row)
		return;
	row->count += away->in;
	row->ns += ns;
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_stacks *s = self;
	struct analyze_stack_row *row;

	if (s->by == ANALYZE_STACKS_OFF_CPU) {
		begin_wait(s, sw->prev, sw->t_ns);
	} else if (s->by == ANALYZE_STACKS_SWITCHES && sw->in) {
		row = row_of(s, sw->prev, analyze_engine_stack(s->eng), 0, 0);
		if (row)
			row->count++;
	}
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct analyze_stacks *s = self;
	uint32_t waker = analyze_engine_sampled(s->eng, wake->cpu);
	struct analyze_stack_row *row;

	/* as analyze_tasks counts it */
	if (s->by != ANALYZE_STACKS_WAKEUPS || !wake->in ||
	    (wake->kind == ANALYZE_KIND_WAKEUP && analyze_engine_summary(s->eng)->has_waking))
		return;
	row = row_of(s, wake->task, analyze_engine_stack(s->eng), waker, 0);
	if (!row)
		return;
	row->waker = waker;
	row->count++;
}

static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct analyze_stacks *s = self;

	if (s->by == ANALYZE_STACKS_EXITS && k->kind == ANALYZE_KIND_KVM_EXIT)
		begin_wait(s, k->task, k->t_ns);
}

/* Called by analyze_exits for each exit it counts. */
static void on_exit_end(void *self, const struct analyze_exit_row *exit, uint64_t t_ns, uint64_t ns)
{
	struct analyze_stacks *s = self;
	struct analyze_stack_row *row =
		row_of(s, exit->task, stack_since(s, exit->task, t_ns), exit->isa, exit->reason);

	if (!row)
		return;
	row->isa = exit->isa;
	row->reason = exit->reason;
	row->count++;
	row->ns += ns;
}

static void on_sample(void *self, const struct analyze_sample *sample)
{
	struct analyze_stacks *s = self;
	struct analyze_stack_row *row;

	if (!sample->in || (s->event != CDICT_TYPE_ANY && s->event != sample->type))
		return;
	row = row_of(s, sample->task, analyze_engine_stack(s->eng), 0, 0);
	if (!row)
		return;
	row->count++;
	saturated_add(&row->period, sample->period);
}

static int by_task(const void *a, const void *b)
{
	const struct analyze_stack_row *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (x->stack != y->stack)
		return x->stack < y->stack ? -1 : 1;
	if (x->waker != y->waker)
		return x->waker < y->waker ? -1 : 1;
	if (x->isa != y->isa)
		return x->isa < y->isa ? -1 : 1;
	return x->reason < y->reason ? -1 : x->reason > y->reason;
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_stacks *s = self;
	struct analyze_stack_row *rows = s->rows.at;

	(void)err;
	if (s->rows.n)
		qsort(rows, s->rows.n, sizeof(*rows), by_task);
	s->done = true;
	return 0;
}

static const struct analyze_ops ops[] = {
	[ANALYZE_STACKS_OFF_CPU] = { .away = on_away, .sw = on_switch, .finish = on_finish },
	[ANALYZE_STACKS_EXITS] = { .needs = ANALYZE_NEED(KVM_EXIT),
				   .kvm = on_kvm,
				   .finish = on_finish },
	[ANALYZE_STACKS_WAKEUPS] = { .needs = ANALYZE_NEED_WAKES,
				     .wake = on_wake,
				     .finish = on_finish },
	[ANALYZE_STACKS_SWITCHES] = { .sw = on_switch, .finish = on_finish },
	[ANALYZE_STACKS_SAMPLES] = { .needs = ANALYZE_NEED(SAMPLE),
				     .sample = on_sample,
				     .finish = on_finish },
};

int analyze_stacks_new(struct analyze_stacks **out, struct analyze_engine *eng,
		       enum analyze_stacks_by by, struct cdict_error *err)
{
	struct analyze_stacks *s = calloc(1, sizeof(*s));
	const struct analyze_exits_options exits = { .no_accesses = true,
						     .ended = on_exit_end,
						     .ctx = s };
	int ret;

	*out = NULL;
	if (!s)
		return cdict_fail_nomem(err);
	s->eng = eng;
	s->by = by;
	s->event = CDICT_TYPE_ANY;
	ret = by == ANALYZE_STACKS_EXITS ? analyze_exits_new(&s->exits, eng, &exits, err) : 0;
	if (!ret)
		ret = analyze_engine_add(eng, &ops[by], s, err);
	if (ret) {
		analyze_exits_free(s->exits);
		free(s);
		return ret;
	}
	*out = s;
	return 0;
}

void analyze_stacks_free(struct analyze_stacks *s)
{
	if (!s)
		return;
	analyze_exits_free(s->exits);
	array_fini(&s->begun);
	array_fini(&s->rows);
	index_fini(&s->index);
	index_fini(&s->others);
	free(s);
}

void analyze_stacks_event(struct analyze_stacks *s, uint32_t type)
{
	s->event = type;
}

size_t analyze_stacks_count(const struct analyze_stacks *s)
{
	return s->done ? s->rows.n : 0;
}

const struct analyze_stack_row *analyze_stacks_at(const struct analyze_stacks *s, size_t i)
{
	return &s->rows.at[i];
}

enum analyze_stacks_by analyze_stacks_by(const struct analyze_stacks *s)
{
	return s->by;
}

const char *analyze_stacks_reason(const struct analyze_stacks *s,
				  const struct analyze_stack_row *row, bool *idle)
{
	size_t lo = 0, n = analyze_exits_count(s->exits);

	/* in order of task, isa, reason */
	while (lo < n) {
		size_t mid = lo + (n - lo) / 2;
		const struct analyze_exit_row *exit = analyze_exits_at(s->exits, mid);

		if (exit->task < row->task ||
		    (exit->task == row->task &&
		     (exit->isa < row->isa ||
		      (exit->isa == row->isa && exit->reason < row->reason))))
			lo = mid + 1;
		else
			n = mid;
	}
	*idle = analyze_exits_at(s->exits, lo)->idle;
	return analyze_exits_at(s->exits, lo)->name;
}

// SPDX-License-Identifier: LGPL-2.1-only
/* timeline.c - see timeline.h. */
#include "analyze/sched/timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/kvm/waiters.h"
#include "analyze/printing/reasons.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"

/* A task's unknown time and exit that are not reported yet: a wait may follow, which is part of
 * that time; the exit's reason may be recorded a little later. */
struct pending {
	uint64_t from_ns, to_ns; /* equal: none */
	bool exits;
	struct analyze_timeline_exit exit;
};

struct analyze_timeline {
	struct analyze_engine *eng;
	struct analyze_timeline_options opts;
	struct analyze_ops ops;
	struct analyze_vcpus *vcpus; /* NULL: not wanted */
	struct analyze_reasons *reasons;
	struct waiters waiters; /* of tasks that are not vCPUs */
	ARRAY(struct pending) pending;
};

static const char *const names[ANALYZE_DOINGS] = { "guest",     "exit",    "qemu",   "running",
						   "preempted", "waiting", "halted", "asleep",
						   "blocked",   "unknown" };

const char *analyze_doing_name(enum analyze_doing doing)
{
	return names[doing];
}

static enum analyze_timeline_kind kind_of(const struct analyze_timeline *t, uint32_t task)
{
	return task == ANALYZE_NO_TASK ? ANALYZE_TIMELINE_NOT : t->opts.kind(t->opts.ctx, task);
}

static bool is_plain(const struct analyze_timeline *t, uint32_t task)
{
	return kind_of(t, task) == ANALYZE_TIMELINE_TASK;
}

static struct pending *pending_of(struct analyze_timeline *t, uint32_t task)
{
	struct pending *p = row_at(&t->pending, task);

	if (!p)
		analyze_engine_out_of_memory(t->eng);
	return p;
}

/* Reports @what, clipped to the window. */
static void report(struct analyze_timeline *t, struct analyze_stretch what)
{
	uint64_t from_ns, to_ns;

	analyze_engine_window(t->eng, &from_ns, &to_ns);
	what.from_ns = what.from_ns < from_ns ? from_ns : what.from_ns;
	what.to_ns = what.to_ns > to_ns ? to_ns : what.to_ns;
	if (what.to_ns > what.from_ns)
		t->opts.on_stretch(t->opts.ctx, &what);
}

/* Reports the pending unknown time of @task, up to @to_ns at most. */
static void flush(struct analyze_timeline *t, uint32_t task, uint64_t to_ns)
{
	struct pending *p = pending_of(t, task);

	if (!p || p->from_ns == p->to_ns)
		return;
	report(t, (struct analyze_stretch){ .task = task,
					    .doing = ANALYZE_DOING_UNKNOWN,
					    .cpu = CDICT_CPU_UNKNOWN,
					    .behind = ANALYZE_NO_TASK,
					    .from_ns = p->from_ns,
					    .to_ns = p->to_ns < to_ns ? p->to_ns : to_ns });
	p->from_ns = p->to_ns;
}

/* ---- vCPUs ---- */

static void on_piece(void *ctx, const struct analyze_vcpu_piece *piece)
{
	static const enum analyze_doing doings[] = {
		[ANALYZE_VCPU_GUEST] = ANALYZE_DOING_GUEST,
		[ANALYZE_VCPU_EXIT] = ANALYZE_DOING_EXIT,
		[ANALYZE_VCPU_QEMU] = ANALYZE_DOING_QEMU,
		[ANALYZE_VCPU_PREEMPTED] = ANALYZE_DOING_PREEMPTED,
		[ANALYZE_VCPU_WAITING] = ANALYZE_DOING_WAITING,
		[ANALYZE_VCPU_HALTED] = ANALYZE_DOING_HALTED,
		[ANALYZE_VCPU_BLOCKED] = ANALYZE_DOING_BLOCKED,
		[ANALYZE_VCPU_UNKNOWN] = ANALYZE_DOING_UNKNOWN,
	};
	struct analyze_timeline *t = ctx;

	if (kind_of(t, piece->task) == ANALYZE_TIMELINE_VCPU)
		report(t, (struct analyze_stretch){ .task = piece->task,
						    .doing = doings[piece->state],
						    .cpu = CDICT_CPU_UNKNOWN,
						    .behind = piece->behind,
						    .reason = piece->reason,
						    .from_ns = piece->from_ns,
						    .to_ns = piece->to_ns });
}

static void flush_exit(struct analyze_timeline *t, struct pending *p)
{
	if (p->exits)
		t->opts.on_exit(t->opts.ctx, &p->exit);
	p->exits = false;
}

static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct analyze_timeline *t = self;
	bool late = k->kind == ANALYZE_KIND_KVM_REASON;
	struct pending *p;

	if ((!late && k->kind != ANALYZE_KIND_KVM_EXIT) ||
	    kind_of(t, k->task) != ANALYZE_TIMELINE_VCPU)
		return;
	p = pending_of(t, k->task);
	if (!p || (late && !p->exits))
		return;
	if (!late) {
		flush_exit(t, p);
		p->exits = k->in;
		p->exit = (struct analyze_timeline_exit){ .task = k->task, .t_ns = k->t_ns };
	}
	p->exit.isa = k->isa;
	p->exit.reason = k->value;
	analyze_reasons_code(t->reasons, &p->exit.isa, &p->exit.reason, k->how);
}

/* ---- other tasks ---- */

static void on_run(void *self, const struct analyze_run *run)
{
	struct analyze_timeline *t = self;

	if (run->task == ANALYZE_NO_TASK)
		return;
	waiters_ran(&t->waiters, run->cpu, run->task, run->start_ns, run->end_ns);
	if (!is_plain(t, run->task))
		return;
	flush(t, run->task, run->from_ns);
	report(t, (struct analyze_stretch){ .task = run->task,
					    .doing = ANALYZE_DOING_RUNNING,
					    .cpu = run->cpu,
					    .behind = ANALYZE_NO_TASK,
					    .from_ns = run->from_ns,
					    .to_ns = run->to_ns });
}

static enum analyze_doing doing_of(const struct analyze_timeline *t, enum analyze_off off)
{
	static const enum analyze_doing doings[] = {
		[ANALYZE_OFF_RUNNABLE] = ANALYZE_DOING_PREEMPTED,
		[ANALYZE_OFF_PREEMPTED] = ANALYZE_DOING_PREEMPTED,
		[ANALYZE_OFF_SLEEP] = ANALYZE_DOING_ASLEEP,
		[ANALYZE_OFF_DISK] = ANALYZE_DOING_BLOCKED,
		[ANALYZE_OFF_OTHER] = ANALYZE_DOING_BLOCKED,
		[ANALYZE_OFF_DEAD] = ANALYZE_DOING_UNKNOWN,
		[ANALYZE_OFF_UNKNOWN] = ANALYZE_DOING_UNKNOWN,
	};

	return off == ANALYZE_OFF_OTHER && !analyze_engine_summary(t->eng)->has_state
		       ? ANALYZE_DOING_UNKNOWN
		       : doings[off];
}

static void on_away(void *self, const struct analyze_away *away)
{
	struct analyze_timeline *t = self;
	struct analyze_stretch what = { .task = away->task,
					.doing = doing_of(t, away->off),
					.cpu = CDICT_CPU_UNKNOWN,
					.behind = ANALYZE_NO_TASK,
					.from_ns = away->start_ns,
					.to_ns = away->end_ns };
	bool asleep = what.doing == ANALYZE_DOING_ASLEEP || what.doing == ANALYZE_DOING_BLOCKED;
	struct pending *p;

	if (!is_plain(t, away->task))
		return;
	flush(t, away->task, away->start_ns);
	if (what.doing == ANALYZE_DOING_UNKNOWN && !away->waits) {
		p = pending_of(t, away->task);
		if (p) {
			p->from_ns = away->start_ns;
			p->to_ns = away->end_ns;
		}
		return;
	}
	if (away->waits) {
		what.to_ns = away->start_ns;
	} else if (what.doing == ANALYZE_DOING_PREEMPTED) {
		what.behind = waiters_top(&t->waiters, away->task);
	} else if (asleep && away->ready_ns >= away->start_ns && away->ready_ns < away->end_ns) {
		what.to_ns = away->ready_ns;
	}
	report(t, what);
	what.from_ns = what.to_ns;
	what.to_ns = away->end_ns;
	what.doing = ANALYZE_DOING_WAITING;
	what.behind = waiters_top(&t->waiters, away->task);
	report(t, what);
}

static void report_wake(struct analyze_timeline *t, const struct analyze_wake *wake)
{
	struct analyze_timeline_wake w = {
		.task = wake->task, .cpu = wake->cpu, .by = ANALYZE_NO_TASK, .t_ns = wake->t_ns
	};
	uint64_t since_ns, from_ns, to_ns;
	uint32_t by = wake->late ? wake->waker
				 : analyze_engine_running(t->eng, wake->cpu, &since_ns);

	analyze_engine_window(t->eng, &from_ns, &to_ns);
	if (wake->t_ns < from_ns || wake->t_ns > to_ns)
		return;
	if (by == ANALYZE_NO_TASK && !wake->late)
		by = analyze_engine_sampled(t->eng, wake->cpu);
	if (!wake->irq && by != ANALYZE_NO_TASK && analyze_engine_task(t->eng, by)->tid)
		w.by = by;
	t->opts.on_wake(t->opts.ctx, &w);
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct analyze_timeline *t = self;
	enum analyze_timeline_kind kind = kind_of(t, wake->task);
	uint32_t cpu = wake->target_cpu;

	if (!kind)
		return;
	if (!wake->first) {
		if (cpu != CDICT_CPU_UNKNOWN)
			waiters_move(&t->waiters, wake->task, cpu, wake->t_ns);
		return;
	}
	if (kind == ANALYZE_TIMELINE_TASK)
		waiters_add(&t->waiters, wake->task,
			    cpu != CDICT_CPU_UNKNOWN ? cpu
						     : analyze_engine_last_cpu(t->eng, wake->task),
			    wake->t_ns, true);
	if (t->opts.on_wake)
		report_wake(t, wake);
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_timeline *t = self;
	struct waiter done;

	if (sw->involuntary && is_plain(t, sw->prev))
		waiters_add(&t->waiters, sw->prev, sw->cpu, sw->t_ns, false);
	if (is_plain(t, sw->next))
		waiters_end(&t->waiters, sw->next, WAIT_BROKEN, &done);
}

static void on_sched(void *self, const struct analyze_sched *ev)
{
	struct analyze_timeline *t = self;

	if (ev->kind == ANALYZE_KIND_MIGRATE)
		waiters_move(&t->waiters, ev->task, ev->dest_cpu, ev->t_ns);
}

/* In a walk that resumes later: a task that has waited since before. */
static void on_resume(void *self, const struct analyze_resume *r)
{
	struct analyze_timeline *t = self;
	bool woken = r->ready_ns != ANALYZE_NO_TIME;

	if (r->waits && is_plain(t, r->task))
		waiters_add(&t->waiters, r->task, r->wait_cpu, woken ? r->ready_ns : r->out_ns,
			    woken);
}

/* ---- the analysis ---- */

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_timeline *t = self;
	int rc = waiters_init(&t->waiters, t->eng) ? cdict_fail_nomem(err) : 0;

	t->waiters.on_held = t->opts.on_held;
	t->waiters.on_held_ctx = t->opts.ctx;
	return rc || !t->opts.on_exit ? rc : analyze_reasons_of(&t->reasons, schema, err);
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_timeline *t = self;

	(void)err;
	for (uint32_t i = 0; i < t->pending.n; i++) {
		flush(t, i, ANALYZE_NO_TIME);
		flush_exit(t, &t->pending.at[i]);
	}
	return 0;
}

int analyze_timeline_new(struct analyze_timeline **out, struct analyze_engine *eng,
			 const struct analyze_timeline_options *opts, struct cdict_error *err)
{
	struct analyze_timeline *t = calloc(1, sizeof(*t));
	int rc = 0;

	*out = NULL;
	if (!t)
		return cdict_fail_nomem(err);
	t->eng = eng;
	t->opts = *opts;
	t->ops = (struct analyze_ops){ .needs = ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE),
				       .start = on_start,
				       .run = on_run,
				       .away = on_away,
				       .wake = on_wake,
				       .sw = on_switch,
				       .sched = on_sched,
				       .finish = on_finish,
				       .late_wakes = true,
				       .resume = on_resume,
				       .resumes = true };
	if (opts->on_wake)
		t->ops.needs |= ANALYZE_NEED_CONTEXT;
	if (opts->on_exit) {
		t->ops.needs |= ANALYZE_NEED(KVM_EXIT) | ANALYZE_NEED(KVM_REASON);
		t->ops.kvm = on_kvm;
	}
	if (!opts->no_vcpus)
		rc = analyze_vcpus_new(&t->vcpus, eng, err);
	if (!rc && t->vcpus)
		analyze_vcpus_on_piece(t->vcpus, on_piece, t);
	if (!rc)
		rc = analyze_engine_add(eng, &t->ops, t, err);
	if (rc)
		analyze_timeline_free(t);
	else
		*out = t;
	return rc;
}

void analyze_timeline_free(struct analyze_timeline *t)
{
	if (!t)
		return;
	analyze_vcpus_free(t->vcpus);
	analyze_reasons_free(t->reasons);
	waiters_fini(&t->waiters);
	array_fini(&t->pending);
	free(t);
}

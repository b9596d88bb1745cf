// SPDX-License-Identifier: LGPL-2.1-only
/*
 * vcpu.c - see vcpu.h. Every task is followed, since only its first KVM event shows that a thread
 * is a vCPU; only vCPUs get rows.
 */
#include "analyze/kvm/vcpu_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

struct watch *vcpu_watch(struct analyze_vcpus *v, uint32_t task)
{
	struct watch *w = row_at(&v->watches, task);

	if (!w) {
		analyze_engine_out_of_memory(v->eng);
		return NULL;
	}
	if (!w->set) {
		uint64_t end;

		w->set = true;
		w->reason = INDEX_NONE;
		w->cpu = CDICT_CPU_UNKNOWN;
		w->row.worst.behind = ANALYZE_NO_TASK;
		analyze_engine_walk(v->eng, &w->since_ns, &end);
	}
	return w;
}

/* Reports a piece of a thread's time to v->on_piece. */
static void report_state(struct analyze_vcpus *v, const struct watch *w,
			 enum analyze_vcpu_state state, uint64_t to_ns)
{
	struct analyze_vcpu_piece p = { .task = (uint32_t)(w - v->watches.at),
					.state = state,
					.from_ns = w->since_ns,
					.to_ns = to_ns,
					.behind = ANALYZE_NO_TASK };
	uint64_t from_ns, end_ns;

	analyze_engine_window(v->eng, &from_ns, &end_ns);
	if (p.from_ns < from_ns)
		p.from_ns = from_ns;
	if (p.to_ns > end_ns)
		p.to_ns = end_ns;
	if (p.from_ns >= p.to_ns)
		return;
	if (w->reason != INDEX_NONE && (state == ANALYZE_VCPU_EXIT || state == ANALYZE_VCPU_QEMU))
		p.reason = &v->reasons.at[w->reason];
	else if (state == ANALYZE_VCPU_PREEMPTED || state == ANALYZE_VCPU_WAITING)
		p.behind = waiters_top(&v->waiters, p.task);
	v->on_piece(v->on_piece_ctx, &p);
}

/* A CPU that was not recorded yet is not a loss, nor is the unknown mode to which the vCPU then
 * returns. */
static bool is_late(const struct analyze_vcpus *v, const struct watch *w, uint64_t to_ns)
{
	uint64_t from_ns = w->since_ns;

	return (w->late || from_ns < analyze_engine_summary(v->eng)->scope.begins_ns) &&
	       analyze_engine_lost(v->eng, true, from_ns, to_ns) == ANALYZE_NO_TIME &&
	       analyze_engine_lost(v->eng, false, from_ns, to_ns) == ANALYZE_NO_TIME;
}

static bool in_guest(const struct watch *w)
{
	return w->where == ON && w->mode == MODE_GUEST;
}

static void was_guest(struct analyze_vcpus *v, struct watch *w, uint64_t to_ns)
{
	size_t task = (size_t)(w - v->watches.at);

	if (task < v->begin.n && in_guest(&v->begin.at[task]) &&
	    v->begin.at[task].since_ns == w->since_ns)
		siblings_crossed(&v->siblings, (uint32_t)task);
	siblings_guest(&v->siblings, &w->row, (uint32_t)task, w->cpu, w->since_ns, to_ns);
}

/* It waits, or waited, up to @to_ns. */
static void keep_worst(struct analyze_vcpus *v, struct watch *w, enum analyze_vcpu_state state,
		       uint64_t to_ns)
{
	struct analyze_vcpu_row *row = &w->row;
	uint64_t from_ns = w->since_ns;

	if (to_ns - from_ns <= row->worst.dur_ns ||
	    !analyze_engine_longest(v->eng, &from_ns, &to_ns) ||
	    to_ns - from_ns <= row->worst.dur_ns)
		return;
	row->worst = (struct analyze_wait){ .at_ns = from_ns,
					    .dur_ns = to_ns - from_ns,
					    .cpu = w->cpu,
					    .state = state,
					    .behind = ANALYZE_NO_TASK };
	row->worst_by = ANALYZE_NO_TASK;
	row->worst_by_cpu = CDICT_CPU_UNKNOWN;
	row->worst_held_ns = 0;
}

/* If the wait that began at @from_ns and was counted up to @to_ns is the longest: who had the CPU. */
static void worst_behind(struct analyze_vcpus *v, struct watch *w, uint64_t from_ns, uint64_t to_ns,
			 const struct waiter *done)
{
	struct analyze_vcpu_row *row = &w->row;

	if (to_ns - from_ns < row->worst.dur_ns ||
	    !analyze_engine_longest(v->eng, &from_ns, &to_ns) || row->worst.at_ns != from_ns ||
	    row->worst.dur_ns != to_ns - from_ns)
		return;
	row->worst.behind = done->top;
	row->worst_by = done->held_by;
	row->worst_by_cpu = done->held_cpu;
	row->worst_held_ns = done->held_ns;
}

static void account(struct analyze_vcpus *v, struct watch *w, enum analyze_vcpu_state state,
		    uint64_t to_ns)
{
	uint64_t ns;

	if (to_ns <= w->since_ns)
		return;
	if (v->on_piece)
		report_state(v, w, state, to_ns);
	ns = analyze_engine_clip(v->eng, w->since_ns, to_ns);
	if (state != ANALYZE_VCPU_UNKNOWN && !analyze_engine_counts(v->eng, w->cpu)) {
		w->row.ns[ANALYZE_VCPU_UNKNOWN] += ns;
		w->row.absent_ns += ns;
		w->since_ns = to_ns;
		return;
	}
	if (state == ANALYZE_VCPU_GUEST)
		was_guest(v, w, to_ns);
	if (state == ANALYZE_VCPU_PREEMPTED || state == ANALYZE_VCPU_WAITING)
		keep_worst(v, w, state, to_ns);
	w->row.ns[state] += ns;
	if (state == ANALYZE_VCPU_UNKNOWN && is_late(v, w, to_ns))
		w->late = true;
	else if (state == ANALYZE_VCPU_UNKNOWN && w->kvm_seen && !v->unreported)
		w->row.lost_ns += ns;
	w->since_ns = to_ns;
	if (w->reason == INDEX_NONE)
		return;
	if (state == ANALYZE_VCPU_EXIT)
		v->reasons.at[w->reason].exit_ns += ns;
	else if (state == ANALYZE_VCPU_QEMU)
		v->reasons.at[w->reason].qemu_ns += ns;
}

static bool gap_on(const struct analyze_vcpus *v, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	return analyze_engine_gap(v->eng, true, cpu, from_ns, to_ns) != ANALYZE_NO_TIME ||
	       analyze_engine_gap(v->eng, false, cpu, from_ns, to_ns) != ANALYZE_NO_TIME;
}

/* Whether @what may follow when the thread is in @mode. */
static bool fits(enum mode mode, enum what what)
{
	if (mode == MODE_GUEST)
		return what == EXIT;
	return mode != MODE_UNKNOWN && what != EXIT;
}

static enum analyze_vcpu_state state_of(enum mode mode)
{
	static const enum analyze_vcpu_state states[] = {
		[MODE_UNKNOWN] = ANALYZE_VCPU_UNKNOWN,
		[MODE_GUEST] = ANALYZE_VCPU_GUEST,
		[MODE_EXIT] = ANALYZE_VCPU_EXIT,
		[MODE_QEMU] = ANALYZE_VCPU_QEMU,
	};

	return states[mode];
}

static enum analyze_vcpu_state off_state(enum where where)
{
	switch (where) {
	case PREEMPTED:
		return ANALYZE_VCPU_PREEMPTED;
	case WAITING:
		return ANALYZE_VCPU_WAITING;
	case HALTED:
		return ANALYZE_VCPU_HALTED;
	case BLOCKED:
		return ANALYZE_VCPU_BLOCKED;
	default:
		return ANALYZE_VCPU_UNKNOWN;
	}
}

/* Accounts for the time off the CPU up to @t; false when events are missing: it may have run
 * meanwhile. */
static bool off_cpu_until(struct analyze_vcpus *v, struct watch *w, uint64_t t)
{
	uint64_t gap;

	if (w->where == NEW || w->where == ON || w->where == DEAD || v->some_cpus) {
		account(v, w, ANALYZE_VCPU_UNKNOWN, t);
		return false;
	}
	gap = analyze_engine_gap(v->eng, false, CDICT_CPU_UNKNOWN, w->since_ns, t);
	if (gap == ANALYZE_NO_TIME) {
		account(v, w, off_state((enum where)w->where), t);
		return true;
	}
	account(v, w, off_state((enum where)w->where), gap);
	account(v, w, ANALYZE_VCPU_UNKNOWN, t);
	return false;
}

/* The thread itself does @what on @cpu at @t: accounts for its time up to there. */
static void on_cpu_until(struct analyze_vcpus *v, struct watch *w, uint64_t t, uint32_t cpu,
			 enum what what)
{
	uint64_t unseen_ns = 0;

	if (w->where == ON && w->cpu == cpu && fits((enum mode)w->mode, what) &&
	    !gap_on(v, cpu, w->since_ns, t)) {
		account(v, w, state_of((enum mode)w->mode), t);
		return;
	}
	/* Its switch-in was not seen: before the CPU's last switch another task had the CPU. */
	analyze_engine_running(v->eng, cpu, &unseen_ns);
	if (w->where != ON && unseen_ns > w->since_ns)
		off_cpu_until(v, w, unseen_ns < t ? unseen_ns : t);
	account(v, w, ANALYZE_VCPU_UNKNOWN, t);
	w->mode = MODE_UNKNOWN;
}

bool analyze_vcpu_named(const struct analyze_task *task)
{
	return task->is_vcpu || (!memcmp(task->comm, "CPU ", 4) && strstr(task->comm, "/KVM"));
}

/* Whether to watch its waits: a task that has not run yet may be a vCPU. */
static bool is_candidate(const struct watch *w, const struct analyze_task *task)
{
	return analyze_vcpu_named(task) || !w->ran;
}

static void wait_begins(struct analyze_vcpus *v, struct watch *w, uint32_t task, uint32_t cpu)
{
	w->cpu = cpu;
	if (is_candidate(w, analyze_engine_task(v->eng, task)))
		waiters_add(&v->waiters, task, cpu, w->since_ns, w->where == WAITING);
	/* not of each task that may still become a vCPU: there may be 100,000s */
	if (analyze_vcpu_named(analyze_engine_task(v->eng, task)))
		idle_cpus_wait(&v->idle, task, w->since_ns);
}

/* Not inlined: five copies would make the page larger. */
static __attribute__((noinline)) void no_longer_waits(struct analyze_vcpus *v, uint32_t task,
						      enum wait_end how, struct waiter *out)
{
	waiters_end(&v->waiters, task, how, out);
	idle_cpus_waited(&v->idle, task, how != WAIT_BROKEN);
}

static void wait_ends(struct analyze_vcpus *v, struct watch *w, const struct analyze_switch *sw,
		      uint64_t start_ns, bool whole)
{
	struct waiter done = { .top = ANALYZE_NO_TASK, .held_by = ANALYZE_NO_TASK };

	whole = whole && analyze_engine_counts(v->eng, sw->cpu);
	no_longer_waits(v, sw->next, whole ? WAIT_WHOLE : WAIT_BROKEN, &done);
	if (!whole)
		return;
	worst_behind(v, w, start_ns, sw->t_ns, &done);
	if (sw->in && is_candidate(w, analyze_engine_task(v->eng, sw->next)))
		analyze_count(v->eng, w->where == WAITING ? &w->row.waiting : &w->row.preempted,
			      sw->t_ns - start_ns, start_ns);
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_vcpus *v = self;
	struct watch *w = v->off ? NULL : vcpu_watch(v, sw->prev);
	struct analyze_antagonist *a;
	struct waiter done;
	uint64_t start;
	bool idle, whole, waits, in = sw->in && analyze_engine_counts(v->eng, sw->cpu);

	if (!w)
		return;
	idle_cpus_switched(&v->idle, sw->cpu, !analyze_engine_task(v->eng, sw->next)->tid);
	if (w->where == PREEMPTED || w->where == WAITING)
		no_longer_waits(v, sw->prev, WAIT_BROKEN, &done);
	on_cpu_until(v, w, sw->t_ns, sw->cpu, OUT);
	w->ran |= sw->slice_start_ns != ANALYZE_NO_TIME;
	idle = w->mode == MODE_EXIT && w->reason != INDEX_NONE && v->reasons.at[w->reason].idle;
	w->cpu = sw->cpu;
	if (sw->involuntary) {
		w->where = PREEMPTED;
		w->row.preemptions += in;
		wait_begins(v, w, sw->prev, sw->cpu);
		if (in && is_candidate(w, analyze_engine_task(v->eng, sw->prev))) {
			a = waiters_antagonist(&v->waiters, sw->prev, sw->next);
			if (a)
				a->took_over++;
		}
	} else if (sw->off == ANALYZE_OFF_DEAD) {
		w->where = DEAD;
	} else {
		w->where = idle ? HALTED : BLOCKED;
		*(idle ? &w->row.halts : &w->row.blocks) += in;
	}

	w = vcpu_watch(v, sw->next);
	if (!w)
		return;
	start = w->since_ns;
	/* A wait belongs to the CPU on which it ends, even if the migration was not recorded. */
	waits = w->where == PREEMPTED || w->where == WAITING;
	if (waits)
		w->cpu = sw->cpu;
	whole = off_cpu_until(v, w, sw->t_ns);
	if (waits)
		wait_ends(v, w, sw, start, whole);
	if (!whole || w->mode == MODE_GUEST)
		w->mode = MODE_UNKNOWN;
	w->where = ON;
	w->cpu = sw->cpu;
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct analyze_vcpus *v = self;
	struct watch *w = v->off ? NULL : vcpu_watch(v, wake->task);

	if (!w)
		return;
	if (wake->first && (w->where == HALTED || w->where == BLOCKED || w->where == NEW)) {
		if (!off_cpu_until(v, w, wake->t_ns))
			w->mode = MODE_UNKNOWN;
		w->where = WAITING;
		wait_begins(v, w, wake->task,
			    wake->target_cpu != CDICT_CPU_UNKNOWN ? wake->target_cpu : w->cpu);
		w->row.waits += wake->in && analyze_engine_counts(v->eng, w->cpu);
	} else if (w->where == WAITING && wake->target_cpu != CDICT_CPU_UNKNOWN &&
		   wake->target_cpu != w->cpu) {
		waiters_move(&v->waiters, wake->task, wake->target_cpu, wake->t_ns);
		w->cpu = wake->target_cpu;
	}
}

static void on_sched(void *self, const struct analyze_sched *ev)
{
	struct analyze_vcpus *v = self;
	struct watch *w;

	if (ev->kind != ANALYZE_KIND_MIGRATE || v->off)
		return;
	w = vcpu_watch(v, ev->task);
	if (w && (w->where == PREEMPTED || w->where == WAITING) && ev->dest_cpu != w->cpu) {
		waiters_move(&v->waiters, ev->task, ev->dest_cpu, ev->t_ns);
		w->cpu = ev->dest_cpu;
	}
}

static uint32_t reason_of(struct analyze_vcpus *v, const struct analyze_kvm *k)
{
	uint32_t isa = k->isa, i;
	uint64_t code = k->value;
	struct analyze_vcpu_reason *reason;
	const char *name;

	analyze_reasons_code(v->names, &isa, &code, k->how);
	i = index_take(&v->reason_index, k->task | (uint64_t)isa << 32, code);
	reason = row_at(&v->reasons, i);
	if (!reason) {
		analyze_engine_out_of_memory(v->eng);
		return INDEX_NONE;
	}
	if (!reason->name) {
		name = analyze_reasons_name(v->names, isa, code);
		*reason = (struct analyze_vcpu_reason){ .isa = isa,
							.reason = code,
							.name = name ? name : "",
							.idle = name &&
								analyze_reason_is_idle(name) };
	}
	reason->in |= k->in;
	return i;
}

static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct analyze_vcpus *v = self;
	struct watch *w;
	enum what what;
	struct waiter done;

	if (k->kind == ANALYZE_KIND_KVM_REASON) {
		w = vcpu_watch(v, k->task);
		if (w && w->mode == MODE_EXIT)
			w->reason = reason_of(v, k);
		return;
	}
	if (k->kind == ANALYZE_KIND_KVM_ENTRY)
		what = ENTRY;
	else if (k->kind == ANALYZE_KIND_KVM_EXIT)
		what = EXIT;
	else if (k->kind == ANALYZE_KIND_KVM_USERSPACE)
		what = USERSPACE;
	else
		return;
	w = vcpu_watch(v, k->task);
	if (!w)
		return;
	if (w->where == PREEMPTED || w->where == WAITING)
		no_longer_waits(v, k->task, WAIT_BROKEN, &done);
	on_cpu_until(v, w, k->t_ns, k->cpu, what);
	w->where = ON;
	w->cpu = k->cpu;
	if (what == ENTRY) {
		w->mode = MODE_GUEST;
		siblings_enter(&v->siblings, k->task);
	} else if (what == EXIT) {
		w->mode = MODE_EXIT;
		w->reason = reason_of(v, k);
	} else {
		if (w->mode == MODE_UNKNOWN)
			w->reason = INDEX_NONE;
		w->mode = MODE_QEMU;
	}
	w->kvm_seen = true;
	w->late = false;
}

/* Counts a piece of @run->cpu for vCPUs in the guest on the core's other threads. */
static void ran_beside(struct analyze_vcpus *v, const struct analyze_run *run)
{
	for (uint32_t c = siblings_next(&v->siblings, run->cpu); c != run->cpu;
	     c = siblings_next(&v->siblings, c)) {
		uint64_t since_ns;
		uint32_t task = analyze_engine_running(v->eng, c, &since_ns);
		const struct watch *w = task < v->watches.n ? &v->watches.at[task] : NULL;

		if (w && in_guest(w) && w->cpu == c)
			siblings_guest_ran(&v->siblings, task, run, w->since_ns);
	}
	siblings_ran(&v->siblings, run);
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct analyze_vcpus *v = self;

	ran_beside(v, run);
	idle_cpus_ran(&v->idle, run);
	if (run->task == ANALYZE_NO_TASK)
		return;
	waiters_ran(&v->waiters, run->cpu, run->task, run->start_ns, run->end_ns);
	v->capacity.known_ns += run->ns;
	if (analyze_engine_task(v->eng, run->task)->tid)
		v->capacity.busy_ns += run->ns;
}

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_vcpus *v = self;
	const struct analyze_summary *sum = analyze_engine_summary(v->eng);

	/* Without KVM events no vCPU can be found (off). */
	v->some_cpus = sum->scope.kind == SCOPE_CPUS || (sum->has_switch && !sum->has_state);
	v->unreported = sum->has_switch && !sum->has_state; /* nothing was lost */
	v->off = !analyze_engine_has_vcpus(v->eng);
	if (waiters_init(&v->waiters, v->eng) || siblings_init(&v->siblings, v->eng) ||
	    idle_cpus_init(&v->idle, v->eng))
		return cdict_fail_nomem(err);
	v->waiters.on_held = v->on_held;
	v->waiters.on_held_ctx = v->on_held_ctx;
	return analyze_reasons_of(&v->names, schema, err);
}

void vcpu_end(struct analyze_vcpus *v, struct watch *w, uint32_t task, uint64_t end)
{
	enum analyze_vcpu_state state = state_of((enum mode)w->mode);
	struct waiter done = { .top = ANALYZE_NO_TASK, .held_by = ANALYZE_NO_TASK };
	uint64_t before, start_ns = w->since_ns;

	if (w->where != ON) {
		bool whole = off_cpu_until(v, w, end) && analyze_engine_counts(v->eng, w->cpu);

		no_longer_waits(v, task, whole ? WAIT_WHOLE : WAIT_BROKEN, &done);
		if (whole && (w->where == PREEMPTED || w->where == WAITING))
			worst_behind(v, w, start_ns, end, &done);
		return;
	}
	if (state == ANALYZE_VCPU_UNKNOWN || gap_on(v, w->cpu, w->since_ns, end)) {
		account(v, w, ANALYZE_VCPU_UNKNOWN, end);
		return;
	}
	before = w->row.ns[state];
	account(v, w, state, end);
	w->row.edge_ns += w->row.ns[state] - before;
}

/* Applies the switches and the wake-up after the KVM events that were reported before. */
static void on_resume(void *self, const struct analyze_resume *r)
{
	struct analyze_vcpus *v = self;
	struct watch *w = v->off ? NULL : vcpu_watch(v, r->task);
	bool out_last = r->out_ns != ANALYZE_NO_TIME && !r->on && !r->lost,
	     runs = r->kvm_ns != ANALYZE_NO_TIME;

	if (!w)
		return;
	w->ran = r->ran;
	/* It returns to the mode that it left, unless that was the guest. */
	if (r->out_ns != ANALYZE_NO_TIME && (!runs || r->out_ns > r->kvm_ns)) {
		if (!runs || !fits((enum mode)w->mode, OUT) || w->cpu != r->out_cpu)
			w->mode = MODE_UNKNOWN;
	} else if (!runs) {
		w->mode = MODE_UNKNOWN;
	}
	if (v->some_cpus && runs && r->in_ns != ANALYZE_NO_TIME && r->in_ns > r->kvm_ns)
		w->mode = MODE_UNKNOWN;
	if (out_last) {
		bool idle = w->mode == MODE_EXIT && w->reason != INDEX_NONE &&
			    v->reasons.at[w->reason].idle;

		if (r->off == ANALYZE_OFF_RUNNABLE || r->off == ANALYZE_OFF_PREEMPTED)
			w->where = PREEMPTED;
		else if (r->off == ANALYZE_OFF_DEAD)
			w->where = DEAD;
		else
			w->where = idle ? HALTED : BLOCKED;
		w->since_ns = r->out_ns;
		w->cpu = r->out_cpu;
	} else if ((r->on || r->lost) && r->in_ns != ANALYZE_NO_TIME &&
		   (!runs || r->in_ns > r->kvm_ns)) {
		w->where = ON;
		w->since_ns = r->in_ns;
		w->cpu = r->in_cpu;
	}
	if (r->ready_ns != ANALYZE_NO_TIME &&
	    (w->where == HALTED || w->where == BLOCKED || w->where == NEW)) {
		if (w->where == NEW)
			w->mode = MODE_UNKNOWN;
		w->where = WAITING;
		w->since_ns = r->ready_ns;
	}
	if (w->where == WAITING || w->where == PREEMPTED)
		wait_begins(v, w, r->task, r->wait_cpu);
}

static void on_waited(void *self, uint32_t task, uint32_t cpu, uint32_t runner, uint64_t from_ns,
		      uint64_t to_ns)
{
	struct analyze_vcpus *v = self;

	if (!v->off)
		waiters_waited(&v->waiters, task, cpu, runner, from_ns, to_ns);
}

/* Only its end confirms a state that is open at the window's end; for a wait it also shows the
 * antagonists. */
static bool pending(void *self)
{
	const struct analyze_vcpus *v = self;
	uint64_t from, to;

	analyze_engine_window(v->eng, &from, &to);
	for (size_t i = 0; i < v->watches.n; i++) {
		const struct watch *w = &v->watches.at[i];

		if (!w->set || w->since_ns >= to)
			continue;
		if (w->where == ON
			    ? w->mode != MODE_UNKNOWN
			    : (w->where == PREEMPTED || w->where == WAITING) &&
				      is_candidate(w, analyze_engine_task(v->eng, (uint32_t)i)))
			return true;
	}
	return false;
}

static const struct analyze_ops ops = {
	.needs = ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE) | ANALYZE_NEED(KVM_ENTRY) |
		 ANALYZE_NEED(KVM_EXIT) | ANALYZE_NEED(KVM_REASON) | ANALYZE_NEED(KVM_USERSPACE),
	.late_wakes = true,
	.all_cpus = true, /* a vCPU may move from a selected CPU to another one */
	.run = on_run,
	.sw = on_switch,
	.wake = on_wake,
	.sched = on_sched,
	.kvm = on_kvm,
	.start = on_start,
	.finish = vcpu_finish,
	.resumes = true,
	.resume = on_resume,
	.waited = on_waited,
	.pending = pending,
	.part = vcpu_part,
	.part_free = vcpu_part_free,
	.begun = vcpu_begun,
	.agrees = vcpu_agrees,
	.join = vcpu_join,
};

int analyze_vcpus_new(struct analyze_vcpus **out, struct analyze_engine *eng,
		      struct cdict_error *err)
{
	struct analyze_vcpus *v = calloc(1, sizeof(*v));
	int ret;

	*out = NULL;
	if (!v)
		return cdict_fail_nomem(err);
	v->eng = eng;
	ret = analyze_engine_add(eng, &ops, v, err);
	if (ret) {
		free(v);
		return ret;
	}
	*out = v;
	return 0;
}

void analyze_vcpus_on_piece(struct analyze_vcpus *v, analyze_vcpu_piece_fn *on_piece, void *ctx)
{
	v->on_piece = on_piece;
	v->on_piece_ctx = ctx;
}

void analyze_vcpus_on_held(struct analyze_vcpus *v, analyze_held_fn *on_held, void *ctx)
{
	v->on_held = on_held;
	v->on_held_ctx = ctx;
}

void analyze_vcpus_free(struct analyze_vcpus *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->watches.n; i++) {
		histogram_fini(&v->watches.at[i].row.preempted);
		histogram_fini(&v->watches.at[i].row.waiting);
	}
	for (size_t i = 0; i < v->n; i++) {
		histogram_fini(&v->rows[i].preempted);
		histogram_fini(&v->rows[i].waiting);
	}
	array_fini(&v->watches);
	free(v->rows);
	array_fini(&v->reasons);
	free(v->sorted_reasons);
	free(v->sorted_antagonists);
	free(v->sorted_beside);
	free(v->numbers);
	index_fini(&v->reason_index);
	waiters_fini(&v->waiters);
	siblings_fini(&v->siblings);
	idle_cpus_fini(&v->idle);
	array_fini(&v->begin);
	waiters_fini(&v->begin_waiters);
	analyze_reasons_free(v->names);
	free(v);
}

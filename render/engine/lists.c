/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of a range: pieces of CPUs' time, states of vCPUs, marks. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/kvm/vcpu.h"
#include "analyze/sched/slices.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "render/engine/engine_internal.h"

/* In an array: no task, no reason. */
#define NONE PAGE_NO_TASK

/* Not the same as out of memory: the answer is that there is too much. */
static bool is_full(struct page_engine *e, size_t n)
{
	if (n >= e->q.max)
		e->enough = true;
	return e->enough;
}

/* ---- pieces of CPUs' time ---- */

struct piece {
	uint32_t cpu, task;
	uint64_t from_ns, to_ns;
};

struct pieces {
	struct analyze_slices *slices;
	ARRAY(struct piece) all;
};

static int on_piece(void *ctx, const struct analyze_slice *s)
{
	struct page_engine *e = ctx;
	struct pieces *p = e->state;

	if (is_full(e, p->all.n))
		return 0;
	return array_push(&p->all, (struct piece){ s->cpu, s->task, s->start_ns, s->end_ns });
}

static int pieces_add(struct page_engine *e, struct cdict_error *err)
{
	struct analyze_slices_options how = { .kinds = 1u << ANALYZE_SLICE_PIECE,
					      .on_slice = on_piece,
					      .ctx = e };
	struct pieces *p = e->state;

	return analyze_slices_new(&p->slices, e->eng, &how, err);
}

/* The first index of each CPU's pieces when sorted by CPU; they were added in order of time.
 * NULL: out of memory. */
static size_t *places_of(const struct page_engine *e)
{
	const struct pieces *p = e->state;
	uint32_t cpus = analyze_engine_cpus(e->eng);
	size_t *at = calloc((size_t)cpus + 2, sizeof(*at));

	for (size_t i = 0; at && i < p->all.n; i++)
		at[p->all.at[i].cpu + 1]++;
	for (uint32_t cpu = 0; at && cpu < cpus; cpu++)
		at[cpu + 1] += at[cpu];
	return at;
}

static int pieces_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct pieces *p = e->state;
	size_t *places = places_of(e);
	ARRAY(struct piece) by_cpu = { 0 };
	int rc = places ? array_resize(&by_cpu, p->all.n) : -ENOMEM;

	for (size_t i = 0; !rc && i < p->all.n; i++) {
		const struct piece *piece = &p->all.at[i];

		by_cpu.at[places[piece->cpu]++] =
			(struct piece){ piece->cpu, page_tasks_number(e, piece->task),
					piece->from_ns - e->t0_ns, piece->to_ns - e->t0_ns };
	}
	if (!rc) {
		arrays_member(a, "cpu", by_cpu, cpu);
		arrays_member(a, "task", by_cpu, task);
		arrays_member(a, "from", by_cpu, from_ns);
		arrays_member(a, "to", by_cpu, to_ns);
	}
	free(places);
	array_fini(&by_cpu);
	return rc ? cdict_fail_nomem(err) : 0;
}

static void pieces_fini(struct page_engine *e)
{
	struct pieces *p = e->state;

	analyze_slices_free(p->slices);
	array_fini(&p->all);
}

const struct page_call page_pieces = { .state_size = sizeof(struct pieces),
				       .add = pieces_add,
				       .write = pieces_write,
				       .fini = pieces_fini };

/* ---- states of vCPUs ---- */

struct state {
	uint32_t task, state, reason, behind;
	uint64_t from_ns, to_ns;
};

struct states {
	struct analyze_vcpus *vcpus;
	struct page_reasons reasons;
	ARRAY(struct state) all;
};

static void report_state(void *ctx, const struct analyze_vcpu_piece *piece)
{
	struct page_engine *e = ctx;
	struct states *s = e->state;
	const struct page_task_key *known = page_tasks_of(e, piece->task);
	struct state state = { .state = piece->state,
			       .reason = NONE,
			       .behind = piece->behind,
			       .from_ns = piece->from_ns,
			       .to_ns = piece->to_ns };

	if (!known || !known->vcpu || !page_tasks_wanted(e, known) || is_full(e, s->all.n))
		return;
	state.task = known->number;
	if (piece->reason)
		state.reason = page_reasons_number(&s->reasons, e, piece->reason->isa,
						   piece->reason->reason);
	if (array_push(&s->all, state))
		analyze_engine_out_of_memory(e->eng);
}

static int states_add(struct page_engine *e, struct cdict_error *err)
{
	struct states *s = e->state;
	int rc;

	rc = page_engine_reasons(e, &s->reasons.names, err);
	if (!rc)
		rc = analyze_vcpus_new(&s->vcpus, e->eng, err);
	if (!rc)
		analyze_vcpus_on_piece(s->vcpus, report_state, e);
	return rc;
}

static int states_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct states *s = e->state;

	(void)err;
	for (size_t i = 0; i < s->all.n; i++) {
		struct state *state = &s->all.at[i];

		state->behind = page_tasks_number(e, state->behind);
		state->from_ns -= e->t0_ns;
		state->to_ns -= e->t0_ns;
	}
	arrays_member(a, "task", s->all, task);
	arrays_member(a, "state", s->all, state);
	arrays_member(a, "reason", s->all, reason);
	page_reasons_write(a->j, "reasons", &s->reasons);
	arrays_member(a, "behind", s->all, behind);
	arrays_member(a, "from", s->all, from_ns);
	arrays_member(a, "to", s->all, to_ns);
	return 0;
}

static void states_fini(struct page_engine *e)
{
	struct states *s = e->state;

	analyze_vcpus_free(s->vcpus);
	page_reasons_fini(&s->reasons);
	array_fini(&s->all);
}

const struct page_call page_states = { .state_size = sizeof(struct states),
				       .add = states_add,
				       .write = states_write,
				       .fini = states_fini };

/* ---- wake-ups, exits, entries, migrations ---- */

enum mark_what { MARK_WAKEUP, MARK_EXIT, MARK_ENTRY, MARK_MIGRATION };

struct mark {
	uint32_t what, cpu, task, text;
	uint64_t at_ns;
	double dur_ns; /* NaN: its end is unknown */
};

/* By task: 1 + index of its marks without an end so far, 0: none. */
struct open_marks {
	size_t woken, kvm;
};

struct marks {
	struct analyze_ops ops;
	struct page_reasons reasons;
	ARRAY(struct open_marks) open; /* by task */
	ARRAY(struct mark) all;
};

/* Adds a mark: 1 + its index, 0: its task is not wanted. */
static size_t put_mark(struct page_engine *e, enum mark_what what, uint32_t cpu, uint32_t task,
		       uint64_t at_ns)
{
	const struct page_task_key *known = page_tasks_of(e, task);
	struct marks *m = e->state;

	if (!known || (e->chosen && !page_tasks_wanted(e, known)) || is_full(e, m->all.n))
		return 0;
	if (array_push(&m->all,
		       (struct mark){ what, cpu, known->number, NONE, at_ns, __builtin_nan("") })) {
		analyze_engine_out_of_memory(e->eng);
		return 0;
	}
	return m->all.n;
}

/* NULL: out of memory */
static struct open_marks *open_of(struct page_engine *e, uint32_t task)
{
	struct marks *m = e->state;

	if (task < m->open.n || !array_resize(&m->open, (size_t)task + 1))
		return &m->open.at[task];
	analyze_engine_out_of_memory(e->eng);
	return NULL;
}

static void mark_wake(void *self, const struct analyze_wake *wake)
{
	struct page_engine *e = self;
	struct open_marks *open = wake->first ? open_of(e, wake->task) : NULL;
	uint32_t cpu = wake->target_cpu == CDICT_CPU_UNKNOWN ? wake->cpu : wake->target_cpu;

	if (open)
		open->woken = wake->in ? put_mark(e, MARK_WAKEUP, cpu, wake->task, wake->t_ns) : 0;
}

static void mark_switch(void *self, const struct analyze_switch *sw)
{
	struct page_engine *e = self;
	struct marks *m = e->state;
	struct open_marks *open = open_of(e, sw->next);

	if (!open)
		return;
	if (open->woken && sw->ready_ns == m->all.at[open->woken - 1].at_ns)
		m->all.at[open->woken - 1].dur_ns = (double)(sw->t_ns - sw->ready_ns);
	open->woken = 0;
}

static void mark_sched(void *self, const struct analyze_sched *ev)
{
	if (ev->in && ev->kind == ANALYZE_KIND_MIGRATE)
		put_mark(self, MARK_MIGRATION, ev->dest_cpu, ev->task, ev->t_ns);
}

static void mark_kvm(void *self, const struct analyze_kvm *k)
{
	struct page_engine *e = self;
	struct marks *m = e->state;
	bool entry = k->kind == ANALYZE_KIND_KVM_ENTRY;
	struct open_marks *open;
	struct mark *before;
	uint32_t isa = k->isa;
	uint64_t code = k->value;

	if (!entry && k->kind != ANALYZE_KIND_KVM_EXIT && k->kind != ANALYZE_KIND_KVM_REASON)
		return;
	open = open_of(e, k->task);
	if (!open)
		return;
	if (k->kind == ANALYZE_KIND_KVM_REASON) {
		analyze_reasons_code(m->reasons.names, &isa, &code, k->how);
		if (open->kvm && m->all.at[open->kvm - 1].what == MARK_EXIT)
			m->all.at[open->kvm - 1].text =
				page_reasons_number(&m->reasons, e, isa, code);
		return;
	}
	before = open->kvm ? &m->all.at[open->kvm - 1] : NULL;
	if (before && before->what == (entry ? MARK_EXIT : MARK_ENTRY) &&
	    analyze_engine_gap(e->eng, true, CDICT_CPU_UNKNOWN, before->at_ns, k->t_ns) ==
		    ANALYZE_NO_TIME)
		before->dur_ns = (double)(k->t_ns - before->at_ns);
	open->kvm = k->in ? put_mark(e, entry ? MARK_ENTRY : MARK_EXIT, k->cpu, k->task, k->t_ns)
			  : 0;
	if (entry || !open->kvm)
		return;
	analyze_reasons_code(m->reasons.names, &isa, &code, k->how);
	m->all.at[open->kvm - 1].text = page_reasons_number(&m->reasons, e, isa, code);
}

/* Whether any mark has no end yet. */
static bool marks_pending(void *self)
{
	const struct marks *m = ((struct page_engine *)self)->state;

	for (size_t i = 0; i < m->open.n; i++)
		if (m->open.at[i].woken || m->open.at[i].kvm)
			return true;
	return false;
}

static int marks_add(struct page_engine *e, struct cdict_error *err)
{
	struct marks *m = e->state;
	int rc;

	m->ops = (struct analyze_ops){ .needs = ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE) |
						ANALYZE_NEED(KVM_ENTRY) | ANALYZE_NEED(KVM_EXIT) |
						ANALYZE_NEED(KVM_REASON),
				       .sw = mark_switch,
				       .wake = mark_wake,
				       .sched = mark_sched,
				       .kvm = mark_kvm,
				       .resumes = true,
				       .pending = marks_pending };
	rc = page_engine_reasons(e, &m->reasons.names, err);
	return rc ? rc : analyze_engine_add(e->eng, &m->ops, e, err);
}

static int marks_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct marks *m = e->state;

	(void)err;
	for (size_t i = 0; i < m->all.n; i++)
		m->all.at[i].at_ns -= e->t0_ns;
	arrays_member(a, "what", m->all, what);
	arrays_member(a, "cpu", m->all, cpu);
	arrays_member(a, "task", m->all, task);
	arrays_member(a, "at", m->all, at_ns);
	arrays_double(a, "dur", m->all.at ? &m->all.at->dur_ns : NULL, m->all.n,
		      sizeof(*m->all.at));
	arrays_member(a, "text", m->all, text);
	page_reasons_write(a->j, "texts", &m->reasons);
	return 0;
}

static void marks_fini(struct page_engine *e)
{
	struct marks *m = e->state;

	page_reasons_fini(&m->reasons);
	array_fini(&m->open);
	array_fini(&m->all);
}

const struct page_call page_marks = { .state_size = sizeof(struct marks),
				      .add = marks_add,
				      .write = marks_write,
				      .fini = marks_fini };

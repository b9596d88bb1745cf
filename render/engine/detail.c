/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One clicked thing: its true begin and end, what led to it, the similar ones before and after, and its rank among
 * them by length.  The whole range is walked: q.lo_ns is a time in the thing, q.type its kind.
 */
#include <errno.h>
#include <string.h>

#include "analyze/kvm/vcpu.h"
#include "analyze/printing/reasons.h"
#include "analyze/sched/slices.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "render/engine/engine_internal.h"

enum kind { RUN, WAIT, OFF, GUEST, EXIT, STATE, KINDS };

static const char *const kinds[KINDS] = { "run", "wait", "off", "guest", "exit", "state" };

/* The kind of a wait, and why a task is off its CPU: `state` of an item. */
static const char *const wait_words[] = { "preempted", "woken" };
static const char *const off_words[] = {
	[ANALYZE_OFF_RUNNABLE] = "preempted", [ANALYZE_OFF_PREEMPTED] = "preempted",
	[ANALYZE_OFF_SLEEP] = "asleep",       [ANALYZE_OFF_DISK] = "blocked",
	[ANALYZE_OFF_OTHER] = "stopped",      [ANALYZE_OFF_DEAD] = "dead"
};

struct item {
	uint64_t from_ns, to_ns;
	uint32_t cpu;
	const char *state, *reason; /* or NULL */
	bool began, ended;          /* in the capture */
};

/* A switch of the task. */
struct turn {
	uint64_t t_ns; /* ANALYZE_NO_TIME: none */
	uint32_t cpu, other;
	bool involuntary;
	char state[ANALYZE_STATE_ROOM];
};

struct woken {
	uint64_t t_ns; /* ANALYZE_NO_TIME: none */
	uint32_t cpu, by, target_cpu;
};

/* The stay on or off a CPU that contains the time. */
struct stay {
	bool known, on;
	struct turn in, out;
	struct woken woken;
};

struct detail {
	struct analyze_ops ops;
	struct analyze_slices *slices;
	struct analyze_vcpus *vcpus;
	struct analyze_reasons *names;
	enum kind kind;
	uint64_t at_ns;
	ARRAY(struct item) all;
	struct turn in, out; /* the latest */
	struct woken woken;
	uint32_t waits_for; /* CPU, while it is off the CPU */
	struct stay stay;
	/* the task's latest exit */
	uint32_t isa;
	uint64_t code;
};

static bool is_asked_for(struct page_engine *e, uint32_t task)
{
	const struct page_task_key *known = task == ANALYZE_NO_TASK ? NULL : page_tasks_of(e, task);

	return known && page_tasks_wanted(e, known);
}

static void add_item(struct page_engine *e, const struct item *item)
{
	struct detail *d = e->state;

	if (array_push(&d->all, *item))
		analyze_engine_out_of_memory(e->eng);
}

/* ---- during the walk ---- */

static void on_run(void *self, const struct analyze_run *run)
{
	struct page_engine *e = self;
	struct item item = { .from_ns = run->start_ns,
			     .to_ns = run->end_ns,
			     .cpu = run->cpu,
			     .began = run->start_seen,
			     .ended = run->end_seen };

	if (run->from_ns != run->to_ns && is_asked_for(e, run->task))
		add_item(e, &item);
}

/* A runnable task waits since its switch-out, even with a wake-up. */
static bool is_runnable(enum analyze_off off)
{
	return off == ANALYZE_OFF_RUNNABLE || off == ANALYZE_OFF_PREEMPTED;
}

static void report_wait(struct page_engine *e, const struct analyze_switch *sw)
{
	bool runnable = is_runnable(sw->away) && sw->away_ns != ANALYZE_NO_TIME;
	struct item item = { .from_ns = runnable ? sw->away_ns : sw->ready_ns,
			     .to_ns = sw->t_ns,
			     .cpu = sw->cpu,
			     .state = wait_words[!runnable],
			     .began = true,
			     .ended = true };

	if (sw->in && item.from_ns != ANALYZE_NO_TIME)
		add_item(e, &item);
}

/* A wait that did not end in the window: it lasts longer, or events are missing after it. */
static void report_open_wait(struct page_engine *e, const struct analyze_away *away)
{
	const struct detail *d = e->state;
	bool runnable = is_runnable(away->off);
	struct item item = { .from_ns = runnable ? away->start_ns : away->ready_ns,
			     .to_ns = away->end_ns,
			     .cpu = d->waits_for,
			     .state = wait_words[!runnable],
			     .began = true,
			     .ended = away->ended };

	/* ANALYZE_NO_TIME is the largest */
	if (!away->in && item.from_ns < away->to_ns)
		add_item(e, &item);
}

static void on_away(void *self, const struct analyze_away *away)
{
	struct page_engine *e = self;
	struct item item = { .from_ns = away->start_ns,
			     .to_ns = away->end_ns,
			     .cpu = away->cpu,
			     .began = true,
			     .ended = away->ended };

	if (away->from_ns == away->to_ns || !is_asked_for(e, away->task))
		return;
	if (((const struct detail *)e->state)->kind == WAIT) {
		report_open_wait(e, away);
		return;
	}
	if (away->off == ANALYZE_OFF_UNKNOWN)
		return;
	item.state = away->off == ANALYZE_OFF_OTHER && !analyze_engine_summary(e->eng)->has_state
			     ? "off the CPU, reason unknown"
			     : off_words[away->off];
	add_item(e, &item);
}

static struct turn turn_of(const struct page_engine *e, const struct analyze_switch *sw, bool out)
{
	struct turn turn = { .t_ns = sw->t_ns,
			     .cpu = sw->cpu,
			     .other = out ? sw->next : sw->prev,
			     .involuntary = out && sw->involuntary };

	if (out && analyze_engine_summary(e->eng)->has_state)
		analyze_engine_state(e->eng, sw->prev_state, turn.state);
	return turn;
}

/* A stay ends now, or has not ended: keeps it if it contains the time. */
static void put_stay(struct detail *d, bool on, uint64_t from_ns, uint64_t to_ns)
{
	if (d->stay.known || d->at_ns >= to_ns ||
	    (from_ns != ANALYZE_NO_TIME && d->at_ns < from_ns))
		return;
	d->stay = (struct stay){
		.known = true, .on = on, .in = d->in, .out = d->out, .woken = d->woken
	};
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct page_engine *e = self;
	struct detail *d = e->state;
	const struct turn none = { .t_ns = ANALYZE_NO_TIME, .other = ANALYZE_NO_TASK };

	if (is_asked_for(e, sw->prev)) {
		uint64_t from_ns = d->in.t_ns;

		d->out = turn_of(e, sw, true);
		put_stay(d, true, from_ns, sw->t_ns);
		d->in = none;
		d->waits_for = sw->cpu;
		d->woken.t_ns = ANALYZE_NO_TIME;
	}
	if (is_asked_for(e, sw->next)) {
		uint64_t from_ns = d->out.t_ns;

		if (d->kind == WAIT)
			report_wait(e, sw);
		d->in = turn_of(e, sw, false);
		if (sw->ready_ns == ANALYZE_NO_TIME)
			d->woken.t_ns = ANALYZE_NO_TIME;
		put_stay(d, false, from_ns, sw->t_ns);
		d->out = none;
	}
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct page_engine *e = self;
	struct detail *d = e->state;

	if (!is_asked_for(e, wake->task))
		return;
	if (wake->target_cpu != CDICT_CPU_UNKNOWN)
		d->waits_for = wake->target_cpu;
	if (wake->first)
		d->woken = (struct woken){
			.t_ns = wake->t_ns,
			.cpu = wake->cpu,
			.by = wake->late ? wake->waker : analyze_engine_sampled(e->eng, wake->cpu),
			.target_cpu = wake->target_cpu
		};
}

static void on_sched(void *self, const struct analyze_sched *ev)
{
	struct page_engine *e = self;

	if (ev->kind == ANALYZE_KIND_MIGRATE && is_asked_for(e, ev->task))
		((struct detail *)e->state)->waits_for = ev->dest_cpu;
}

static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct page_engine *e = self;
	struct detail *d = e->state;

	if ((k->kind != ANALYZE_KIND_KVM_EXIT && k->kind != ANALYZE_KIND_KVM_REASON) ||
	    !is_asked_for(e, k->task))
		return;
	d->isa = k->isa;
	d->code = k->value;
	analyze_reasons_code(d->names, &d->isa, &d->code, k->how);
}

static int on_slice(void *ctx, const struct analyze_slice *s)
{
	struct page_engine *e = ctx;
	struct detail *d = e->state;
	struct item item = { .from_ns = s->start_ns,
			     .to_ns = s->end_ns,
			     .cpu = s->cpu,
			     .began = true,
			     .ended = true };

	if (s->start_ns == ANALYZE_NO_TIME || !is_asked_for(e, s->task))
		return 0;
	/* called at the end: the exit's reason came at its start, or (for a guest interval) comes now */
	if (s->kind == ANALYZE_SLICE_EXIT)
		item.reason = analyze_reasons_name(d->names, d->isa, d->code);
	return array_push(&d->all, item);
}

static void report_state(void *ctx, const struct analyze_vcpu_piece *piece)
{
	struct page_engine *e = ctx;
	struct detail *d = e->state;
	struct item item = { .from_ns = piece->from_ns,
			     .to_ns = piece->to_ns,
			     .cpu = CDICT_CPU_UNKNOWN,
			     .state = analyze_vcpu_state_name(piece->state),
			     .reason = piece->reason ? piece->reason->name : NULL,
			     .began = true,
			     .ended = true };
	struct item *last = d->all.n ? &d->all.at[d->all.n - 1] : NULL;

	if (piece->from_ns == piece->to_ns || !is_asked_for(e, piece->task))
		return;
	if (last && last->to_ns == item.from_ns && last->state == item.state &&
	    last->reason == item.reason) {
		last->to_ns = item.to_ns;
	} else {
		add_item(e, &item);
	}
}

static bool is_pending(void *self)
{
	const struct page_engine *e = self;

	return !((const struct detail *)e->state)->stay.known;
}

/* ---- the question ---- */

static int detail_add(struct page_engine *e, struct cdict_error *err)
{
	struct detail *d = e->state;
	struct analyze_slices_options how = { .on_slice = on_slice, .ctx = e };
	int rc = 0;

	while (d->kind < KINDS && (!e->q.type || strcmp(kinds[d->kind], e->q.type)))
		d->kind++;
	if (d->kind == KINDS)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "unknown kind of interval");
	d->at_ns = e->t0_ns + e->q.lo_ns;
	d->in.t_ns = d->out.t_ns = d->woken.t_ns = ANALYZE_NO_TIME;
	d->in.other = d->out.other = ANALYZE_NO_TASK;
	d->waits_for = CDICT_CPU_UNKNOWN;
	d->ops = (struct analyze_ops){ .needs = ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE),
				       .sw = on_switch,
				       .wake = on_wake,
				       .sched = on_sched,
				       .late_wakes = true,
				       .run = d->kind == RUN ? on_run : NULL,
				       .away = d->kind == OFF || d->kind == WAIT ? on_away : NULL,
				       .pending = is_pending,
				       .resumes = true };
	if (d->kind == EXIT || d->kind == GUEST) {
		d->ops.needs |= ANALYZE_NEED(KVM_EXIT) | ANALYZE_NEED(KVM_REASON);
		d->ops.kvm = on_kvm;
		how.kinds = 1u << (d->kind == EXIT ? ANALYZE_SLICE_EXIT : ANALYZE_SLICE_GUEST);
		rc = page_engine_reasons(e, &d->names, err);
		rc = rc ? rc : analyze_slices_new(&d->slices, e->eng, &how, err);
	}
	if (d->kind == STATE) {
		rc = analyze_vcpus_new(&d->vcpus, e->eng, err);
		if (!rc)
			analyze_vcpus_on_piece(d->vcpus, report_state, e);
	}
	return rc ? rc : analyze_engine_add(e->eng, &d->ops, e, err);
}

static void detail_fini(struct page_engine *e)
{
	struct detail *d = e->state;

	analyze_slices_free(d->slices);
	analyze_vcpus_free(d->vcpus);
	analyze_reasons_free(d->names);
	array_fini(&d->all);
}

/* ---- the answer ---- */

static void item_json(struct page_engine *e, struct json *j, const char *key,
		      const struct item *item)
{
	if (!item) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '{', false);
	page_time_json(j, "from", item->from_ns, e->t0_ns);
	page_time_json(j, "to", item->to_ns, e->t0_ns);
	json_u64(j, "ns", item->to_ns - item->from_ns);
	page_number_json(j, "cpu", item->cpu);
	json_text(j, "state", item->state);
	json_text(j, "reason", item->reason);
	json_bool(j, "began", item->began);
	json_bool(j, "ended", item->ended);
	json_close(j);
}

static void turn_json(struct page_engine *e, struct json *j, const char *key,
		      const struct turn *turn)
{
	if (turn->t_ns == ANALYZE_NO_TIME) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '{', false);
	page_time_json(j, "at", turn->t_ns, e->t0_ns);
	page_number_json(j, "cpu", turn->cpu);
	page_number_json(j, "task", page_tasks_number(e, turn->other));
	json_bool(j, "involuntary", turn->involuntary);
	json_text(j, "state", turn->state);
	json_close(j);
}

static void stay_json(struct page_engine *e, struct json *j, const struct stay *stay)
{
	if (!stay->known) {
		json_null(j, "stay");
		return;
	}
	json_open(j, "stay", '{', false);
	json_bool(j, "on", stay->on);
	turn_json(e, j, "in", &stay->in);
	turn_json(e, j, "out", &stay->out);
	if (stay->woken.t_ns == ANALYZE_NO_TIME) {
		json_null(j, "woken");
	} else {
		json_open(j, "woken", '{', false);
		page_time_json(j, "at", stay->woken.t_ns, e->t0_ns);
		page_number_json(j, "cpu", stay->woken.cpu);
		page_number_json(j, "target", stay->woken.target_cpu);
		page_number_json(j, "task", page_tasks_number(e, stay->woken.by));
		json_close(j);
	}
	json_close(j);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool is_kept_waiting(const struct item *item)
{
	return item->state &&
	       (!strcmp(item->state, "preempted") || !strcmp(item->state, "waiting"));
}

/* Whether @a is ranked with @b: exits of the same reason, the same states, both kinds of a vCPU's delay. */
static bool is_alike(const struct detail *d, const struct item *a, const struct item *b)
{
	if (d->kind == EXIT)
		return same_text(a->reason, b->reason);
	if (d->kind == STATE)
		return same_text(a->state, b->state) || (is_kept_waiting(a) && is_kept_waiting(b));
	return true;
}

/* Longest first, then by time. */
static bool is_worse(const struct item *a, const struct item *b)
{
	uint64_t x = a->to_ns - a->from_ns, y = b->to_ns - b->from_ns;

	return x != y ? x > y : a->from_ns < b->from_ns;
}

/* The item at the time; else NULL. */
static const struct item *thing_of(const struct detail *d)
{
	for (size_t i = 0; i < d->all.n; i++) {
		const struct item *item = &d->all.at[i];

		if (item->from_ns <= d->at_ns &&
		    (d->at_ns < item->to_ns || (!item->ended && d->at_ns == item->to_ns)))
			return item;
	}
	return NULL;
}

static void ranks_json(struct page_engine *e, struct json *j, const struct item *thing)
{
	const struct detail *d = e->state;
	const struct item *worst = NULL, *worse = NULL, *milder = NULL;
	uint64_t rank = 1, of = 0;

	for (size_t i = 0; i < d->all.n; i++) {
		const struct item *item = &d->all.at[i];

		if (!is_alike(d, item, thing))
			continue;
		of++;
		if (!worst || is_worse(item, worst))
			worst = item;
		if (item == thing)
			continue;
		if (is_worse(item, thing)) {
			rank++;
			worse = !worse || is_worse(worse, item) ? item : worse;
		} else {
			milder = !milder || is_worse(item, milder) ? item : milder;
		}
	}
	json_u64(j, "rank", rank);
	json_u64(j, "of", of);
	item_json(e, j, "worst", worst);
	item_json(e, j, "worse", worse);
	item_json(e, j, "milder", milder);
}

static int detail_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct detail *d = e->state;
	const struct item *thing = thing_of(d);

	(void)err;
	if (!d->stay.known) {
		if (d->in.t_ns != ANALYZE_NO_TIME)
			put_stay(d, true, d->in.t_ns, ANALYZE_NO_TIME);
		else if (d->out.t_ns != ANALYZE_NO_TIME)
			put_stay(d, false, d->out.t_ns, ANALYZE_NO_TIME);
	}
	item_json(e, a->j, "thing", thing);
	if (!thing)
		return 0;
	item_json(e, a->j, "before", thing > d->all.at ? thing - 1 : NULL);
	item_json(e, a->j, "after", thing + 1 < d->all.at + d->all.n ? thing + 1 : NULL);
	ranks_json(e, a->j, thing);
	stay_json(e, a->j, &d->stay);
	return 0;
}

const struct page_call page_detail = { .state_size = sizeof(struct detail),
				       .add = detail_add,
				       .write = detail_write,
				       .fini = detail_fini };

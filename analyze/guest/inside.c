// SPDX-License-Identifier: LGPL-2.1-only
/* inside.c - see inside.h. */
#include "analyze/guest/inside.h"

#include <stdlib.h>

#include "analyze/sched/timeline.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "analyze/walk/sparse.h"
#include "base/fail.h"

/* A task of the guest had a CPU of the guest while another one waited for it; guest's time. */
struct held {
	uint64_t from_ns, to_ns;
	uint32_t runner, cpu;
};

/* A wait for a CPU of the guest; who had it may still be reported. */
struct waiting {
	uint64_t from_ns, to_ns; /* guest's time; to_ns 0: none */
	bool woken;
	uint64_t in_ns;   /* the task's latest switch-in; guest's time */
	uint64_t seen_ns; /* end of the task's last known time: host's */
	ARRAY(struct held) held;
};

/* Places of the latest lookups. */
struct places_of_cpu {
	size_t ran, waited;
};

struct guest_inside {
	struct analyze_engine *eng;
	struct guest_inside_options opts;
	const struct guest_side *side;
	struct analyze_timeline *timeline;
	struct sparse rows;                 /* by task */
	ARRAY(struct waiting) waiting;      /* by task */
	ARRAY(struct places_of_cpu) places; /* by the guest's CPU */
	struct index index;                 /* (task, what the share is due to) */
	ARRAY(struct guest_share) shares;
	/* The wait of a vCPU that the current pieces belong to. */
	struct guest_vcpu_wait wait;
	ARRAY(uint32_t) order; /* after the walk: the tasks with rows */
	struct guest_task_row spill, returned;
};

static const struct guest_task_row fresh = { .cpu = CDICT_CPU_UNKNOWN };

_Static_assert(sizeof(fresh) % 8 == 0 && sizeof(fresh) <= SPARSE_SIZE_MAX, "words of a row");

static struct guest_task_row *row_of(struct guest_inside *in, uint32_t task)
{
	struct guest_task_row *row = sparse_row(&in->rows, task);

	if (row)
		return row;
	analyze_engine_out_of_memory(in->eng);
	return &in->spill;
}

static struct waiting *waiting_of(struct guest_inside *in, uint32_t task)
{
	struct waiting *w = row_at(&in->waiting, task);

	if (!w)
		analyze_engine_out_of_memory(in->eng);
	return w;
}

static bool is_idle(const struct guest_inside *in, uint32_t task)
{
	return !analyze_engine_task(in->eng, task)->tid;
}

/* The part of [from_ns, to_ns] in the window. */
static uint64_t clip(const struct guest_inside *in, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t from = in->opts.from_ns, to = in->opts.to_ns;

	from = from_ns > from ? from_ns : from;
	to = to_ns < to ? to_ns : to;
	return to > from ? to - from : 0;
}

/* Reports the part of @piece in the window, from @from_ns to @to_ns, and returns its length. */
static uint64_t report(struct guest_inside *in, const struct guest_task_piece *piece,
		       uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = clip(in, from_ns, to_ns);
	struct guest_task_piece part = *piece;

	if (!ns || !in->opts.on_piece)
		return ns;
	part.from_ns = from_ns > in->opts.from_ns ? from_ns : in->opts.from_ns;
	part.to_ns = part.from_ns + ns;
	in->opts.on_piece(in->opts.ctx, &part);
	return ns;
}

/* ---- shares ---- */

/* The tasks IDLE of all CPUs of a guest, or of the host, are one. */
#define KEY_IDLE (UINT32_MAX - 1)

static void share(struct guest_inside *in, const struct guest_share *of, uint64_t key, bool waits,
		  uint64_t ns)
{
	struct guest_share *s;

	if (!ns)
		return;
	s = row_at(&in->shares, index_take(&in->index, of->task, (uint64_t)of->kind << 60 | key));
	if (!s) {
		analyze_engine_out_of_memory(in->eng);
		return;
	}
	if (!s->stolen_ns && !s->away_ns)
		*s = *of;
	*(waits ? &s->away_ns : &s->stolen_ns) += ns;
}

static void share_culprit(struct guest_inside *in, uint32_t task, struct guest_culprit who,
			  bool waits, uint64_t ns)
{
	struct guest_share s = { .task = task, .kind = GUEST_SHARE_HOST, .who = who };
	uint64_t key = who.task;

	if (who.guest && who.guest_task != ANALYZE_NO_TASK) {
		s.kind = GUEST_SHARE_GUEST;
		key = (uint64_t)who.guest << 32 | (who.guest_idle ? KEY_IDLE : who.guest_task);
	}
	share(in, &s, key, waits, ns);
}

/* ---- pieces of a task's time on a CPU of the guest ---- */

/* The vCPU's wait goes on with a piece: keeps the longest. */
static void vcpu_waits(struct guest_inside *in, struct guest_task_row *row,
		       struct guest_culprit who, uint64_t from_ns, uint64_t to_ns)
{
	struct guest_vcpu_wait *w = &in->wait;

	if (!w->dur_ns || w->at_ns + w->dur_ns != from_ns)
		*w = (struct guest_vcpu_wait){ .at_ns = from_ns };
	w->dur_ns = to_ns - w->at_ns;
	if (to_ns - from_ns > w->held_ns) {
		w->behind = who;
		w->held_ns = to_ns - from_ns;
	}
	if (w->dur_ns > row->worst.dur_ns || w->at_ns == row->worst.at_ns)
		row->worst = *w;
}

/* The vCPU waited for a CPU of the host: by who had it. */
static void behind(struct guest_inside *in, struct guest_task_row *row, bool waits,
		   const struct guest_vcpu_piece *p, struct guest_task_piece *piece)
{
	uint64_t ns = p->from_ns, to_ns;

	for (; ns < p->to_ns; ns = to_ns) {
		uint64_t part;

		to_ns = p->to_ns;
		piece->who = guest_sides_culprit(in->opts.sides, p->behind, ns, &to_ns);
		part = report(in, piece, ns, to_ns);
		share_culprit(in, piece->task, piece->who, waits, part);
		if (part)
			vcpu_waits(in, row, piece->who,
				   ns < in->opts.from_ns ? in->opts.from_ns : ns,
				   to_ns > in->opts.to_ns ? in->opts.to_ns : to_ns);
	}
}

/* What a wait was made of; of the whole, not only in the window. */
struct made_of {
	uint64_t away_ns, unknown_ns;
};

/* Adds up a task's time on the guest's CPU @cpu; @waits: for it, behind the guest's @runner. */
static void on_cpu(struct guest_inside *in, uint32_t task, uint32_t cpu, bool waits,
		   uint32_t runner, uint64_t guest_from, uint64_t guest_to, struct made_of *made)
{
	uint64_t ns = guest_clock_host_ns(in->side->clock, guest_from),
		 to_ns = guest_clock_host_ns(in->side->clock, guest_to);
	uint32_t vcpu = cpu < in->side->n_vcpus ? in->side->vcpus[cpu] : ANALYZE_NO_TASK;
	struct places_of_cpu *places = row_at(&in->places, cpu);
	struct guest_task_row *row = row_of(in, task);

	in->wait.dur_ns = 0; /* of another task, or another time */
	if (!places) {
		analyze_engine_out_of_memory(in->eng);
		return;
	}
	while (ns < to_ns) {
		struct guest_vcpu_piece p =
			guest_vcpu_track_at(in->opts.sides->track, vcpu,
					    waits ? &places->waited : &places->ran, ns, to_ns);
		uint64_t part = clip(in, p.from_ns, p.to_ns);
		struct guest_share s = { .task = task, .reason = p.reason, .state = p.state };
		struct guest_task_piece piece = { .task = task,
						  .doing = waits ? GUEST_AWAY : GUEST_STOLEN,
						  .vcpu = vcpu,
						  .state = p.state,
						  .who = { .task = ANALYZE_NO_TASK,
							   .guest_task = ANALYZE_NO_TASK },
						  .reason = p.reason };

		ns = p.to_ns;
		if (p.state == ANALYZE_VCPU_UNKNOWN) {
			made->unknown_ns += p.to_ns - p.from_ns;
			continue;
		}
		if (p.state == ANALYZE_VCPU_GUEST) {
			*(waits ? &row->busy_ns : &row->run_ns) += part;
			s.kind = GUEST_SHARE_OWN;
			s.who.guest_task = runner;
			s.state = ANALYZE_VCPU_GUEST;
			piece.doing = waits ? GUEST_BUSY : GUEST_RUNNING;
			piece.who.guest_task = runner;
			report(in, &piece, p.from_ns, p.to_ns);
			if (waits)
				share(in, &s, is_idle(in, runner) ? KEY_IDLE : runner, true, part);
			continue;
		}
		made->away_ns += p.to_ns - p.from_ns;
		(waits ? row->away_ns : row->stolen_ns)[p.state] += part;
		if (p.state == ANALYZE_VCPU_PREEMPTED || p.state == ANALYZE_VCPU_WAITING) {
			behind(in, row, waits, &p, &piece);
			continue;
		}
		report(in, &piece, p.from_ns, p.to_ns);
		if (p.state == ANALYZE_VCPU_EXIT || p.state == ANALYZE_VCPU_QEMU) {
			s.kind = GUEST_SHARE_REASON;
			share(in, &s, (uint64_t)p.state << 32 | p.reason, waits, part);
		}
	}
}

/* ---- waits ---- */

/* A wait, now that who had the CPU meanwhile is reported. */
static void flush(struct guest_inside *in, uint32_t task)
{
	struct waiting *w = waiting_of(in, task);
	struct made_of made = { 0 };
	struct guest_task_row *row;
	uint64_t at_ns, from_ns, to_ns;
	bool ended;

	if (!w || !w->to_ns)
		return;
	ended = w->in_ns == w->to_ns;
	at_ns = w->from_ns;
	for (size_t i = 0; i < w->held.n; i++) {
		struct held h = w->held.at[i];

		h.from_ns = h.from_ns < at_ns ? at_ns : h.from_ns;
		h.to_ns = h.to_ns > w->to_ns ? w->to_ns : h.to_ns;
		if (h.to_ns <= h.from_ns)
			continue;
		made.unknown_ns += h.from_ns - at_ns;
		on_cpu(in, task, h.cpu, true, h.runner, h.from_ns, h.to_ns, &made);
		at_ns = h.to_ns;
	}
	made.unknown_ns += w->to_ns - at_ns;
	from_ns = guest_clock_host_ns(in->side->clock, w->from_ns);
	to_ns = guest_clock_host_ns(in->side->clock, w->to_ns);
	w->to_ns = 0;
	w->held.n = 0;
	if (!ended || to_ns < in->opts.from_ns || to_ns > in->opts.to_ns ||
	    (to_ns == in->opts.to_ns && !in->opts.to_end))
		return;
	row = row_of(in, task);
	row->waits++;
	if (w->woken && made.unknown_ns) {
		row->unclear++;
	} else if (w->woken) {
		analyze_count(in->eng, &row->latency, to_ns - from_ns, from_ns);
		analyze_count(in->eng, &row->own, to_ns - from_ns - made.away_ns, from_ns);
	}
}

static void on_held(void *ctx, uint32_t task, uint32_t runner, uint32_t cpu, uint64_t from_ns,
		    uint64_t to_ns)
{
	struct guest_inside *in = ctx;
	struct waiting *w = is_idle(in, task) ? NULL : waiting_of(in, task);

	if (w && array_push(&w->held, (struct held){ from_ns, to_ns, runner, cpu }))
		analyze_engine_out_of_memory(in->eng);
}

static void on_stretch(void *ctx, const struct analyze_stretch *st)
{
	struct guest_inside *in = ctx;
	struct guest_task_piece piece = { .task = st->task,
					  .doing = GUEST_BLOCKED,
					  .vcpu = ANALYZE_NO_TASK,
					  .who = { .task = ANALYZE_NO_TASK,
						   .guest_task = ANALYZE_NO_TASK },
					  .reason = INDEX_NONE };
	struct made_of made = { 0 };
	struct waiting *w;
	uint64_t from_ns, to_ns;

	if (is_idle(in, st->task))
		return;
	w = waiting_of(in, st->task);
	if (!w)
		return;
	flush(in, st->task);
	from_ns = guest_clock_host_ns(in->side->clock, st->from_ns);
	to_ns = guest_clock_host_ns(in->side->clock, st->to_ns);
	if (clip(in, from_ns, to_ns))
		row_of(in, st->task);
	if (st->doing == ANALYZE_DOING_UNKNOWN)
		return;
	w->seen_ns = to_ns;
	switch (st->doing) {
	case ANALYZE_DOING_RUNNING:
		w->held.n = 0;
		on_cpu(in, st->task, st->cpu, false, ANALYZE_NO_TASK, st->from_ns, st->to_ns,
		       &made);
		if (clip(in, from_ns, to_ns))
			row_of(in, st->task)->cpu = st->cpu;
		break;
	case ANALYZE_DOING_PREEMPTED:
	case ANALYZE_DOING_WAITING:
		w->from_ns = st->from_ns;
		w->to_ns = st->to_ns;
		w->woken = st->doing == ANALYZE_DOING_WAITING;
		break;
	case ANALYZE_DOING_ASLEEP:
		piece.doing = GUEST_ASLEEP;
		row_of(in, st->task)->sleep_ns += report(in, &piece, from_ns, to_ns);
		break;
	default:
		row_of(in, st->task)->block_ns += report(in, &piece, from_ns, to_ns);
		break;
	}
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct guest_inside *in = self;
	struct waiting *w = is_idle(in, sw->next) ? NULL : waiting_of(in, sw->next);

	if (w)
		w->in_ns = sw->t_ns;
}

static enum analyze_timeline_kind kind(void *ctx, uint32_t task)
{
	(void)ctx;
	(void)task;
	return ANALYZE_TIMELINE_TASK;
}

/* ---- the analysis ---- */

uint64_t guest_task_stolen_ns(const struct guest_task_row *row)
{
	uint64_t ns = 0;

	for (int i = 0; i < ANALYZE_VCPU_STATES; i++)
		ns += row->stolen_ns[i];
	return ns;
}

uint64_t guest_task_away_ns(const struct guest_task_row *row)
{
	uint64_t ns = 0;

	for (int i = 0; i < ANALYZE_VCPU_STATES; i++)
		ns += row->away_ns[i];
	return ns;
}

uint64_t guest_task_vcpu_wait_ns(const struct guest_task_row *row)
{
	return row->stolen_ns[ANALYZE_VCPU_PREEMPTED] + row->stolen_ns[ANALYZE_VCPU_WAITING] +
	       row->away_ns[ANALYZE_VCPU_PREEMPTED] + row->away_ns[ANALYZE_VCPU_WAITING];
}

/* The rest of the window: before the task's birth and after its death it was absent. */
static void rest(struct guest_inside *in, uint32_t number)
{
	const struct analyze_task *task = analyze_engine_task(in->eng, number);
	struct guest_task_row *row = row_of(in, number);
	uint64_t known_ns = row->run_ns + guest_task_stolen_ns(row) + guest_task_away_ns(row) +
			    row->busy_ns + row->sleep_ns + row->block_ns,
		 rest_ns = in->opts.to_ns - in->opts.from_ns - known_ns, end_ns;

	if (task->born_ns != ANALYZE_NO_TIME)
		row->absent_ns = clip(in, 0, guest_clock_host_ns(in->side->clock, task->born_ns));
	if (task->exit_ns != ANALYZE_NO_TIME) {
		end_ns = guest_clock_host_ns(in->side->clock, task->exit_ns);
		if (in->waiting.at[number].seen_ns > end_ns) /* it ran on to its last switch */
			end_ns = in->waiting.at[number].seen_ns;
		row->absent_ns += clip(in, end_ns, UINT64_MAX);
	}
	if (row->absent_ns > rest_ns)
		row->absent_ns = rest_ns;
	row->unknown_ns = rest_ns - row->absent_ns;
}

static int by_share(const void *a, const void *b)
{
	const struct guest_share *x = a, *y = b;
	uint64_t xn = x->stolen_ns + x->away_ns, yn = y->stolen_ns + y->away_ns;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	if (xn != yn)
		return xn > yn ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->who.task != y->who.task)
		return x->who.task < y->who.task ? -1 : 1;
	if (x->who.guest_task != y->who.guest_task)
		return x->who.guest_task < y->who.guest_task ? -1 : 1;
	return x->reason < y->reason ? -1 : x->reason > y->reason;
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct guest_inside *in = self;

	for (uint32_t task = 0; task < in->waiting.n; task++) {
		flush(in, task);
		array_fini(&in->waiting.at[task].held);
	}
	for (uint32_t task = 0; task < in->rows.slots.n; task++) {
		if (!sparse_has(&in->rows, task))
			continue;
		rest(in, task);
		if (array_push(&in->order, task))
			return cdict_fail_nomem(err);
	}
	if (in->shares.n)
		qsort(in->shares.at, in->shares.n, sizeof(*in->shares.at), by_share);
	return 0;
}

/* After the timeline, whose last stretches come when it finishes. */
static const struct analyze_ops ops = { .sw = on_switch, .in = on_switch, .finish = on_finish };

int guest_inside_new(struct guest_inside **out, struct analyze_engine *eng,
		     const struct guest_inside_options *opts, struct cdict_error *err)
{
	struct guest_inside *in = calloc(1, sizeof(*in));
	struct analyze_timeline_options how = { .kind = kind,
						.on_stretch = on_stretch,
						.on_held = on_held,
						.ctx = in,
						.no_vcpus = true };
	int rc;

	*out = NULL;
	if (!in)
		return cdict_fail_nomem(err);
	in->eng = eng;
	in->opts = *opts;
	in->side = &opts->sides->guests.at[opts->guest];
	in->rows = (struct sparse){ .size = sizeof(fresh), .fresh = &fresh };
	rc = analyze_timeline_new(&in->timeline, eng, &how, err);
	if (!rc)
		rc = analyze_engine_add(eng, &ops, in, err);
	if (rc)
		guest_inside_free(in);
	else
		*out = in;
	return rc;
}

static void row_fini(void *p)
{
	struct guest_task_row *row = p;

	histogram_fini(&row->latency);
	histogram_fini(&row->own);
}

void guest_inside_free(struct guest_inside *in)
{
	if (!in)
		return;
	for (size_t i = 0; i < in->waiting.n; i++)
		array_fini(&in->waiting.at[i].held);
	array_fini(&in->waiting);
	array_fini(&in->places);
	array_fini(&in->shares);
	array_fini(&in->order);
	index_fini(&in->index);
	sparse_fini(&in->rows, row_fini);
	row_fini(&in->spill);
	analyze_timeline_free(in->timeline);
	free(in);
}

size_t guest_inside_row_count(const struct guest_inside *in)
{
	return in->order.n;
}

const struct guest_task_row *guest_inside_row_at(struct guest_inside *in, size_t i)
{
	sparse_read(&in->rows, in->order.at[i], &in->returned);
	in->returned.task = in->order.at[i];
	return &in->returned;
}

const struct guest_share *guest_inside_shares(const struct guest_inside *in, uint32_t task,
					      size_t *n)
{
	size_t lo = index_first(in->shares.at, in->shares.n, sizeof(*in->shares.at), task);

	*n = 0;
	while (lo + *n < in->shares.n && in->shares.at[lo + *n].task == task)
		++*n;
	return in->shares.at + lo;
}

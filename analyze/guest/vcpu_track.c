// SPDX-License-Identifier: LGPL-2.1-only
/* vcpu_track.c - see vcpu_track.h. */
#include "analyze/guest/vcpu_track.h"

#include <stdlib.h>

#include "analyze/guest/pieces.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"

struct held {
	uint64_t from_ns, to_ns;
	uint32_t runner;
};

struct track {
	/* who: of PREEMPTED and WAITING the task, of EXIT and QEMU the reason */
	struct guest_pieces pieces;
	/* A wait whose tasks may still be reported, and those that were; to_ns 0: none. */
	struct analyze_vcpu_piece wait;
	ARRAY(struct held) held;
};

struct guest_vcpu_track {
	struct analyze_engine *eng;
	struct analyze_vcpus *vcpus;
	ARRAY(uint32_t) numbers; /* by task: its track + 1, 0: none */
	ARRAY(struct track) tracks;
	struct index reason_index;   /* (isa, code) */
	ARRAY(const char *) reasons; /* borrowed from @vcpus */
};

/* The track of @task, which is a vCPU; NULL: it is not known to be one, or out of memory. */
static struct track *track_of(struct guest_vcpu_track *t, uint32_t task)
{
	uint32_t *number;

	if (task < t->numbers.n && t->numbers.at[task])
		return &t->tracks.at[t->numbers.at[task] - 1];
	if (!analyze_vcpu_named(analyze_engine_task(t->eng, task)))
		return NULL;
	number = row_at(&t->numbers, task);
	if (!number || !array_add(&t->tracks)) {
		analyze_engine_out_of_memory(t->eng);
		return NULL;
	}
	*number = (uint32_t)t->tracks.n;
	return &t->tracks.at[t->tracks.n - 1];
}

static void keep(struct guest_vcpu_track *t, struct track *tr, enum analyze_vcpu_state state,
		 uint32_t who, uint64_t from_ns, uint64_t to_ns)
{
	if (guest_pieces_add(&tr->pieces, (struct guest_piece){ from_ns, who, state }, to_ns))
		analyze_engine_out_of_memory(t->eng);
}

/* Keeps the wait, now that all who had the CPU during it are reported. */
static void flush(struct guest_vcpu_track *t, struct track *tr)
{
	const struct analyze_vcpu_piece *w = &tr->wait;
	uint64_t at_ns = w->from_ns;

	for (size_t i = 0; i < tr->held.n && w->to_ns; i++) {
		struct held h = tr->held.at[i];

		h.from_ns = h.from_ns < at_ns ? at_ns : h.from_ns;
		h.to_ns = h.to_ns > w->to_ns ? w->to_ns : h.to_ns;
		if (h.to_ns <= h.from_ns)
			continue;
		keep(t, tr, w->state, ANALYZE_NO_TASK, at_ns, h.from_ns);
		keep(t, tr, w->state, h.runner, h.from_ns, h.to_ns);
		at_ns = h.to_ns;
	}
	keep(t, tr, w->state, ANALYZE_NO_TASK, at_ns, w->to_ns);
	tr->wait.to_ns = 0;
	tr->held.n = 0;
}

static uint32_t reason_of(struct guest_vcpu_track *t, const struct analyze_vcpu_reason *r)
{
	uint32_t i = r ? index_take(&t->reason_index, r->isa, r->reason) : INDEX_NONE;
	const char **name = r ? row_at(&t->reasons, i) : NULL;

	if (r && !name)
		analyze_engine_out_of_memory(t->eng);
	else if (r)
		*name = r->name;
	return i;
}

static void on_piece(void *ctx, const struct analyze_vcpu_piece *piece)
{
	struct guest_vcpu_track *t = ctx;
	struct track *tr = track_of(t, piece->task);
	bool waits = piece->state == ANALYZE_VCPU_PREEMPTED || piece->state == ANALYZE_VCPU_WAITING;

	if (!tr)
		return;
	if (tr->wait.to_ns)
		flush(t, tr);
	if (waits) {
		tr->wait = *piece;
		return;
	}
	tr->held.n = 0;
	keep(t, tr, piece->state,
	     piece->state == ANALYZE_VCPU_EXIT || piece->state == ANALYZE_VCPU_QEMU
		     ? reason_of(t, piece->reason)
		     : ANALYZE_NO_TASK,
	     piece->from_ns, piece->to_ns);
}

static void on_held(void *ctx, uint32_t task, uint32_t runner, uint32_t cpu, uint64_t from_ns,
		    uint64_t to_ns)
{
	struct guest_vcpu_track *t = ctx;
	struct track *tr = track_of(t, task);

	(void)cpu;
	if (tr && array_push(&tr->held, (struct held){ from_ns, to_ns, runner }))
		analyze_engine_out_of_memory(t->eng);
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct guest_vcpu_track *t = self;

	(void)err;
	for (size_t i = 0; i < t->tracks.n; i++) {
		flush(t, &t->tracks.at[i]);
		array_fini(&t->tracks.at[i].held);
	}
	return 0;
}

/* After the analysis of the vCPUs, whose last pieces come when it finishes. */
static const struct analyze_ops ops = { .finish = on_finish };

int guest_vcpu_track_new(struct guest_vcpu_track **out, struct analyze_engine *eng,
			 struct cdict_error *err)
{
	struct guest_vcpu_track *t = calloc(1, sizeof(*t));
	int rc;

	*out = NULL;
	if (!t)
		return cdict_fail_nomem(err);
	t->eng = eng;
	rc = analyze_vcpus_new(&t->vcpus, eng, err);
	if (!rc) {
		analyze_vcpus_on_piece(t->vcpus, on_piece, t);
		analyze_vcpus_on_held(t->vcpus, on_held, t);
		rc = analyze_engine_add(eng, &ops, t, err);
	}
	if (rc)
		guest_vcpu_track_free(t);
	else
		*out = t;
	return rc;
}

void guest_vcpu_track_free(struct guest_vcpu_track *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->tracks.n; i++) {
		guest_pieces_fini(&t->tracks.at[i].pieces);
		array_fini(&t->tracks.at[i].held);
	}
	array_fini(&t->tracks);
	array_fini(&t->numbers);
	array_fini(&t->reasons);
	index_fini(&t->reason_index);
	analyze_vcpus_free(t->vcpus);
	free(t);
}

struct guest_vcpu_piece guest_vcpu_track_at(const struct guest_vcpu_track *t, uint32_t task,
					    size_t *at, uint64_t ns, uint64_t to_ns)
{
	static const struct guest_pieces none;
	uint32_t number = task < t->numbers.n ? t->numbers.at[task] : 0;
	struct guest_vcpu_piece out = { .from_ns = ns,
					.to_ns = to_ns,
					.state = ANALYZE_VCPU_UNKNOWN,
					.behind = ANALYZE_NO_TASK,
					.reason = INDEX_NONE };
	struct guest_piece p = guest_pieces_at(number ? &t->tracks.at[number - 1].pieces : &none,
					       at, ns, &out.to_ns);

	if (p.state == GUEST_PIECE_NONE)
		return out;
	out.state = (enum analyze_vcpu_state)p.state;
	if (out.state == ANALYZE_VCPU_EXIT || out.state == ANALYZE_VCPU_QEMU)
		out.reason = p.who;
	else
		out.behind = p.who;
	return out;
}

const char *guest_vcpu_track_reason(const struct guest_vcpu_track *t, uint32_t reason)
{
	return reason < t->reasons.n ? t->reasons.at[reason] : NULL;
}

size_t guest_vcpu_track_reasons(const struct guest_vcpu_track *t)
{
	return t->reasons.n;
}

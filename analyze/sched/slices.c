// SPDX-License-Identifier: LGPL-2.1-only
/* slices.c - see slices.h. */
#include "analyze/sched/slices.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"

/* The latest kvm_entry or kvm_exit of a thread. */
struct thread {
	bool any, entry; /* entry: it was a kvm_entry */
	uint32_t cpu, isa;
	uint64_t t_ns, reason, how;
};

struct analyze_slices {
	struct analyze_engine *eng;
	struct analyze_slices_options opts;
	struct analyze_ops ops;
	ARRAY(struct thread) threads; /* by task */
};

static void report_slice(struct analyze_slices *s, enum analyze_slice_kind kind, uint32_t task,
			 uint32_t cpu, uint64_t start_ns, uint64_t end_ns)
{
	struct analyze_slice slice = {
		.kind = kind, .task = task, .cpu = cpu, .start_ns = start_ns, .end_ns = end_ns
	};

	if ((s->opts.kinds & 1u << kind) && s->opts.on_slice(s->opts.ctx, &slice))
		analyze_engine_out_of_memory(s->eng);
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_slices *s = self;

	if (!sw->in)
		return;
	report_slice(s, ANALYZE_SLICE_RUN, sw->prev, sw->cpu, sw->slice_start_ns, sw->t_ns);
	report_slice(s, ANALYZE_SLICE_SLEEP, sw->next, sw->cpu, sw->away_ns, sw->t_ns);
	/* no wake-up: it was preempted, or never asleep */
	if (sw->ready_ns != ANALYZE_NO_TIME)
		report_slice(s, ANALYZE_SLICE_WAKEUP, sw->next, sw->cpu, sw->ready_ns, sw->t_ns);
}

static void on_run(void *self, const struct analyze_run *run)
{
	const struct analyze_slices *s = self;
	uint64_t from_ns = run->from_ns, to_ns = run->to_ns;

	for (; analyze_engine_part(s->eng, &from_ns, &to_ns); from_ns = to_ns, to_ns = run->to_ns)
		report_slice(self, ANALYZE_SLICE_PIECE, run->task, run->cpu, from_ns, to_ns);
}

/* If the begin of an exit was not seen, its reason is unknown as well. */
static void notify_kvm(struct analyze_slices *s, const struct thread *th,
		       const struct analyze_kvm *k, uint64_t start_ns)
{
	bool exit = k->kind == ANALYZE_KIND_KVM_ENTRY, known = start_ns != ANALYZE_NO_TIME;
	struct analyze_slice slice = { .kind = exit ? ANALYZE_SLICE_EXIT : ANALYZE_SLICE_GUEST,
				       .task = k->task,
				       .cpu = k->cpu,
				       .start_ns = start_ns,
				       .end_ns = k->t_ns,
				       .isa = exit && known ? th->isa : UINT32_MAX,
				       .reason = th->reason,
				       .how = th->how };

	if ((s->opts.kinds & 1u << slice.kind) && s->opts.on_slice(s->opts.ctx, &slice))
		analyze_engine_out_of_memory(s->eng);
}

static void on_kvm(void *self, const struct analyze_kvm *k)
{
	struct analyze_slices *s = self;
	bool entry = k->kind == ANALYZE_KIND_KVM_ENTRY;
	uint64_t start_ns = ANALYZE_NO_TIME;
	struct thread *th;

	if (!entry && k->kind != ANALYZE_KIND_KVM_EXIT && k->kind != ANALYZE_KIND_KVM_REASON)
		return;
	th = row_at(&s->threads, k->task);
	if (!th) {
		analyze_engine_out_of_memory(s->eng);
		return;
	}
	if (k->kind == ANALYZE_KIND_KVM_REASON) {
		th->isa = k->isa;
		th->reason = k->value;
		th->how = k->how;
		return;
	}
	if (th->any && th->entry != entry &&
	    !analyze_engine_pair_broken(s->eng, k, th->t_ns, th->cpu))
		start_ns = th->t_ns;
	if (k->in)
		notify_kvm(s, th, k, start_ns);
	*th = (struct thread){ .any = true,
			       .entry = entry,
			       .cpu = k->cpu,
			       .isa = k->isa,
			       .t_ns = k->t_ns,
			       .reason = k->value,
			       .how = k->how };
}

int analyze_slices_new(struct analyze_slices **out, struct analyze_engine *eng,
		       const struct analyze_slices_options *opts, struct cdict_error *err)
{
	struct analyze_slices *s = calloc(1, sizeof(*s));
	unsigned switches = 1u << ANALYZE_SLICE_RUN | 1u << ANALYZE_SLICE_SLEEP |
			    1u << ANALYZE_SLICE_WAKEUP;
	unsigned kvm = 1u << ANALYZE_SLICE_GUEST | 1u << ANALYZE_SLICE_EXIT;
	int rc;

	*out = NULL;
	if (!s)
		return cdict_fail_nomem(err);
	s->eng = eng;
	s->opts = *opts;
	s->ops.resumes = true;
	if (opts->kinds & 1u << ANALYZE_SLICE_WAKEUP)
		s->ops.needs |= ANALYZE_NEED_WAKES;
	if (opts->kinds & kvm)
		s->ops.needs |= ANALYZE_NEED(KVM_ENTRY) | ANALYZE_NEED(KVM_EXIT) |
				ANALYZE_NEED(KVM_REASON);
	if (opts->kinds & switches)
		s->ops.sw = on_switch;
	if (opts->kinds & 1u << ANALYZE_SLICE_PIECE)
		s->ops.run = on_run;
	if (opts->kinds & kvm)
		s->ops.kvm = on_kvm;
	rc = analyze_engine_add(eng, &s->ops, s, err);
	if (rc) {
		free(s);
		return rc;
	}
	*out = s;
	return 0;
}

void analyze_slices_free(struct analyze_slices *s)
{
	if (!s)
		return;
	array_fini(&s->threads);
	free(s);
}

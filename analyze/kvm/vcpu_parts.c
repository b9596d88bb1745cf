// SPDX-License-Identifier: LGPL-2.1-only
/* vcpu_parts.c - the vCPUs of a walk in two parts. */
#include <errno.h>

#include "analyze/kvm/vcpu_internal.h"

int vcpu_part(void *self, struct analyze_engine *eng, struct cdict_error *err)
{
	const struct analyze_vcpus *v = self;
	struct analyze_vcpus *later;

	/* on_piece() gets the pieces in order. */
	return v->on_piece ? 1 : analyze_vcpus_new(&later, eng, err);
}

void vcpu_part_free(void *self)
{
	analyze_vcpus_free(self);
}

int vcpu_begun(void *self)
{
	struct analyze_vcpus *v = self;

	if (array_resize(&v->begin, v->watches.n))
		return -ENOMEM;
	for (size_t i = 0; i < v->watches.n; i++) {
		struct watch *w = &v->watches.at[i];

		histogram_fini(&w->row.preempted);
		histogram_fini(&w->row.waiting);
		w->row = (struct analyze_vcpu_row){ .worst.behind = ANALYZE_NO_TASK };
		v->begin.at[i] = *w;
	}
	for (size_t i = 0; i < v->reasons.n; i++) {
		v->reasons.at[i].exit_ns = v->reasons.at[i].qemu_ns = 0;
		v->reasons.at[i].in = false;
	}
	v->capacity = (struct analyze_capacity){ 0 };
	siblings_begin(&v->siblings);
	idle_cpus_begin(&v->idle);
	return waiters_begin(&v->waiters, &v->begin_waiters);
}

static bool is_set(const struct watch *w)
{
	return w && w->set;
}

/* Compares the reasons of the current exit. */
static bool same_reason(const struct analyze_vcpus *a, const struct watch *w,
			const struct analyze_vcpus *b, const struct watch *o)
{
	const struct index_key *x, *y;

	if (w->mode != MODE_EXIT && w->mode != MODE_QEMU)
		return true;
	if (w->reason == INDEX_NONE || o->reason == INDEX_NONE)
		return w->reason == o->reason;
	x = &a->reason_index.keys.at[w->reason];
	y = &b->reason_index.keys.at[o->reason];
	return x->a == y->a && x->b == y->b;
}

/* Compares two watches of a thread; NULL or not set: it had no event. */
static bool same(const struct analyze_vcpus *a, const struct watch *w,
		 const struct analyze_vcpus *b, const struct watch *o)
{
	if (!is_set(w) || !is_set(o))
		return is_set(w) == is_set(o);
	return w->since_ns == o->since_ns && w->where == o->where && w->mode == o->mode &&
	       w->kvm_seen == o->kvm_seen && w->late == o->late && w->ran == o->ran &&
	       w->cpu == o->cpu && same_reason(a, w, b, o);
}

#define AT(list, i) ((i) < (list).n ? &(list).at[i] : NULL)

/* Whether it had no event in the later part. */
static bool rests(const void *later, size_t i)
{
	const struct analyze_vcpus *l = later;

	return same(l, AT(l->watches, i), l, AT(l->begin, i));
}

bool vcpu_agrees(const void *self, const void *later)
{
	const struct analyze_vcpus *v = self, *l = later;
	size_t tasks = analyze_engine_task_count(v->eng);

	for (size_t i = 0; i < v->watches.n || i < l->watches.n; i++) {
		bool is_vcpu = analyze_engine_task(l->eng, (uint32_t)i)->is_vcpu ||
			       (i < tasks && analyze_engine_task(v->eng, (uint32_t)i)->is_vcpu);

		/* The others have no figures. */
		if (!is_vcpu)
			continue;
		if (!rests(l, i) && !same(v, AT(v->watches, i), l, AT(l->begin, i)))
			return false;
		if (!waiters_same(&v->waiters, &l->begin_waiters, (uint32_t)i))
			return false;
	}
	return true;
}

static uint32_t join_reason(struct analyze_vcpus *v, const struct analyze_vcpus *l, uint32_t i)
{
	const struct index_key *key = &l->reason_index.keys.at[i];
	const struct analyze_vcpu_reason *from = &l->reasons.at[i];
	uint32_t to = index_take(&v->reason_index, key->a, key->b);
	struct analyze_vcpu_reason *reason = row_at(&v->reasons, to);
	const char *name;

	if (!reason)
		return INDEX_NONE;
	if (!reason->name) {
		name = analyze_reasons_name(v->names, from->isa, from->reason);
		*reason = (struct analyze_vcpu_reason){ .isa = from->isa,
							.reason = from->reason,
							.name = name ? name : "",
							.idle = from->idle };
	}
	return to;
}

static int join_row(struct analyze_vcpu_row *to, const struct analyze_vcpu_row *from)
{
	for (unsigned s = 0; s < ANALYZE_VCPU_STATES; s++)
		to->ns[s] += from->ns[s];
	to->lost_ns += from->lost_ns;
	to->absent_ns += from->absent_ns;
	to->beside_ns += from->beside_ns;
	to->alone_ns += from->alone_ns;
	to->preemptions += from->preemptions;
	to->waits += from->waits;
	to->halts += from->halts;
	to->blocks += from->blocks;
	if (from->worst.dur_ns > to->worst.dur_ns) {
		to->worst = from->worst;
		to->worst_by = from->worst_by;
		to->worst_by_cpu = from->worst_by_cpu;
		to->worst_held_ns = from->worst_held_ns;
	}
	return histogram_merge(&to->preempted, &from->preempted) |
	       histogram_merge(&to->waiting, &from->waiting);
}

static int join_watch(struct analyze_vcpus *v, const struct analyze_vcpus *l, uint32_t task)
{
	const struct watch *from = &l->watches.at[task];
	struct watch *to = from->set ? vcpu_watch(v, task) : NULL;
	struct analyze_vcpu_row row;

	if (!to)
		return from->set ? -ENOMEM : 0;
	if (!rests(l, task)) {
		row = to->row;
		*to = *from;
		to->row = row;
		if (from->reason != INDEX_NONE) {
			to->reason = join_reason(v, l, from->reason);
			if (to->reason == INDEX_NONE)
				return -ENOMEM;
		}
	}
	return join_row(&to->row, &from->row);
}

int vcpu_join(void *self, void *later)
{
	struct analyze_vcpus *v = self, *l = later;
	int ret = 0;

	for (size_t i = 0; i < l->reasons.n; i++) {
		uint32_t to = join_reason(v, l, (uint32_t)i);

		if (to == INDEX_NONE)
			return -ENOMEM;
		v->reasons.at[to].exit_ns += l->reasons.at[i].exit_ns;
		v->reasons.at[to].qemu_ns += l->reasons.at[i].qemu_ns;
		v->reasons.at[to].in |= l->reasons.at[i].in;
	}
	for (size_t i = 0; i < l->watches.n && !ret; i++)
		ret = join_watch(v, l, (uint32_t)i);
	v->capacity.busy_ns += l->capacity.busy_ns;
	v->capacity.known_ns += l->capacity.known_ns;
	if (!ret)
		ret = siblings_join(&v->siblings, &l->siblings, rests, l);
	if (!ret)
		ret = idle_cpus_join(&v->idle, &l->idle);
	return ret ? ret : waiters_join(&v->waiters, &l->waiters);
}

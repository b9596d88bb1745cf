// SPDX-License-Identifier: LGPL-2.1-only
/* vcpu_rows.c - the rows of vcpu.h: the walk's results, sorted, and their getters. */
#include <stdlib.h>

#include "analyze/kvm/vcpu_internal.h"
#include "base/fail.h"

static int worst_first(const void *a, const void *b)
{
	const struct analyze_vcpu_row *x = a, *y = b;
	uint64_t xd = analyze_vcpu_delayed_ns(x), yd = analyze_vcpu_delayed_ns(y);

	if (xd != yd)
		return xd > yd ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static int most_time(const void *a, const void *b)
{
	const struct analyze_vcpu_reason *x = a, *y = b;
	uint64_t xn = x->exit_ns + x->qemu_ns, yn = y->exit_ns + y->qemu_ns;

	if (xn != yn)
		return xn > yn ? -1 : 1;
	if (x->isa != y->isa)
		return x->isa < y->isa ? -1 : 1;
	return x->reason < y->reason ? -1 : x->reason > y->reason;
}

/* Sorts the reasons, row by row. */
static int sort_reasons(struct analyze_vcpus *v)
{
	size_t n = v->reasons.n, at = 0;

	v->sorted_reasons = calloc(n ? n : 1, sizeof(*v->sorted_reasons));
	v->numbers = calloc(n ? n : 1, sizeof(*v->numbers));
	if (!v->sorted_reasons || !v->numbers)
		return -ENOMEM;
	for (size_t i = 0; i < v->n; i++) {
		size_t first = at;

		for (size_t k = 0; k < n; k++)
			if ((uint32_t)v->reason_index.keys.at[k].a == v->rows[i].task &&
			    (v->reasons.at[k].in || v->reasons.at[k].exit_ns ||
			     v->reasons.at[k].qemu_ns))
				v->sorted_reasons[at++] = v->reasons.at[k];
		if (at > first)
			qsort(v->sorted_reasons + first, at - first, sizeof(*v->sorted_reasons),
			      most_time);
		for (size_t k = first; k < at; k++)
			v->sorted_reasons[k].name =
				analyze_reasons_text(v->names, v->sorted_reasons[k].isa,
						     v->sorted_reasons[k].reason, v->numbers[k]);
		v->rows[i].reasons = v->sorted_reasons + first;
		v->rows[i].n_reasons = at - first;
	}
	return 0;
}

int vcpu_finish(void *self, struct cdict_error *err)
{
	struct analyze_vcpus *v = self;
	uint64_t from, end;

	analyze_engine_walk(v->eng, &from, &end);
	/* Also vCPUs without a watch yet. */
	for (size_t i = 0; !v->off && i < analyze_engine_task_count(v->eng); i++)
		if (analyze_engine_task(v->eng, (uint32_t)i)->is_vcpu &&
		    !vcpu_watch(v, (uint32_t)i))
			return cdict_fail_nomem(err);
	v->rows = calloc(v->watches.n + 1, sizeof(*v->rows));
	if (!v->rows)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < v->watches.n; i++) {
		struct watch *w = &v->watches.at[i];
		const struct idle_wait *waits;
		const struct analyze_task *task;

		task = analyze_engine_task(v->eng, (uint32_t)i);
		if (!task->is_vcpu)
			continue;
		vcpu_end(v, w, (uint32_t)i, end);
		w->row.absent_ns += analyze_engine_absent_ns(v->eng, (uint32_t)i);
		w->row.task = (uint32_t)i;
		waits = idle_cpus_of(&v->idle, (uint32_t)i);
		w->row.idle_ns = waits ? waits->ns : NULL;
		w->row.idle_of_ns = waits ? waits->waited_ns : 0;
		v->rows[v->n++] = w->row;
		histogram_init(&w->row.preempted);
		histogram_init(&w->row.waiting);
	}
	if (v->n)
		qsort(v->rows, v->n, sizeof(*v->rows), worst_first);
	if (sort_reasons(v) || waiters_sort(&v->waiters, v->rows, v->n, &v->sorted_antagonists) ||
	    siblings_sort(&v->siblings, v->rows, v->n, &v->sorted_beside))
		return cdict_fail_nomem(err);
	return 0;
}

size_t analyze_vcpus_row_count(const struct analyze_vcpus *v)
{
	return v->n;
}

const struct analyze_vcpu_row *analyze_vcpus_row_at(const struct analyze_vcpus *v, size_t i)
{
	return &v->rows[i];
}

const struct analyze_capacity *analyze_vcpus_capacity(const struct analyze_vcpus *v)
{
	return &v->capacity;
}

uint64_t analyze_vcpu_life_ns(const struct analyze_vcpu_row *row)
{
	uint64_t ns = 0;

	for (size_t s = 0; s < ANALYZE_VCPU_STATES; s++)
		ns += row->ns[s];
	return ns - row->absent_ns;
}

const char *analyze_vcpu_state_name(enum analyze_vcpu_state state)
{
	static const char *const names[] = { "guest",   "exit",   "qemu",    "preempted",
					     "waiting", "halted", "blocked", "unknown" };

	return state < ANALYZE_VCPU_STATES ? names[state] : "unknown";
}

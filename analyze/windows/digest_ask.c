// SPDX-License-Identifier: LGPL-2.1-only
/* digest_ask.c - look-ups of single events before and after the begin of a walk in the middle. */
#include <stdlib.h>

#include "analyze/windows/digest_internal.h"
#include "base/fail.h"

/* Size of the cache of switches. */
#define NEXT_MAX (1u << 16)

int digest_open_cpu(struct digests *d, struct cdict_events **it, uint32_t cpu, uint64_t from_ns,
		    uint64_t to_ns, struct cdict_error *err)
{
	uint64_t *cpus = calloc(d->n_cpus / 64 + 1, sizeof(*cpus));
	struct cdict_query query = { .from_ns = from_ns,
				     .to_ns = to_ns,
				     .cpus = cpu < d->n_cpus ? cpus : NULL,
				     .n_cpus = d->n_cpus,
				     .fields = (const uint64_t *const *)d->fields,
				     .n_fields = d->n_types };
	int ret;

	if (!cpus)
		return cdict_fail_nomem(err);
	if (cpu < d->n_cpus)
		cpus[cpu / 64] = UINT64_C(1) << cpu % 64;
	ret = cdict_events_open(it, d->reader, &query, err);
	free(cpus);
	return ret;
}

int digests_switches(struct digests *d, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		     digests_switch_fn *fn, void *ctx, struct cdict_error *err)
{
	struct cdict_events *it = NULL;
	struct cdict_event ev;
	int ret;

	if (recent_has(d, cpu, from_ns, to_ns)) {
		recent_all(d, cpu, from_ns, to_ns, fn, ctx);
		return 0;
	}
	ret = digest_open_cpu(d, &it, cpu, from_ns, to_ns, err);
	while (!ret && (ret = cdict_events_next(it, &ev, err)) > 0 && ev.t_ns < to_ns) {
		const struct type_info *ti = &d->types[ev.type->index];

		ret = ti->kind == ANALYZE_KIND_SWITCH
			      ? fn(ctx, ev.t_ns, (int32_t)ev.values[ti->field[SW_PREV_PID]])
			      : 0;
	}
	cdict_events_close(it);
	return ret < 0 ? ret : 0;
}

static int on_next_switch(void *ctx, uint64_t t_ns, int32_t prev)
{
	*(struct digest_switch *)ctx = (struct digest_switch){ t_ns, prev };
	return 1;
}

/* Cached: each query of a page needs this for the same tasks, and decoding a block again for each
 * would be a quarter of the cost of a 10 ms window. */
int digests_next_switch(struct digests *d, uint32_t cpu, uint64_t after_ns, uint64_t to_ns,
			struct digest_switch *next, struct cdict_error *err)
{
	uint32_t *known = map_find(&d->next_index, cpu, after_ns);
	int ret;

	*next = (struct digest_switch){ .t_ns = ANALYZE_NO_TIME };
	if (known) {
		if (d->next.at[*known].t_ns < to_ns)
			*next = d->next.at[*known];
		return 0;
	}
	ret = digests_switches(d, cpu, after_ns + 1, to_ns, on_next_switch, next, err);
	if (ret || next->t_ns == ANALYZE_NO_TIME)
		return ret;
	if (d->next.n == NEXT_MAX) {
		map_clear(&d->next_index);
		d->next.n = 0;
	}
	if (array_push(&d->next, *next))
		return cdict_fail_nomem(err);
	known = map_add(&d->next_index, cpu, after_ns);
	if (!known)
		return cdict_fail_nomem(err);
	*known = (uint32_t)d->next.n - 1;
	return 0;
}

int digests_first_wake(struct digests *d, int32_t tid, uint64_t from_ns, uint64_t events,
		       struct digest_when *wake, struct cdict_error *err)
{
	struct cdict_events *it = NULL;
	struct cdict_event ev;
	int ret = digest_open_cpu(d, &it, CDICT_CPU_UNKNOWN, from_ns, UINT64_MAX, err);
	bool found = false;

	while (!ret && !found && events-- && (ret = cdict_events_next(it, &ev, err)) > 0) {
		ret = 0;
		found = digest_wakes(d, &ev, tid, wake);
	}
	cdict_events_close(it);
	return ret < 0 ? ret : found;
}

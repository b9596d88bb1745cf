// SPDX-License-Identifier: LGPL-2.1-only
/* digest_recent.c - the latest switches of each CPU among the events folded last: the state before a window needs
 * some of them again, and its blocks were just decoded. */
#include <stdlib.h>

#include "analyze/windows/digest_internal.h"

enum { RECENT_MAX = 1024 };

static struct recent *recent_of(const struct digests *d, uint32_t cpu)
{
	return d->recent && cpu < d->n_cpus ? &d->recent[cpu] : NULL;
}

void recent_begin(struct digests *d, uint32_t cpu, uint64_t from_ns)
{
	struct recent *r = recent_of(d, cpu);

	if (!r)
		return;
	if (r->open || r->to_ns != from_ns) {
		r->from_ns = from_ns;
		r->n = 0;
	}
	r->open = true;
}

void recent_end(struct digests *d, uint32_t cpu, uint64_t to_ns)
{
	struct recent *r = recent_of(d, cpu);

	if (!r)
		return;
	r->to_ns = to_ns;
	r->open = false;
}

void recent_add(struct digests *d, uint32_t cpu, uint64_t t_ns, int32_t prev)
{
	struct recent *r = recent_of(d, cpu);
	struct digest_switch *at;

	if (!r)
		return;
	if (!r->all)
		r->all = calloc(RECENT_MAX, sizeof(*r->all));
	if (!r->all) { /* only those from here on could be kept */
		r->from_ns = t_ns + 1;
		return;
	}
	at = &r->all[r->n % RECENT_MAX];
	if (r->n >= RECENT_MAX)
		r->from_ns = at->t_ns + 1;
	*at = (struct digest_switch){ t_ns, prev };

	r->n++;
}

bool recent_has(const struct digests *d, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	const struct recent *r = recent_of(d, cpu);

	return r && !r->open && r->from_ns <= from_ns && to_ns <= r->to_ns;
}

void recent_all(const struct digests *d, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		digests_switch_fn *fn, void *ctx)
{
	const struct recent *r = &d->recent[cpu];
	bool ends = false;

	for (uint64_t i = r->n > RECENT_MAX ? r->n - RECENT_MAX : 0; i < r->n && !ends; i++) {
		const struct digest_switch *at = &r->all[i % RECENT_MAX];

		if (at->t_ns >= from_ns && at->t_ns < to_ns)
			ends = fn(ctx, at->t_ns, at->prev);
	}
}

void recent_fini(struct digests *d)
{
	for (uint32_t c = 0; d->recent && c < d->n_cpus; c++)
		free(d->recent[c].all);
	free(d->recent);
}

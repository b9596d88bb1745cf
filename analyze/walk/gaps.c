// SPDX-License-Identifier: LGPL-2.1-only
/* gaps.c - the loss records as sorted intervals. */
#include "analyze/walk/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static int by_from(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	return x->to_ns < y->to_ns ? -1 : x->to_ns > y->to_ns;
}

static void reach(struct gap *gaps, size_t n)
{
	uint64_t far = 0;

	for (size_t i = 0; i < n; i++) {
		if (gaps[i].to_ns > far)
			far = gaps[i].to_ns;
		gaps[i].reach_ns = far;
	}
}

/* Whether events of @kinds may be among the lost ones. */
static bool concerns(const struct cdict_loss *loss, const struct type_info *types, size_t n_types,
		     unsigned kinds)
{
	if (loss->what == CDICT_LOSS_DISORDER)
		return false;
	if (loss->type == CDICT_TYPE_ANY || loss->type >= n_types)
		return true;
	return kinds & 1u << types[loss->type].kind;
}

int gaps_init(struct gap_set *set, const struct analyze_source *src, const struct type_info *types,
	      unsigned kinds, uint32_t cpus, struct cdict_error *err)
{
	size_t n_types = cdict_schema_count(src->schema), any = 0;
	bool overwritten = src->scope.overwritten;
	/* Recordings whose CPUs begin at different times. */
	uint64_t until_ns = overwritten ? src->last_ns : src->scope.begins_ns;
	uint32_t rings = until_ns > src->first_ns ? cpus : 0;
	uint64_t *first_ns = calloc((size_t)rings + 1, sizeof(*first_ns));

	memset(set, 0, sizeof(*set));
	set->all = calloc(src->n_losses + rings + 1, sizeof(*set->all));
	if (!set->all || !first_ns)
		goto no_memory;
	if (rings)
		src->first_of_cpus(src->ctx, first_ns, rings);
	for (size_t i = 0; i < src->n_losses; i++) {
		const struct cdict_loss *loss = src->loss_at(src->ctx, i);

		if (concerns(loss, types, n_types, kinds) && loss->from_ns <= loss->to_ns)
			set->all[set->n++] = (struct gap){ .cpu = loss->cpu,
							   .from_ns = loss->from_ns,
							   .to_ns = loss->to_ns };
	}
	for (uint32_t c = 0; c < rings; c++) {
		uint64_t to_ns = first_ns[c] < until_ns ? first_ns[c] : until_ns;

		if (to_ns > src->first_ns)
			set->all[set->n++] = (struct gap){ .cpu = c,
							   .from_ns = src->first_ns,
							   .to_ns = to_ns,
							   .late = !overwritten };
	}
	free(first_ns);
	first_ns = NULL;
	if (!set->n)
		return 0;
	qsort(set->all, set->n, sizeof(*set->all), by_from);
	reach(set->all, set->n);
	set->cpus = cpus;
	set->cpu = calloc((size_t)cpus + 1, sizeof(*set->cpu));
	set->n_cpu = calloc((size_t)cpus + 1, sizeof(*set->n_cpu));
	if (!set->cpu || !set->n_cpu)
		goto no_memory;
	for (size_t i = 0; i < set->n; i++) {
		if (set->all[i].cpu == CDICT_CPU_UNKNOWN)
			any++;
		else if (set->all[i].cpu < cpus)
			set->n_cpu[set->all[i].cpu]++;
	}
	for (uint32_t c = 0; c < cpus; c++) {
		size_t n = set->n_cpu[c] + any;

		set->cpu[c] = n ? calloc(n, sizeof(**set->cpu)) : NULL;
		if (n && !set->cpu[c])
			goto no_memory;
		set->n_cpu[c] = 0;
	}
	for (size_t i = 0; i < set->n; i++) {
		uint32_t cpu = set->all[i].cpu, end = cpu + 1;

		if (cpu == CDICT_CPU_UNKNOWN) {
			cpu = 0;
			end = cpus;
		}
		for (; cpu < end && cpu < cpus; cpu++)
			set->cpu[cpu][set->n_cpu[cpu]++] = set->all[i];
	}
	for (uint32_t c = 0; c < cpus; c++)
		reach(set->cpu[c], set->n_cpu[c]);
	return 0;
no_memory:
	free(first_ns);
	gaps_fini(set);
	return cdict_fail_nomem(err);
}

void gaps_fini(struct gap_set *set)
{
	for (uint32_t c = 0; set->cpu && c < set->cpus; c++)
		free(set->cpu[c]);
	free(set->cpu);
	free(set->n_cpu);
	free(set->all);
	memset(set, 0, sizeof(*set));
}

static const struct gap *of_cpu(const struct gap_set *set, uint32_t cpu, size_t *n)
{
	*n = 0;
	if (!set->n)
		return NULL;
	if (cpu == CDICT_CPU_UNKNOWN) {
		*n = set->n;
		return set->all;
	}
	if (cpu >= set->cpus)
		return NULL;
	*n = set->n_cpu[cpu];
	return set->cpu[cpu];
}

/* The first gap that reaches past @from_ns; reach_ns never decreases. */
static size_t first_past(const struct gap *gaps, size_t n, uint64_t from_ns)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (gaps[mid].reach_ns > from_ns)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

uint64_t gaps_find(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct gap *gaps = of_cpu(set, cpu, &n);
	size_t i = first_past(gaps, n, from_ns);

	if (i == n || gaps[i].from_ns >= to_ns)
		return ANALYZE_NO_TIME;
	return gaps[i].from_ns > from_ns ? gaps[i].from_ns : from_ns;
}

uint64_t gaps_lost(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct gap *gaps = of_cpu(set, cpu, &n);

	for (size_t i = first_past(gaps, n, from_ns); i < n && gaps[i].from_ns < to_ns; i++)
		if (!gaps[i].late && gaps[i].to_ns > from_ns)
			return gaps[i].from_ns > from_ns ? gaps[i].from_ns : from_ns;
	return ANALYZE_NO_TIME;
}

uint64_t gaps_end(const struct gap_set *set, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t end = from_ns;

	for (size_t i = first_past(set->all, set->n, from_ns);
	     i < set->n && set->all[i].from_ns <= end && end < to_ns; i++)
		if (set->all[i].to_ns > end)
			end = set->all[i].to_ns;
	return end < to_ns ? end : to_ns;
}

bool gaps_blind(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		uint64_t *begin_ns, uint64_t *end_ns)
{
	size_t n;
	const struct gap *gaps = of_cpu(set, cpu, &n);
	bool any = false;

	*begin_ns = *end_ns = from_ns;
	for (size_t i = first_past(gaps, n, from_ns); i < n && gaps[i].from_ns < to_ns; i++) {
		if (gaps[i].to_ns <= from_ns)
			continue;
		any = true;
		if (gaps[i].from_ns > *begin_ns)
			*begin_ns = gaps[i].from_ns;
		if (gaps[i].to_ns > *end_ns)
			*end_ns = gaps[i].to_ns;
	}
	return any;
}

uint64_t gaps_ns(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	size_t n;
	const struct gap *gaps = of_cpu(set, cpu, &n);
	uint64_t done = from_ns, sum = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t a = gaps[i].from_ns > done ? gaps[i].from_ns : done;
		uint64_t b = gaps[i].to_ns < to_ns ? gaps[i].to_ns : to_ns;

		if (b > a && !gaps[i].late) {
			sum += b - a;
			done = b;
		}
	}
	return sum;
}

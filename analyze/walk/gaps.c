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

/* Fills the other lists from @set->all. */
static int share_out(struct gap_set *set, uint32_t cpus)
{
	size_t late = 0, n_any = 0, *next = calloc((size_t)cpus + 1, sizeof(*next));

	set->cpus = cpus;
	set->begin = calloc((size_t)cpus + 1, sizeof(*set->begin));
	if (!next || !set->begin)
		goto no_memory;
	for (size_t i = 0; i < set->n; i++) {
		late += set->all[i].late;
		set->n_any += set->all[i].cpu == CDICT_CPU_UNKNOWN;
		if (set->all[i].cpu < cpus)
			set->begin[set->all[i].cpu + 1]++;
	}
	for (uint32_t c = 0; c < cpus; c++)
		next[c + 1] = set->begin[c + 1] += set->begin[c];
	set->own = calloc(set->begin[cpus] + 1, sizeof(*set->own));
	set->any = set->n_any < set->n ? calloc(set->n_any + 1, sizeof(*set->any)) : set->all;
	set->lost = late ? calloc(set->n - late + 1, sizeof(*set->lost)) : set->all;
	if (!set->own || !set->any || !set->lost)
		goto no_memory;
	set->n_lost = late ? 0 : set->n;
	for (size_t i = 0; i < set->n; i++) {
		const struct gap *g = &set->all[i];

		if (g->cpu == CDICT_CPU_UNKNOWN && set->any != set->all)
			set->any[n_any++] = *g;
		else if (g->cpu < cpus)
			set->own[next[g->cpu]++] = *g;
		if (late && !g->late)
			set->lost[set->n_lost++] = *g;
	}
	reach(set->any, set->n_any);
	reach(set->lost, set->n_lost);
	for (uint32_t c = 0; c < cpus; c++)
		reach(set->own + set->begin[c], set->begin[c + 1] - set->begin[c]);
	free(next);
	return 0;
no_memory:
	free(next);
	return -ENOMEM;
}

int gaps_init(struct gap_set *set, const struct analyze_source *src, const struct type_info *types,
	      unsigned kinds, uint32_t cpus, struct cdict_error *err)
{
	size_t n_types = cdict_schema_count(src->schema);
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
	if (share_out(set, cpus))
		goto no_memory;
	return 0;
no_memory:
	free(first_ns);
	gaps_fini(set);
	return cdict_fail_nomem(err);
}

void gaps_fini(struct gap_set *set)
{
	if (set->lost != set->all)
		free(set->lost);
	if (set->any != set->all)
		free(set->any);
	free(set->own);
	free(set->begin);
	free(set->all);
	memset(set, 0, sizeof(*set));
}

/* The gaps of a CPU: its own ones and those of an unknown CPU. Of any CPU: all of them. */
struct of_cpu {
	struct gap_list {
		const struct gap *at;
		size_t n;
	} lists[2];
};

static struct of_cpu of_cpu(const struct gap_set *set, uint32_t cpu)
{
	struct of_cpu of = { 0 };

	if (cpu == CDICT_CPU_UNKNOWN) {
		of.lists[0] = (struct gap_list){ set->all, set->n };
	} else if (cpu < set->cpus) {
		of.lists[0] = (struct gap_list){ set->own + set->begin[cpu],
						 set->begin[cpu + 1] - set->begin[cpu] };
		of.lists[1] = (struct gap_list){ set->any, set->n_any };
	}
	return of;
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

static uint64_t find(const struct gap *gaps, size_t n, uint64_t from_ns, uint64_t to_ns)
{
	size_t i = first_past(gaps, n, from_ns);

	if (i == n || gaps[i].from_ns >= to_ns)
		return ANALYZE_NO_TIME;
	return gaps[i].from_ns > from_ns ? gaps[i].from_ns : from_ns;
}

uint64_t gaps_search(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	struct of_cpu of = of_cpu(set, cpu);
	uint64_t own = find(of.lists[0].at, of.lists[0].n, from_ns, to_ns);
	uint64_t any = find(of.lists[1].at, of.lists[1].n, from_ns, to_ns);

	return own < any ? own : any; /* ANALYZE_NO_TIME is the largest */
}

uint64_t gaps_lost(const struct gap_set *set, uint64_t from_ns, uint64_t to_ns)
{
	return find(set->lost, set->n_lost, from_ns, to_ns);
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
	struct of_cpu of = of_cpu(set, cpu);
	bool found = false;

	*begin_ns = *end_ns = from_ns;
	for (int l = 0; l < 2; l++) {
		const struct gap *gaps = of.lists[l].at;
		size_t n = of.lists[l].n;

		for (size_t i = first_past(gaps, n, from_ns); i < n && gaps[i].from_ns < to_ns;
		     i++) {
			if (gaps[i].to_ns <= from_ns)
				continue;
			found = true;
			if (gaps[i].from_ns > *begin_ns)
				*begin_ns = gaps[i].from_ns;
			if (gaps[i].to_ns > *end_ns)
				*end_ns = gaps[i].to_ns;
		}
	}
	return found;
}

uint64_t gaps_ns(const struct gap_set *set, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	struct of_cpu of = of_cpu(set, cpu);
	const struct gap *own = of.lists[0].at, *any = of.lists[1].at;
	size_t n_own = of.lists[0].n, n_any = of.lists[1].n;
	uint64_t done = from_ns, sum = 0;

	/* both lists in order of from_ns */
	for (size_t i = first_past(own, n_own, from_ns), k = first_past(any, n_any, from_ns);
	     i < n_own || k < n_any;) {
		const struct gap *g = k == n_any || (i < n_own && own[i].from_ns <= any[k].from_ns)
					      ? &own[i++]
					      : &any[k++];
		uint64_t a = g->from_ns > done ? g->from_ns : done;
		uint64_t b = g->to_ns < to_ns ? g->to_ns : to_ns;

		if (g->from_ns >= to_ns)
			break;
		if (b > a && !g->late) {
			sum += b - a;
			done = b;
		}
	}
	return sum;
}

// SPDX-License-Identifier: LGPL-2.1-only
/* siblings.c - see siblings.h. */
#include "analyze/kvm/siblings.h"

#include <errno.h>
#include <stdlib.h>

#define LOOK_BACK 8
/* Stretches beside a CPU without a switch so far are kept one by one, as a later event may still
 * show its task; at most this many. */
#define STRETCHES_MOST 4096

/* Links the threads of each core into a ring. */
static int make_rings(struct siblings *s, const int32_t *core, size_t n)
{
	size_t cores = 0;
	uint32_t *first;

	for (uint32_t c = 0; c < s->n_cpus; c++) {
		s->cpus[c].next = CDICT_CPU_UNKNOWN;
		if (c < n && core[c] >= 0 && (size_t)core[c] >= cores)
			cores = (size_t)core[c] + 1;
	}
	first = calloc(cores + 1, sizeof(*first));
	if (!first)
		return -ENOMEM;
	for (uint32_t c = 0; c < s->n_cpus && c < n; c++) {
		uint32_t *head = core[c] < 0 ? NULL : &first[core[c]];

		if (!head)
			continue;
		s->cpus[c].next = *head ? s->cpus[*head - 1].next : c;
		if (*head)
			s->cpus[*head - 1].next = c;
		else
			*head = c + 1;
	}
	free(first);
	return 0;
}

int siblings_init(struct siblings *s, struct analyze_engine *eng)
{
	const struct analyze_options *o = analyze_engine_options(eng);

	*s = (struct siblings){ .eng = eng };
	if (!o->core_of_cpu)
		return 0;
	s->n_cpus = analyze_engine_cpus(eng);
	/* CPUs of no known core take no memory */
	if (s->n_cpus > o->n_core_of_cpu)
		s->n_cpus = (uint32_t)o->n_core_of_cpu;
	while (s->n_cpus && o->core_of_cpu[s->n_cpus - 1] < 0)
		s->n_cpus--;
	s->cpus = calloc((size_t)s->n_cpus + 1, sizeof(*s->cpus));
	return s->cpus ? make_rings(s, o->core_of_cpu, o->n_core_of_cpu) : -ENOMEM;
}

void siblings_fini(struct siblings *s)
{
	for (uint32_t c = 0; s->cpus && c < s->n_cpus; c++) {
		array_fini(&s->cpus[c].open);
		array_fini(&s->cpus[c].carried);
	}
	free(s->cpus);
	for (size_t i = 0; i < s->guests.n; i++)
		array_fini(&s->guests.at[i].besides);
	array_fini(&s->guests);
	array_fini(&s->ns);
	index_fini(&s->index);
	*s = (struct siblings){ 0 };
}

uint32_t siblings_next(const struct siblings *s, uint32_t cpu)
{
	return !s->cpus || cpu >= s->n_cpus || s->cpus[cpu].next == CDICT_CPU_UNKNOWN
		       ? cpu
		       : s->cpus[cpu].next;
}

static void count(struct siblings *s, uint32_t task, uint32_t runner, uint64_t ns)
{
	uint64_t *cell = ns ? row_at(&s->ns, index_take(&s->index, task, runner)) : NULL;

	if (cell)
		*cell += ns;
	else if (ns)
		analyze_engine_out_of_memory(s->eng);
}

/* The piece of @task on @cpu up to @end_ns is over. */
static void end_slice(struct siblings *s, struct sibling_cpu *cpu, uint32_t task, uint64_t end_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < cpu->open.n; i++) {
		struct sibling_stretch *x = &cpu->open.at[i];
		uint64_t to_ns = x->to_ns < end_ns ? x->to_ns : end_ns;

		/* Of merged stretches, the part before is unknown. */
		if (task != ANALYZE_NO_TASK && x->from_ns < to_ns)
			count(s, x->task, task,
			      !x->merged          ? analyze_engine_clip(s->eng, x->from_ns, to_ns)
			      : x->to_ns == to_ns ? x->ns
						  : 0);
		if (x->to_ns <= end_ns || (x->merged && x->from_ns < end_ns))
			continue;
		if (x->from_ns < end_ns)
			x->from_ns = end_ns;
		cpu->open.at[kept++] = *x;
	}
	cpu->open.n = kept;
}

void siblings_ran(struct siblings *s, const struct analyze_run *run)
{
	struct sibling_cpu *cpu = s->cpus && run->cpu < s->n_cpus ? &s->cpus[run->cpu] : NULL;

	if (!cpu)
		return;
	if (run->start_ns < s->begun_ns &&
	    array_push(&cpu->carried, (struct sibling_slice){ run->task, run->end_ns }))
		analyze_engine_out_of_memory(s->eng);
	end_slice(s, cpu, run->task, run->end_ns);
}

static int by_who(const void *x, const void *y)
{
	const struct analyze_beside *a = x, *b = y;

	return a->task < b->task ? -1 : a->task > b->task;
}

/* Merges the entries of the same task. */
static void merge(struct sibling_guest *g)
{
	size_t n = 0;

	qsort(g->besides.at, g->besides.n, sizeof(*g->besides.at), by_who);
	for (size_t i = 0; i < g->besides.n; i++)
		if (n && g->besides.at[n - 1].task == g->besides.at[i].task)
			g->besides.at[n - 1].ns += g->besides.at[i].ns;
		else
			g->besides.at[n++] = g->besides.at[i];
	g->besides.n = n;
}

static int add_beside(struct sibling_guest *g, uint32_t runner, uint64_t ns)
{
	for (size_t i = g->besides.n; i && i + LOOK_BACK > g->besides.n; i--)
		if (g->besides.at[i - 1].task == runner) {
			g->besides.at[i - 1].ns += ns;
			return 0;
		}
	if (g->besides.n > LOOK_BACK && g->besides.n == g->besides.cap)
		merge(g);
	return array_push(&g->besides, (struct analyze_beside){ runner, ns });
}

void siblings_guest_ran(struct siblings *s, uint32_t task, const struct analyze_run *run,
			uint64_t since_ns)
{
	uint64_t ns = analyze_engine_clip(
		s->eng, run->start_ns > since_ns ? run->start_ns : since_ns, run->end_ns);
	struct sibling_guest *g;

	if (!ns || run->task == ANALYZE_NO_TASK)
		return;
	g = row_at(&s->guests, task);
	if (!g || add_beside(g, run->task, ns))
		analyze_engine_out_of_memory(s->eng);
}

void siblings_enter(struct siblings *s, uint32_t task)
{
	if (task < s->guests.n)
		s->guests.at[task].besides.n = 0;
}

void siblings_crossed(struct siblings *s, uint32_t task)
{
	struct sibling_guest *g = s->cpus ? row_at(&s->guests, task) : NULL;

	if (g)
		g->crossed = true;
	else if (s->cpus)
		analyze_engine_out_of_memory(s->eng);
}

/* Keeps a stretch beside a CPU whose piece is not over. */
static void keep_stretch(struct siblings *s, uint32_t cpu, const struct sibling_stretch *x)
{
	struct sibling_cpu *c = &s->cpus[cpu];
	struct sibling_stretch *last = NULL;

	/* A task that was switched in has the CPU until the piece is over. */
	if (analyze_engine_switched_in(s->eng, cpu) || c->open.n >= STRETCHES_MOST)
		for (size_t i = c->open.n; i && !last && i + LOOK_BACK > c->open.n; i--)
			if (c->open.at[i - 1].task == x->task)
				last = &c->open.at[i - 1];
	if (last) {
		last->merged = true;
		last->ns += x->ns;
		last->to_ns = x->to_ns;
	} else if (array_push(&c->open, *x)) {
		analyze_engine_out_of_memory(s->eng);
	}
}

void siblings_guest(struct siblings *s, struct analyze_vcpu_row *row, uint32_t task, uint32_t cpu,
		    uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = analyze_engine_clip(s->eng, from_ns, to_ns), others = 0;
	struct sibling_guest *g = task < s->guests.n ? &s->guests.at[task] : NULL;

	if (!s->cpus)
		return;
	for (size_t i = 0; g && i < g->besides.n; i++)
		count(s, task, g->besides.at[i].task, g->besides.at[i].ns);
	siblings_enter(s, task);
	for (uint32_t c = siblings_next(s, cpu); c != cpu; c = siblings_next(s, c)) {
		struct sibling_stretch x = { .task = task, .from_ns = from_ns, .to_ns = to_ns };
		uint64_t since_ns = to_ns;

		analyze_engine_running(s->eng, c, &since_ns);
		if (x.from_ns < since_ns)
			x.from_ns = since_ns;
		x.ns = x.from_ns < to_ns ? analyze_engine_clip(s->eng, x.from_ns, to_ns) : 0;
		if (x.ns)
			keep_stretch(s, c, &x);
		others++;
	}
	if (cpu < s->n_cpus && s->cpus[cpu].next == cpu)
		row->alone_ns += ns;
	row->beside_ns += ns * (others ? others : 1);
}

void siblings_begin(struct siblings *s)
{
	s->begun_ns = analyze_engine_now(s->eng);
	for (uint32_t c = 0; s->cpus && c < s->n_cpus; c++)
		s->cpus[c].open.n = 0;
	for (size_t i = 0; i < s->guests.n; i++)
		s->guests.at[i].besides.n = 0;
	s->ns.n = 0;
	index_fini(&s->index);
}

/* Adds what the first part collected for @task's stretch that was open at the cut. */
static int join_guest(struct siblings *s, struct siblings *later, uint32_t task, bool rests)
{
	struct sibling_guest *g = &s->guests.at[task];
	struct sibling_guest *l = g->besides.n ? row_at(&later->guests, task) : NULL;

	if (!g->besides.n)
		return 0;
	if (!l)
		return -ENOMEM;
	for (size_t i = 0; i < g->besides.n; i++) {
		if (rests && add_beside(l, g->besides.at[i].task, g->besides.at[i].ns))
			return -ENOMEM;
		if (l->crossed)
			count(s, task, g->besides.at[i].task, g->besides.at[i].ns);
	}
	return 0;
}

int siblings_join(struct siblings *s, struct siblings *later,
		  bool (*rests)(const void *ctx, size_t task), const void *ctx)
{
	struct siblings was;

	if (!s->cpus)
		return 0;
	for (size_t i = 0; i < later->ns.n; i++)
		count(s, (uint32_t)later->index.keys.at[i].a, (uint32_t)later->index.keys.at[i].b,
		      later->ns.at[i]);
	for (uint32_t c = 0; c < s->n_cpus; c++) {
		struct sibling_cpu *cpu = &s->cpus[c], *l = &later->cpus[c];

		for (size_t i = 0; i < l->carried.n; i++)
			end_slice(s, cpu, l->carried.at[i].task, l->carried.at[i].end_ns);
		for (size_t i = 0; i < cpu->open.n; i++)
			if (array_push(&l->open, cpu->open.at[i]))
				return -ENOMEM;
	}
	for (size_t i = 0; i < s->guests.n; i++)
		if (join_guest(s, later, (uint32_t)i, rests(ctx, i)))
			return -ENOMEM;
	was = *s;
	s->cpus = later->cpus;
	s->guests = later->guests;
	later->cpus = was.cpus;
	later->guests = was.guests;
	return 0;
}

struct pair {
	uint32_t task;
	struct analyze_beside b;
};

static int by_task_and_time(const void *x, const void *y)
{
	const struct pair *p = x, *q = y;

	if (p->task != q->task)
		return p->task < q->task ? -1 : 1;
	if (p->b.ns != q->b.ns)
		return p->b.ns > q->b.ns ? -1 : 1;
	return by_who(&p->b, &q->b);
}

int siblings_sort(const struct siblings *s, struct analyze_vcpu_row *rows, size_t n,
		  struct analyze_beside **out)
{
	size_t all = s->ns.n;
	struct pair *pairs = calloc(all + 1, sizeof(*pairs));
	struct analyze_beside *flat = calloc(all + 1, sizeof(*flat));

	if (!pairs || !flat) {
		free(pairs);
		free(flat);
		return -ENOMEM;
	}
	for (size_t i = 0; i < all; i++)
		pairs[i] = (struct pair){ (uint32_t)s->index.keys.at[i].a,
					  { (uint32_t)s->index.keys.at[i].b, s->ns.at[i] } };
	if (all)
		qsort(pairs, all, sizeof(*pairs), by_task_and_time);
	for (size_t i = 0; i < all; i++)
		flat[i] = pairs[i].b;
	for (size_t r = 0; r < n; r++) {
		size_t lo = index_first(pairs, all, sizeof(*pairs), rows[r].task);

		rows[r].beside = flat + lo;
		for (; lo < all && pairs[lo].task == rows[r].task; lo++)
			rows[r].n_beside++;
	}
	free(pairs);
	*out = flat;
	return 0;
}

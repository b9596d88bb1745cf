// SPDX-License-Identifier: LGPL-2.1-only
/* switches.c - see switches.h. */
#include "analyze/sched/switches.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/walk/ops.h"
#include "base/fail.h"

enum { BUCKETS_DEFAULT = 100, BUCKETS_MAX = 1 << 20, CELLS_MAX = 1 << 22 };

struct analyze_switches {
	struct analyze_engine *eng;
	struct analyze_switches_options opts;
	uint64_t from_ns, to_ns, bucket_ns;
	uint32_t buckets, cpus;
	struct analyze_switch_cell **rows; /* by CPU: its buckets, NULL: no events */
};

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_switches *s = self;
	uint32_t cpus = analyze_engine_cpus(s->eng), most;
	uint64_t window, n;

	(void)schema;
	analyze_engine_window(s->eng, &s->from_ns, &s->to_ns);
	window = s->to_ns - s->from_ns;
	most = cpus > CELLS_MAX / 2 ? 1 : CELLS_MAX / (cpus ? cpus : 1);
	if (most > BUCKETS_MAX)
		most = BUCKETS_MAX;
	n = s->opts.buckets ? s->opts.buckets : BUCKETS_DEFAULT;
	if (n > most)
		n = most;
	/* The last instant belongs to the last bucket, hence / and + 1. */
	s->bucket_ns = s->opts.bucket_ns ? s->opts.bucket_ns : window / n + 1;
	if (!s->bucket_ns) /* a window of all 2^64 ns */
		s->bucket_ns = UINT64_MAX;
	if (window / s->bucket_ns >= most)
		s->bucket_ns = most > 1 ? window / most + 1 : UINT64_MAX;
	s->buckets = (uint32_t)(window / s->bucket_ns) + 1;
	s->cpus = cpus;
	s->rows = calloc((size_t)cpus + 1, sizeof(*s->rows));
	return s->rows ? 0 : cdict_fail_nomem(err);
}

/* NULL: out of memory. */
static struct analyze_switch_cell *row_of(struct analyze_switches *s, uint32_t cpu)
{
	if (!s->rows[cpu])
		s->rows[cpu] = calloc(s->buckets, sizeof(**s->rows));
	if (!s->rows[cpu])
		analyze_engine_out_of_memory(s->eng);
	return s->rows[cpu];
}

static struct analyze_switch_cell *cell_at(struct analyze_switches *s, uint32_t cpu, uint64_t t)
{
	struct analyze_switch_cell *row = row_of(s, cpu);

	return row && s->buckets > 1 ? row + (t - s->from_ns) / s->bucket_ns : row;
}

/* Counts a part of a run inside the window. */
static void book(struct analyze_switches *s, const struct analyze_run *run, uint64_t from,
		 uint64_t to_ns)
{
	while (from < to_ns) {
		struct analyze_switch_cell *cell = cell_at(s, run->cpu, from);
		uint64_t left = s->buckets > 1 ? s->bucket_ns - (from - s->from_ns) % s->bucket_ns
					       : UINT64_MAX;
		uint64_t ns = to_ns - from < left ? to_ns - from : left;

		if (!cell)
			return;
		if (run->task == ANALYZE_NO_TASK)
			cell->unknown_ns += ns;
		else if (analyze_engine_task(s->eng, run->task)->tid)
			cell->busy_ns += ns;
		else
			cell->idle_ns += ns;
		from += ns;
	}
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct analyze_switches *s = self;
	uint64_t from_ns = run->from_ns, to_ns = run->to_ns;

	for (; analyze_engine_part(s->eng, &from_ns, &to_ns); from_ns = to_ns, to_ns = run->to_ns)
		book(s, run, from_ns, to_ns);
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_switches *s = self;
	struct analyze_switch_cell *cell;

	if (!sw->in)
		return;
	cell = cell_at(s, sw->cpu, sw->t_ns);
	if (!cell)
		return;
	cell->switches++;
	cell->involuntary += sw->involuntary;
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct analyze_switches *s = self;
	struct analyze_switch_cell *cell;

	if (!wake->in || wake->cpu >= s->cpus ||
	    (wake->kind == ANALYZE_KIND_WAKEUP && analyze_engine_summary(s->eng)->has_waking))
		return;
	cell = cell_at(s, wake->cpu, wake->t_ns);
	if (cell)
		cell->wakeups++;
}

static int part(void *self, struct analyze_engine *eng, struct cdict_error *err)
{
	struct analyze_switches *later;

	return analyze_switches_new(&later, eng, &((struct analyze_switches *)self)->opts, err);
}

static void part_free(void *self)
{
	analyze_switches_free(self);
}

static int join(void *self, void *later)
{
	struct analyze_switches *s = self;
	const struct analyze_switches *l = later;

	for (uint32_t cpu = 0; cpu < s->cpus; cpu++) {
		const struct analyze_switch_cell *from = l->rows[cpu];
		struct analyze_switch_cell *to = from ? row_of(s, cpu) : NULL;

		if (from && !to)
			return -ENOMEM;
		for (uint32_t i = 0; from && i < s->buckets; i++) {
			to[i].switches += from[i].switches;
			to[i].involuntary += from[i].involuntary;
			to[i].wakeups += from[i].wakeups;
			to[i].busy_ns += from[i].busy_ns;
			to[i].idle_ns += from[i].idle_ns;
			to[i].unknown_ns += from[i].unknown_ns;
		}
	}
	return 0;
}

static const struct analyze_ops ops = {
	.needs = ANALYZE_NEED_WAKES,
	.run = on_run,
	.sw = on_switch,
	.wake = on_wake,
	.start = on_start,
	.resumes = true,
	.part = part,
	.part_free = part_free,
	.join = join,
};

int analyze_switches_new(struct analyze_switches **out, struct analyze_engine *eng,
			 const struct analyze_switches_options *opts, struct cdict_error *err)
{
	struct analyze_switches *s = calloc(1, sizeof(*s));
	int ret;

	*out = NULL;
	if (!s)
		return cdict_fail_nomem(err);
	s->eng = eng;
	if (opts)
		s->opts = *opts;
	ret = analyze_engine_add(eng, &ops, s, err);
	if (ret) {
		free(s);
		return ret;
	}
	*out = s;
	return 0;
}

void analyze_switches_free(struct analyze_switches *s)
{
	if (!s)
		return;
	for (uint32_t cpu = 0; s->rows && cpu < s->cpus; cpu++)
		free(s->rows[cpu]);
	free(s->rows);
	free(s);
}

uint64_t analyze_switches_bucket_ns(const struct analyze_switches *s)
{
	return s->bucket_ns;
}

uint32_t analyze_switches_buckets(const struct analyze_switches *s)
{
	return s->buckets;
}

const struct analyze_switch_cell *analyze_switches_at(const struct analyze_switches *s,
						      uint32_t cpu, uint32_t bucket)
{
	static const struct analyze_switch_cell none;

	return s->rows[cpu] ? &s->rows[cpu][bucket] : &none;
}

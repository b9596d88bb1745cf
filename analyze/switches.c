// SPDX-License-Identifier: LGPL-2.1-only
/* switches.c - see switches.h. */
#include "analyze/switches.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/ops.h"
#include "base/fail.h"

enum { BUCKETS_DEFAULT = 100, BUCKETS_MAX = 1 << 20, CELLS_MAX = 1 << 22 };

struct analyze_switches {
	struct analyze_engine *eng;
	struct analyze_switches_options opts;
	uint64_t from_ns, to_ns, bucket_ns;
	uint32_t buckets;
	struct analyze_switch_cell *cells; /* [cpu][bucket] */
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
	s->cells = calloc((size_t)s->buckets * (cpus ? cpus : 1), sizeof(*s->cells));
	return s->cells ? 0 : cdict_fail_nomem(err);
}

static struct analyze_switch_cell *cell_at(struct analyze_switches *s, uint32_t cpu, uint64_t t)
{
	size_t first = (size_t)cpu * s->buckets;

	return &s->cells[s->buckets > 1 ? first + (t - s->from_ns) / s->bucket_ns : first];
}

/* A part of a run that lies in the window. */
static void book(struct analyze_switches *s, const struct analyze_run *run, uint64_t from,
		 uint64_t to_ns)
{
	while (from < to_ns) {
		struct analyze_switch_cell *cell = cell_at(s, run->cpu, from);
		uint64_t left = s->buckets > 1 ? s->bucket_ns - (from - s->from_ns) % s->bucket_ns
					       : UINT64_MAX;
		uint64_t ns = to_ns - from < left ? to_ns - from : left;

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
	cell->switches++;
	cell->involuntary += sw->involuntary;
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct analyze_switches *s = self;

	if (wake->in && wake->cpu < analyze_engine_cpus(s->eng) &&
	    (wake->kind != ANALYZE_KIND_WAKEUP || !analyze_engine_summary(s->eng)->has_waking))
		cell_at(s, wake->cpu, wake->t_ns)->wakeups++;
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

	for (size_t i = 0; i < (size_t)s->buckets * analyze_engine_cpus(s->eng); i++) {
		s->cells[i].switches += l->cells[i].switches;
		s->cells[i].involuntary += l->cells[i].involuntary;
		s->cells[i].wakeups += l->cells[i].wakeups;
		s->cells[i].busy_ns += l->cells[i].busy_ns;
		s->cells[i].idle_ns += l->cells[i].idle_ns;
		s->cells[i].unknown_ns += l->cells[i].unknown_ns;
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
	free(s->cells);
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
	return &s->cells[(size_t)cpu * s->buckets + bucket];
}

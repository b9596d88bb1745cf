// SPDX-License-Identifier: LGPL-2.1-only
/* coremap.c - see coremap.h. */
#include "analyze/coremap.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/index.h"
#include "analyze/ops.h"
#include "base/fail.h"

struct analyze_coremap {
	struct analyze_engine *eng;
	struct index index; /* (task, CPU) */
	ARRAY(struct analyze_core_cell) cells;
	struct analyze_core_cell spill;
	uint32_t *last; /* per CPU: the cell asked for last */
	struct analyze_core_cpu *cpus;
};

static struct analyze_core_cell *cell_of(struct analyze_coremap *m, uint32_t task, uint32_t cpu)
{
	uint32_t i = m->last[cpu];
	struct analyze_core_cell *cell;

	/* A switch asks for the cell that the piece before it had. */
	if (i < m->cells.n && m->cells.at[i].task == task && m->cells.at[i].cpu == cpu)
		return &m->cells.at[i];
	i = index_take(&m->index, task, cpu);
	cell = row_at(&m->cells, i);
	if (!cell) {
		analyze_engine_out_of_memory(m->eng);
		return &m->spill;
	}
	cell->task = task;
	cell->cpu = cpu;
	m->last[cpu] = i;
	return cell;
}

static void on_run(void *self, const struct analyze_run *run)
{
	struct analyze_coremap *m = self;
	uint64_t ns = run->to_ns - run->from_ns;
	struct analyze_core_cell *cell;

	if (!ns)
		return;
	if (run->task == ANALYZE_NO_TASK) {
		m->cpus[run->cpu].unknown_ns += ns;
		return;
	}
	if (analyze_engine_task(m->eng, run->task)->tid)
		m->cpus[run->cpu].busy_ns += ns;
	else
		m->cpus[run->cpu].idle_ns += ns;
	cell = cell_of(m, run->task, run->cpu);
	cell->run_ns += ns;
	if (!run->start_seen || !run->end_seen)
		cell->edge_ns += ns;
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct analyze_coremap *m = self;

	if (!sw->in)
		return;
	cell_of(m, sw->prev, sw->cpu)->switches++;
	m->cpus[sw->cpu].switches++;
}

static int by_task(const void *a, const void *b)
{
	const struct analyze_core_cell *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static int on_start(void *self, const struct cdict_schema *schema, struct cdict_error *err)
{
	struct analyze_coremap *m = self;

	(void)schema;
	m->cpus = calloc((size_t)analyze_engine_cpus(m->eng) + 1, sizeof(*m->cpus));
	m->last = calloc((size_t)analyze_engine_cpus(m->eng) + 1, sizeof(*m->last));
	return m->cpus && m->last ? 0 : cdict_fail_nomem(err);
}

static int on_finish(void *self, struct cdict_error *err)
{
	struct analyze_coremap *m = self;

	(void)err;
	if (m->cells.n)
		qsort(m->cells.at, m->cells.n, sizeof(*m->cells.at), by_task);
	return 0;
}

static const struct analyze_ops ops = {
	.run = on_run,
	.sw = on_switch,
	.start = on_start,
	.finish = on_finish,
};

int analyze_coremap_new(struct analyze_coremap **out, struct analyze_engine *eng,
			struct cdict_error *err)
{
	struct analyze_coremap *m = calloc(1, sizeof(*m));
	int ret;

	*out = NULL;
	if (!m)
		return cdict_fail_nomem(err);
	m->eng = eng;
	ret = analyze_engine_add(eng, &ops, m, err);
	if (ret) {
		free(m);
		return ret;
	}
	*out = m;
	return 0;
}

void analyze_coremap_free(struct analyze_coremap *m)
{
	if (!m)
		return;
	array_fini(&m->cells);
	free(m->cpus);
	free(m->last);
	index_fini(&m->index);
	free(m);
}

size_t analyze_coremap_count(const struct analyze_coremap *m)
{
	return m->cells.n;
}

const struct analyze_core_cell *analyze_coremap_at(const struct analyze_coremap *m, size_t i)
{
	return &m->cells.at[i];
}

const struct analyze_core_cpu *analyze_coremap_cpu(const struct analyze_coremap *m, uint32_t cpu)
{
	return &m->cpus[cpu];
}

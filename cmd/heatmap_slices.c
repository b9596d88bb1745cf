/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap: the pictures over time: switches, kvm, cores. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cmd/heatmap.h"
#include "render/view_cores.h"
#include "render/view_switches.h"

static int bin(void *ctx, const struct analyze_slice *s)
{
	struct bins *bins = ctx;

	if (s->start_ns == ANALYZE_NO_TIME)
		return bins_unplaced(bins, s->task);
	return bins_add(bins, s->task, s->end_ns, s->end_ns - s->start_ns);
}

/* A heat map of one kind of slice. */
int heatmap_add_slices(struct heatmap *h, struct cdict_error *err)
{
	struct analyze_slices_options how = { .kinds = 1u << h->kind, .tell = bin };

	h->bins = bins_new(h->f.filter.from_ns, h->f.filter.to_ns, view_switches_columns(&h->c));
	if (!h->bins)
		return cdict_fail_nomem(err);
	how.ctx = h->bins;
	return analyze_slices_new(&h->slices, h->f.walk.eng, &how, err);
}

int heatmap_draw_slices(struct heatmap *h)
{
	if (heatmap_find_wanted(h))
		return -ENOMEM;
	return view_switches(&h->m, &h->c, &h->cap.frame, h->kind, h->bins, heatmap_is_wanted, h);
}

/* --- cores --- */

static int put_piece(void *ctx, const struct analyze_slice *s)
{
	/* who ran is not known: leave it empty */
	if (s->task == ANALYZE_NO_TASK)
		return 0;
	return lanes_add(ctx, s->cpu, s->task, s->start_ns, s->end_ns);
}

int heatmap_add_cores(struct heatmap *h, struct cdict_error *err)
{
	struct analyze_slices_options how = { .kinds = 1u << ANALYZE_SLICE_PIECE,
					      .tell = put_piece };
	int rc;

	h->lanes = lanes_new(h->f.filter.from_ns, h->f.filter.to_ns, view_cores_columns(&h->c),
			     cdict_reader_cpus(h->f.reader));
	if (!h->lanes)
		return cdict_fail_nomem(err);
	how.ctx = h->lanes;
	rc = analyze_slices_new(&h->slices, h->f.walk.eng, &how, err);
	return rc ? rc : analyze_tasks_new(&h->f.walk.tasks, h->f.walk.eng, NULL, err);
}

/* Which task has which colour. */
struct colours {
	uint8_t *of; /* by task */
	char *names[PALETTE_TASKS];
};

static unsigned colour_of(void *ctx, uint32_t who)
{
	return ((const struct colours *)ctx)->of[who];
}

/* The wanted tasks that ran longest get the colours. */
static int choose_colours(struct heatmap *h, struct colours *col, struct cores *cores)
{
	const struct analyze_engine *eng = h->f.walk.eng;
	struct analyze_tasks *tasks = h->f.walk.tasks;
	size_t n = analyze_engine_task_count(eng), rows = analyze_tasks_row_count(tasks);

	col->of = malloc(n + 1);
	if (!col->of)
		return -ENOMEM;
	memset(col->of, PALETTE_TASKS, n);
	for (size_t i = 0; i < n; i++) {
		if (!analyze_engine_task(eng, (uint32_t)i)->tid)
			col->of[i] = CORES_IDLE;
	}
	while (cores->n_tasks < PALETTE_TASKS) {
		uint32_t best = ANALYZE_NO_TASK;
		uint64_t best_ns = 0;
		struct cores_task *chosen = &cores->tasks[cores->n_tasks];

		for (size_t i = 0; i < rows; i++) {
			const struct analyze_task_row *row = analyze_tasks_row_at(tasks, i);

			if (col->of[row->task] == PALETTE_TASKS && row->run_ns > best_ns &&
			    heatmap_is_wanted(h, row->task)) {
				best = row->task;
				best_ns = row->run_ns;
			}
		}
		if (best == ANALYZE_NO_TASK)
			break;
		col->of[best] = (uint8_t)cores->n_tasks;
		chosen->name = col->names[cores->n_tasks] = heatmap_task_name(h, best);
		chosen->run_ns = best_ns;
		if (!chosen->name)
			return -ENOMEM;
		cores->n_tasks++;
	}
	for (size_t i = 0; i < rows; i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(tasks, i);

		if (col->of[row->task] == PALETTE_TASKS)
			cores->others_ns += row->run_ns;
	}
	return 0;
}

int heatmap_draw_cores(struct heatmap *h)
{
	struct colours col = { 0 };
	struct cores cores = { .lanes = h->lanes, .colour = colour_of, .ctx = &col };
	uint32_t n = analyze_engine_cpus(h->f.walk.eng);
	uint32_t *cpus = calloc((size_t)n + 1, sizeof(*cpus));
	int rc = cpus ? heatmap_find_wanted(h) : -ENOMEM;

	for (uint32_t cpu = 0; cpus && cpu < n; cpu++) {
		if (tables_cpu(&h->f.walk, cpu))
			cpus[cores.n_cpus++] = cpu;
	}
	cores.cpus = cpus;
	if (!rc)
		rc = choose_colours(h, &col, &cores);
	if (!rc)
		rc = view_cores(&h->m, &h->c, &h->cap.frame, &cores);
	for (size_t i = 0; i < PALETTE_TASKS; i++)
		free(col.names[i]);
	free(col.of);
	free(cpus);
	return rc;
}

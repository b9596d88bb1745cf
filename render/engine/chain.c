/* SPDX-License-Identifier: GPL-2.0-only */
/* The chain of wake-ups before one wait of a task: q.lo_ns is a time in it. */
#include <stdlib.h>

#include "analyze/sched/chains.h"
#include "base/fail.h"
#include "render/engine/engine_internal.h"
#include "tables/vm/story.h"

struct chain {
	struct tables_walk walk;
	struct analyze_chains *chains;
};

static bool is_wanted(void *ctx, uint32_t task)
{
	const struct page_task_key *known = page_tasks_of(ctx, task);

	return known && page_tasks_wanted(ctx, known);
}

static int chain_add(struct page_engine *e, struct cdict_error *err)
{
	struct chain *c = e->state;
	struct analyze_chains_options how = { .wanted = is_wanted,
					      .ctx = e,
					      .at_ns = e->t0_ns + e->q.lo_ns };
	int rc = page_engine_walk(e, &c->walk, err);

	if (!rc)
		rc = analyze_chains_new(&c->chains, c->walk.eng, &how, err);
	return rc ? rc : tables_walk_begin(&c->walk, err);
}

static int chain_step(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	return tables_walk_step(&((struct chain *)e->state)->walk, events, err);
}

static int chain_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct chain *c = e->state;
	size_t n = analyze_engine_task_count(e->eng);
	uint32_t *numbers = malloc((n + 1) * sizeof(*numbers));
	struct table *t = tables_chains(&c->walk, c->chains, 1, 0);

	for (uint32_t i = 0; numbers && i < n; i++)
		numbers[i] = page_tasks_number(e, i);
	/* the task of each link, by its number */
	json_open(a->j, "tasks", '[', false);
	for (size_t i = 0; numbers && i < analyze_chains_row_count(c->chains); i++) {
		const struct analyze_chain_row *row = analyze_chains_row_at(c->chains, i);

		for (unsigned k = 0; k < row->n_links; k++)
			page_number_json(a->j, NULL, numbers[row->link[k].task]);
	}
	json_close(a->j);
	json_open(a->j, "tables", '{', true);
	if (t && numbers)
		table_page_json(a->j, t->name, t, e->t0_ns, numbers);
	json_close(a->j);
	n = t && numbers;
	table_free(t);
	free(numbers);
	return n ? 0 : cdict_fail_nomem(err);
}

static void chain_fini(struct page_engine *e)
{
	struct chain *c = e->state;

	e->eng = NULL;
	analyze_chains_free(c->chains);
	tables_walk_fini(&c->walk);
}

const struct page_call page_chain = { .state_size = sizeof(struct chain),
				      .add = chain_add,
				      .write = chain_write,
				      .fini = chain_fini,
				      .step = chain_step };

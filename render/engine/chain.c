/* SPDX-License-Identifier: GPL-2.0-only */
/* The chain of wake-ups before one wait of a task: q.lo_ns is a time in it; and the critical path of a task in a range, as
 * cdict vm --critical. */
#include <stdlib.h>

#include "analyze/sched/chains.h"
#include "analyze/sched/critical.h"
#include "base/fail.h"
#include "render/engine/engine_internal.h"
#include "tables/vm/story.h"

/* ---- the chain of a wait ---- */

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

/* ---- the critical path ---- */

struct part {
	uint32_t task, state, depth, cpu, behind;
	uint64_t from_ns, to_ns;
};

struct path {
	struct tables_walk walk;
	struct analyze_critical *critical;
	ARRAY(struct part) parts;
	ARRAY(uint32_t) numbers; /* the page's, by the walk's */
};

static bool is_chosen(void *ctx, uint32_t task)
{
	struct page_engine *e = ctx;
	const struct page_task_key *known = e->chosen ? page_tasks_of(e, task) : NULL;

	return known && page_tasks_wanted(e, known);
}

static int path_add(struct page_engine *e, struct cdict_error *err)
{
	struct path *p = e->state;
	int rc = page_engine_walk(e, &p->walk, err);

	if (!rc)
		rc = analyze_critical_new(&p->critical, p->walk.eng, is_chosen, e, err);
	return rc ? rc : tables_walk_begin(&p->walk, err);
}

static int path_step(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	return tables_walk_step(&((struct path *)e->state)->walk, events, err);
}

static int take_parts(struct page_engine *e, struct path *p)
{
	size_t n = analyze_critical_count(p->critical);
	int rc = array_resize(&p->parts, n);

	if (!rc)
		rc = array_resize(&p->numbers, analyze_engine_task_count(e->eng));
	for (uint32_t i = 0; !rc && i < p->numbers.n; i++)
		p->numbers.at[i] = page_tasks_number(e, i);
	for (size_t i = 0; !rc && i < n; i++) {
		const struct analyze_critical_segment *seg = analyze_critical_at(p->critical, i);

		p->parts.at[i] = (struct part){
			.task = p->numbers.at[seg->task],
			.state = seg->kind,
			.depth = seg->depth,
			.cpu = seg->cpu,
			.behind = seg->other == ANALYZE_NO_TASK ? PAGE_NO_TASK
								: p->numbers.at[seg->other],
			.from_ns = seg->from_ns - e->t0_ns,
			.to_ns = seg->to_ns - e->t0_ns,
		};
	}
	return rc;
}

static int path_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct path *p = e->state;
	struct table *sums = tables_critical_sums(&p->walk, p->critical);

	if (!sums || take_parts(e, p)) {
		table_free(sums);
		return cdict_fail_nomem(err);
	}
	json_open(a->j, "states", '[', false);
	for (unsigned k = 0; k < ANALYZE_CRITICAL_KINDS; k++)
		json_text(a->j, NULL, analyze_critical_name(k));
	json_close(a->j);
	arrays_member(a, "task", p->parts, task);
	arrays_member(a, "state", p->parts, state);
	arrays_member(a, "depth", p->parts, depth);
	arrays_member(a, "cpu", p->parts, cpu);
	arrays_member(a, "behind", p->parts, behind);
	arrays_member(a, "from", p->parts, from_ns);
	arrays_member(a, "to", p->parts, to_ns);
	json_open(a->j, "tables", '{', true);
	table_page_json(a->j, sums->name, sums, e->t0_ns, p->numbers.at);
	json_close(a->j);
	table_free(sums);
	return 0;
}

static void path_fini(struct page_engine *e)
{
	struct path *p = e->state;

	e->eng = NULL;
	analyze_critical_free(p->critical);
	tables_walk_fini(&p->walk);
	array_fini(&p->parts);
	array_fini(&p->numbers);
}

const struct page_call page_critical = { .state_size = sizeof(struct path),
					 .add = path_add,
					 .write = path_write,
					 .fini = path_fini,
					 .step = path_step };

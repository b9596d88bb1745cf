/* SPDX-License-Identifier: GPL-2.0-only */
/* All figures of a range, or those of tasks, exits, VMs or the core map for some tasks and CPUs, by the same walk and
 * writer as those of the whole window. */
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "render/engine/capture.h"
#include "render/engine/engine_internal.h"
#include "tables/guest/guests.h"

struct figures {
	struct tables_walk walk;
	struct page_capture capture;
	enum { HOST, GUESTS, DONE } now; /* what is walked over */
	struct guests *guests;           /* of the engine, after their walks; or NULL */
	uint32_t *numbers;               /* the page's, by the walk's numbers */
};

static bool is_wanted(void *ctx, const struct analyze_task *task)
{
	const struct page_task_key *known = page_tasks_of(ctx, task->index);

	return known && known->wanted && page_tasks_wanted(ctx, known);
}

int page_engine_walk(struct page_engine *e, struct tables_walk *w, struct cdict_error *err)
{
	struct tables_options opts = { .from_ns = e->t0_ns + e->q.from_ns,
				       .to_ns = e->t0_ns + e->q.to_ns,
				       .cpus = e->cpus,
				       .n_cpus = e->n_cpus };
	int rc = page_engine_digests(e, &opts.digests, err);

	if (!rc)
		rc = page_engine_labels(e, &opts.names.labels, err);
	if (rc)
		return rc;
	if (e->q.filtered || e->chosen) {
		opts.names.filter.wanted = is_wanted;
		opts.names.filter.ctx = e;
	}
	rc = tables_walk_init(w, e->reader, &opts, err);
	e->eng = w->eng;
	return rc;
}

static int figures_add(struct page_engine *e, struct cdict_error *err)
{
	struct figures *f = e->state;
	int rc = page_engine_walk(e, &f->walk, err);

	f->capture.walk = &f->walk;
	f->capture.part = e->part;
	f->capture.reasons = (const char *const *)e->reasons.at;
	f->capture.n_reasons = e->reasons.n;
	if (!rc)
		rc = page_capture_add(&f->capture, err);
	return rc ? rc : tables_walk_begin(&f->walk, err);
}

static void figures_fini(struct page_engine *e)
{
	struct figures *f = e->state;

	e->eng = NULL;
	page_capture_fini(&f->capture);
	tables_walk_fini(&f->walk);
	free(f->numbers);
}

static bool has_findings(const struct figures *f)
{
	return f->capture.part == PAGE_EVERYTHING || f->capture.part == PAGE_ONLY_FINDINGS;
}

/* The joined guests, for findings about their tasks; none if they cannot be read. */
static int guests_walk(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	struct figures *f = e->state;
	int rc = 0;

	page_tasks_forget(
		&e->tasks); /* the walk over the host that belongs to them has other numbers */
	if (f->now == HOST)
		rc = page_guests_again(e, NULL, err);
	else
		e->eng = e->guests->walk.eng;
	f->now = GUESTS;
	if (!rc)
		rc = page_guests_step(e, events, err);
	if (!rc)
		f->guests = e->guests;
	e->eng = f->walk.eng;
	page_tasks_forget(&e->tasks);
	f->now = rc > 0 ? GUESTS : DONE;
	return rc < 0 && rc != -ENOMEM ? 0 : rc;
}

static int figures_step(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	struct figures *f = e->state;
	int rc = f->now == HOST ? tables_walk_step(&f->walk, events, err) : 0;

	if (!rc && f->now != DONE && has_findings(f) && guests_joined(e->reader))
		rc = guests_walk(e, events, err);
	return rc;
}

static int figures_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct figures *f = e->state;
	size_t n = analyze_engine_task_count(e->eng);
	const struct analyze_summary *sum = analyze_engine_summary(e->eng);

	f->numbers = malloc((n + 1) * sizeof(*f->numbers));
	if (!f->numbers)
		return cdict_fail_nomem(err);
	for (uint32_t i = 0; i < n; i++)
		f->numbers[i] = page_tasks_number(e, i);
	f->capture.numbers = f->numbers;
	json_u64(a->j, "events", sum->events);
	json_u64(a->j, "unknown_ns", sum->unknown_ns);
	if (page_capture_fill(&f->capture) || page_figures_json(a->j, &f->capture, a->out) ||
	    (has_findings(f) &&
	     tables_findings_json(a->j, &f->walk, e->t0_ns, f->numbers, f->guests)))
		return cdict_fail_nomem(err);
	return 0;
}

const struct page_call page_figures = { .state_size = sizeof(struct figures),
					.add = figures_add,
					.write = figures_write,
					.fini = figures_fini,
					.step = figures_step };

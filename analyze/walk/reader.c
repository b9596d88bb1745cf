// SPDX-License-Identifier: LGPL-2.1-only
/* reader.c - a cdict file as the engine's source. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/walk/digest.h"
#include "base/fail.h"
#include "cdict/stack.h"

/* With fewer events in whole blocks inside a window, another thread does not pay. */
enum { AHEAD_EVENTS = 1 << 18 };

static int next(void *ctx, struct cdict_event *ev, struct cdict_error *err)
{
	struct analyze_engine *eng = ctx;
	bool is_first = eng->led && eng->has_first;

	eng->led = false;
	if (!is_first)
		return cdict_events_next(eng->it, ev, err);
	*ev = eng->first;
	return 1;
}

static const struct cdict_task_event *task_at(void *ctx, size_t i)
{
	return cdict_reader_task_at(((struct analyze_engine *)ctx)->reader, i);
}

static const struct cdict_loss *loss_at(void *ctx, size_t i)
{
	return cdict_reader_loss_at(((struct analyze_engine *)ctx)->reader, i);
}

void analyze_first_of_cpus(const struct cdict_reader *r, uint64_t *first_ns, uint32_t cpus)
{
	for (uint32_t c = 0; c < cpus; c++)
		first_ns[c] = ANALYZE_NO_TIME;
	for (size_t i = 0; i < cdict_reader_block_count(r); i++) {
		const struct cdict_block_info *b = cdict_reader_block_at(r, i);

		if (b->cpu < cpus && b->first_ns < first_ns[b->cpu])
			first_ns[b->cpu] = b->first_ns;
	}
}

static void first_of_cpus(void *ctx, uint64_t *first_ns, uint32_t cpus)
{
	analyze_first_of_cpus(((struct analyze_engine *)ctx)->reader, first_ns, cpus);
}

static uint32_t stack(void *ctx)
{
	const struct analyze_engine *eng = ctx;

	return eng->it && !eng->led ? cdict_events_stack(eng->it) : CDICT_NO_STACK;
}

struct analyze_source engine_source(struct analyze_engine *eng)
{
	const struct cdict_reader *r = eng->reader;
	struct analyze_source src = { .schema = cdict_reader_schema(r),
				      .ctx = eng,
				      .next = next,
				      .cpus = cdict_reader_cpus(r),
				      .n_tasks = cdict_reader_task_count(r),
				      .n_losses = cdict_reader_loss_count(r),
				      .task_at = task_at,
				      .loss_at = loss_at,
				      .stack = stack,
				      .first_of_cpus = first_of_cpus };

	scope_of_reader(&src.scope, r);
	if (!cdict_reader_window(r, &src.first_ns, &src.last_ns))
		src.first_ns = src.last_ns = 0;
	return src;
}

void engine_close(struct analyze_engine *eng)
{
	cdict_events_close(eng->it);
	eng->it = NULL;
	eng->led = false;
}

/* @query: with the fields that differ between callers set. */
static int open_from(struct analyze_engine *eng, struct cdict_query query, unsigned needs,
		     struct cdict_error *err)
{
	const struct cdict_schema *schema = cdict_reader_schema(eng->reader);
	uint64_t **fields;
	int ret;

	fields = types_fields(eng->types, schema, needs, eng->sum.scope.foreign);
	if (!fields)
		return cdict_fail_nomem(err);
	query.size = sizeof(query);
	query.from_ns = eng->begin_ns;
	query.fields = (const uint64_t *const *)fields;
	query.n_fields = eng->n_types;
	if (eng->opts.narrow) {
		query.cpus = eng->opts.cpus;
		query.n_cpus = eng->opts.n_cpus;
	}
	ret = cdict_events_open(&eng->it, eng->reader, &query, err);
	free(fields);
	return ret;
}

int engine_open(struct analyze_engine *eng, uint64_t to_ns, unsigned jobs, struct cdict_error *err)
{
	const struct cdict_query query = { .to_ns = to_ns, .jobs = jobs };

	return open_from(eng, query, eng->needs, err);
}

/* Threads for the window's events: decoding beyond its end would be in vain. */
static unsigned window_jobs(const struct analyze_engine *eng)
{
	uint64_t events = 0;

	for (size_t i = 0; i < cdict_reader_block_count(eng->reader); i++) {
		const struct cdict_block_info *b = cdict_reader_block_at(eng->reader, i);

		if (b->first_ns >= eng->begin_ns && b->last_ns <= eng->sum.to_ns)
			events += b->events;
	}
	return events < AHEAD_EVENTS ? 1 : eng->opts.jobs;
}

int engine_lead(struct analyze_engine *eng, void (*lead)(void *ctx, const struct cdict_event *ev),
		void *ctx, struct cdict_error *err)
{
	const struct cdict_query query = {
		.to_ns = eng->walk_to_ns, .jobs = window_jobs(eng), .lead = lead, .lead_ctx = ctx
	};
	int ret;

	engine_close(eng);
	ret = open_from(eng, query, eng->needs | DIGEST_NEEDS, err);
	/* Reading the first event passes all earlier ones to lead(). */
	if (!ret)
		ret = cdict_events_next(eng->it, &eng->first, err);
	eng->led = true;
	eng->has_first = ret > 0;
	return ret < 0 ? ret : 0;
}

/* Opens the events at the begin that engine_resume() finds. */
static int open_events(struct analyze_engine *eng, struct cdict_error *err)
{
	int ret = eng->opts.digests ? engine_resume(eng, eng->sum.from_ns, err) : 0;

	if (!ret && eng->begin_ns == eng->walk_from_ns)
		ret = early_wakes_find(eng, eng->begin_ns, NULL, err);
	return ret || eng->it ? ret : engine_open(eng, eng->walk_to_ns, eng->opts.jobs, err);
}

int engine_begin(struct analyze_engine *eng, struct cdict_reader *r, struct cdict_error *err)
{
	struct analyze_source src;
	bool whole;
	int ret;

	eng->reader = r;
	src = engine_source(eng);
	ret = engine_prepare(eng, &src, err);
	if (ret)
		return ret;
	whole = eng->sum.from_ns == src.first_ns && eng->sum.to_ns == src.last_ns;
	if (whole || eng->walk_all || eng->opts.no_guest_mode)
		eng->opts.digests = NULL;
	return 0;
}

int engine_begin_events(struct analyze_engine *eng, struct cdict_error *err)
{
	return eng->opts.digests ? 0 : open_events(eng, err);
}

int analyze_engine_begin(struct analyze_engine *eng, struct cdict_reader *r,
			 struct cdict_error *err)
{
	int ret = engine_begin(eng, r, err);

	return ret ? ret : engine_begin_events(eng, err);
}

int analyze_engine_step(struct analyze_engine *eng, uint64_t events, struct cdict_error *err)
{
	struct analyze_source src = engine_source(eng);
	int ret;

	if (!eng->it) {
		ret = digests_done(eng->opts.digests)
			      ? 0
			      : digests_step(eng->opts.digests, events, err);
		if (!ret && digests_done(eng->opts.digests))
			ret = open_events(eng, err);
		return ret < 0                ? ret
		       : events == UINT64_MAX ? analyze_engine_step(eng, events, err)
					      : 1;
	}
	ret = engine_walk(eng, &src, events, err);
	if (ret <= 0)
		engine_close(eng);
	return ret;
}

int analyze_engine_run_reader(struct analyze_engine *eng, struct cdict_reader *r,
			      struct cdict_error *err)
{
	int ret = analyze_engine_begin(eng, r, err);

	return ret ? ret : analyze_engine_step(eng, UINT64_MAX, err);
}

// SPDX-License-Identifier: GPL-2.0-only
/* reader.c - a cdict file as the engine's source. */
#include "analyze/internal.h"

static int next(void *ctx, struct cdict_event *ev, struct cdict_error *err)
{
	struct cdict_events **it = ctx;

	return cdict_events_next(*it, ev, err);
}

struct file {
	struct cdict_events *it; /* first: next() takes a pointer to it */
	struct cdict_reader *reader;
};

static const struct cdict_task_event *task_at(void *ctx, size_t i)
{
	return cdict_reader_task_at(((struct file *)ctx)->reader, i);
}

static const struct cdict_loss *loss_at(void *ctx, size_t i)
{
	return cdict_reader_loss_at(((struct file *)ctx)->reader, i);
}

int analyze_engine_run_reader(struct analyze_engine *eng, struct cdict_reader *r,
			      struct cdict_error *err)
{
	struct file file = { .reader = r };
	struct analyze_source src = { .schema = cdict_reader_schema(r),
				      .ctx = &file,
				      .next = next,
				      .cpus = cdict_reader_cpus(r),
				      .n_tasks = cdict_reader_task_count(r),
				      .n_losses = cdict_reader_loss_count(r),
				      .task_at = task_at,
				      .loss_at = loss_at };
	struct cdict_query query = { 0 };
	int ret;

	if (!cdict_reader_window(r, &src.first_ns, &src.last_ns))
		src.first_ns = src.last_ns = 0;
	ret = engine_prepare(eng, &src, err);
	if (ret)
		return ret;
	query = (struct cdict_query){ .from_ns = eng->walk_from_ns, .to_ns = eng->walk_to_ns };
	ret = cdict_events_open(&file.it, r, &query, err);
	if (!ret)
		ret = engine_walk(eng, &src, err);
	cdict_events_close(file.it);
	return ret;
}

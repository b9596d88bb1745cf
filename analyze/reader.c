// SPDX-License-Identifier: GPL-2.0-only
/* reader.c - a cdict file as the engine's source: only what it needs is decoded. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/internal.h"
#include "base/fail.h"

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
	const struct cdict_schema *schema = cdict_reader_schema(r);
	size_t n_types = cdict_schema_count(schema);
	uint64_t *types = calloc(n_types / 64 + 1, sizeof(*types));
	struct file file = { .reader = r };
	struct analyze_source src = { .schema = schema,
				      .ctx = &file,
				      .next = next,
				      .cpus = cdict_reader_cpus(r),
				      .n_tasks = cdict_reader_task_count(r),
				      .n_losses = cdict_reader_loss_count(r),
				      .task_at = task_at,
				      .loss_at = loss_at };
	struct cdict_query query = { 0 };
	int ret;

	if (!types)
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	if (!cdict_reader_window(r, &src.first_ns, &src.last_ns))
		src.first_ns = src.last_ns = 0;
	ret = engine_prepare(eng, &src, err);
	if (ret)
		goto out;
	for (size_t i = 0; i < n_types; i++)
		if (eng->opts.all_types || (eng->types[i].kind != ANALYZE_KIND_OTHER &&
					    eng->needs & 1u << eng->types[i].kind))
			types[i / 64] |= UINT64_C(1) << (i % 64);
	query = (struct cdict_query){ .types = types,
				      .n_types = n_types,
				      .from_ns = eng->walk_from_ns,
				      .to_ns = eng->walk_to_ns };
	ret = cdict_events_open(&file.it, r, &query, err);
	if (!ret)
		ret = engine_walk(eng, &src, err);
	cdict_events_close(file.it);
out:
	free(types);
	return ret;
}

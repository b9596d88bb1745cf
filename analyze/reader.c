// SPDX-License-Identifier: LGPL-2.1-only
/* reader.c - a cdict file as the engine's source. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/internal.h"
#include "base/fail.h"

static int next(void *ctx, struct cdict_event *ev, struct cdict_error *err)
{
	return cdict_events_next(((struct analyze_engine *)ctx)->it, ev, err);
}

static const struct cdict_task_event *task_at(void *ctx, size_t i)
{
	return cdict_reader_task_at(((struct analyze_engine *)ctx)->reader, i);
}

static const struct cdict_loss *loss_at(void *ctx, size_t i)
{
	return cdict_reader_loss_at(((struct analyze_engine *)ctx)->reader, i);
}

static uint64_t first_of_cpu(void *ctx, uint32_t cpu)
{
	const struct cdict_reader *r = ((struct analyze_engine *)ctx)->reader;
	uint64_t first_ns = UINT64_MAX;

	for (size_t i = 0; i < cdict_reader_block_count(r); i++) {
		const struct cdict_block_info *b = cdict_reader_block_at(r, i);

		if (b->cpu == cpu && b->first_ns < first_ns)
			first_ns = b->first_ns;
	}
	return first_ns;
}

/* The fields that the walk looks at, by type: those that types.c found, of the kinds that are
 * dispatched.  One allocation; NULL: out of memory. */
static uint64_t **wanted_fields(const struct analyze_engine *eng, const struct cdict_schema *schema)
{
	size_t n_words = 0, at = 0;
	uint64_t **fields, *words;

	for (size_t i = 0; i < eng->n_types; i++)
		n_words += (cdict_schema_at(schema, i)->n_fields + 63) / 64;
	fields = calloc(1, (eng->n_types + 1) * sizeof(*fields) + n_words * sizeof(*words));
	if (!fields)
		return NULL;
	words = (uint64_t *)(fields + eng->n_types + 1);
	for (size_t i = 0; i < eng->n_types; i++) {
		const struct type_info *ti = &eng->types[i];

		fields[i] = words + at;
		at += (cdict_schema_at(schema, i)->n_fields + 63) / 64;
		for (int f = 0; f < FIELDS_MAX && eng->needs & 1u << ti->kind; f++)
			if (ti->field[f] >= 0)
				fields[i][ti->field[f] / 64] |= UINT64_C(1) << ti->field[f] % 64;
	}
	return fields;
}

static struct analyze_source source_of(struct analyze_engine *eng)
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
				      .first_of_cpu = first_of_cpu };

	scope_of_reader(&src.scope, r);
	if (!cdict_reader_window(r, &src.first_ns, &src.last_ns))
		src.first_ns = src.last_ns = 0;
	return src;
}

int analyze_engine_begin(struct analyze_engine *eng, struct cdict_reader *r,
			 struct cdict_error *err)
{
	struct analyze_source src;
	struct cdict_query query;
	uint64_t **fields;
	int ret;

	eng->reader = r;
	src = source_of(eng);
	ret = engine_prepare(eng, &src, err);
	if (ret)
		return ret;
	fields = wanted_fields(eng, src.schema);
	if (!fields)
		return cdict_fail_nomem(err);
	query = (struct cdict_query){ .from_ns = eng->walk_from_ns,
				      .to_ns = eng->walk_to_ns,
				      .fields = (const uint64_t *const *)fields,
				      .n_fields = eng->n_types,
				      .jobs = eng->opts.jobs };
	ret = cdict_events_open(&eng->it, r, &query, err);
	free(fields);
	return ret;
}

int analyze_engine_step(struct analyze_engine *eng, uint64_t events, struct cdict_error *err)
{
	struct analyze_source src = source_of(eng);
	int ret = engine_walk(eng, &src, events, err);

	if (ret <= 0) {
		cdict_events_close(eng->it);
		eng->it = NULL;
	}
	return ret;
}

int analyze_engine_run_reader(struct analyze_engine *eng, struct cdict_reader *r,
			      struct cdict_error *err)
{
	int ret = analyze_engine_begin(eng, r, err);

	return ret ? ret : analyze_engine_step(eng, UINT64_MAX, err);
}

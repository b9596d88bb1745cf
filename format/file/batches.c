/* SPDX-License-Identifier: LGPL-2.1-only */
/* The events of a block by type, one array per field: cdict/columns.h. */
#include "cdict/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/coding/decode.h"
#include "format/file/reader.h"

/* Gathered events of one type; reused from block to block. */
struct gathered {
	ARRAY(uint64_t) t_ns;
	ARRAY(int32_t) pid, tid;
	ARRAY(uint8_t) mode;
	ARRAY(uint32_t) at;
	uint64_t **values; /* by field, of t_ns.cap elements; NULL: not wanted */
	size_t room;       /* elements in each of them */
};

struct cdict_columns {
	struct cdict_reader *r;
	struct cdict_query query;
	struct format_plan *plan; /* NULL: all fields of all types */
	struct format_decoder *dec;
	struct gathered *types; /* by schema index */
	size_t n_types;
	size_t block, next_block; /* the one that was gathered, and the one after it */
	size_t next_type;         /* of that block, not given yet */
	const struct cdict_bytes *bytes;
};

static bool bit(const uint64_t *bits, size_t n, size_t i)
{
	return !bits || (i < n && bits[i / 64] >> i % 64 & 1);
}

/* Whether the caller reads the field. */
static bool wanted(const struct cdict_columns *it, size_t type, size_t field)
{
	const uint64_t *bits =
		it->query.fields && type < it->query.n_fields ? it->query.fields[type] : NULL;

	if (!it->query.fields || type >= it->query.n_fields)
		return true;
	return bits && bits[field / 64] >> field % 64 & 1;
}

/* An array for each field that is wanted, empty at first. */
static int make_types(struct cdict_columns *it)
{
	it->n_types = it->r->schema->types.n;
	it->types = calloc(it->n_types + 1, sizeof(*it->types));
	if (!it->types)
		return -ENOMEM;
	for (size_t i = 0; i < it->n_types; i++) {
		size_t n = it->r->schema->types.at[i]->pub.n_fields;
		struct gathered *g = &it->types[i];

		if (!bit(it->query.types, it->query.n_types, i))
			continue;
		g->values = calloc(n + 1, sizeof(*g->values));
		if (!g->values)
			return -ENOMEM;
		for (size_t f = 0; f < n; f++) {
			if (!wanted(it, i, f))
				continue;
			g->values[f] = malloc(sizeof(**g->values)); /* grows with the others */
			if (!g->values[f])
				return -ENOMEM;
		}
	}
	return 0;
}

int cdict_columns_open(struct cdict_columns **out, struct cdict_reader *r,
		       const struct cdict_query *query, struct cdict_error *err)
{
	struct cdict_columns *it = calloc(1, sizeof(*it));

	*out = NULL;
	if (!it)
		return cdict_fail_nomem(err);
	it->r = r;
	if (query)
		it->query = *query;
	if (!it->query.to_ns)
		it->query.to_ns = UINT64_MAX;
	it->dec = format_decoder_new(r->schema);
	if (it->query.fields || it->query.types)
		it->plan = format_plan_new(r->schema, &it->query);
	if (!it->dec || ((it->query.fields || it->query.types) && !it->plan) || make_types(it)) {
		cdict_columns_close(it);
		return cdict_fail_nomem(err);
	}
	format_decoder_use(it->dec, it->plan);
	it->query.fields = NULL; /* the caller's again */
	it->next_type = it->n_types;
	*out = it;
	return 0;
}

static int add_event(struct gathered *g, const struct cdict_event *ev, uint32_t at)
{
	size_t n = g->t_ns.n;

	if (n == g->room) {
		size_t room = n ? 2 * n : 64;

		for (size_t f = 0; f < ev->type->n_fields; f++) {
			uint64_t *grown = g->values[f]
						  ? reallocarray(g->values[f], room, sizeof(*grown))
						  : NULL;

			if (g->values[f] && !grown)
				return -ENOMEM;
			g->values[f] = grown;
		}
		g->room = room;
	}
	for (size_t f = 0; f < ev->type->n_fields; f++)
		if (g->values[f])
			g->values[f][n] = ev->values[f];
	return array_push(&g->t_ns, ev->t_ns) || array_push(&g->pid, ev->pid) ||
			       array_push(&g->tid, ev->tid) || array_push(&g->mode, ev->mode) ||
			       array_push(&g->at, at)
		       ? -ENOMEM
		       : 0;
}

/* Gathers the events of block @i that the query wants; those before damage count, as in
 * cdict_events_next(). */
static int gather(struct cdict_columns *it, size_t i, struct cdict_error *err)
{
	struct cdict_error why = { 0 };
	const uint8_t *payload;
	struct cdict_event ev;
	uint32_t order, at = 0;
	size_t size;
	int ret;

	for (size_t t = 0; t < it->n_types; t++) {
		struct gathered *g = &it->types[t];

		g->t_ns.n = g->pid.n = g->tid.n = g->mode.n = g->at.n = 0;
	}
	if (reader_block(it->r, i, &payload, &size, &why))
		return 0;
	ret = format_decoder_open(it->dec, payload, size, &why);
	while (!ret && (ret = format_decoder_next(it->dec, &ev, &order, &why)) > 0) {
		struct gathered *g = &it->types[ev.type->index];

		ret = 0;
		it->bytes = ev.bytes;
		if (g->values && ev.t_ns >= it->query.from_ns && ev.t_ns <= it->query.to_ns)
			ret = add_event(g, &ev, at);
		at++;
	}
	if (ret == -ENOMEM)
		return cdict_fail_nomem(err);
	if (ret < 0)
		reader_block_bad(it->r, i, why.text);
	return 0;
}

int cdict_columns_next(struct cdict_columns *it, struct cdict_batch *batch, struct cdict_error *err)
{
	struct cdict_batch b;
	struct gathered *g;
	size_t size = batch->size;
	int ret;

	if (size < offsetof(struct cdict_batch, bytes) + sizeof(b.bytes))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "size of struct cdict_batch is %zu, %zu are needed", size,
				  sizeof(b));
	while (1) {
		while (it->next_type < it->n_types && !it->types[it->next_type].t_ns.n)
			it->next_type++;
		if (it->next_type < it->n_types)
			break;
		do {
			if (it->next_block == it->r->blocks.n)
				return 0;
			it->block = it->next_block++;
		} while (it->r->blocks.at[it->block].last_ns < it->query.from_ns ||
			 it->r->blocks.at[it->block].first_ns > it->query.to_ns ||
			 !bit(it->query.cpus, it->query.n_cpus, it->r->blocks.at[it->block].cpu));
		ret = gather(it, it->block, err);
		if (ret)
			return ret;
		it->next_type = 0;
	}
	g = &it->types[it->next_type];
	b = (struct cdict_batch){ .size = size,
				  .type = cdict_schema_at(it->r->schema, it->next_type++),
				  .block = it->block,
				  .cpu = it->r->blocks.at[it->block].cpu,
				  .n = g->t_ns.n,
				  .t_ns = g->t_ns.at,
				  .pid = g->pid.at,
				  .tid = g->tid.at,
				  .mode = g->mode.at,
				  .at = g->at.at,
				  .values = (const uint64_t *const *)g->values,
				  .bytes = it->bytes };
	memcpy(batch, &b, size < sizeof(b) ? size : sizeof(b));
	return 1;
}

void cdict_columns_close(struct cdict_columns *it)
{
	if (!it)
		return;
	for (size_t i = 0; it->types && i < it->n_types; i++) {
		struct gathered *g = &it->types[i];

		for (size_t f = 0; g->values && f < it->r->schema->types.at[i]->pub.n_fields; f++)
			free(g->values[f]);
		free(g->values);
		array_fini(&g->t_ns);
		array_fini(&g->pid);
		array_fini(&g->tid);
		array_fini(&g->mode);
		array_fini(&g->at);
	}
	free(it->types);
	format_plan_free(it->plan);
	format_decoder_free(it->dec);
	free(it);
}

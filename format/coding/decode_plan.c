/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which fields a walk decodes: those its query wants, and those that they are predicted
 * from. A field may be left out only if no decoded field reads state that it writes
 * (state.h): the state is not read, or all fields that share it are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "format/coding/decode_internal.h"

/* The shared state that the fields kept so far read. */
struct shared {
	uint32_t cells; /* bitmap */
	bool elapsed, context, woken;
};

static bool wanted(const struct cdict_query *query, const struct cdict_event_type *type, size_t i)
{
	if (query->types && (type->index >= query->n_types ||
			     !(query->types[type->index / 64] >> type->index % 64 & 1)))
		return false;
	if (!query->fields || type->index >= query->n_fields)
		return true;
	return query->fields[type->index] && query->fields[type->index][i / 64] >> i % 64 & 1;
}

static bool in_cell(unsigned kind)
{
	return kind == FORMAT_CELL || kind == FORMAT_PROCESS || kind == FORMAT_SUM;
}

/* Adds the state that a field of model @m reads; whether any of it is new. */
static bool note_state(struct shared *sh, const struct cdict_field_model *m)
{
	struct shared was = *sh;

	if (in_cell(m->kind))
		sh->cells |= 1u << m->cell;
	sh->elapsed |= m->kind == FORMAT_ELAPSED;
	sh->context |= m->kind == FORMAT_CONTEXT;
	sh->woken |= m->kind == FORMAT_WAKEE || m->kind == FORMAT_WOKEN;
	return was.cells != sh->cells || was.elapsed != sh->elapsed || was.context != sh->context ||
	       was.woken != sh->woken;
}

/* Whether a field of model @m writes state that is read. */
static bool written(const struct shared *sh, const struct cdict_field_model *m)
{
	return m->kind == FORMAT_NEXT || /* the samples' task is predicted from the running one */
	       (in_cell(m->kind) && sh->cells >> m->cell & 1) ||
	       (m->kind == FORMAT_ELAPSED && sh->elapsed) ||
	       (m->kind == FORMAT_CONTEXT && sh->context) || (m->kind == FORMAT_WAKEE && sh->woken);
}

/* One pass over the fields of @type; whether it kept more fields or found more shared state. */
static bool keep_more(const struct format_type *type, bool *keep, struct shared *sh)
{
	bool more = false;

	for (uint32_t i = type->n_coded; i-- > FORMAT_F_SAMPLE;) {
		const struct cdict_field_model *m = &type->coded[i].model;

		if (!keep[i])
			keep[i] = written(sh, m);
		if (!keep[i])
			continue;
		more |= note_state(sh, m);
		/* Fields before it; other models have 0, or a sample's field. */
		if (m->kind == FORMAT_NEXT || m->kind == FORMAT_SAMETASK || in_cell(m->kind) ||
		    m->kind == FORMAT_SINCE)
			keep[m->who] = true;
		if (m->kind == FORMAT_SUM)
			keep[m->arg] = true;
	}
	return more;
}

static struct format_type *kept_type(const struct format_type *type, const bool *keep)
{
	struct format_type *t = malloc(sizeof(*t));

	if (!t)
		return NULL;
	*t = *type;
	t->n_coded = 0;
	t->coded = calloc(type->n_coded, sizeof(*t->coded));
	if (!t->coded) {
		free(t);
		return NULL;
	}
	for (uint32_t i = 0; i < type->n_coded; i++)
		if (keep[i])
			t->coded[t->n_coded++] = type->coded[i];
	return t;
}

void format_plan_free(struct format_plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->n; i++) {
		if (plan->types[i])
			free(plan->types[i]->coded);
		free(plan->types[i]);
	}
	free(plan->types);
	free(plan);
}

struct format_plan *format_plan_new(const struct cdict_schema *schema,
				    const struct cdict_query *query)
{
	enum { ROOM = FORMAT_F_SAMPLE + FORMAT_MAX_FIELDS };
	struct format_plan *plan = calloc(1, sizeof(*plan));
	bool(*keep)[ROOM] = calloc(schema->types.n ? schema->types.n : 1, sizeof(*keep));
	struct shared sh = { .cells = 1 }; /* the sample's process */
	bool more = true;

	if (plan)
		plan->types = calloc(schema->types.n ? schema->types.n : 1, sizeof(*plan->types));
	if (!plan || !keep || !plan->types)
		goto fail;
	for (size_t i = 0; i < schema->types.n; i++) {
		const struct format_type *type = schema->types.at[i];

		for (uint32_t k = 0; k < type->n_coded; k++)
			keep[i][k] = k < FORMAT_F_SAMPLE ||
				     wanted(query, &type->pub, type->coded[k].value);
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < schema->types.n; i++)
			more |= keep_more(schema->types.at[i], keep[i], &sh);
	}
	plan->n = schema->types.n;
	for (size_t i = 0; i < schema->types.n; i++) {
		plan->types[i] = kept_type(schema->types.at[i], keep[i]);
		if (!plan->types[i])
			goto fail;
	}
	free(keep);
	return plan;
fail:
	free(keep);
	format_plan_free(plan);
	return NULL;
}

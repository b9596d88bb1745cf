/* SPDX-License-Identifier: LGPL-2.1-only */
/* A copy of a decoder in the middle of a block. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/coding/decode_internal.h"

/* Replaces *p by a copy of its @n items. */
static bool copy(void *pointer, size_t n, size_t size)
{
	void **p = pointer, *of = *p;

	if (!of)
		return true;
	*p = malloc(n * size + 1);
	if (*p)
		memcpy(*p, of, n * size);
	return *p != NULL;
}

static bool copy_state(struct state *st)
{
	bool ok = copy(&st->tasks, st->cap_tasks, sizeof(*st->tasks));

	ok &= copy(&st->tids, st->cap_tasks, sizeof(*st->tids));
	ok &= copy(&st->cells, (size_t)st->cap_tasks * st->n_cells, sizeof(*st->cells));
	ok &= copy(&st->slots, st->n_slots, sizeof(*st->slots));
	return ok &
	       copy(&st->follow, (size_t)st->n_slots * (FORMAT_FOLLOWED + 1), sizeof(*st->follow));
}

size_t format_decoder_size(const struct format_decoder *dec)
{
	const struct state *st = &dec->st;
	size_t follow = (size_t)st->n_slots * (FORMAT_FOLLOWED + 2) * sizeof(*st->follow);

	return sizeof(*dec) + dec->raw_cap + dec->cap_streams * sizeof(*dec->streams) +
	       dec->cap_columns * (sizeof(*dec->columns) + sizeof(*dec->place)) +
	       dec->cap_dict * sizeof(*dec->dict) + dec->cap_bytes * sizeof(*dec->bytes) +
	       (STATE_CONTEXTS + STATE_FOLLOWERS) * sizeof(*st->context) + follow +
	       st->cap_tasks *
		       (sizeof(*st->tasks) + sizeof(*st->tids) + st->n_cells * sizeof(*st->cells));
}

static const struct reading *column_of(const struct decode_kind *kind, uint32_t index)
{
	for (uint32_t i = 0; i < kind->type->n_coded; i++)
		if (kind->type->coded[i].index == index)
			return &kind->columns[i];
	return NULL;
}

/* Takes the columns that the copy's plan has; false if @dec does not read one of them. */
static bool take_columns(struct format_decoder *to, const struct format_decoder *dec)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < to->n_used; k++) {
		struct decode_kind *kind = &to->used[k];
		const struct format_type *t = to->plan->types[kind->pub->index];

		*kind = (struct decode_kind){ .pub = kind->pub,
					      .type = t,
					      .fields = decode_fields_of(t),
					      .columns = to->columns + n,
					      .events = kind->events };
		for (uint32_t i = 0; i < t->n_coded; i++) {
			const struct reading *r = column_of(&dec->used[k], t->coded[i].index);

			if (!r)
				return false;
			to->columns[n++] = *r;
		}
	}
	to->n_columns = n;
	return true;
}

static bool reads_context(const struct format_decoder *dec)
{
	for (uint32_t k = 0; k < dec->n_used; k++)
		for (uint32_t i = 0; i < dec->used[k].type->n_coded; i++)
			if (dec->used[k].type->coded[i].model.kind == FORMAT_CONTEXT)
				return true;
	return false;
}

/* The largest tables of the state, which few plans need. */
static bool copy_context(struct format_decoder *to, const struct state *from)
{
	bool ok;

	if (!reads_context(to)) {
		to->st.context_used = false;
		return true;
	}
	to->st.context = from->context;
	to->st.follower = from->follower;
	ok = copy(&to->st.context, STATE_CONTEXTS, sizeof(*from->context));
	return ok & copy(&to->st.follower, STATE_FOLLOWERS, sizeof(*from->follower));
}

int format_decoder_copy(struct format_decoder **out, const struct format_decoder *dec,
			const struct format_plan *plan, struct cdict_event *ev)
{
	struct format_decoder *to = malloc(sizeof(*to));
	bool ok, has = true;

	*out = NULL;
	if (!to)
		return -ENOMEM;
	*to = *dec;
	to->borrowed = true; /* an open block's memory is only read */
	to->plan = plan;
	to->codec = codec_new();
	to->columns = malloc(dec->cap_columns * sizeof(*dec->columns) + 1);
	to->place = NULL;
	to->cap_place = 0;
	to->st.context = to->st.follower = NULL;
	ok = copy_state(&to->st) && to->codec && to->columns;
	if (ok)
		has = take_columns(to, dec);
	if (ok && has)
		ok = copy_context(to, &dec->st);
	if (!ok || !has) {
		format_decoder_free(to);
		return has ? -ENOMEM : 1;
	}
	if (ev->values == dec->values)
		ev->values = to->values;
	*out = to;
	return 0;
}

void decode_return_borrowed(struct format_decoder *dec)
{
	if (!dec->borrowed)
		return;
	dec->borrowed = false;
	dec->raw = NULL;
	dec->streams = NULL;
	dec->dict = NULL;
	dec->bytes = NULL;
	dec->raw_cap = dec->cap_streams = dec->cap_dict = 0;
	dec->cap_bytes = 0;
}

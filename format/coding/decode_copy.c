/* SPDX-License-Identifier: LGPL-2.1-only */
/* A copy of a decoder in the middle of a block. */
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
	ok &= copy(&st->follow, (size_t)st->n_slots * (FORMAT_FOLLOWED + 1), sizeof(*st->follow));
	if (st->context_used) {
		ok &= copy(&st->context, STATE_CONTEXTS, sizeof(*st->context));
		return ok & copy(&st->follower, STATE_FOLLOWERS, sizeof(*st->follower));
	}
	/* They are empty. */
	st->context = calloc(STATE_CONTEXTS, sizeof(*st->context));
	st->follower = calloc(STATE_FOLLOWERS, sizeof(*st->follower));
	return ok && st->context && st->follower;
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

struct format_decoder *format_decoder_copy(const struct format_decoder *dec, struct cdict_event *ev)
{
	struct format_decoder *to = malloc(sizeof(*to));
	bool ok;

	if (!to)
		return NULL;
	*to = *dec;
	/* Once a block is open they are only read. */
	to->borrowed = true;
	to->codec = codec_new();
	ok = copy_state(&to->st) && to->codec;
	ok &= copy(&to->columns, dec->cap_columns, sizeof(*dec->columns));
	ok &= copy(&to->place, dec->cap_place, sizeof(*dec->place));
	if (!ok) {
		format_decoder_free(to);
		return NULL;
	}
	for (uint32_t k = 0; k < to->n_used; k++)
		to->used[k].columns = to->columns + (dec->used[k].columns - dec->columns);
	if (ev->values == dec->values)
		ev->values = to->values;
	return to;
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

/* SPDX-License-Identifier: LGPL-2.1-only */
/* Memory of the coder: growing and emptying it. */
#include "format/coding/state.h"

#include <stdlib.h>
#include <string.h>

void state_fini(struct state *st)
{
	free(st->tasks);
	free(st->tids);
	free(st->cells);
	free(st->slots);
	free(st->follow);
	free(st->context);
	free(st->follower);
	*st = (struct state){ 0 };
}

bool state_reset(struct state *st, const struct cdict_schema *schema)
{
	if (st->n_slots < schema->slots) {
		uint64_t *slots = realloc(st->slots, schema->slots * sizeof(*slots));

		if (!slots)
			return false;
		st->slots = slots;
		slots = realloc(st->follow,
				(size_t)schema->slots * (FORMAT_FOLLOWED + 1) * sizeof(*slots));
		if (!slots)
			return false;
		st->follow = slots;
		st->n_slots = schema->slots;
	}
	if (!st->context || !st->follower) {
		/* one may exist from a call in which the other one failed */
		if (!st->context)
			st->context = calloc(STATE_CONTEXTS, sizeof(*st->context));
		if (!st->follower)
			st->follower = calloc(STATE_FOLLOWERS, sizeof(*st->follower));
		if (!st->context || !st->follower)
			return false;
	} else if (st->context_used) {
		memset(st->context, 0, STATE_CONTEXTS * sizeof(*st->context));
		memset(st->follower, 0, STATE_FOLLOWERS * sizeof(*st->follower));
	}
	if (st->n_cells != schema->cells) {
		/* The width of the table's rows changes: start it anew. */
		free(st->cells);
		st->cells = NULL;
		st->cap_tasks = 0;
		st->n_cells = schema->cells;
	}
	memset(st->slots, 0, st->n_slots * sizeof(*st->slots));
	memset(st->follow, 0, (size_t)st->n_slots * (FORMAT_FOLLOWED + 1) * sizeof(*st->follow));
	st->followed = FORMAT_FOLLOWED;
	memset(st->cell_last, 0, sizeof(st->cell_last));
	st->schema = schema;
	st->context_used = false;
	st->t_ns = st->account_ns = 0;
	st->current = st->woken = 0;
	st->n_tasks = 0;
	st->failed = false;
	return true;
}

static bool grow(void **p, size_t n, size_t size)
{
	void *q = realloc(*p, n * size);

	if (q)
		*p = q;
	return q != NULL;
}

uint32_t state_task_add(struct state *st, int32_t tid)
{
	struct state_task *t;

	if (st->n_tasks == st->cap_tasks) {
		uint32_t cap = st->cap_tasks ? st->cap_tasks * 2 : 256;

		if (!grow((void **)&st->tasks, cap, sizeof(*st->tasks)) ||
		    !grow((void **)&st->tids, cap, sizeof(*st->tids)) ||
		    !grow((void **)&st->cells, (size_t)cap * st->n_cells, sizeof(*st->cells))) {
			st->failed = true;
			return STATE_NONE;
		}
		st->cap_tasks = cap;
	}
	t = &st->tasks[st->n_tasks];
	memset(t, 0xff, sizeof(*t));
	t->set = 0;
	t->out_ns = t->out_before_ns = 0;
	st->tids[st->n_tasks] = tid;
	for (uint32_t i = 0; i < st->n_cells; i++)
		st->cells[(size_t)st->n_tasks * st->n_cells + i] = STATE_UNSET;
	return st->n_tasks++;
}

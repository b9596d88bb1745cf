/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * state.h - what the coder remembers inside one block of events, and the models
 * that predict from it. Encoder and decoder run exactly this code; it starts
 * empty at every block, so that each block can be read alone.
 *
 * Tasks are named by their index in the block's table of tids. A row holds the
 * event's coded fields so far: task fields as task indexes, other scalars as
 * values, byte fields as keys into the block's table of byte strings.
 */
#ifndef FORMAT_CODING_STATE_H
#define FORMAT_CODING_STATE_H

#include "format/schema.h"

/* Once in the encoder and once in the decoder, 100 M times a second each. */
#define STATE_INLINE static inline __attribute__((always_inline))

#define STATE_NONE UINT32_MAX
/* An empty cell: no 32-bit value, key or time equals it. Where a 64-bit value could, the
 * task's bitmap decides. */
#define STATE_UNSET (1ull << 63 | 1)
#define STATE_RANKS 4u
#define STATE_CONTEXTS 4096u   /* last value of a field of a task */
#define STATE_FOLLOWERS 32768u /* the value that followed it */

struct state_task {
	uint32_t next[STATE_RANKS]; /* tasks that ran after this one, latest first */
	uint32_t wake[STATE_RANKS]; /* tasks that were woken after this one */
	uint32_t last_wakee;        /* the task that this one woke last */
	uint32_t set;               /* bitmap: cells that hold a value */
	uint64_t out_ns;            /* when it was switched out on this CPU */
	uint64_t out_before_ns;     /* and the time before; only in the encoder */
};

struct state {
	const struct cdict_schema *schema;
	uint64_t t_ns;       /* time of the current event */
	uint64_t account_ns; /* when the CPU last accounted run time */
	uint32_t current;    /* task that runs */
	uint32_t woken;      /* task of the last WAKEE field */
	struct state_task *tasks;
	int32_t *tids;
	uint64_t *cells; /* [task * schema->cells + cell] */
	uint32_t n_tasks, cap_tasks;
	uint64_t cell_last[FORMAT_MAX_CELLS]; /* latest value that a cell of any task changed to */
	uint64_t *slots;                      /* [schema->slots] */
	uint32_t n_slots, n_cells;
	uint64_t *follow;  /* [slot * (FORMAT_FOLLOWED + 1) + followed] */
	uint32_t followed; /* number of the previous event's type, at most FORMAT_FOLLOWED */
	uint64_t *context, *follower;
	bool context_used;
	bool failed; /* out of memory */
};

void state_fini(struct state *st);
/* state_reset - empties @st for a block of @schema; false when out of memory. */
bool state_reset(struct state *st, const struct cdict_schema *schema);
/* state_task_add - appends a task; its index, or STATE_NONE when out of memory. */
uint32_t state_task_add(struct state *st, int32_t tid);

static inline uint32_t state_hash(uint32_t slot, uint32_t task, uint64_t v)
{
	uint32_t h = slot * 0x9e3779b1u ^ task * 0x85ebca6bu;

	h = (h ^ (uint32_t)v) * 0xcc9e2d51u;
	h = (h ^ h >> 15 ^ (uint32_t)(v >> 32)) * 0x1b873593u;
	return h ^ h >> 13;
}

/* Moves @task to the front of a list of latest tasks. */
static inline void state_push(uint32_t *list, uint32_t task)
{
	uint32_t i = 0;

	while (i < STATE_RANKS - 1 && list[i] != task)
		i++;
	for (; i > 0; i--)
		list[i] = list[i - 1];
	list[0] = task;
}

/* The list that a NEXT or WAKEE field picks from. */
static inline uint32_t *state_ranks(struct state *st, const struct format_field *f, unsigned kind,
				    const uint64_t *row)
{
	struct state_task *t;

	if (kind == FORMAT_NEXT)
		return st->tasks[row[f->model.who]].next;
	t = &st->tasks[row[FORMAT_F_TID]];
	return t->last_wakee == STATE_NONE ? t->wake : st->tasks[t->last_wakee].wake;
}

/* The memory of a FOLLOW field for the previous event's type. */
static inline uint64_t *state_follow(const struct state *st, const struct format_field *f)
{
	return &st->follow[(size_t)f->slot * (FORMAT_FOLLOWED + 1) + st->followed];
}

/* Below, @kind is f->model.kind, passed separately so that it is a compile-time constant. */

/* Predicted task of a field whose model is a task model. */
STATE_INLINE uint32_t state_predict_task(struct state *st, const struct format_field *f,
					 unsigned kind, const uint64_t *row)
{
	switch (kind) {
	case FORMAT_CURRENT:
		return st->current;
	case FORMAT_NEXT:
	case FORMAT_WAKEE:
		return state_ranks(st, f, kind, row)[0];
	case FORMAT_WOKEN:
		return st->woken;
	case FORMAT_TASK:
		return (uint32_t)st->slots[f->slot];
	default: /* FORMAT_SAMETASK */
		return (uint32_t)row[f->model.who];
	}
}

STATE_INLINE void state_update_task(struct state *st, const struct format_field *f, unsigned kind,
				    const uint64_t *row, uint32_t task)
{
	switch (kind) {
	case FORMAT_NEXT:
		state_push(state_ranks(st, f, kind, row), task);
		st->tasks[row[f->model.who]].out_ns = st->t_ns;
		if (!st->tids[row[f->model.who]])
			st->account_ns = st->t_ns;
		st->current = task;
		break;
	case FORMAT_WAKEE:
		state_push(state_ranks(st, f, kind, row), task);
		st->tasks[row[FORMAT_F_TID]].last_wakee = task;
		st->woken = task;
		break;
	case FORMAT_TASK:
		st->slots[f->slot] = task;
		break;
	}
}

/* The memory of a CONTEXT field: the task's last value, and the value that followed it before. */
struct state_context {
	uint64_t *last, *follower;
};

STATE_INLINE struct state_context state_context(struct state *st, const struct format_field *f,
						const uint64_t *row)
{
	uint32_t task = (uint32_t)row[FORMAT_F_TID];
	struct state_context c;

	c.last = &st->context[state_hash(f->slot, task, 0) % STATE_CONTEXTS];
	c.follower = &st->follower[state_hash(f->slot, task, *c.last) % STATE_FOLLOWERS];
	st->context_used = true;
	return c;
}

STATE_INLINE void state_context_set(struct state_context c, uint64_t v)
{
	*c.follower = v;
	*c.last = v;
}

STATE_INLINE void state_set_cell(struct state *st, uint32_t who, uint32_t cell, uint64_t v)
{
	uint64_t *at = &st->cells[(size_t)who * st->n_cells + cell];

	if (st->tasks[who].set >> cell & 1 && *at == v)
		return;
	st->tasks[who].set |= 1u << cell;
	*at = v;
	st->cell_last[cell] = v;
}

/* Predicted value (or key) of any other field. */
STATE_INLINE uint64_t state_predict(struct state *st, const struct format_field *f, unsigned kind,
				    const uint64_t *row)
{
	uint32_t who;
	uint64_t v;

	switch (kind) {
	case FORMAT_CELL:
	case FORMAT_PROCESS:
	case FORMAT_SUM:
		who = (uint32_t)row[f->model.who];
		if (st->tasks[who].set & 1u << f->model.cell)
			v = st->cells[(size_t)who * st->n_cells + f->model.cell];
		else if (kind == FORMAT_PROCESS)
			v = (uint64_t)(int64_t)st->tids[who];
		else
			v = st->cell_last[f->model.cell];
		return kind == FORMAT_SUM ? v + row[f->model.arg] : v;
	case FORMAT_ELAPSED:
		return st->t_ns - st->account_ns;
	case FORMAT_SINCE:
		return st->t_ns - st->tasks[row[f->model.who]].out_ns;
	case FORMAT_CONTEXT:
		return *state_context(st, f, row).follower;
	case FORMAT_FOLLOW:
		return *state_follow(st, f);
	default: /* FORMAT_LAST */
		return st->slots[f->slot];
	}
}

STATE_INLINE void state_update(struct state *st, const struct format_field *f, unsigned kind,
			       const uint64_t *row, uint64_t v)
{
	switch (kind) {
	case FORMAT_CELL:
	case FORMAT_PROCESS:
	case FORMAT_SUM:
		state_set_cell(st, (uint32_t)row[f->model.who], f->model.cell, v);
		break;
	case FORMAT_ELAPSED:
		st->account_ns = st->t_ns;
		break;
	case FORMAT_SINCE:
		break;
	case FORMAT_FOLLOW:
		*state_follow(st, f) = v;
		break;
	case FORMAT_CONTEXT:
		state_context_set(state_context(st, f, row), v);
		break;
	default:
		st->slots[f->slot] = v;
		break;
	}
}

#endif

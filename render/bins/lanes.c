/* SPDX-License-Identifier: GPL-2.0-only */
/* The task that had each CPU. */
#include "render/bins/lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/bins/columns.h"

/* The current column of a CPU. */
struct lane {
	struct lane_slot {
		uint32_t task, column; /* column + 1; another: empty */
		uint64_t ns;
	} * slots;
	uint32_t n_slots, used, column;
	uint32_t best; /* of the tasks other than IDLE */
	uint64_t best_ns, busy_ns, idle_ns;
};

struct lanes {
	struct columns columns;
	uint32_t cpus;
	struct lane *lanes;
	uint32_t *majority; /* [cpu][column] */
};

struct lanes *lanes_new(uint64_t from_ns, uint64_t to_ns, unsigned columns, uint32_t cpus)
{
	struct lanes *l = calloc(1, sizeof(*l));
	size_t size = ((size_t)columns * cpus + 1) * sizeof(*l->majority);

	if (!l)
		return NULL;
	l->cpus = cpus;
	l->lanes = calloc((size_t)cpus + 1, sizeof(*l->lanes));
	l->majority = malloc(size);
	if (columns_init(&l->columns, from_ns, to_ns, columns) || !l->lanes || !l->majority) {
		lanes_free(l);
		return NULL;
	}
	memset(l->majority, 0xff, size);
	return l;
}

void lanes_free(struct lanes *l)
{
	if (!l)
		return;
	for (uint32_t cpu = 0; l->lanes && cpu < l->cpus; cpu++)
		free(l->lanes[cpu].slots);
	columns_fini(&l->columns);
	free(l->lanes);
	free(l->majority);
	free(l);
}

static struct lane_slot *slot_of(struct lane_slot *slots, uint32_t n, uint32_t task,
				 uint32_t column)
{
	for (uint32_t i = task * 2654435761u;; i++) {
		struct lane_slot *slot = &slots[i & (n - 1)];

		if (slot->column != column + 1 || slot->task == task)
			return slot;
	}
}

static int grow(struct lane *l)
{
	uint32_t n = l->n_slots ? 2 * l->n_slots : 16;
	struct lane_slot *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->n_slots; i++) {
		const struct lane_slot *old = &l->slots[i];

		if (old->column == l->column + 1)
			*slot_of(slots, n, old->task, l->column) = *old;
	}
	free(l->slots);
	l->slots = slots;
	l->n_slots = n;
	return 0;
}

static struct lane *lane_in(struct lanes *all, uint32_t cpu, unsigned column)
{
	struct lane *l = &all->lanes[cpu];

	if (l->column != column) {
		l->column = column;
		l->used = 0;
		l->best_ns = l->busy_ns = l->idle_ns = 0;
	}
	return l;
}

void lanes_idle_in(struct lanes *all, uint32_t cpu, unsigned column, uint32_t task, uint64_t ns)
{
	struct lane *l = lane_in(all, cpu, column);

	l->idle_ns += ns;
	if (l->idle_ns > l->busy_ns)
		all->majority[(size_t)cpu * all->columns.n + column] = task;
}

int lanes_add_in(struct lanes *all, uint32_t cpu, unsigned column, uint32_t task, uint64_t ns)
{
	struct lane *l = lane_in(all, cpu, column);
	struct lane_slot *slot;

	if (2 * l->used >= l->n_slots && grow(l))
		return -ENOMEM;
	slot = slot_of(l->slots, l->n_slots, task, column);
	if (slot->column != column + 1) {
		*slot = (struct lane_slot){ .task = task, .column = column + 1 };
		l->used++;
	}
	slot->ns += ns;
	l->busy_ns += ns;
	if (slot->ns > l->best_ns || (slot->ns == l->best_ns && task < l->best)) {
		l->best_ns = slot->ns;
		l->best = task;
	}
	if (l->busy_ns >= l->idle_ns)
		all->majority[(size_t)cpu * all->columns.n + column] = l->best;
	return 0;
}

int lanes_add(struct lanes *l, uint32_t cpu, uint32_t task, bool idle, uint64_t from_ns,
	      uint64_t to_ns)
{
	if (cpu >= l->cpus || from_ns >= to_ns)
		return 0;
	for (unsigned i = columns_of(&l->columns, from_ns); from_ns < to_ns; i++) {
		uint64_t end_ns = to_ns < l->columns.edges[i + 1] ? to_ns : l->columns.edges[i + 1];

		if (idle)
			lanes_idle_in(l, cpu, i, task, end_ns - from_ns);
		else if (lanes_add_in(l, cpu, i, task, end_ns - from_ns))
			return -ENOMEM;
		from_ns = end_ns;
	}
	return 0;
}

unsigned lanes_columns(const struct lanes *l)
{
	return l->columns.n;
}

const uint32_t *lanes_majority(const struct lanes *l, uint32_t cpu)
{
	return l->majority + (size_t)cpu * l->columns.n;
}

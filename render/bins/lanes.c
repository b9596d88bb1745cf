/* SPDX-License-Identifier: GPL-2.0-only */
/* The task that had each CPU. */
#include "render/bins/lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
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

/* How long a task had a CPU in a column. */
struct share {
	uint32_t task, cell; /* cell: index in majority */
	uint64_t ns;
};

struct lanes {
	struct columns columns;
	uint32_t cpus;
	struct lane *lanes;
	uint32_t *majority; /* [cpu][column] */
	/* Of columns without a task that had half of the busy time, those of one column adjacent. */
	ARRAY(struct share) shares;
	bool keep, failed;
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
	array_fini(&l->shares);
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

/* Keeps the shares of the lane's column, if the group that had most of it is not certain. */
static void keep_shares(struct lanes *all, uint32_t cpu)
{
	struct lane *l = &all->lanes[cpu];

	if (!all->keep || l->used < 3 || l->idle_ns > l->busy_ns ||
	    l->best_ns >= l->busy_ns - l->best_ns || all->shares.n + l->used > LANES_SHARES_MOST)
		return;
	for (uint32_t i = 0; i < l->n_slots; i++) {
		const struct lane_slot *slot = &l->slots[i];
		struct share *share = slot->column == l->column + 1 ? array_add(&all->shares)
								    : NULL;

		if (share)
			*share = (struct share){ slot->task,
						 (uint32_t)(cpu * all->columns.n + l->column),
						 slot->ns };
		else
			all->failed |= slot->column == l->column + 1;
	}
}

static struct lane *lane_in(struct lanes *all, uint32_t cpu, unsigned column)
{
	struct lane *l = &all->lanes[cpu];

	if (l->column != column) {
		keep_shares(all, cpu);
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

void lanes_keep(struct lanes *l)
{
	l->keep = true;
}

/* A group in one column. */
struct mixed {
	uint64_t ns, best_ns;
	uint32_t best; /* its task with most time */
};

struct mix {
	struct map number; /* of each group, in @of */
	ARRAY(struct mixed) of;
};

static int add_share(struct mix *mix, const struct share *share, uint64_t key)
{
	uint32_t *number = map_add(&mix->number, key, 0);
	struct mixed *one;

	if (!number)
		return -ENOMEM;
	if (*number == MAP_NEW) {
		if (!array_add(&mix->of))
			return -ENOMEM;
		*number = (uint32_t)(mix->of.n - 1);
	}
	one = &mix->of.at[*number];
	one->ns += share->ns;
	if (share->ns > one->best_ns || (share->ns == one->best_ns && share->task < one->best)) {
		one->best_ns = share->ns;
		one->best = share->task;
	}
	return 0;
}

static uint32_t most_of(const struct mix *mix)
{
	const struct mixed *most = mix->of.at;

	for (size_t i = 1; i < mix->of.n; i++) {
		const struct mixed *one = &mix->of.at[i];

		if (one->ns > most->ns || (one->ns == most->ns && one->best < most->best))
			most = one;
	}
	return most->best;
}

int lanes_groups(struct lanes *l, int (*group)(void *ctx, uint32_t task, uint64_t *key), void *ctx,
		 uint32_t *out)
{
	struct mix mix = { 0 };
	uint64_t key = 0;
	int rc = 0;

	for (uint32_t cpu = 0; cpu < l->cpus; cpu++) {
		keep_shares(l, cpu);
		l->lanes[cpu].used = 0;
	}
	for (size_t i = 0; i < l->shares.n && !rc; i++) {
		const struct share *share = &l->shares.at[i];

		rc = group(ctx, share->task, &key);
		rc = rc ? rc : add_share(&mix, share, key);
		if (!rc && (i + 1 == l->shares.n || share[1].cell != share->cell)) {
			out[share->cell] = most_of(&mix);
			map_clear(&mix.number);
			mix.of.n = 0;
		}
	}
	map_fini(&mix.number);
	array_fini(&mix.of);
	return l->failed ? -ENOMEM : rc;
}

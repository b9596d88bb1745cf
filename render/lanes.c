/* SPDX-License-Identifier: GPL-2.0-only */
/* Who had each CPU longest. */
#include "render/lanes.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/index.h"

struct best {
	uint64_t ns;
	uint32_t who;
};

struct lanes {
	uint64_t from_ns, to_ns;
	unsigned columns;
	uint32_t cpus;
	struct index index; /* (cpu << 32 | column, who) */
	ARRAY(uint64_t) ns;
	struct best *best; /* cpus * columns: kept up to date, times only grow */
	uint64_t *totals;  /* by CPU */
};

struct lanes *lanes_new(uint64_t from_ns, uint64_t to_ns, unsigned columns, uint32_t cpus)
{
	struct lanes *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	*l = (struct lanes){ .from_ns = from_ns, .to_ns = to_ns, .columns = columns, .cpus = cpus };
	l->best = calloc((size_t)columns * cpus + 1, sizeof(*l->best));
	l->totals = calloc((size_t)cpus + 1, sizeof(*l->totals));
	if (!l->best || !l->totals) {
		lanes_free(l);
		return NULL;
	}
	return l;
}

void lanes_free(struct lanes *l)
{
	if (!l)
		return;
	index_fini(&l->index);
	array_fini(&l->ns);
	free(l->best);
	free(l->totals);
	free(l);
}

static int add(struct lanes *l, uint32_t cpu, unsigned column, uint32_t who, uint64_t ns)
{
	uint32_t i = index_take(&l->index, (uint64_t)cpu << 32 | column, who);
	struct best *best = &l->best[(size_t)cpu * l->columns + column];
	uint64_t *sum = row_at(&l->ns, i);

	if (!sum)
		return -ENOMEM;
	*sum += ns;
	if (*sum > best->ns)
		*best = (struct best){ .ns = *sum, .who = who };
	return 0;
}

/* Where column @i begins, after the window's start. */
static uint64_t begin(const struct lanes *l, unsigned i)
{
	return (uint64_t)((unsigned __int128)(l->to_ns - l->from_ns) * i / l->columns);
}

int lanes_add(struct lanes *l, uint32_t cpu, uint32_t who, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t span = l->to_ns - l->from_ns, from = from_ns - l->from_ns;
	uint64_t to = to_ns - l->from_ns;
	unsigned column;

	if (cpu >= l->cpus || from_ns < l->from_ns || to_ns > l->to_ns || from >= to || !span)
		return 0;
	l->totals[cpu] += to - from;
	column = (unsigned)((unsigned __int128)from * l->columns / span);
	/* rounding may have put it a column too early */
	while (column + 1 < l->columns && begin(l, column + 1) <= from)
		column++;
	for (; from < to; column++) {
		uint64_t end = column + 1 < l->columns ? begin(l, column + 1) : span;

		end = end < to ? end : to;
		if (add(l, cpu, column, who, end - from))
			return -ENOMEM;
		from = end;
	}
	return 0;
}

unsigned lanes_columns(const struct lanes *l)
{
	return l->columns;
}

uint32_t lanes_majority(const struct lanes *l, uint32_t cpu, unsigned column)
{
	const struct best *best = &l->best[(size_t)cpu * l->columns + column];

	return best->ns ? best->who : LANES_NOBODY;
}

uint64_t lanes_total(const struct lanes *l, uint32_t cpu)
{
	return l->totals[cpu];
}

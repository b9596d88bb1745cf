/* SPDX-License-Identifier: LGPL-2.1-only */
/* Keys -> numbers: linear probing in a table that is at most half full. */
#include "base/memory/map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/places.h"

struct map_slot {
	uint64_t a, b;
	uint32_t number;
	bool used;
};

static inline size_t hash_of(const struct map *m, uint64_t a, uint64_t b)
{
	return (size_t)(places_hash(m->seed, a, b) >> m->shift);
}

/* The slot of (a, b), or the empty one where it belongs. */
static struct map_slot *probe(const struct map *m, uint64_t a, uint64_t b)
{
	size_t mask = m->n_slots - 1, i = hash_of(m, a, b);

	while (m->slots[i].used && (m->slots[i].a != a || m->slots[i].b != b))
		i = (i + 1) & mask;
	return &m->slots[i];
}

static bool grow(struct map *m)
{
	struct map to = { .n_slots = m->n_slots ? 2 * m->n_slots : 32, .n = m->n };

	to.slots = to.n_slots > m->n_slots ? calloc(to.n_slots, sizeof(*to.slots)) : NULL;
	if (!to.slots)
		return false;
	/* Kept: the keys then keep their order, and fill the slots from first to last. */
	to.seed = m->n_slots ? m->seed : places_seed(to.slots);
	to.shift = (unsigned)__builtin_clzll(to.n_slots) + 1;
	for (size_t i = 0; i < m->n_slots; i++)
		if (m->slots[i].used)
			*probe(&to, m->slots[i].a, m->slots[i].b) = m->slots[i];
	free(m->slots);
	*m = to;
	return true;
}

uint32_t *map_find(const struct map *m, uint64_t a, uint64_t b)
{
	struct map_slot *s = m->n ? probe(m, a, b) : NULL;

	return s && s->used ? &s->number : NULL;
}

uint32_t *map_add(struct map *m, uint64_t a, uint64_t b)
{
	struct map_slot *s = m->n_slots ? probe(m, a, b) : NULL;

	if (s && s->used)
		return &s->number;
	if (2 * m->n >= m->n_slots) {
		if (!grow(m))
			return NULL;
		s = probe(m, a, b);
	}
	*s = (struct map_slot){ a, b, MAP_NEW, true };
	m->n++;
	return &s->number;
}

size_t map_longest_run(const struct map *m)
{
	size_t longest = 0, run = 0;

	/* twice around: a run may wrap around the end */
	for (size_t i = 0; i < 2 * m->n_slots; i++) {
		run = m->slots[i & (m->n_slots - 1)].used ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

void map_clear(struct map *m)
{
	if (m->n)
		memset(m->slots, 0, m->n_slots * sizeof(*m->slots));
	m->n = 0;
}

void map_fini(struct map *m)
{
	free(m->slots);
	*m = (struct map){ 0 };
}

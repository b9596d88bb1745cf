// SPDX-License-Identifier: LGPL-2.1-only
/* index.c - see index.h. */
#include "analyze/index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t slot_of(const struct index *ix, uint64_t a, uint64_t b)
{
	uint64_t h = (a * UINT64_C(0x9e3779b97f4a7c15)) ^ (b * UINT64_C(0xc2b2ae3d27d4eb4f));

	return (uint32_t)(h ^ h >> 32) & (ix->n_slots - 1);
}

static struct index_slot *probe(const struct index *ix, uint64_t a, uint64_t b)
{
	uint32_t s = slot_of(ix, a, b);

	while (ix->slots[s].number && (ix->slots[s].a != a || ix->slots[s].b != b))
		s = (s + 1) & (ix->n_slots - 1);
	return &ix->slots[s];
}

static int grow(struct index *ix)
{
	uint32_t cap = ix->cap ? 2 * ix->cap : 64;
	struct index_key *keys = realloc(ix->keys, cap * sizeof(*keys));
	struct index_slot *slots;

	if (!keys)
		return -ENOMEM;
	ix->keys = keys;
	slots = calloc(2 * (size_t)cap, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(ix->slots);
	ix->slots = slots;
	ix->cap = cap;
	ix->n_slots = 2 * cap;
	for (uint32_t i = 0; i < ix->n; i++)
		*probe(ix, keys[i].a, keys[i].b) =
			(struct index_slot){ keys[i].a, keys[i].b, i + 1 };
	return 0;
}

uint32_t index_take(struct index *ix, uint64_t a, uint64_t b)
{
	struct index_slot *s;

	if (ix->n_slots) {
		s = probe(ix, a, b);
		if (s->number)
			return s->number - 1;
	}
	if (ix->n == ix->cap && (ix->n >= UINT32_C(1) << 29 || grow(ix)))
		return INDEX_NONE;
	s = probe(ix, a, b);
	ix->keys[ix->n] = (struct index_key){ a, b };
	*s = (struct index_slot){ a, b, ++ix->n };
	return ix->n - 1;
}

void index_fini(struct index *ix)
{
	free(ix->keys);
	free(ix->slots);
	memset(ix, 0, sizeof(*ix));
}

int rows_grow(void *rows, size_t *cap, size_t n, size_t size)
{
	size_t more = *cap ? 2 * *cap : 64;
	char *p;

	if (more < n)
		more = n;
	memcpy(&p, rows, sizeof(p));
	p = realloc(p, more * size);
	if (!p)
		return -ENOMEM;
	memset(p + *cap * size, 0, (more - *cap) * size);
	memcpy(rows, &p, sizeof(p));
	*cap = more;
	return 0;
}

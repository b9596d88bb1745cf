/* SPDX-License-Identifier: LGPL-2.1-only */
/* Interned strings: a hash over texts in chunks, which never move. */
#include "base/memory/stringset.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_SIZE ((size_t)64 << 10)

struct stringset_chunk {
	struct stringset_chunk *next;
	char text[];
};

struct stringset_slot {
	const char *text; /* NULL: free */
	uint32_t hash, len;
};

/* FNV-1a, with a final mix because the low bits select the slot. */
static uint32_t hash_of(const char *data, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)data[i]) * 16777619u;
	h ^= h >> 16;
	return h * 0x85ebca6bu;
}

static int grow(struct stringset *set)
{
	size_t n = set->n_slots ? 2 * set->n_slots : 256;
	struct stringset_slot *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t i = 0; i < set->n_slots; i++) {
		size_t s = set->slots[i].hash & (n - 1);

		if (!set->slots[i].text)
			continue;
		while (slots[s].text)
			s = (s + 1) & (n - 1);
		slots[s] = set->slots[i];
	}
	free(set->slots);
	set->slots = slots;
	set->n_slots = n;
	return 0;
}

static char *room(struct stringset *set, size_t size)
{
	struct stringset_chunk *chunk;
	size_t want = size > CHUNK_SIZE ? size : CHUNK_SIZE;
	char *at;

	if (size > set->left) {
		chunk = malloc(sizeof(*chunk) + want);
		if (!chunk)
			return NULL;
		chunk->next = set->chunks;
		set->chunks = chunk;
		set->room = chunk->text;
		set->left = want;
	}
	at = set->room;
	set->room += size;
	set->left -= size;
	return at;
}

const char *stringset_add(struct stringset *set, const char *data, size_t len)
{
	uint32_t hash;
	size_t s;
	char *text;

	len = strnlen(data, len);
	if (len >= UINT32_MAX || (2 * set->n >= set->n_slots && grow(set)))
		return NULL;
	hash = hash_of(data, len);
	for (s = hash & (set->n_slots - 1); set->slots[s].text; s = (s + 1) & (set->n_slots - 1)) {
		if (set->slots[s].hash == hash && set->slots[s].len == len &&
		    !memcmp(set->slots[s].text, data, len))
			return set->slots[s].text;
	}
	text = room(set, len + 1);
	if (!text)
		return NULL;
	memcpy(text, data, len);
	text[len] = 0;
	set->slots[s] = (struct stringset_slot){ text, hash, (uint32_t)len };
	set->n++;
	return text;
}

void stringset_seal(struct stringset *set)
{
	free(set->slots);
	set->slots = NULL;
	set->n_slots = 0;
}

void stringset_fini(struct stringset *set)
{
	while (set->chunks) {
		struct stringset_chunk *next = set->chunks->next;

		free(set->chunks);
		set->chunks = next;
	}
	free(set->slots);
	*set = (struct stringset){ 0 };
}

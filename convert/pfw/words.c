/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers texts. */
#include "convert/pfw/words.h"

#include <string.h>

/* Texts are untrusted: which of them collide depends on the table's seed. */
static inline uint64_t hash_of(const struct pfw_words *w, const char *text, uint32_t len)
{
	uint64_t h = (w->seed ^ len) * 0x9e3779b97f4a7c15ull, v;

	for (; len >= 8; text += 8, len -= 8) {
		memcpy(&v, text, 8);
		h = (h ^ v) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	v = 0;
	switch (len) {
	case 7:
	case 6:
	case 5:
	case 4:
		memcpy(&v, text, 4);
		memcpy((char *)&v + 4, text + len - 4, 4);
		break;
	case 3:
	case 2:
	case 1:
		v = (uint8_t)text[0] | (uint64_t)(uint8_t)text[len / 2] << 8 |
		    (uint64_t)(uint8_t)text[len - 1] << 16;
		break;
	}
	return (h ^ v) * 0xff51afd7ed558ccdull;
}

static void key(const void *array, uint32_t place, uint64_t ab[2])
{
	ab[0] = ((const struct pfw_word *)array)[place].hash;
	ab[1] = 0;
}

static uint32_t find_word(const struct pfw_words *w, const char *text, uint32_t len, uint64_t hash)
{
	uint32_t i;

	for (size_t at = places_begin(&w->places, hash, 0); places_at(&w->places, at, &i);
	     at = places_next(&w->places, at)) {
		const struct pfw_word *word = &w->all.at[i];

		if (word->hash == hash && word->len == len && !memcmp(word->text, text, len))
			return i;
	}
	return PFW_NO_WORD;
}

uint32_t pfw_words_find(const struct pfw_words *w, const char *text, uint32_t len)
{
	return find_word(w, text, len, hash_of(w, text, len));
}

uint32_t pfw_words_add(struct pfw_words *w, const char *text, uint32_t len)
{
	uint64_t hash;
	uint32_t i;

	if (!w->seed)
		w->seed = places_seed(w);
	hash = hash_of(w, text, len);
	i = find_word(w, text, len, hash);
	if (i != PFW_NO_WORD)
		return i;
	if (places_room(&w->places, key, w->all.at, sizeof(*w->all.at)) ||
	    array_push(&w->all, (struct pfw_word){ text, len, hash }))
		return PFW_NO_WORD;
	places_add(&w->places, hash, 0, (uint32_t)w->all.n - 1);
	return (uint32_t)w->all.n - 1;
}

void pfw_words_clear(struct pfw_words *w)
{
	w->all.n = w->places.n = 0;
	if (w->places.n_slots)
		memset(w->places.slots, 0, w->places.n_slots * sizeof(*w->places.slots));
}

void pfw_words_fini(struct pfw_words *w)
{
	array_fini(&w->all);
	places_fini(&w->places);
	*w = (struct pfw_words){ 0 };
}

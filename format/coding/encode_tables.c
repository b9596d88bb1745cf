/* SPDX-License-Identifier: LGPL-2.1-only */
/* The block's table of tasks and of byte strings. */
#include <stdlib.h>
#include <string.h>

#include "format/coding/encode_internal.h"

static bool hash_new(uint32_t **slots, uint32_t *n, uint32_t size)
{
	if (*n != size) {
		free(*slots);
		*slots = malloc(size * sizeof(**slots));
		*n = *slots ? size : 0;
	}
	if (*slots)
		memset(*slots, 0, size * sizeof(**slots));
	return *slots != NULL;
}

bool encode_tables_reset(struct format_encoder *enc)
{
	if (!enc->entries) {
		enc->entries = malloc(64 * sizeof(*enc->entries));
		enc->cap_entries = enc->entries ? 64 : 0;
		if (!enc->entries)
			return false;
	}
	enc->entries[0] = (struct entry){ .is_word = true }; /* key 0: the empty string */
	enc->n_entries = 1;
	enc->text.len = 0;
	return hash_new(&enc->entry_hash, &enc->entry_slots, 1024) &&
	       hash_new(&enc->tid_hash, &enc->tid_slots, 1024);
}

void encode_tables_fini(struct format_encoder *enc)
{
	free(enc->entries);
	free(enc->entry_hash);
	free(enc->tid_hash);
	buf_fini(&enc->text);
}

static uint32_t tid_slot(const struct format_encoder *enc, int32_t tid)
{
	uint32_t h = (uint32_t)tid * 0x9e3779b1u >> 7;

	while (1) {
		uint32_t task = enc->tid_hash[h &= enc->tid_slots - 1];

		if (!task || enc->st.tids[task - 1] == tid)
			return h;
		h++;
	}
}

uint32_t encode_task(struct format_encoder *enc, int32_t tid)
{
	uint32_t h = tid_slot(enc, tid), task = enc->tid_hash[h];

	if (task)
		return task - 1;
	if (2 * enc->st.n_tasks >= enc->tid_slots) {
		if (!hash_new(&enc->tid_hash, &enc->tid_slots, enc->tid_slots * 4)) {
			enc->failed = true;
			return STATE_NONE;
		}
		for (uint32_t i = 0; i < enc->st.n_tasks; i++)
			enc->tid_hash[tid_slot(enc, enc->st.tids[i])] = i + 1;
		h = tid_slot(enc, tid);
	}
	task = state_task_add(&enc->st, tid);
	if (task != STATE_NONE && !digest_task_add(enc)) {
		enc->st.n_tasks--;
		task = STATE_NONE;
	}
	if (task == STATE_NONE)
		enc->failed = true;
	else
		enc->tid_hash[h] = task + 1;
	return task;
}

static uint32_t bytes_hash(const uint8_t *p, size_t n)
{
	uint64_t h = n * 0x9e3779b97f4a7c15ull, w;

	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	for (; n; p++, n--)
		h = (h ^ *p) * 0x100000001b3ull;
	return (uint32_t)(h ^ h >> 29);
}

static uint32_t entry_slot(const struct format_encoder *enc, const uint8_t *p, size_t n)
{
	uint32_t h = bytes_hash(p, n);

	while (1) {
		uint32_t key = enc->entry_hash[h &= enc->entry_slots - 1];
		const struct entry *e = &enc->entries[key ? key - 1 : 0];

		if (!key || (e->len == n && !memcmp(enc->text.data + e->at, p, n)))
			return h;
		h++;
	}
}

uint32_t encode_key(struct format_encoder *enc, const uint8_t *p, size_t n)
{
	struct entry *e;
	uint32_t h;

	if (!n)
		return 0;
	h = entry_slot(enc, p, n);
	if (enc->entry_hash[h])
		return enc->entry_hash[h] - 1;
	if (enc->n_entries == enc->cap_entries) {
		uint32_t cap = enc->cap_entries * 2;
		struct entry *entries = realloc(enc->entries, cap * sizeof(*entries));

		if (!entries)
			goto fail;
		enc->entries = entries;
		enc->cap_entries = cap;
	}
	if (2 * enc->n_entries >= enc->entry_slots) {
		if (!hash_new(&enc->entry_hash, &enc->entry_slots, enc->entry_slots * 4))
			goto fail;
		for (uint32_t i = 1; i < enc->n_entries; i++)
			enc->entry_hash[entry_slot(enc, enc->text.data + enc->entries[i].at,
						   enc->entries[i].len)] = i + 1;
		h = entry_slot(enc, p, n);
	}
	e = &enc->entries[enc->n_entries];
	*e = (struct entry){ .at = (uint32_t)enc->text.len,
			     .len = (uint32_t)n,
			     .is_word = n <= sizeof(e->word) && p[n - 1] };
	if (n <= sizeof(e->word))
		memcpy(e->word, p, n);
	buf_add(&enc->text, p, n);
	if (enc->text.failed)
		goto fail;
	enc->entry_hash[h] = ++enc->n_entries;
	return enc->n_entries - 1;
fail:
	enc->failed = true;
	return 0;
}

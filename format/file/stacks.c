/* SPDX-License-Identifier: LGPL-2.1-only */
/* Collecting frames and stacks, and the content of STAK and STEV blocks. */
#include "format/file/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "format/layout.h"

/* Approximate bytes of texts, of frames and of stacks in one block. */
#define DICT_BLOCK_BYTES (4u << 20)

static void keys_fini(struct stack_keys *k)
{
	buf_fini(&k->bytes);
	free(k->keys);
	free(k->slots);
	*k = (struct stack_keys){ 0 };
}

void stack_dict_fini(struct stack_dict *d)
{
	keys_fini(&d->texts);
	keys_fini(&d->frames);
	keys_fini(&d->stacks);
}

static uint32_t hash_of(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t h = 0x9e3779b97f4a7c15u ^ len;

	for (; len >= 8; p += 8, len -= 8) {
		uint64_t v;

		memcpy(&v, p, 8);
		h = (h ^ v) * 0xd6e8feb86659fd93u;
		h ^= h >> 32;
	}
	while (len--)
		h = (h ^ *p++) * 0x100000001b3u;
	h *= 0xd6e8feb86659fd93u;
	return (uint32_t)(h >> 32);
}

/* Keeps the slots at most half full. */
static bool keys_room(struct stack_keys *k)
{
	uint32_t n = k->n_slots ? k->n_slots * 2 : 256, *slots;
	struct stack_key *keys;

	if (k->n == k->cap) {
		uint32_t cap = k->cap ? k->cap * 2 : 128;

		keys = realloc(k->keys, cap * sizeof(*keys));
		if (!keys)
			return false;
		k->keys = keys;
		k->cap = cap;
	}
	if (k->n * 2 < k->n_slots)
		return true;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return false;
	for (uint32_t i = 0; i < k->n; i++) {
		uint32_t at = k->keys[i].hash & (n - 1);

		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = i + 1;
	}
	free(k->slots);
	k->slots = slots;
	k->n_slots = n;
	return true;
}

static uint32_t no_memory(struct stack_keys *k)
{
	k->out_of_memory = true;
	return CDICT_NO_STACK;
}

static uint32_t keys_add(struct stack_keys *k, const void *data, size_t len, uint32_t max)
{
	uint32_t hash = hash_of(data, len), at;

	if (!keys_room(k))
		return no_memory(k);
	for (at = hash & (k->n_slots - 1); k->slots[at]; at = (at + 1) & (k->n_slots - 1)) {
		const struct stack_key *key = &k->keys[k->slots[at] - 1];

		if (key->hash == hash && key->len == len &&
		    !memcmp(k->bytes.data + key->at, data, len))
			return k->slots[at] - 1;
	}
	if (k->n == max)
		return CDICT_NO_STACK;
	k->keys[k->n] = (struct stack_key){ k->bytes.len, (uint32_t)len, hash };
	buf_add(&k->bytes, data, len);
	if (k->bytes.failed)
		return no_memory(k);
	k->slots[at] = k->n + 1;
	return k->n++;
}

/* A frame as a key: all of it, without padding. */
struct frame_key {
	uint64_t address, offset;
	uint32_t symbol, object; /* text + 1, 0: none */
	uint64_t mode;
};

/* The text's number + 1, 0 for an empty one; false when there is no room. */
static bool add_text(struct stack_dict *d, const char *text, uint32_t *number)
{
	size_t len = strnlen(text, FORMAT_STACK_TEXT);
	uint32_t i = len ? keys_add(&d->texts, text, len, FORMAT_MAX_FRAMES) : 0;

	*number = len ? i + 1 : 0;
	return !len || i != CDICT_NO_STACK;
}

uint32_t stack_dict_frame(struct stack_dict *d, const struct cdict_frame *frame)
{
	struct frame_key key = {
		.address = frame->address,
		.offset = frame->offset,
		.mode = frame->mode,
	};

	if (!add_text(d, frame->symbol, &key.symbol) || !add_text(d, frame->object, &key.object))
		return CDICT_NO_STACK;
	return keys_add(&d->frames, &key, sizeof(key), FORMAT_MAX_FRAMES);
}

uint32_t stack_dict_stack(struct stack_dict *d, const uint32_t *frames, size_t n)
{
	if (n > FORMAT_STACK_DEPTH)
		n = FORMAT_STACK_DEPTH;
	return keys_add(&d->stacks, frames, n * sizeof(*frames), FORMAT_MAX_STACKS);
}

bool stack_dict_out_of_memory(const struct stack_dict *d)
{
	return d->texts.out_of_memory || d->frames.out_of_memory || d->stacks.out_of_memory;
}

static size_t keys_memory(const struct stack_keys *k)
{
	return k->bytes.cap + k->cap * sizeof(*k->keys) + k->n_slots * sizeof(*k->slots);
}

size_t stack_dict_memory(const struct stack_dict *d)
{
	return keys_memory(&d->texts) + keys_memory(&d->frames) + keys_memory(&d->stacks);
}

static size_t keys_waiting(const struct stack_keys *k, uint32_t from)
{
	return from < k->n ? k->bytes.len - k->keys[from].at + (k->n - from) * 4u : 0;
}

size_t stack_dict_waiting(const struct stack_dict *d)
{
	if (d->n_stacks == d->stacks.n)
		return 0;
	return keys_waiting(&d->texts, d->n_texts) + keys_waiting(&d->frames, d->n_frames) +
	       keys_waiting(&d->stacks, d->n_stacks);
}

void stack_dict_rewind(struct stack_dict *d)
{
	d->n_texts = d->n_frames = d->n_stacks = 0;
}

/* How many keys of @k from @from on fill about one block. */
static uint32_t portion(const struct stack_keys *k, uint32_t from)
{
	size_t bytes = 0;
	uint32_t n = 0;

	while (from + n < k->n && bytes < DICT_BLOCK_BYTES)
		bytes += k->keys[from + n++].len + 1;
	return n;
}

static void write_texts(struct stack_dict *d, uint32_t n, struct buf *out)
{
	buf_varint(out, n);
	for (; n--; d->n_texts++)
		buf_string(out, d->texts.bytes.data + d->texts.keys[d->n_texts].at,
			   d->texts.keys[d->n_texts].len);
}

static void write_frames(struct stack_dict *d, uint32_t n, struct buf *out)
{
	uint64_t address = 0;

	buf_varint(out, n);
	for (; n--; d->n_frames++) {
		struct frame_key key;

		memcpy(&key, d->frames.bytes.data + d->frames.keys[d->n_frames].at, sizeof(key));
		buf_u8(out, (uint8_t)key.mode);
		buf_svarint(out, (int64_t)(key.address - address));
		buf_varint(out, key.symbol);
		buf_varint(out, key.offset);
		buf_varint(out, key.object);
		address = key.address;
	}
}

static void write_stacks(struct stack_dict *d, uint32_t n, struct buf *out)
{
	buf_varint(out, n);
	for (; n--; d->n_stacks++) {
		const struct stack_key *key = &d->stacks.keys[d->n_stacks];

		buf_varint(out, key->len / sizeof(uint32_t));
		for (size_t at = 0; at < key->len; at += sizeof(uint32_t)) {
			uint32_t frame;

			memcpy(&frame, d->stacks.bytes.data + key->at + at, sizeof(frame));
			buf_varint(out, frame);
		}
	}
}

void stack_dict_take(struct stack_dict *d, struct buf *out)
{
	uint32_t texts = portion(&d->texts, d->n_texts), frames = 0, stacks = 0;

	if (d->n_stacks == d->stacks.n)
		return; /* frames without a stack can wait */
	/* Texts come before the frames that refer to them, and frames before stacks, in this block
	 * or in an earlier one. */
	if (d->n_texts + texts == d->texts.n)
		frames = portion(&d->frames, d->n_frames);
	if (d->n_texts + texts == d->texts.n && d->n_frames + frames == d->frames.n)
		stacks = portion(&d->stacks, d->n_stacks);
	buf_varint(out, d->n_texts);
	buf_varint(out, d->n_frames);
	buf_varint(out, d->n_stacks);
	write_texts(d, texts, out);
	write_frames(d, frames, out);
	write_stacks(d, stacks, out);
}

void stack_events_write(struct buf *out, uint32_t ordinal, const uint32_t *stacks, size_t n)
{
	buf_varint(out, ordinal);
	buf_varint(out, n);
	for (size_t i = 0; i < n; i++)
		buf_varint(out, stacks[i] == CDICT_NO_STACK ? 0 : (uint64_t)stacks[i] + 1);
}

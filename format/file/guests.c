/* SPDX-License-Identifier: LGPL-2.1-only */
/* guests.c - see guests.h. */
#include "format/file/guests.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "format/file/reader.h"

/* Number and offset at the begin of a GDAT block. */
#define PART_HEAD 12u

static const uint8_t sync_bytes[3] = { FORMAT_SYNC & 0xff, FORMAT_SYNC >> 8 & 0xff,
				       FORMAT_SYNC >> 16 & 0xff };

/* ---- escapes: a reader that looks for a block's header finds none in a guest's bytes ---- */

/* Appends @data with a 0 after the first three bytes of each sync, as video streams do to keep their
 * start codes unique (ITU-T H.264, 7.4.1, emulation_prevention_three_byte). */
static void escape(struct buf *out, const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size, *hit;

	while ((hit = memmem(data, (size_t)(end - data), sync_bytes, sizeof(sync_bytes)))) {
		buf_add(out, data, (size_t)(hit - data) + sizeof(sync_bytes));
		buf_u8(out, 0);
		data = hit + sizeof(sync_bytes);
	}
	buf_add(out, data, (size_t)(end - data));
}

/* Calls the reverse of escape() for up to @room bytes; returns their number. */
static size_t unescape(uint8_t *out, size_t room, const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size, *hit;
	size_t n = 0, len;

	while (data < end && n < room) {
		hit = memmem(data, (size_t)(end - data), sync_bytes, sizeof(sync_bytes));
		len = hit ? (size_t)(hit - data) + sizeof(sync_bytes) : (size_t)(end - data);
		len = len > room - n ? room - n : len;
		memcpy(out + n, data, len);
		n += len;
		data = hit ? hit + sizeof(sync_bytes) + 1 : end;
	}
	return n;
}

/* ---- reading ---- */

static struct reader_guest *guest_of(struct cdict_reader *r, uint32_t number)
{
	for (size_t i = 0; i < r->guests.n; i++)
		if (r->guests.at[i].number == number)
			return &r->guests.at[i];
	return NULL;
}

static int set(struct cdict_reader *r, struct reader_guest *g, const void *key, size_t key_len,
	       const void *value, size_t value_len)
{
	struct reader_pair new;
	size_t bytes = sizeof(new) + key_len + value_len + 2;

	if (r->room < bytes)
		return CDICT_ELIMIT;
	new.key = malloc(key_len + value_len + 2);
	if (!new.key)
		return -ENOMEM;
	r->room -= bytes;
	new.value = new.key + key_len + 1;
	memcpy(new.key, key, key_len);
	new.key[key_len] = 0;
	memcpy(new.value, value, value_len);
	new.value[value_len] = 0;
	if (!array_push(&g->info, new))
		return 0;
	free(new.key);
	return -ENOMEM;
}

static const uint8_t *text(struct cursor *c, size_t *len)
{
	uint64_t n = cursor_varint(c);
	const uint8_t *p = n <= c->left ? cursor_take(c, (size_t)n) : NULL;

	*len = p ? strnlen((const char *)p, (size_t)n) : 0;
	return p;
}

int reader_guest_head(struct cdict_reader *r, const void *data, size_t size)
{
	struct cursor c = cursor_init(data, size, false);
	uint32_t number = cursor_u32(&c);
	struct reader_guest *g;
	int rc = 0;

	if (!cursor_ok(&c) || guest_of(r, number))
		return CDICT_ECORRUPT;
	if (r->guests.n == FORMAT_MAX_GUESTS)
		return CDICT_ELIMIT;
	g = array_add(&r->guests);
	if (!g)
		return -ENOMEM;
	g->number = number;
	while (c.left && !rc) {
		size_t key_len, value_len;
		const uint8_t *key = text(&c, &key_len), *value = key ? text(&c, &value_len) : NULL;

		if (!value)
			rc = CDICT_ECORRUPT;
		else if (g->info.n == FORMAT_GUEST_KEYS)
			rc = CDICT_ELIMIT;
		else
			rc = set(r, g, key, key_len, value, value_len);
	}
	return rc;
}

int reader_guest_part(struct cdict_reader *r, uint64_t at, const uint8_t *payload, size_t size)
{
	struct reader_guest_part part = { .at = at };
	uint8_t head[PART_HEAD];
	struct reader_guest *g;
	uint64_t more;

	if (unescape(head, sizeof(head), payload, size) < sizeof(head))
		return CDICT_ECORRUPT;
	g = guest_of(r, le32(head));
	part.offset = le64(head + 4);
	part.size = (uint32_t)size;
	if (!g || g->reader)
		return CDICT_ECORRUPT;
	more = sizeof(part);
	if (part.offset <= r->size && part.offset + size - PART_HEAD > g->bytes)
		more += part.offset + size - PART_HEAD - g->bytes;
	if (part.offset > r->size || r->room < more)
		return CDICT_ELIMIT;
	r->room -= more; /* of the guest's file, once it is opened */
	g->bytes += more - sizeof(part);
	return array_push(&g->parts, part) ? -ENOMEM : 0;
}

size_t reader_guest_count(const struct cdict_reader *r)
{
	return r->guests.n;
}

const char *reader_guest_info(const struct cdict_reader *r, size_t i, const char *key)
{
	const struct reader_guest *g = &r->guests.at[i];

	for (size_t k = 0; k < g->info.n; k++)
		if (!strcmp(g->info.at[k].key, key))
			return g->info.at[k].value;
	return NULL;
}

uint64_t reader_guest_bytes(const struct cdict_reader *r, size_t i)
{
	const struct reader_guest *g = &r->guests.at[i];

	return g->reader ? g->reader->size : g->bytes;
}

/* Puts the guest's file together: *size bytes, given; parts that are missing are zeros. */
static uint8_t *gather(const struct cdict_reader *r, const struct reader_guest *g, size_t *size)
{
	uint8_t *data = calloc((size_t)g->bytes + 1, 1);

	*size = 0;
	for (size_t k = 0; k < g->parts.n && data; k++) {
		const struct reader_guest_part *p = &g->parts.at[k];
		const uint8_t *from = r->data + p->at + FORMAT_BLOCK_HEADER_SIZE;
		struct buf whole = { 0 };
		uint8_t *out = buf_room(&whole, p->size);
		size_t n = out ? unescape(out, p->size, from, p->size) : 0;

		if (!out) {
			free(data);
			return NULL;
		}
		memcpy(data + p->offset, out + PART_HEAD, n - PART_HEAD); /* n: at least that */
		if (p->offset + n - PART_HEAD > *size)
			*size = (size_t)p->offset + n - PART_HEAD;
		buf_fini(&whole);
	}
	return data;
}

int reader_guest_open(struct cdict_reader **out, struct cdict_reader *r, size_t i,
		      struct cdict_error *err)
{
	struct reader_guest *g = &r->guests.at[i];
	int rc = 0;

	*out = NULL;
	if (!g->reader) {
		size_t size;
		uint8_t *data = gather(r, g, &size);

		if (!data)
			return cdict_fail_nomem(err);
		rc = reader_take(&g->reader, data, size, err);
	}
	*out = g->reader;
	return rc;
}

void reader_guests_fini(struct cdict_reader *r)
{
	for (size_t i = 0; i < r->guests.n; i++) {
		struct reader_guest *g = &r->guests.at[i];

		for (size_t k = 0; k < g->info.n; k++)
			free(g->info.at[k].key);
		array_fini(&g->info);
		array_fini(&g->parts);
		cdict_reader_close(g->reader);
	}
	array_fini(&r->guests);
}

int reader_guest_add(struct cdict_reader *r, struct cdict_reader *guest)
{
	struct reader_guest *g = array_add(&r->guests);

	if (!g) {
		cdict_reader_close(guest);
		return -ENOMEM;
	}
	for (size_t i = 0; i + 1 < r->guests.n; i++)
		if (r->guests.at[i].number >= g->number)
			g->number = r->guests.at[i].number + 1;
	g->reader = guest;
	return 0;
}

bool reader_guest_is_added(const struct cdict_reader *r, size_t i)
{
	return r->guests.at[i].reader && !r->guests.at[i].parts.n;
}

int reader_guest_set(struct cdict_reader *r, const char *key, const char *value)
{
	/* It is not part of the file that the room is for. */
	r->room += sizeof(struct reader_pair) + strlen(key) + strlen(value) + 2;
	return set(r, &r->guests.at[r->guests.n - 1], key, strlen(key), value, strlen(value));
}

/* ---- writing ---- */

void guest_head_write(struct buf *out, const struct cdict_reader *r, size_t i)
{
	const struct reader_guest *g = &r->guests.at[i];

	buf_le32(out, g->number);
	for (size_t k = 0; k < g->info.n; k++) {
		buf_string(out, g->info.at[k].key, strlen(g->info.at[k].key));
		buf_string(out, g->info.at[k].value, strlen(g->info.at[k].value));
	}
}

void guest_part_write(struct buf *out, const struct cdict_reader *r, size_t i, uint64_t offset)
{
	const struct reader_guest *g = &r->guests.at[i];
	size_t n = g->reader->size - (size_t)offset;
	struct buf raw = { 0 };

	buf_le32(&raw, g->number);
	buf_le64(&raw, offset);
	buf_add(&raw, g->reader->data + offset, n < GUEST_PART ? n : GUEST_PART);
	escape(out, raw.data, raw.len);
	out->failed |= raw.failed;
	buf_fini(&raw);
}

/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rebuilding the raw tracepoint payload of an event. */
#include <string.h>

#include "cdict/event.h"

/* Undoes the coding of the final NUL of dynamic strings (cdict(5), "Strings"): nearly all
 * end in one, and it is not stored. Other strings are stored with 0, 1 after them.
 * True when a NUL belongs after the bytes. */
static bool text_form(struct cdict_bytes *b)
{
	if (b->len < 2 || b->data[b->len - 2] || b->data[b->len - 1] != 1)
		return true;
	b->len -= 2;
	return false;
}

static void store(uint8_t *p, uint64_t v, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

size_t cdict_event_payload(const struct cdict_schema *schema, const struct cdict_event *ev,
			   void *out, size_t room)
{
	bool big = cdict_schema_big_endian(schema);
	size_t fixed = ev->type->payload_size, tail = fixed;
	uint8_t *p = out;

	if (fixed <= room)
		memset(p, 0, fixed);
	for (size_t i = 0; i < ev->type->n_fields; i++) {
		const struct cdict_field *f = &ev->type->fields[i];
		struct cdict_bytes b;
		size_t at = tail;
		bool nul;

		if (f->kind <= CDICT_FIELD_INT) {
			if (fixed <= room)
				store(p + f->offset, ev->values[i], f->size, big);
			continue;
		}
		b = cdict_event_bytes(ev, i);
		if (cdict_field_is_flexible(ev->type, f)) {
			tail += b.len + (f->is_text && b.len);
			if (tail > room || !b.len)
				continue;
			memcpy(p + at, b.data, b.len);
			if (f->is_text)
				p[at + b.len] = 0;
			continue;
		}
		if (f->kind == CDICT_FIELD_BYTES) {
			if (b.len > f->size)
				b.len = f->size;
			if (fixed <= room && b.len)
				memcpy(p + f->offset, b.data, b.len);
			continue;
		}
		nul = f->is_text && text_form(&b);
		/* The location is 16 bits of offset and 16 of length. */
		if (b.len > UINT16_MAX - 1)
			b.len = UINT16_MAX - 1;
		tail += b.len + nul;
		if (tail > room || fixed > room)
			continue;
		if (b.len)
			memcpy(p + at, b.data, b.len);
		if (nul)
			p[at + b.len] = 0;
		if (f->kind == CDICT_FIELD_REL_LOC)
			at -= f->offset + f->size;
		store(p + f->offset, at | (b.len + nul) << 16, 4, big);
	}
	return tail;
}

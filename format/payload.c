/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rebuilding the raw tracepoint payload of an event. */
#include <string.h>

#include "cdict/event.h"

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

		if (f->kind <= CDICT_FIELD_INT) {
			if (fixed <= room)
				store(p + f->offset, ev->values[i], f->size, big);
			continue;
		}
		b = cdict_event_bytes(ev, i);
		if (f->kind == CDICT_FIELD_BYTES) {
			if (b.len > f->size)
				b.len = f->size;
			if (fixed <= room && b.len)
				memcpy(p + f->offset, b.data, b.len);
			continue;
		}
		/* The location is 16 bits of offset and 16 of length. */
		if (b.len > UINT16_MAX)
			b.len = UINT16_MAX;
		tail += b.len;
		if (tail > room || fixed > room)
			continue;
		if (b.len)
			memcpy(p + at, b.data, b.len);
		if (f->kind == CDICT_FIELD_REL_LOC)
			at -= f->offset + f->size;
		store(p + f->offset, at | b.len << 16, 4, big);
	}
	return tail;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * proto.h - writes Protocol Buffers messages: numbered fields, into a buffer.
 *
 *	size_t at = proto_open(&b, 4);		// a nested message
 *	proto_number(&b, 2, pid);
 *	proto_text(&b, 1, comm);
 *	proto_close(&b, at);
 *
 * The length of a nested message always takes four bytes, which readers accept and which saves a copy (Perfetto's own
 * writer does the same). Out of memory sets the buffer's failed.
 */
#ifndef QUERY_EXPORT_PROTO_H
#define QUERY_EXPORT_PROTO_H

#include "base/memory/buf.h"

enum { PROTO_VARINT = 0, PROTO_BYTES = 2, PROTO_LENGTH = 4 };

static inline void proto_number(struct buf *b, unsigned field, uint64_t value)
{
	buf_varint(b, (uint64_t)field << 3 | PROTO_VARINT);
	buf_varint(b, value);
}

/* proto_text - writes foreign text: invalid UTF-8 becomes U+FFFD, as such a field must be UTF-8. */
void proto_text(struct buf *b, unsigned field, const char *text);

/* proto_open - begins a nested message of less than 256 MiB; returns the argument of proto_close(). */
static inline size_t proto_open(struct buf *b, unsigned field)
{
	static const uint8_t room[PROTO_LENGTH] = { 0 };

	buf_varint(b, (uint64_t)field << 3 | PROTO_BYTES);
	buf_add(b, room, sizeof(room));
	return b->len;
}

static inline void proto_close(struct buf *b, size_t at)
{
	size_t len = b->len - at;

	for (unsigned i = 0; i < PROTO_LENGTH && !b->failed; i++)
		b->data[at - PROTO_LENGTH + i] =
			(uint8_t)((len >> 7 * i & 0x7f) | (i < PROTO_LENGTH - 1 ? 0x80 : 0));
}

#endif

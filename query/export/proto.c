/* SPDX-License-Identifier: GPL-2.0-only */
/* See proto.h. */
#include "query/export/proto.h"

#include <string.h>

#include "base/text/utf8.h"

void proto_text(struct buf *b, unsigned field, const char *text)
{
	size_t len = strlen(text), n;
	const char *piece;

	buf_varint(b, (uint64_t)field << 3 | PROTO_BYTES);
	buf_varint(b, utf8_size(text, len));
	for (size_t at = 0; at < len;) {
		at += utf8_piece(text + at, len - at, &piece, &n);
		buf_add(b, piece, n);
	}
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* See proto.h. */
#include "exchange/proto.h"

#include <string.h>

#include "base/escape.h"

void proto_text(struct buf *b, unsigned field, const char *text)
{
	size_t len = strlen(text), at = 0, n;
	uint32_t cp;

	while (at < len && (n = escape_decode(text + at, len - at, &cp)) > 0)
		at += n;
	if (at == len) {
		proto_bytes(b, field, text, len);
		return;
	}
	size_t inside = proto_open(b, field);

	for (at = 0; at < len; at += n ? n : 1) {
		n = escape_decode(text + at, len - at, &cp);
		if (n)
			buf_add(b, text + at, n);
		else
			buf_add(b, "\xef\xbf\xbd", 3);
	}
	proto_close(b, inside);
}

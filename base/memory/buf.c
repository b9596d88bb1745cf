/* SPDX-License-Identifier: LGPL-2.1-only */
/* Growing byte buffer. */
#include "base/memory/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

uint8_t *buf_room_slow(struct buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;
	uint8_t *data;

	if (b->failed || n > SIZE_MAX / 4 - b->len) {
		b->failed = true;
		return NULL;
	}
	while (cap - b->len < n)
		cap *= 2;
	if (cap == b->cap)
		return b->data + b->len;
	data = realloc(b->data, cap);
	if (!data) {
		b->failed = true;
		return NULL;
	}
	b->data = data;
	b->cap = cap;
	return data + b->len;
}

int buf_read(struct buf *b, int fd, size_t most)
{
	while (b->len < most) {
		size_t want = most - b->len < 65536 ? most - b->len : 65536;
		uint8_t *room = buf_room(b, want);
		ssize_t n = room ? read(fd, room, want) : -1;

		if (!room)
			return -ENOMEM;
		if (!n)
			break;
		if (n > 0)
			b->len += (size_t)n;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

int buf_write(void *buf, const void *data, size_t size)
{
	struct buf *b = buf;

	buf_add(b, data, size);
	return b->failed ? -ENOMEM : 0;
}

void buf_fini(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap, again;
	uint8_t *p;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n >= 0 && (p = buf_room(b, (size_t)n + 1))) {
		vsnprintf((char *)p, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

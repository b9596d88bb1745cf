/* SPDX-License-Identifier: LGPL-2.1-only */
/* Outputs for text. */
#include "base/text/sink.h"

#include <errno.h>

/* Pending text is passed on in pieces of about this size. */
#define PIECE_BYTES ((size_t)64 * 1024)

static int write_file(void *ctx, const void *data, size_t size)
{
	errno = 0;
	if (fwrite(data, 1, size, ctx) == size)
		return 0;
	return errno ? -errno : -EIO;
}

void sink_to_memory(struct sink *s)
{
	*s = (struct sink){ 0 };
}

void sink_to_file(struct sink *s, FILE *file)
{
	sink_to(s, write_file, file);
}

void sink_to(struct sink *s, int (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
	*s = (struct sink){ .write = write, .ctx = ctx };
}

int sink_flush(struct sink *s)
{
	if (s->buf.failed && !s->error)
		s->error = -ENOMEM;
	if (!s->write)
		return s->error;
	if (!s->error && s->buf.len)
		s->error = s->write(s->ctx, s->buf.data, s->buf.len);
	s->buf.len = 0;
	return s->error;
}

static void pass_on(struct sink *s)
{
	if (s->write && s->buf.len >= PIECE_BYTES)
		sink_flush(s);
}

void sink_add(struct sink *s, const void *data, size_t size)
{
	if (s->error)
		return;
	buf_add(&s->buf, data, size);
	pass_on(s);
}

void sink_puts(struct sink *s, const char *text)
{
	sink_add(s, text, strlen(text));
}

void sink_printf(struct sink *s, const char *fmt, ...)
{
	char small[256];
	va_list ap;
	int n;

	if (s->error)
		return;
	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0) {
		s->error = -EINVAL;
	} else if ((size_t)n < sizeof(small)) {
		buf_add(&s->buf, small, (size_t)n);
	} else {
		uint8_t *p = buf_room(&s->buf, (size_t)n + 1);

		va_start(ap, fmt);
		if (p) {
			vsnprintf((char *)p, (size_t)n + 1, fmt, ap);
			s->buf.len += (size_t)n;
		}
		va_end(ap);
	}
	pass_on(s);
}

void sink_repeat(struct sink *s, char c, size_t n)
{
	uint8_t *p;

	if (s->error || !n)
		return;
	p = buf_room(&s->buf, n);
	if (p) {
		memset(p, c, n);
		s->buf.len += n;
	}
	pass_on(s);
}

int sink_finish(struct sink *s)
{
	int rc = sink_flush(s);

	buf_fini(&s->buf);
	return rc;
}

char *sink_take(struct sink *s, size_t *len)
{
	char *text = NULL;

	buf_u8(&s->buf, 0);
	if (!s->buf.failed && !s->error) {
		text = (char *)s->buf.data;
		if (len)
			*len = s->buf.len - 1;
		s->buf = (struct buf){ 0 };
	}
	buf_fini(&s->buf);
	return text;
}

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * sink.h - an output for text: a growing buffer, a FILE*, or a function.
 *
 * Failures are remembered: callers may write without checking, and
 * sink_finish() returns the first error at the end.
 *
 * Threads    one at a time per sink
 * Ownership  caller's storage; sink_finish() frees the buffer, unless
 *            sink_take() handed it over
 */
#ifndef BASE_TEXT_SINK_H
#define BASE_TEXT_SINK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "base/memory/buf.h"

struct sink {
	struct buf buf; /* pending text; a memory sink's whole text */
	int (*write)(void *ctx, const void *data, size_t size); /* NULL: memory */
	void *ctx;
	int error; /* 0 or the first negative errno */
};

void sink_to_memory(struct sink *s);
void sink_to_file(struct sink *s, FILE *file);
/* sink_to - @write is a cdict_write_fn: writes all bytes or returns a negative errno. */
void sink_to(struct sink *s, int (*write)(void *ctx, const void *data, size_t size), void *ctx);

void sink_add(struct sink *s, const void *data, size_t size);
void sink_puts(struct sink *s, const char *text);
void sink_printf(struct sink *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sink_repeat(struct sink *s, char c, size_t n);

static inline void sink_putc(struct sink *s, char c)
{
	sink_add(s, &c, 1);
}

/* sink_flush - passes on pending text; 0 or the first error. */
int sink_flush(struct sink *s);
/* sink_finish - flushes and frees; 0 or the first error. */
int sink_finish(struct sink *s);
/* sink_take - a memory sink's text, NUL-terminated, given (free() it); *@len
 * without the NUL.  NULL when out of memory.  The sink is empty afterwards. */
char *sink_take(struct sink *s, size_t *len);

#endif

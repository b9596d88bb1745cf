/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * msgpack_read.h - MessagePack out of a zlib stream, a value at a time, whatever it unpacks to: memory
 * is that of one reader, 100 kB.
 *
 * Failure    false; after that every call fails.  no_memory tells whether that was it
 * Ownership  caller's storage; the packed bytes are borrowed
 */
#ifndef EXCHANGE_MSGPACK_READ_H
#define EXCHANGE_MSGPACK_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* Of a longer text the beginning is kept. */
#define MSGPACK_TEXT_MAX 255u

enum msgpack_type {
	MSGPACK_NIL,
	MSGPACK_BOOL,
	MSGPACK_INT,
	MSGPACK_FLOAT,
	MSGPACK_TEXT, /* str and bin: Python 2 knew no difference */
	MSGPACK_ARRAY,
	MSGPACK_MAP,
	MSGPACK_EXT,
};

struct msgpack_value {
	enum msgpack_type type;
	int64_t i;  /* INT, what does not fit is INT64_MAX; BOOL */
	double f;   /* FLOAT */
	uint32_t n; /* members of ARRAY and MAP, which come next; bytes of TEXT */
	char text[MSGPACK_TEXT_MAX + 1];
};

struct msgpack_reader {
	z_stream z;
	const uint8_t *packed; /* what zlib has not seen yet */
	size_t left;
	uint8_t *out;
	const uint8_t *at, *end;
	bool open, failed, no_memory;
};

bool msgpack_read_open(struct msgpack_reader *m, const void *packed, size_t size);
void msgpack_read_close(struct msgpack_reader *m);

bool msgpack_next(struct msgpack_reader *m, struct msgpack_value *v);
/* msgpack_skip - a value and all that is in it. */
bool msgpack_skip(struct msgpack_reader *m);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * msgpack_read.h - reads MessagePack from a zlib stream, one value at a time; memory does not
 * depend on the unpacked size: 100 kB per reader.
 *
 * Failure    false; after that every call fails. no_memory is set when that was the reason
 * Ownership  caller's storage; the packed bytes are borrowed
 */
#ifndef CONVERT_PERFWHIZ_MSGPACK_READ_H
#define CONVERT_PERFWHIZ_MSGPACK_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* Longer texts are truncated. */
#define MSGPACK_TEXT_MAX 255u

enum msgpack_type {
	MSGPACK_NIL,
	MSGPACK_BOOL,
	MSGPACK_INT,
	MSGPACK_FLOAT,
	MSGPACK_TEXT, /* str and bin: Python 2 does not distinguish them */
	MSGPACK_ARRAY,
	MSGPACK_MAP,
	MSGPACK_EXT,
};

struct msgpack_value {
	enum msgpack_type type;
	int64_t i;  /* INT, INT64_MAX if it does not fit; BOOL */
	double f;   /* FLOAT */
	uint32_t n; /* number of members of ARRAY and MAP, which follow; bytes of TEXT */
	char text[MSGPACK_TEXT_MAX + 1];
};

struct msgpack_reader {
	z_stream z;
	const uint8_t *packed; /* input that zlib has not consumed */
	size_t left;
	uint8_t *out;
	const uint8_t *at, *end;
	bool open, failed, no_memory;
};

bool msgpack_read_open(struct msgpack_reader *m, const void *packed, size_t size);
void msgpack_read_close(struct msgpack_reader *m);

bool msgpack_next(struct msgpack_reader *m, struct msgpack_value *v);
/* msgpack_skip - skips a value and everything in it. */
bool msgpack_skip(struct msgpack_reader *m);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packed.h - the frame of figures as stored:
 *
 *	magic (4 bytes), version (1), coding (0 stored, 1 deflate), CRC-32 and size of the body, body
 *
 * Failure    0 or a negative code with *err filled; CDICT_EVERSION: from a newer program
 */
#ifndef QUERY_FLEET_VALUES_PACKED_H
#define QUERY_FLEET_VALUES_PACKED_H

#include "base/memory/buf.h"
#include "cdict/error.h"

/* Limit of a body: more than a bucket of a host with a hundred thousand tasks needs. */
#define FLEET_VALUE_MOST (32u << 20)

/* fleet_pack - appends @body to @out, deflated if that takes at most @most bytes; CDICT_ELIMIT: it is too large. */
int fleet_pack(struct buf *out, const char magic[4], const struct buf *body, size_t most,
	       struct cdict_error *err);
/* fleet_unpack - *body is given (free()), and NULL after a failure. */
int fleet_unpack(const char magic[4], const void *data, size_t size, uint8_t **body, size_t *n,
		 struct cdict_error *err);

#endif

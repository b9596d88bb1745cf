/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * value.h - what a host tells of one bucket of time, as bytes in the store.
 *
 *	"CDFV", version (1), coding (0 stored, 1 deflate), CRC-32 and size of the body, body
 *
 * The body names its columns: a reader adds those that it knows and steps over the others, so that
 * new ones may come without a new version.
 *
 * What is read back is foreign: anybody may have written it.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef FLEET_VALUE_H
#define FLEET_VALUE_H

#include "base/buf.h"
#include "fleet/rows.h"

/* More than a bucket of a host with a hundred thousand tasks. */
#define FLEET_VALUE_MOST (32u << 20)

/* fleet_value_encode - appends the rows, which are those of one bucket. */
int fleet_value_encode(struct buf *out, const struct fleet_rows *rows,
		       const struct fleet_window *window, struct cdict_error *err);
/* fleet_value_decode - adds them to @rows; *window, when not NULL, is told. After a failure @rows holds no
 * figures, but is whole. */
int fleet_value_decode(struct fleet_rows *rows, const void *data, size_t size,
		       struct fleet_window *window, struct cdict_error *err);

#endif

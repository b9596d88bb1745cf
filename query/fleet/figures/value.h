/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * value.h - encoding of one host's figures of one bucket, as stored.
 *
 *	"CDFV", version (1), coding (0 stored, 1 deflate), CRC-32 and size of the body, body
 *
 * The body names its columns: readers skip unknown ones, so new columns do not need a new version.
 *
 * Stored values are untrusted: anybody may have written them.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef QUERY_FLEET_FIGURES_VALUE_H
#define QUERY_FLEET_FIGURES_VALUE_H

#include "base/memory/buf.h"
#include "query/fleet/figures/rows.h"

/* More than a bucket of a host with a hundred thousand tasks needs. */
#define FLEET_VALUE_MOST (32u << 20)

/* fleet_value_encode - appends the rows of one bucket. */
int fleet_value_encode(struct buf *out, const struct fleet_rows *rows,
		       const struct fleet_window *window, struct cdict_error *err);
/* fleet_value_decode - adds them to @rows, and sets *window unless NULL. After a failure the figures in @rows are
 * not valid, but @rows is consistent. */
int fleet_value_decode(struct fleet_rows *rows, const void *data, size_t size,
		       struct fleet_window *window, struct cdict_error *err);

#endif

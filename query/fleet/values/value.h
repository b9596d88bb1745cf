/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * value.h - encoding of one host's figures of one bucket, as stored.
 *
 * It is packed (packed.h) as "CDFV". The body names its columns: readers skip unknown ones, so new columns do not
 * need a new version.
 *
 * Stored values are untrusted: anybody may have written them.
 *
 * Failure    0 or a negative code with *err filled
 */
#ifndef QUERY_FLEET_VALUES_VALUE_H
#define QUERY_FLEET_VALUES_VALUE_H

#include "base/memory/buf.h"
#include "query/fleet/values/rows.h"

/* Followed by the host's name: its buckets, by capture and number. */
#define FLEET_SHELF_HOST "h:"

/* fleet_value_encode - appends the rows of one bucket. */
int fleet_value_encode(struct buf *out, const struct fleet_rows *rows,
		       const struct fleet_window *window, struct cdict_error *err);
/* fleet_value_decode - adds them to @rows, and sets *window unless NULL. After a failure the figures in @rows are
 * not valid, but @rows is consistent. */
int fleet_value_decode(struct fleet_rows *rows, const void *data, size_t size,
		       struct fleet_window *window, struct cdict_error *err);

/* The body alone. fleet_value_put - appends it. fleet_value_get - adds its rows to @rows, but not its window to the
 * totals there. */
int fleet_value_put(struct buf *body, const struct fleet_rows *rows, const struct fleet_window *w,
		    struct cdict_error *err);
int fleet_value_get(struct fleet_rows *rows, const void *body, size_t size, struct fleet_window *w,
		    struct cdict_error *err);

#endif

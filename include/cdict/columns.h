/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * columns.h - the events of a cdict as column arrays, one block at a time: for programs that
 * aggregate events, or languages in which a call per event is expensive.
 *
 *	struct cdict_batch b = { .size = sizeof(b) };
 *
 *	cdict_columns_open(&it, reader, NULL, &err);
 *	while (cdict_columns_next(it, &b, &err) > 0)
 *		for (size_t i = 0; i < b.n; i++)
 *			... b.t_ns[i], b.tid[i], b.values[field][i] ...
 *	cdict_columns_close(it);
 *
 * Order      events of a batch are in time order.  Batches come in file order, one per block and
 *            event type.  The batches of one CPU and type are in time order as far as the blocks
 *            are (cdict_block_info); those of different CPUs are not
 * Units      t_ns is in the recording's clock
 * Failure    0 or a negative code with *err filled; damaged blocks are skipped and noted in
 *            cdict_reader_damage()
 * Threads    a walk belongs to one; several may share a reader
 * Ownership  open gives, close takes (NULL is fine); a batch is borrowed until the next call
 */
#ifndef CDICT_COLUMNS_H
#define CDICT_COLUMNS_H

#include "cdict/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cdict_columns;

/* Events of one type from one block. */
struct cdict_batch {
	size_t size; /* the caller's sizeof(struct cdict_batch); nothing beyond it is written */
	const struct cdict_event_type *type;
	size_t block; /* cdict_reader_block_at() */
	uint32_t cpu;
	size_t n; /* events; each array has as many elements */
	const uint64_t *t_ns;
	const int32_t *pid, *tid; /* of the sample */
	const uint8_t *mode;      /* enum cdict_mode */
	const uint32_t *at;       /* the event's number in its block, over all types */
	/* By field of the type, like cdict_event.values; NULL for a field that the query leaves
	 * out.  For a field that is not a scalar: the index into @bytes. */
	const uint64_t *const *values;
	const struct cdict_bytes *bytes;
};

/* cdict_columns_open - iterate over the events of @query; NULL: over all events. */
CDICT_API int cdict_columns_open(struct cdict_columns **out, struct cdict_reader *r,
				 const struct cdict_query *query, struct cdict_error *err);
/* cdict_columns_next - 1 and *batch, 0 at the end, or a negative code. */
CDICT_API int cdict_columns_next(struct cdict_columns *it, struct cdict_batch *batch,
				 struct cdict_error *err);
CDICT_API void cdict_columns_close(struct cdict_columns *it);

#ifdef __cplusplus
}
#endif
#endif

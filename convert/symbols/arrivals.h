/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arrivals.h - puts records for struct spaces into the order of time. They arrive ring by ring:
 * another ring may hold older ones.
 *
 * Threads    one at a time
 * Failure    out of memory, or beyond the limit: records are applied as they come
 */
#ifndef CONVERT_SYMBOLS_ARRIVALS_H
#define CONVERT_SYMBOLS_ARRIVALS_H

#include "base/memory/buf.h"
#include "convert/symbols/spaces.h"

struct arrivals {
	bool big;         /* byte order of the records */
	size_t max_bytes; /* limit of records that wait */
	struct buf records;
	ARRAY(struct arrival {
		uint64_t t_ns;
		size_t at; /* in records */
		size_t size;
	})
	waiting;
};

void arrivals_fini(struct arrivals *a);

/* arrivals_add - adds a copy of a record, for @to. */
void arrivals_add(struct arrivals *a, struct spaces *to, const void *record, size_t size,
		  uint64_t t_ns);
/* arrivals_take - applies those that wait. */
void arrivals_take(struct arrivals *a, struct spaces *to);

#endif

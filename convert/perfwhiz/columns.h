/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * columns.h - the columns of a perfwhiz file, and its rows out of them.
 *
 * Failure    negative code with *err filled
 * Ownership  caller's storage; a row's texts live until the next one
 */
#ifndef EXCHANGE_PERFWHIZ_COLUMNS_H
#define EXCHANGE_PERFWHIZ_COLUMNS_H

#include "cdict/error.h"
#include "convert/perfwhiz/msgpack_read.h"

enum perfwhiz_column {
	PERFWHIZ_EVENT,
	PERFWHIZ_CPU,
	PERFWHIZ_USECS,
	PERFWHIZ_PID,
	PERFWHIZ_TASK_NAME,
	PERFWHIZ_DURATION,
	PERFWHIZ_NEXT_PID,
	PERFWHIZ_NEXT_COMM,
	PERFWHIZ_COLUMNS,
};
extern const char *const perfwhiz_column_names[PERFWHIZ_COLUMNS];
/* The first ones, without which there is no event. */
#define PERFWHIZ_NEEDED 4

struct perfwhiz_columns {
	struct msgpack_reader readers[PERFWHIZ_COLUMNS];
	bool has[PERFWHIZ_COLUMNS];
	struct msgpack_value row[PERFWHIZ_COLUMNS]; /* a column that is not there: NIL */
	uint64_t n, at;                             /* rows, as the first column has them */
	bool uneven;                                /* some column has another number of them */
};

int perfwhiz_columns_open(struct perfwhiz_columns *c, const void *data, size_t size,
			  struct cdict_error *err);
void perfwhiz_columns_close(struct perfwhiz_columns *c);

/* perfwhiz_columns_next - 1 and c->row, 0 at the end, CDICT_ECORRUPT where a column breaks off (*err). */
int perfwhiz_columns_next(struct perfwhiz_columns *c, struct cdict_error *err);

/* perfwhiz_number - a whole number; false when the value is none. */
bool perfwhiz_number(const struct msgpack_value *v, int64_t *out);
/* perfwhiz_ns - of µs, whole or not; false when the value is none or has no place in a capture. */
bool perfwhiz_ns(const struct msgpack_value *v, uint64_t *ns);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * columns.h - reads the columns of a perfwhiz file, and makes rows of them.
 *
 * Failure    negative code with *err filled
 * Ownership  caller's storage; a row's texts are valid until the next one
 */
#ifndef CONVERT_PERFWHIZ_COLUMNS_H
#define CONVERT_PERFWHIZ_COLUMNS_H

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
/* The first columns are required. */
#define PERFWHIZ_NEEDED 4

struct perfwhiz_columns {
	struct msgpack_reader readers[PERFWHIZ_COLUMNS];
	bool has[PERFWHIZ_COLUMNS];
	struct msgpack_value row[PERFWHIZ_COLUMNS]; /* NIL: the column is missing */
	uint64_t n, at;                             /* number of rows, from the first column */
	bool uneven;                                /* another column has a different number */
};

int perfwhiz_columns_open(struct perfwhiz_columns *c, const void *data, size_t size,
			  struct cdict_error *err);
void perfwhiz_columns_close(struct perfwhiz_columns *c);

/* perfwhiz_columns_next - returns 1 and c->row, 0 at the end, CDICT_ECORRUPT where a column is cut
 * off (*err). */
int perfwhiz_columns_next(struct perfwhiz_columns *c, struct cdict_error *err);

/* perfwhiz_number - gets a whole number; false when the value is not one. */
bool perfwhiz_number(const struct msgpack_value *v, int64_t *out);
/* perfwhiz_ns - converts µs, whole or not; false when the value is not a number or is out of range
 * for a capture. */
bool perfwhiz_ns(const struct msgpack_value *v, uint64_t *ns);

#endif

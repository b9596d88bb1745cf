/* SPDX-License-Identifier: GPL-2.0-only */
/* list.h - a source whose rows are numbered: tasks, CPUs, losses. */
#ifndef QUERY_SQL_LIST_H
#define QUERY_SQL_LIST_H

#include "query/sql/tables.h"

struct list_source {
	struct query_source base;
	struct query_run_of *run;
	size_t at, n; /* the row, + 1 before the first next() */
	bool begun;
};

/* list_open - opens a source of @n rows, or of row @only alone if that is below @n. */
int list_open(struct query_source **out, struct query_run_of *run, size_t n, size_t only,
	      void (*column)(struct query_source *src, struct query_value *out, int column),
	      struct cdict_error *err);
#define LIST_ALL SIZE_MAX

#endif

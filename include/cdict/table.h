/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * table.h - the tables that cdict's commands print, as rows: same figures, same code.
 *
 *	struct cdict_table_options o = { .size = sizeof(o) };
 *
 *	cdict_table_open(&t, reader, "tasks", &o, &err);
 *	name = cdict_table_find(t, "name");
 *	run = cdict_table_find(t, "run_ns");
 *	for (size_t i = 0; i < cdict_table_rows(t); i++)
 *		if (cdict_table_integer(t, i, run, &ns))
 *			... cdict_table_text(t, i, name), ns ...
 *	cdict_table_close(t);
 *
 * The columns' keys are those of --format json and csv (cdict-tasks(1) and others); cells that
 * are null there are empty here.  Rows have the order in which the command prints them.
 *
 * Failure    0 or a negative code with *err filled
 * Threads    a table belongs to one; several may be built from one reader at the same time
 * Ownership  open gives, close takes (NULL is fine); a table does not need its reader after open;
 *            everything read from it is borrowed and dies with it
 */
#ifndef CDICT_TABLE_H
#define CDICT_TABLE_H

#include "cdict/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cdict_table;

/* Names of the available tables, by number: "tasks", "latency", ...; NULL after the last. */
CDICT_API const char *cdict_table_name(size_t i);

/* The zero value, except for the size: the whole capture, all CPUs, all tasks. */
struct cdict_table_options {
	size_t size;             /* sizeof(struct cdict_table_options) */
	uint64_t from_ns, to_ns; /* the window, in the recording's clock; both 0: whole capture */
	const uint64_t *cpus;    /* bitmap of CPUs whose time counts, NULL: all */
	size_t n_cpus;           /* bits in it */
	const int32_t *tids;     /* ascending: only these tasks; NULL: all */
	size_t n_tids;
	const char *vm;       /* only tasks of the VM with this name, UUID or instance; NULL: all */
	bool no_guest_mode;   /* leave out samples in guest mode, as perf does */
	bool merge_sys_tasks; /* one row for all per-CPU threads of a kind */
	bool append_tid;      /* append the tid to names */
};

/* cdict_table_open - opens the table @name; CDICT_ENOTFOUND when no table has that name. @options
 * may be NULL. */
CDICT_API int cdict_table_open(struct cdict_table **out, struct cdict_reader *r, const char *name,
			       const struct cdict_table_options *options, struct cdict_error *err);
CDICT_API void cdict_table_close(struct cdict_table *t);

CDICT_API size_t cdict_table_columns(const struct cdict_table *t);
CDICT_API size_t cdict_table_rows(const struct cdict_table *t);
/* cdict_table_total - the number of the total's row, which follows the others; SIZE_MAX
 * without a total. */
CDICT_API size_t cdict_table_total(const struct cdict_table *t);

/* The type of a column's cells, which decides the function that reads them. */
enum cdict_table_kind {
	CDICT_TABLE_TEXT = 0,    /* cdict_table_text(); untrusted */
	CDICT_TABLE_INTEGER = 1, /* cdict_table_integer(): a tid, a CPU, a flag */
	CDICT_TABLE_COUNT = 2,   /* the same */
	CDICT_TABLE_NS = 3,      /* the same: a duration, or a point in the recording's clock */
	CDICT_TABLE_NUMBER = 4,  /* cdict_table_number(): percent, a mean */
};
CDICT_API const char *cdict_table_key(const struct cdict_table *t, size_t column);
CDICT_API const char *cdict_table_title(const struct cdict_table *t, size_t column);
CDICT_API enum cdict_table_kind cdict_table_kind(const struct cdict_table *t, size_t column);
/* cdict_table_find - the column with that key; SIZE_MAX if none. */
CDICT_API size_t cdict_table_find(const struct cdict_table *t, const char *key);

/* A cell of a row < cdict_table_rows() or of the total; NULL or false when it is empty or of
 * another kind. cdict_table_number() reads integers too. */
CDICT_API const char *cdict_table_text(const struct cdict_table *t, size_t row, size_t column);
CDICT_API bool cdict_table_integer(const struct cdict_table *t, size_t row, size_t column,
				   int64_t *out);
CDICT_API bool cdict_table_number(const struct cdict_table *t, size_t row, size_t column,
				  double *out);
/* cdict_table_lossy - true when missing events may have changed figures of the row. */
CDICT_API bool cdict_table_lossy(const struct cdict_table *t, size_t row);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * query.h - SQL over captures: SQLite's virtual tables read the cdict files directly, without an import.
 *
 *	struct query_file files[] = { { .name = "a.cdict", .reader = r } };
 *	struct query *q;
 *
 *	query_open(&q, files, 1, NULL, err);
 *	query_run(q, "SELECT utid, sum(dur) FROM sched_slice GROUP BY utid", &how, err);
 *	query_close(q);
 *
 * SQLite is loaded on first use (base/system/shared_object.h).  cdict-query(1) lists the tables.
 *
 * Units      ts, dur in nanoseconds, of the recording's clock
 * Threads    one at a time per query
 * Failure    0 or a negative code with *err filled
 * Ownership  open gives, close takes (NULL is fine); readers and labels are borrowed and outlive the query
 */
#ifndef QUERY_SQL_QUERY_H
#define QUERY_SQL_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/system/outdir.h"
#include "cdict/reader.h"
#include "format/labels/label_index.h"

struct query;

struct query_file {
	const char *name; /* value of the column `run`; borrowed while the query is open */
	struct cdict_reader *reader;
	struct label_index *labels; /* or NULL: the file's own */
	uint64_t from_ns,
		to_ns; /* the window to which rows of tables are clipped; both 0: the whole */
};

/* The zero value has all defaults. */
struct query_options {
	unsigned jobs;         /* threads that decode */
	uint64_t memory_bytes; /* that SQLite may take; 0: no limit */
};

int query_open(struct query **out, const struct query_file *files, size_t n,
	       const struct query_options *opts, struct cdict_error *err);
void query_close(struct query *q);

/* A value of a row. */
enum query_kind {
	QUERY_NULL = 0,
	QUERY_INTEGER,
	QUERY_REAL,
	QUERY_TEXT,
	QUERY_BLOB,
	QUERY_FAILED /* to be computed: @integer is a negative errno; no value of a result */
};
enum { QUERY_VALUE_ROOM = 24 };
struct query_value {
	enum query_kind kind;
	int64_t integer;
	double real;
	const char *
		data; /* TEXT and BLOB, borrowed for the call; those of results are NUL-terminated */
	size_t len;
	bool fixed;                  /* a column's @data stays as it is, see query_result_fixed() */
	char *given;                 /* @data of a table's column if it must be freed, else NULL */
	char room[QUERY_VALUE_ROOM]; /* for such a column's short text */
};

/* Receives the results of a statement. A return value other than 0 ends it and becomes query_run()'s result. */
struct query_out {
	/* The columns of a statement that has any, before its first row. */
	int (*columns)(void *ctx, const char *const *names, size_t n);
	int (*row)(void *ctx, const struct query_value *values, size_t n);
	void *ctx;
	/* Called now and then while SQLite works, with the events read so far and their total; may be NULL. */
	int (*progress)(void *ctx, uint64_t read, uint64_t events);
	void *progress_ctx;
};

/* query_run - runs the statements of @sql, separated by ';', one after the other. */
int query_run(struct query *q, const char *sql, const struct query_out *out,
	      struct cdict_error *err);

/* query_blocks_read - event blocks of all files that were decoded so far. */
uint64_t query_blocks_read(const struct query *q);

/* query_export_sqlite - writes the tables of @files as an SQLite database to @path, which is empty or does not exist. */
int query_export_sqlite(const struct query_file *files, size_t n, const struct query_options *opts,
			const char *path, struct cdict_error *err);

/* query_export_parquet - writes them as Parquet files: a folder for each table, in it one for each of @files. */
int query_export_parquet(const struct query_file *files, size_t n, const struct query_options *opts,
			 struct outdir *dir, struct cdict_error *err);

#endif

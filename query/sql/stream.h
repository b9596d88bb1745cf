/* SPDX-License-Identifier: GPL-2.0-only */
/* stream.h - a source whose rows are the stored events, in order of time. */
#ifndef QUERY_SQL_STREAM_H
#define QUERY_SQL_STREAM_H

#include "query/sql/tables.h"

enum { STREAM_THREADS = 256 };

struct stream_source {
	struct query_source base;
	struct query_run_of *run;
	struct cdict_events *it;
	struct cdict_event ev;
	int *fields;            /* by type and options' field: its number; freed with the source */
	size_t n_fields;        /* for each type */
	uint64_t *types, *cpus; /* bitmaps that @it reads */
	const void *ctx;        /* the caller's */
	const int *
		field_of; /* by column: which of the options' fields it is, or -1; NULL: none is one */
	bool done;
	/* The tasks of tids that only one task had, by the tid's last bits. */
	struct stream_thread {
		int32_t tid; /* 0: none */
		const struct query_thread *thread;
	} threads[STREAM_THREADS];
};

/* The events and fields to read. */
struct stream_options {
	const struct query_scan *scan;
	bool by_end; /* an event's time is the end of its row, not ts */
	bool utid;   /* utid is read */
	/* The field of @type that is the caller's field number @field, or -1. */
	int (*field)(const void *ctx, const struct cdict_event_type *type, size_t field);
	size_t n_fields;
	bool (*wants)(const void *ctx, const struct cdict_event_type *type);
	const void *ctx;
};

int stream_open(struct query_source **out, struct query_run_of *run,
		const struct stream_options *opts,
		void (*column)(struct query_source *src, struct query_value *out, int column),
		struct cdict_error *err);
/* stream_field - the current event's field that is the caller's field number @field, or -1. */
int stream_field(const struct stream_source *s, size_t field);
void stream_result_field(const struct stream_source *s, struct query_value *out, int field);
/* stream_utid - the utid of the current event's task, or -1. */
int64_t stream_utid(struct stream_source *s);
void stream_result_utid(struct stream_source *s, struct query_value *out);

#endif

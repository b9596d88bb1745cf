/* SPDX-License-Identifier: GPL-2.0-only */
/* stream.h - a source whose rows are events as they are stored, in order of time. */
#ifndef QUERY_STREAM_H
#define QUERY_STREAM_H

#include "query/sql/tables.h"

struct stream_source {
	struct query_source base;
	struct query_run_of *run;
	struct cdict_events *it;
	struct cdict_event ev;
	int *fields;            /* the caller's: which field of what; freed with the source */
	size_t n_fields;        /* for each type */
	uint64_t *types, *cpus; /* bitmaps that @it looks at */
	const void *ctx;        /* the caller's */
	bool done;
};

/* What is read. */
struct stream_options {
	const struct query_scan *scan;
	bool by_end; /* ts of a row is not the event's time: that is its end */
	bool utid;   /* somebody looks at utid */
	/* Which field of type @i is the @field-th that is asked for, -1: none; UINT32_MAX types: none. */
	int (*field)(const void *ctx, const struct cdict_event_type *type, size_t field);
	size_t n_fields;
	bool (*wants)(const void *ctx, const struct cdict_event_type *type);
	const void *ctx;
};

int stream_open(struct query_source **out, struct query_run_of *run,
		const struct stream_options *opts,
		void (*column)(struct query_source *src, sqlite3_context *ctx, int column),
		struct cdict_error *err);
/* stream_field - of the event the @field-th that was asked for, or -1. */
int stream_field(const struct stream_source *s, size_t field);
void stream_result_field(const struct stream_source *s, sqlite3_context *ctx, int field);
void stream_result_utid(const struct stream_source *s, sqlite3_context *ctx);

#endif

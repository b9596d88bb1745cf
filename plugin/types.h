/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * types.h - the event types of the file, made by the converter's own code: what is known
 * of the events and of their formats is put together as a small perf.data, which
 * convert/formats.c then reads. So both choose, check and refuse alike.
 *
 * Threads    one at a time; the schema is only read by who encodes, while nothing is added
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage: types_init(), types_fini(); arguments are copied
 */
#ifndef PLUGIN_TYPES_H
#define PLUGIN_TYPES_H

#include "base/buf.h"
#include "convert/formats.h"

/* An event of the recording. */
struct types_event {
	uint64_t config; /* tracepoint id */
	uint64_t sample_type;
	char name[128]; /* "sched:sched_switch" */
};

struct types {
	struct formats formats;
	struct types_event *events; /* tracepoints, as they were added */
	size_t n;
	struct types_made {
		struct perfdata *pd;
		struct buf bytes;
	} * made; /* what formats_update() read: it keeps pointers into all of them */
	size_t n_made;
	size_t bad; /* events that cannot be stored although they are wanted */
	char why[256];
};

void types_init(struct types *t, const char *const *globs, size_t n_globs);
void types_fini(struct types *t);

/* types_add - @n events more; @tracing holds the formats of all so far. */
int types_add(struct types *t, const struct perfdata_tracing *tracing,
	      const struct types_event *events, size_t n, struct cdict_error *err);

/* types_find - index of the event with this tracepoint id and these fields, or -1. */
int types_find(const struct types *t, uint64_t config, uint64_t sample_type);
/* types_of - the schema's type of event @i, or FORMATS_UNSTORED. */
static inline int32_t types_of(const struct types *t, int i)
{
	return t->formats.type_of[i];
}

/* types_schema - NULL before types_add(). */
const struct cdict_schema *types_schema(const struct types *t);

#endif

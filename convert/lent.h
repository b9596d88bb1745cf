/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lent.h - tracepoint formats from elsewhere, for a recording that lacks its own: perf writes them last,
 * a killed perf record writes none.
 *
 * They come from a folder (tracefs' events, or a copy of it), from another recording of perf or from a
 * cdict. An event of the recording has the format with its id; nothing else in the recording names it. So
 * every sample is held against its format: a survey of the recording before it is converted, or each sample
 * on the way where the recording can be read once only.
 *
 * Failure    negative code with *err filled
 * Ownership  lent_open() gives, lent_close() takes (NULL is fine); formats are borrowed
 */
#ifndef CONVERT_LENT_H
#define CONVERT_LENT_H

#include "base/memory/array.h"
#include "cdict/schema.h"
#include "convert/perfdata/perfdata.h"

struct lent;

/* lent_open - @path: a folder with SYSTEM/EVENT/format (or the same in "events"), or files
 * SYSTEM.EVENT.format; a perf.data; a cdict. Of a folder the systems that @globs name are read first, the others
 * when lent_find() needs them. */
int lent_open(struct lent **out, const char *path, const char *const *globs, size_t n_globs,
	      struct cdict_error *err);
void lent_close(struct lent *l);

/* What it says of the kernel; NULL: nothing. */
const char *lent_kernel(const struct lent *l);
const char *lent_arch(const struct lent *l);
/* lent_source - "folder", "perf.data" or "cdict". */
const char *lent_source(const struct lent *l);
/* lent_order_is - whether payloads may be in this byte order: a folder does not say. */
bool lent_order_is(const struct lent *l, bool big);

/* lent_type - *type is the event type with the id @id: 1, 0 when there is none that can be read, or -ENOMEM. */
int lent_type(struct lent *l, uint64_t id, const struct cdict_event_type **type,
	      struct cdict_error *err);

/* lent_fits - whether the payload of a sample can be an event of @type: its size, what its fields point to, its id,
 * names that end. */
bool lent_fits(const struct cdict_event_type *type, const uint8_t *raw, uint32_t size, bool big);

/* One event of the recording. */
struct lent_event {
	uint64_t id;
	const struct cdict_event_type *type; /* NULL: there is none */
	uint64_t samples, misfits;
	uint32_t misfit_size; /* of the payload that did not fit first */
	bool tracepoint, own; /* the recording has its format */
};

/* What the records of a recording show, its formats aside. */
struct lent_survey {
	ARRAY(struct lent_event) events;
	uint64_t samples, misfits; /* of those events that have a type */
	uint64_t first_ns, last_ns;
	/* The MMAP record of the kernel, which perf writes first: "_text", where it lies and how long it is. */
	char symbol[32];
	uint64_t text_at, text_from, text_to;
	char release[80]; /* of a module's path, "" when there is none */
	bool big;
};

/* lent_survey - reads all records of @pd, which is at its beginning. */
int lent_survey(struct lent_survey *s, struct lent *l, struct perfdata *pd,
		struct cdict_error *err);
/* lent_survey_events - the events of @pd alone, with the types that they have. */
int lent_survey_events(struct lent_survey *s, struct lent *l, const struct perfdata *pd,
		       struct cdict_error *err);
void lent_survey_fini(struct lent_survey *s);

/* lent_formats - the formats of the types that events of @s have and that fit all their samples. Lives as
 * long as @l. NULL: no memory. */
const struct perfdata_tracing *lent_formats(struct lent *l, const struct lent_survey *s);

#endif

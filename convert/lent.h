/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lent.h - tracepoint formats from elsewhere, for a recording that lacks its own: perf writes them
 * last, so a killed perf record writes none.
 *
 * They come from a folder (tracefs' events, or a copy of it), from another perf recording or from a
 * cdict. An event of the recording gets the format with its id, as nothing else in the recording
 * identifies it. So every sample is checked against its format: by a survey before the conversion,
 * or sample by sample during it where the recording can be read only once.
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

/* lent_open - @path: a folder with SYSTEM/EVENT/format (or with the same in "events"), or with
 * files SYSTEM.EVENT.format; a perf.data; a cdict. In a folder, the systems that @globs name are
 * read first, the others when lent_type() needs them. */
int lent_open(struct lent **out, const char *path, const char *const *globs, size_t n_globs,
	      struct cdict_error *err);
void lent_close(struct lent *l);

/* The kernel release of the source; NULL: unknown. */
const char *lent_kernel(const struct lent *l);
const char *lent_arch(const struct lent *l);
/* lent_source - returns "folder", "perf.data" or "cdict". */
const char *lent_source(const struct lent *l);
/* lent_order_is - whether payloads may have this byte order: always true for a folder, which does
 * not state it. */
bool lent_order_is(const struct lent *l, bool big);

/* lent_type - sets *type to the event type with the id @id: 1; 0 when there is no readable one; or -ENOMEM. */
int lent_type(struct lent *l, uint64_t id, const struct cdict_event_type **type,
	      struct cdict_error *err);

/* lent_fits - whether the payload of a sample can be an event of @type: checks its size, the data
 * that its fields refer to, its id, and NULs that end names. */
bool lent_fits(const struct cdict_event_type *type, const uint8_t *raw, uint32_t size, bool big);

/* One event of the recording. */
struct lent_event {
	uint64_t id;
	const struct cdict_event_type *type; /* NULL: none */
	uint64_t samples, misfits;
	uint32_t misfit_size; /* of the first payload that did not fit */
	bool tracepoint, own; /* the recording has its format */
};

/* Contents of the records of a recording, except formats. */
struct lent_survey {
	ARRAY(struct lent_event) events;
	uint64_t samples, misfits; /* of the events that have a type */
	uint64_t first_ns, last_ns;
	/* perf's first record, the MMAP of the kernel: symbol "_text", its address and the mapped range. */
	char symbol[32];
	uint64_t text_at, text_from, text_to;
	char release[80]; /* from a module's path, or "" */
	bool big;
};

/* lent_survey - reads all records of @pd, which must be at its beginning. */
int lent_survey(struct lent_survey *s, struct lent *l, struct perfdata *pd,
		struct cdict_error *err);
/* lent_survey_events - only the events of @pd, with their types. */
int lent_survey_events(struct lent_survey *s, struct lent *l, const struct perfdata *pd,
		       struct cdict_error *err);
void lent_survey_fini(struct lent_survey *s);

/* lent_formats - the formats of the types that events of @s have and that fit all their samples.
 * Lives as long as @l. NULL: out of memory. */
const struct perfdata_tracing *lent_formats(struct lent *l, const struct lent_survey *s);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * formats.h - the recording's tracepoint formats: which event is which event type
 * of the cdict's schema, checked field by field against libtraceevent.
 *
 * Ownership  formats_init() fills caller's storage, formats_fini() empties it
 */
#ifndef CONVERT_FORMATS_H
#define CONVERT_FORMATS_H

#include "base/memory/array.h"
#include "cdict/schema.h"
#include "convert/ingest/source.h"
#include "convert/perfdata/perfdata.h"

struct formats {
	struct cdict_schema *schema;
	/* Per event of the recording: its type in the schema, or SOURCE_UNSTORED, and its place. */
	ARRAY(struct source_event) source;
	/* Kept apart: encoding threads read them while the recording may still grow. */
	ARRAY(const struct perfdata_event *) events;
	const char *const *globs;
	size_t n_globs;
	size_t bad;    /* events that are wanted and whose format is missing or cannot be read, */
	char why[256]; /* and why, of the first */
};

void formats_init(struct formats *f, const char *const *globs, size_t n_globs);
void formats_fini(struct formats *f);

/* formats_update - adds the events of @pd that are new since the last call; the schema is there
 * then, whatever it holds. One that cannot be stored is counted, and no failure. */
int formats_update(struct formats *f, const struct perfdata *pd, struct cdict_error *err);

/* formats_add - adds @format, called @name, to f->schema, checked against libtraceevent: its
 * index; or negative and *err says why it cannot be read. */
int formats_add(struct formats *f, const struct perfdata_tracing *tracing,
		const struct perfdata_format *format, const char *name, struct cdict_error *err);

/* formats_name - "sched:sched_switch" and the id out of a format's text; false when it names none. */
bool formats_name(const struct perfdata_format *format, char *out, size_t size, uint32_t *id);

/* formats_wants - whether one of the globs (base/event_glob.h) matches "system:event". */
bool formats_wants(const struct formats *f, const char *name);

/* formats_need_strings - whether an event type has a field that is the address of a
 * string of the kernel (rcu:rcu_utilization): it can only be printed with the
 * recording's printk_formats. */
bool formats_need_strings(const struct cdict_schema *schema);

struct kernel_functions;
struct tep_handle;
/* formats_tep - a libtraceevent handle for printing events of @schema, of which it knows no
 * type yet; @strings is the recording's printk_formats text or NULL, @symbols
 * its functions or NULL, which must outlive it. NULL when out of
 * memory. Freed with tep_free(). */
struct tep_handle *formats_tep(const struct cdict_schema *schema, const char *strings,
			       struct kernel_functions *symbols);
/* formats_tep_add - lets @tep read a type's format, on which it may crash. */
void formats_tep_add(struct tep_handle *tep, const struct cdict_event_type *type);

#endif

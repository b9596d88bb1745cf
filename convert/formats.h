/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * formats.h - the recording's tracepoint formats: maps its events to event types of the cdict's
 * schema, checked field by field against libtraceevent.
 *
 * Ownership  formats_init() fills the caller's storage, formats_fini() empties it
 */
#ifndef CONVERT_FORMATS_H
#define CONVERT_FORMATS_H

#include "base/memory/array.h"
#include "cdict/schema.h"
#include "convert/ingest/source.h"
#include "convert/perfdata/perfdata.h"

struct formats {
	struct cdict_schema *schema;
	/* By event of the recording: its type in the schema, or SOURCE_UNSTORED, and offsets. */
	ARRAY(struct source_event) source;
	/* A separate array: encoding threads read it while the recording may still grow. */
	ARRAY(const struct perfdata_event *) events;
	const char *const *globs;
	size_t n_globs;
	bool has_tracepoints; /* the recording */
	size_t bad;           /* wanted events with a missing or unreadable format, */
	char why[256];        /* and the reason, for the first */
};

void formats_init(struct formats *f, const char *const *globs, size_t n_globs);
void formats_fini(struct formats *f);

/* formats_update - adds the events of @pd that are new since the last call; the schema then exists,
 * even if it is empty. An event that cannot be stored is counted; that is not an error. */
int formats_update(struct formats *f, const struct perfdata *pd, struct cdict_error *err);

/* formats_add - adds @format, called @name, to f->schema, checked against libtraceevent; returns
 * its index, or a negative code, with *err stating why it cannot be read. */
int formats_add(struct formats *f, const struct perfdata_tracing *tracing,
		const struct perfdata_format *format, const char *name, struct cdict_error *err);

/* formats_name - gets "sched:sched_switch" and the id from a format's text; false when they are
 * missing. */
bool formats_name(const struct perfdata_format *format, char *out, size_t size, uint32_t *id);

/* formats_wants - whether one of the globs (base/event_glob.h) matches "system:event". */
bool formats_wants(const struct formats *f, const char *name);

/* formats_need_strings - whether an event type has a field that is the address of a kernel string
 * (rcu:rcu_utilization): printing it requires the recording's printk_formats. */
bool formats_need_strings(const struct cdict_schema *schema);

struct kernel_functions;
struct tep_handle;
/* formats_tep - makes a libtraceevent handle for printing events of @schema, with no type added
 * yet; @strings is the recording's printk_formats text or NULL, @symbols its functions or NULL,
 * which must outlive it. NULL when out of memory. To be freed with tep_free(). */
struct tep_handle *formats_tep(const struct cdict_schema *schema, const char *strings,
			       struct kernel_functions *symbols);
/* formats_tep_add - makes @tep parse a type's format, on which it may crash. */
void formats_tep_add(struct tep_handle *tep, const struct cdict_event_type *type);

#endif

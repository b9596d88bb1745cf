/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * formats.h - the recording's tracepoint formats: which event is which event type
 * of the cdict's schema, checked field by field against libtraceevent.
 *
 * Ownership  formats_init() fills caller's storage, formats_fini() empties it
 */
#ifndef CONVERT_FORMATS_H
#define CONVERT_FORMATS_H

#include "cdict/schema.h"
#include "convert/perfdata.h"

struct formats {
	struct cdict_schema *schema;
	/* Per event of the recording: index in the schema, or FORMATS_UNSTORED. */
	int32_t *type_of;
	/* Kept apart: encoding threads read them while the recording may still grow. */
	const struct perfdata_event **events;
	size_t n;
	const char *const *globs;
	size_t n_globs;
};

#define FORMATS_UNSTORED (-1)

void formats_init(struct formats *f, const char *const *globs, size_t n_globs);
void formats_fini(struct formats *f);

/* formats_update - maps the events that are new since the last call. Events whose
 * format is missing or cannot be read stay unstored: *bad counts them and *why
 * (size @why_size) says it of the first. */
int formats_update(struct formats *f, const struct perfdata *pd, size_t *bad, char *why,
		   size_t why_size, struct cdict_error *err);

/* formats_add - adds @format, called @name, to f->schema, checked against libtraceevent: its
 * index; or negative and *err says why it cannot be read. */
int formats_add(struct formats *f, const struct perfdata_tracing *tracing,
		const struct perfdata_format *format, const char *name, struct cdict_error *err);

/* formats_glob - whether "system:event" matches @glob (fnmatch(3)). */
bool formats_glob(const char *glob, const char *name);

/* formats_need_strings - whether an event type has a field that is the address of a
 * string of the kernel (rcu:rcu_utilization): it can only be printed with the
 * recording's printk_formats. */
bool formats_need_strings(const struct cdict_schema *schema);

struct tep_handle;
/* formats_tep - a libtraceevent handle that knows every type of @schema, for
 * printing; @strings is the recording's printk_formats text or NULL. NULL when out of
 * memory. Freed with tep_free(). */
struct tep_handle *formats_tep(const struct cdict_schema *schema, const char *strings);
/* formats_tep_one - the same for one type alone. */
struct tep_handle *formats_tep_one(const struct cdict_schema *schema, const char *strings,
				   size_t type);

#endif

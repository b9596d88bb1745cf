/* SPDX-License-Identifier: LGPL-2.1-only */
/* schema_internal.h - building event types, from text or from a file's rows. */
#ifndef FORMAT_SCHEMA_INTERNAL_H
#define FORMAT_SCHEMA_INTERNAL_H

#include "format/schema.h"

/* format_type_new - returns a type without fields, with copies of the texts (given); NULL when out
 * of memory. The caller sets fields (owned, like their names), pub.n_fields, pub.tracepoint and
 * pub.payload_size. */
struct format_type *format_type_new(const char *system, size_t system_len, const char *event,
				    size_t event_len, const char *format, size_t format_len);
void format_type_free(struct format_type *type);

/* format_schema_append - takes @type, also on failure; returns its index or a negative code.
 * @ours: the models were chosen here, and invalid ones are replaced; else they are refused. */
int format_schema_append(struct cdict_schema *schema, struct format_type *type, bool ours,
			 struct cdict_error *err);

/* format_copy - like strndup(), for text without a final NUL, which ASan's strndup() looks for. */
char *format_copy(const char *text, size_t len);

#endif

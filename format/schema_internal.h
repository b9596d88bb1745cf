/* SPDX-License-Identifier: LGPL-2.1-only */
/* schema_internal.h - event types while they are made, from text or from a file's rows. */
#ifndef FORMAT_SCHEMA_INTERNAL_H
#define FORMAT_SCHEMA_INTERNAL_H

#include "format/schema.h"

/* format_type_new - a type without fields, its texts copied; given, NULL: out of memory.
 * Whoever fills it sets fields (owned, as their names are), pub.n_fields, pub.tracepoint and
 * pub.payload_size. */
struct format_type *format_type_new(const char *system, size_t system_len, const char *event,
				    size_t event_len, const char *format, size_t format_len);
void format_type_free(struct format_type *type);

/* format_schema_append - takes @type, also on failure; its index or a negative code.  @ours:
 * the models were chosen here, those that cannot be are replaced; else they are refused. */
int format_schema_append(struct cdict_schema *schema, struct format_type *type, bool ours,
			 struct cdict_error *err);

/* format_copy - as strndup(), of what may have no NUL behind: ASan lets strndup() look for one. */
char *format_copy(const char *text, size_t len);

#endif

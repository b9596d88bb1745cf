/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * schema.h - the layout of the stored events: every tracepoint's name, fields
 * and print format as given by the recording kernel.
 *
 * Units      offsets and sizes are bytes inside the raw tracepoint payload
 * Threads    once complete, a schema may be read from any thread
 * Ownership  everything read from a schema is borrowed and dies with it
 */
#ifndef CDICT_SCHEMA_H
#define CDICT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"
#include "cdict/export.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cdict_field_kind {
	CDICT_FIELD_UINT = 0,     /* scalar of 1, 2, 4 or 8 bytes */
	CDICT_FIELD_INT = 1,      /* the same, sign-extended to 64 bits */
	CDICT_FIELD_BYTES = 2,    /* fixed array, or a scalar of another size */
	CDICT_FIELD_DATA_LOC = 3, /* __data_loc: u32 holding offset | length << 16 */
	CDICT_FIELD_REL_LOC = 4,  /* __rel_loc: the same, offset from the field's end */
};

/* How a field's value is predicted before compression; cdict(5), "Models". */
struct cdict_field_model {
	uint8_t kind; /* enum format_model of the specification */
	uint8_t cell; /* memory cell the model works on, where it has one */
	uint8_t who;  /* coding index of the task field it depends on, where it has one */
	uint8_t arg;  /* coding index of a second field, where it has one */
};

struct cdict_field {
	const char *name;
	uint32_t offset;
	uint32_t size;
	enum cdict_field_kind kind;
	bool is_text; /* char array: print as a string */
	struct cdict_field_model model;
};

struct cdict_event_type {
	uint32_t index;      /* this type's number in the file */
	uint32_t tracepoint; /* the kernel's id while recording (perf attr.config) */
	const char *name;    /* "sched:sched_switch" */
	const char *system;  /* "sched" */
	const char *event;   /* "sched_switch" */
	const char *format;  /* the kernel's format file, whole, NUL-terminated */
	size_t format_len;
	const struct cdict_field *fields; /* in the order of the format file, common fields first */
	size_t n_fields;
	uint32_t payload_size; /* fixed part of the raw payload */
};

struct cdict_schema;

/* cdict_field_is_flexible - whether @field is the array at the payload's end that has no size of its own, as
 * "char buf[]" of ftrace:print: its content is what the payload has from there on. */
static inline bool cdict_field_is_flexible(const struct cdict_event_type *type,
					   const struct cdict_field *field)
{
	return field->kind == CDICT_FIELD_BYTES && !field->size &&
	       field->offset == type->payload_size;
}

CDICT_API size_t cdict_schema_count(const struct cdict_schema *schema);
CDICT_API const struct cdict_event_type *cdict_schema_at(const struct cdict_schema *schema,
							 size_t index);
/* cdict_schema_find - the type called @name ("sched:sched_switch"), or NULL. */
CDICT_API const struct cdict_event_type *cdict_schema_find(const struct cdict_schema *schema,
							   const char *name);
/* cdict_event_type_field - index of the field called @name, or -1. */
CDICT_API int cdict_event_type_field(const struct cdict_event_type *type, const char *name);

CDICT_API bool cdict_schema_big_endian(const struct cdict_schema *schema);
CDICT_API unsigned cdict_schema_long_size(const struct cdict_schema *schema); /* bytes: 4 or 8 */
CDICT_API unsigned cdict_schema_page_size(const struct cdict_schema *schema);

/* cdict_schema_new - an empty schema for payloads of the given byte order and
 * sizes (of the recording kernel); NULL when out of memory. */
CDICT_API struct cdict_schema *cdict_schema_new(bool big_endian, unsigned long_size,
						unsigned page_size);
CDICT_API void cdict_schema_free(struct cdict_schema *schema);

/* cdict_schema_add - parses a kernel format file ("name: ...\nID: ...\nformat:
 * ...") of tracepoint system @system. Returns the new type's index, or a
 * negative code: CDICT_EFORMAT when a field line cannot be read. The text is
 * copied. Adding a name that is already there is an error. */
CDICT_API int cdict_schema_add(struct cdict_schema *schema, const char *system, const char *format,
			       size_t format_len, struct cdict_error *err);

#ifdef __cplusplus
}
#endif
#endif

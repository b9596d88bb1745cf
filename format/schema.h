/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * schema.h - event types as the coder sees them: fields in coding order, each
 * with its model, its place in the payload and its slots of memory.
 */
#ifndef FORMAT_SCHEMA_H
#define FORMAT_SCHEMA_H

#include "base/cursor.h"
#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "cdict/schema.h"
#include "format/layout.h"

/* One field to code. Fields 0..3 are the sample's (enum format_sample_field),
 * then those whose model names a task, then the others, each in layout order. */
struct format_field {
	struct cdict_field_model model;
	uint8_t kind;    /* enum cdict_field_kind */
	uint8_t size;    /* of a scalar: 1, 2, 4, 8 */
	uint16_t value;  /* index into cdict_event.values; FORMAT_NO_VALUE for sample fields */
	uint32_t offset; /* in the payload */
	uint32_t len;    /* bytes of a fixed array */
	uint32_t slot;   /* index of its own memory (LAST, TASK, CONTEXT) */
	uint8_t path;    /* enum format_path */
	uint8_t index;   /* number among the coded fields */
	bool text;       /* a dynamic string: kept without its final NUL */
	bool rest;       /* a flexible array: the rest of the payload */
	bool is_text;    /* a flexible array of text: up to its first NUL */
	bool needed;     /* another field's model reads its value */
};
#define FORMAT_NO_VALUE UINT16_MAX

/* A field's code path through the encoder: frequent kinds of field have their own. */
enum format_path {
	FORMAT_PATH_VALUE, /* any scalar */
	FORMAT_PATH_TASK,
	FORMAT_PATH_SAMETASK, /* 32 bits */
	FORMAT_PATH_CURRENT,  /* 32 bits, and so is WOKEN */
	FORMAT_PATH_WOKEN,
	FORMAT_PATH_NEXT,    /* 32 bits */
	FORMAT_PATH_WAKEE,   /* 32 bits */
	FORMAT_PATH_ELAPSED, /* 64 bits, and so is WIDE: predicted by a cell */
	FORMAT_PATH_WIDE,
	FORMAT_PATH_BYTES,
	FORMAT_PATH_COMM,    /* 16 bytes or a dynamic string, predicted by a cell */
	FORMAT_PATH_CELL,    /* signed 32 bits, predicted by a cell */
	FORMAT_PATH_UCELL,   /* the same, unsigned */
	FORMAT_PATH_CONTEXT, /* any scalar, predicted by the value that followed its last one */
	FORMAT_PATH_HEAD,    /* first of the 4 bytes of common_type, _flags, _preempt_count:
			    * changed or not, the next two are coded with it */
	FORMAT_PATH_HEAD_REST,
};

struct format_type {
	struct cdict_event_type pub;
	struct cdict_field *fields; /* pub.fields, owned */
	char *text;                 /* pub.format, names */
	struct format_field *coded; /* FORMAT_F_SAMPLE + n_fields */
	uint32_t n_coded;
	/* Coded fields [dynamic_from, dynamic_to) hold all __data_loc and __rel_loc ones. */
	uint32_t dynamic_from, dynamic_to;
	uint8_t shape; /* enum format_shape */
};

struct cdict_schema {
	bool big_endian;
	uint8_t long_size;
	uint32_t page_size;
	ARRAY(struct format_type *) types;
	uint32_t n_fields, slots; /* over all types */
	uint32_t cells;           /* task cells used */
};

/* Cells of a task, as format_schema_models() assigns them. */
enum format_cell {
	FORMAT_CELL_PROCESS, /* the sample's, FORMAT_F_PID */
	FORMAT_CELL_COMM,
	FORMAT_CELL_PRIO,
	FORMAT_CELL_CPU,
	FORMAT_CELL_STATE,
	FORMAT_CELL_VCPU,
	FORMAT_CELL_VRUNTIME,
	FORMAT_CELL_FILE, /* of I/O traces: the file of a task's calls */
	FORMAT_CELL_HOST,
};

/* format_schema_models - chooses the models of @type's fields by their names. */
void format_schema_models(struct format_type *type);

/* format_schema_write - appends the types from index @from on, as a SCHM payload. */
void format_schema_write(const struct cdict_schema *schema, size_t from, struct buf *out);
/* format_schema_read - adds the types of a SCHM payload; creates *@schema when NULL. */
int format_schema_read(struct cdict_schema **schema, const void *data, size_t size,
		       struct cdict_error *err);

/* format_kind_is_scalar - whether @kind (enum cdict_field_kind) is a number. */
static inline bool format_kind_is_scalar(unsigned kind)
{
	return kind <= CDICT_FIELD_INT;
}

#endif

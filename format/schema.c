/* SPDX-License-Identifier: LGPL-2.1-only */
/* Event types: the schema, and the order in which fields are coded. */
#include "format/schema_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/shapes.h"

size_t cdict_schema_count(const struct cdict_schema *schema)
{
	return schema->types.n;
}

const struct cdict_event_type *cdict_schema_at(const struct cdict_schema *schema, size_t index)
{
	return &schema->types.at[index]->pub;
}

const struct cdict_event_type *cdict_schema_find(const struct cdict_schema *schema,
						 const char *name)
{
	for (size_t i = 0; i < schema->types.n; i++)
		if (!strcmp(schema->types.at[i]->pub.name, name))
			return &schema->types.at[i]->pub;
	return NULL;
}

int cdict_event_type_field(const struct cdict_event_type *type, const char *name)
{
	for (size_t i = 0; i < type->n_fields; i++)
		if (!strcmp(type->fields[i].name, name))
			return (int)i;
	return -1;
}

bool cdict_schema_big_endian(const struct cdict_schema *schema)
{
	return schema->big_endian;
}

unsigned cdict_schema_long_size(const struct cdict_schema *schema)
{
	return schema->long_size;
}

unsigned cdict_schema_page_size(const struct cdict_schema *schema)
{
	return schema->page_size;
}

struct cdict_schema *cdict_schema_new(bool big_endian, unsigned long_size, unsigned page_size)
{
	struct cdict_schema *schema = calloc(1, sizeof(*schema));

	if (schema) {
		schema->big_endian = big_endian;
		schema->long_size = (uint8_t)long_size;
		schema->page_size = page_size;
		schema->slots = 1; /* slot 0: the cpumode of the sample */
	}
	return schema;
}

void format_type_free(struct format_type *type)
{
	if (!type)
		return;
	for (size_t i = 0; i < type->pub.n_fields; i++)
		free((char *)type->fields[i].name);
	free(type->fields);
	free(type->coded);
	free(type->text);
	free((char *)type->pub.name);
	free((char *)type->pub.system);
	free(type);
}

void cdict_schema_free(struct cdict_schema *schema)
{
	if (!schema)
		return;
	for (size_t i = 0; i < schema->types.n; i++)
		format_type_free(schema->types.at[i]);
	array_fini(&schema->types);
	free(schema);
}

/* Whether coded fields @c[0..2] are the 4 bytes at the payload's start, each
 * predicted by its own past. */
static bool is_head(const struct format_field *c, size_t left)
{
	uint32_t at = 0;

	if (left < 3)
		return false;
	for (int i = 0; i < 3; i++) {
		if (c[i].model.kind != FORMAT_FOLLOW || !format_kind_is_scalar(c[i].kind) ||
		    c[i].offset != at)
			return false;
		at += c[i].size;
	}
	return at == 4;
}

static void choose_paths(struct format_type *type)
{
	for (uint32_t i = 0; i < FORMAT_F_SAMPLE; i++)
		type->coded[i].index = (uint8_t)i;
	for (uint32_t i = FORMAT_F_SAMPLE; i < type->n_coded; i++) {
		struct format_field *c = &type->coded[i];

		c->index = (uint8_t)i;

		if (c->model.kind == FORMAT_SAMETASK && c->size == 4)
			c->path = FORMAT_PATH_SAMETASK;
		else if (c->model.kind == FORMAT_CURRENT && c->size == 4)
			c->path = FORMAT_PATH_CURRENT;
		else if (c->model.kind == FORMAT_WOKEN && c->size == 4)
			c->path = FORMAT_PATH_WOKEN;
		else if (c->model.kind == FORMAT_NEXT && c->size == 4)
			c->path = FORMAT_PATH_NEXT;
		else if (c->model.kind == FORMAT_WAKEE && c->size == 4)
			c->path = FORMAT_PATH_WAKEE;
		else if (format_model_is_task(c->model.kind))
			c->path = FORMAT_PATH_TASK;
		else if (is_head(c, type->n_coded - i))
			c->path = FORMAT_PATH_HEAD;
		else if ((i > FORMAT_F_SAMPLE && c[-1].path == FORMAT_PATH_HEAD) ||
			 (i > FORMAT_F_SAMPLE + 1 && c[-2].path == FORMAT_PATH_HEAD))
			c->path = FORMAT_PATH_HEAD_REST;
		else if (!format_kind_is_scalar(c->kind))
			c->path = c->model.kind == FORMAT_CELL &&
						  (c->kind != CDICT_FIELD_BYTES || c->len == 16)
					  ? FORMAT_PATH_COMM
					  : FORMAT_PATH_BYTES;
		else if (c->kind == CDICT_FIELD_INT && c->size == 4 && c->model.kind == FORMAT_CELL)
			c->path = FORMAT_PATH_CELL;
		else if (c->kind == CDICT_FIELD_UINT && c->size == 4 &&
			 c->model.kind == FORMAT_CELL)
			c->path = FORMAT_PATH_UCELL;
		else if (c->model.kind == FORMAT_CONTEXT)
			c->path = FORMAT_PATH_CONTEXT;
		else if (c->model.kind == FORMAT_ELAPSED && c->size == 8)
			c->path = FORMAT_PATH_ELAPSED;
		else if (c->model.kind == FORMAT_CELL && c->size == 8)
			c->path = FORMAT_PATH_WIDE;
	}
}

enum format_shape format_shape_of(const struct format_type *type)
{
#define X(name, ...) { __VA_ARGS__ },
	static const uint8_t paths[][FORMAT_SHAPE_STEPS] = { FORMAT_SHAPES(X) };
#undef X
#define X(name, ...) sizeof((const uint8_t[]){ __VA_ARGS__ }),
	static const size_t steps[] = { FORMAT_SHAPES(X) };
#undef X
	const struct format_field *f = &type->coded[FORMAT_F_SAMPLE];
	size_t n = type->n_coded - FORMAT_F_SAMPLE, k;

	for (int i = 0; i < FORMAT_SHAPE_COUNT - 1; i++) {
		for (k = 0; k < n && k < steps[i] && paths[i][k] == f[k].path; k++)
			;
		if (k == n && k == steps[i])
			return (enum format_shape)(i + 1);
	}
	return FORMAT_SHAPE_ANY;
}

/* Whether the model of @f, the coded field number @at, reads only fields that are decoded
 * before it and that it can read. */
static bool model_fits(const struct cdict_field *f, const struct format_field *coded, uint32_t at)
{
	const struct cdict_field_model *m = &f->model;
	bool scalar = format_kind_is_scalar(f->kind);

	if (m->kind >= FORMAT_MODELS || m->kind == FORMAT_TIME || m->cell >= FORMAT_MAX_CELLS)
		return false;
	switch (m->kind) {
	case FORMAT_SUM:
		if (m->arg >= at || m->arg < FORMAT_F_SAMPLE)
			return false;
		/* fallthrough */
	case FORMAT_NEXT:
	case FORMAT_SAMETASK:
	case FORMAT_CELL:
	case FORMAT_PROCESS:
	case FORMAT_SINCE:
		if (m->who >= at || !format_model_is_task(coded[m->who].model.kind))
			return false;
		break;
	}
	return scalar || m->kind == FORMAT_LAST || m->kind == FORMAT_CELL ||
	       m->kind == FORMAT_FOLLOW || m->kind == FORMAT_CONTEXT;
}

/* A type's flexible array: its last field, without a size, after all others. Kernel types with one have no other field
 * of variable size. */
static const struct cdict_field *flexible(const struct format_type *type)
{
	const struct cdict_field *last = NULL;

	for (size_t i = 0; i < type->pub.n_fields; i++) {
		const struct cdict_field *f = &type->fields[i];

		if (f->kind > CDICT_FIELD_BYTES)
			return NULL;
		if (cdict_field_is_flexible(&type->pub, f))
			last = f;
	}
	return last;
}

/* Lays out the coding order (layout.h) and checks that every model reads only fields that
 * are decoded before it. */
static int type_finish(struct cdict_schema *schema, struct format_type *type, bool ours,
		       struct cdict_error *err)
{
	size_t n = type->pub.n_fields;
	const struct cdict_field *rest = flexible(type);
	struct format_field *coded = calloc(FORMAT_F_SAMPLE + n, sizeof(*coded));
	uint32_t at = FORMAT_F_SAMPLE, slots = schema->slots;

	if (!coded)
		return cdict_fail_nomem(err);
	type->coded = coded;
	type->n_coded = (uint32_t)(FORMAT_F_SAMPLE + n);
	coded[FORMAT_F_TIME] =
		(struct format_field){ .model = { .kind = FORMAT_TIME }, .value = FORMAT_NO_VALUE };
	coded[FORMAT_F_TID] = (struct format_field){ .model = { .kind = FORMAT_CURRENT },
						     .value = FORMAT_NO_VALUE };
	coded[FORMAT_F_PID] = (struct format_field){
		.model = { .kind = FORMAT_PROCESS, .cell = 0, .who = FORMAT_F_TID },
		.value = FORMAT_NO_VALUE,
	};
	coded[FORMAT_F_MODE] =
		(struct format_field){ .model = { .kind = FORMAT_LAST }, .value = FORMAT_NO_VALUE };

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n; i++) {
			struct cdict_field *f = &type->fields[i];
			struct format_field *c = &coded[at];

			if (format_model_is_task(f->model.kind) != (pass == 0))
				continue;
			*c = (struct format_field){
				.model = f->model,
				.kind = (uint8_t)f->kind,
				.size = (uint8_t)(f->size <= 8 ? f->size : 0),
				.value = (uint16_t)i,
				.offset = f->offset,
				.len = f->size,
				.slot = slots++,
				.text = f->is_text && f->kind > CDICT_FIELD_BYTES,
				.rest = f == rest,
				.is_text = f->is_text,
			};
			if (!model_fits(f, coded, at)) {
				if (!ours)
					goto bad;
				/* This kernel names its fields differently. */
				f->model = (struct cdict_field_model){
					.kind = pass ? FORMAT_LAST : FORMAT_TASK,
				};
				c->model = f->model;
			}
			if (f->model.kind == FORMAT_SUM)
				coded[f->model.arg].needed = true;
			if (f->kind == CDICT_FIELD_DATA_LOC || f->kind == CDICT_FIELD_REL_LOC) {
				if (!type->dynamic_to)
					type->dynamic_from = at;
				type->dynamic_to = at + 1;
			}
			if (f->model.cell + 1u > schema->cells)
				schema->cells = f->model.cell + 1u;
			at++;
		}
	}
	choose_paths(type);
	type->shape = (uint8_t)format_shape_of(type);
	schema->slots = slots;
	if (!schema->cells)
		schema->cells = 1;
	return 0;
bad:
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
			  "event type %s: a field has an invalid model", type->pub.name);
}

int format_schema_append(struct cdict_schema *schema, struct format_type *type, bool ours,
			 struct cdict_error *err)
{
	int ret;

	if (schema->types.n >= FORMAT_MAX_TYPES ||
	    type->pub.n_fields > FORMAT_MAX_ALL_FIELDS - schema->n_fields) {
		format_type_free(type);
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "more than %u event types or %u fields in all", FORMAT_MAX_TYPES,
				  FORMAT_MAX_ALL_FIELDS);
	}
	if (cdict_schema_find(schema, type->pub.name)) {
		ret = cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				 "event type %s already exists", type->pub.name);
		format_type_free(type);
		return ret;
	}
	if (array_reserve(&schema->types, schema->types.n + 1)) {
		format_type_free(type);
		return cdict_fail_nomem(err);
	}
	ret = type_finish(schema, type, ours, err);
	if (ret < 0) {
		format_type_free(type);
		return ret;
	}
	type->pub.index = (uint32_t)schema->types.n;
	type->pub.fields = type->fields;
	type->pub.format = type->text;
	schema->types.at[schema->types.n++] = type;
	schema->n_fields += (uint32_t)type->pub.n_fields;
	return (int)type->pub.index;
}

char *format_copy(const char *text, size_t len)
{
	char *s = malloc(len + 1);

	if (s) {
		memcpy(s, text, len);
		s[len] = 0;
	}
	return s;
}

static char *join(const char *system, size_t system_len, const char *event, size_t event_len)
{
	char *s = malloc(system_len + event_len + 2);

	if (!s)
		return NULL;
	memcpy(s, system, system_len);
	s[system_len] = ':';
	memcpy(s + system_len + 1, event, event_len);
	s[system_len + 1 + event_len] = 0;
	return s;
}

struct format_type *format_type_new(const char *system, size_t system_len, const char *event,
				    size_t event_len, const char *format, size_t format_len)
{
	struct format_type *type = calloc(1, sizeof(*type));

	if (!type)
		return NULL;
	type->pub.system = format_copy(system, system_len);
	type->pub.name = join(system, system_len, event, event_len);
	type->text = malloc(format_len + 1);
	if (!type->pub.system || !type->pub.name || !type->text) {
		format_type_free(type);
		return NULL;
	}
	type->pub.event = type->pub.name + system_len + 1;
	memcpy(type->text, format, format_len);
	type->text[format_len] = 0;
	type->pub.format_len = format_len;
	return type;
}

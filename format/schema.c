/* SPDX-License-Identifier: LGPL-2.1-only */
/* Event types: parsing the kernel's format files, and the SCHM block. */
#include "format/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/shapes.h"

size_t cdict_schema_count(const struct cdict_schema *schema)
{
	return schema->n;
}

const struct cdict_event_type *cdict_schema_at(const struct cdict_schema *schema, size_t index)
{
	return &schema->types[index]->pub;
}

const struct cdict_event_type *cdict_schema_find(const struct cdict_schema *schema,
						 const char *name)
{
	for (size_t i = 0; i < schema->n; i++)
		if (!strcmp(schema->types[i]->pub.name, name))
			return &schema->types[i]->pub;
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

static void type_free(struct format_type *type)
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
	for (size_t i = 0; i < schema->n; i++)
		type_free(schema->types[i]);
	free(schema->types);
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

/* Whether the model of @f, the coded field number @at, only looks at what is decoded
 * before it, and at what can be looked at. */
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

/* Lays out the coding order (layout.h) and checks that every model only looks at
 * what is decoded before it. */
static int type_finish(struct cdict_schema *schema, struct format_type *type, bool ours,
		       struct cdict_error *err)
{
	size_t n = type->pub.n_fields;
	struct format_field *coded = calloc(FORMAT_F_SAMPLE + n, sizeof(*coded));
	uint32_t at = FORMAT_F_SAMPLE, slots = schema->slots;

	if (!coded)
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	type->coded = coded;
	type->n_coded = (uint32_t)(FORMAT_F_SAMPLE + n);
	coded[FORMAT_F_TIME] = (struct format_field){ .model = { .kind = FORMAT_TIME } };
	coded[FORMAT_F_TID] = (struct format_field){ .model = { .kind = FORMAT_CURRENT } };
	coded[FORMAT_F_PID] = (struct format_field){
		.model = { .kind = FORMAT_PROCESS, .cell = 0, .who = FORMAT_F_TID },
	};
	coded[FORMAT_F_MODE] = (struct format_field){ .model = { .kind = FORMAT_LAST } };
	for (int i = 0; i < FORMAT_F_SAMPLE; i++)
		coded[i].value = FORMAT_NO_VALUE;

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
			};
			if (!model_fits(f, coded, at)) {
				if (!ours)
					goto bad;
				/* A kernel that names its fields otherwise. */
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
			  "event type %s: a field has a model that cannot be", type->pub.name);
}

/* Takes ownership of @type, also on failure. */
static int schema_append(struct cdict_schema *schema, struct format_type *type, bool ours,
			 struct cdict_error *err)
{
	int ret;

	if (schema->n >= FORMAT_MAX_TYPES) {
		type_free(type);
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET, "more than %u event types",
				  FORMAT_MAX_TYPES);
	}
	if (cdict_schema_find(schema, type->pub.name)) {
		ret = cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				 "event type %s is there already", type->pub.name);
		type_free(type);
		return ret;
	}
	if (schema->n == schema->cap) {
		size_t cap = schema->cap ? schema->cap * 2 : 16;
		struct format_type **types = realloc(schema->types, cap * sizeof(*types));

		if (!types) {
			type_free(type);
			return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
		}
		schema->types = types;
		schema->cap = cap;
	}
	ret = type_finish(schema, type, ours, err);
	if (ret < 0) {
		type_free(type);
		return ret;
	}
	type->pub.index = (uint32_t)schema->n;
	type->pub.fields = type->fields;
	type->pub.format = type->text;
	schema->types[schema->n++] = type;
	return (int)type->pub.index;
}

/* As strndup(), of what may have no NUL behind: ASan lets strndup() look for one. */
static char *copy(const char *text, size_t len)
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

static struct format_type *type_new(const char *system, size_t system_len, const char *event,
				    size_t event_len, const char *format, size_t format_len)
{
	struct format_type *type = calloc(1, sizeof(*type));

	if (!type)
		return NULL;
	type->pub.system = copy(system, system_len);
	type->pub.name = join(system, system_len, event, event_len);
	type->text = malloc(format_len + 1);
	if (!type->pub.system || !type->pub.name || !type->text) {
		type_free(type);
		return NULL;
	}
	type->pub.event = type->pub.name + system_len + 1;
	memcpy(type->text, format, format_len);
	type->text[format_len] = 0;
	type->pub.format_len = format_len;
	return type;
}

/* "key:number" inside [line, end); false when it is not there. */
static bool number_after(const char *line, const char *end, const char *key, uint32_t *out)
{
	const char *p = memmem(line, (size_t)(end - line), key, strlen(key));
	uint32_t v = 0;

	if (!p)
		return false;
	p += strlen(key);
	if (p == end || *p < '0' || *p > '9')
		return false;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		if (v > 1u << 24)
			return false;
		v = v * 10 + (uint32_t)(*p - '0');
	}
	*out = v;
	return true;
}

static bool starts(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && !memcmp(p, word, n);
}

static bool ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* One "field:TYPE NAME[N];\toffset:O;\tsize:S;\tsigned:B;" line, from after "field:". */
static int field_parse(const char *p, const char *end, struct cdict_field *f)
{
	const char *semi = memchr(p, ';', (size_t)(end - p));
	const char *name_end, *name;
	uint32_t is_signed = 0;
	bool array = false;

	if (!semi || !number_after(semi, end, "offset:", &f->offset) ||
	    !number_after(semi, end, "size:", &f->size) || f->offset > FORMAT_MAX_PAYLOAD ||
	    f->size > FORMAT_MAX_PAYLOAD)
		return -1;
	number_after(semi, end, "signed:", &is_signed);
	name_end = semi;
	while (name_end > p && name_end[-1] == ']') {
		do
			name_end--;
		while (name_end > p && *name_end != '[');
		array = true;
	}
	name = name_end;
	while (name > p && ident(name[-1]))
		name--;
	if (name == name_end)
		return -1;
	if (starts(p, semi, "__data_loc"))
		f->kind = CDICT_FIELD_DATA_LOC;
	else if (starts(p, semi, "__rel_loc"))
		f->kind = CDICT_FIELD_REL_LOC;
	else if (array || (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8))
		f->kind = CDICT_FIELD_BYTES;
	else
		f->kind = is_signed ? CDICT_FIELD_INT : CDICT_FIELD_UINT;
	if (!format_kind_is_scalar(f->kind)) {
		f->is_text = memmem(p, (size_t)(name - p), "char", 4) != NULL;
		if (f->kind != CDICT_FIELD_BYTES && f->size != 4)
			return -1;
	}
	f->name = copy(name, (size_t)(name_end - name));
	return f->name ? 0 : -1;
}

int cdict_schema_add(struct cdict_schema *schema, const char *system, const char *format,
		     size_t format_len, struct cdict_error *err)
{
	const char *p = format, *end = format + format_len, *name = NULL, *name_end = NULL;
	struct cdict_field *fields = NULL;
	struct format_type *type;
	uint32_t id = 0, n = 0;

	/* The text is kept NUL-terminated: one inside would cut it for others. */
	if (memchr(format, 0, format_len))
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "format file of system %s has a NUL in it", system);
	fields = calloc(FORMAT_MAX_FIELDS, sizeof(*fields));
	if (!fields)
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		const char *line = p;

		if (!eol)
			eol = end;
		p = eol < end ? eol + 1 : end;
		while (line < eol && (*line == '\t' || *line == ' '))
			line++;
		if (!name && starts(line, eol, "name: ")) {
			name = line + 6;
			name_end = eol;
		} else if (starts(line, eol, "ID: ")) {
			number_after(line, eol, "ID: ", &id);
		} else if (starts(line, eol, "field:")) {
			if (n == FORMAT_MAX_FIELDS || field_parse(line + 6, eol, &fields[n]) < 0)
				goto bad;
			n++;
		} else if (starts(line, eol, "print fmt")) {
			break;
		}
	}
	if (!name || name == name_end || !n)
		goto bad;
	type = type_new(system, strlen(system), name, (size_t)(name_end - name), format,
			format_len);
	if (!type) {
		for (uint32_t i = 0; i < n; i++)
			free((char *)fields[i].name);
		free(fields);
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	}
	type->pub.tracepoint = id;
	type->fields = fields;
	type->pub.n_fields = n;
	for (uint32_t i = 0; i < n; i++)
		if (fields[i].offset + fields[i].size > type->pub.payload_size)
			type->pub.payload_size = fields[i].offset + fields[i].size;
	format_schema_models(type);
	return schema_append(schema, type, true, err);
bad:
	for (uint32_t i = 0; i < n; i++)
		free((char *)fields[i].name);
	free(fields);
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "format file of %s:%.*s: %s", system,
			  name ? (int)(name_end - name) : 1, name ? name : "?",
			  n == FORMAT_MAX_FIELDS ? "too many fields" : "field line cannot be read");
}

void format_schema_write(const struct cdict_schema *schema, size_t from, struct buf *out)
{
	buf_u8(out, schema->big_endian);
	buf_u8(out, schema->long_size);
	buf_varint(out, schema->page_size);
	buf_varint(out, from);
	buf_varint(out, schema->n - from);
	for (size_t i = from; i < schema->n; i++) {
		const struct format_type *t = schema->types[i];

		buf_string(out, t->pub.system, strlen(t->pub.system));
		buf_string(out, t->pub.event, strlen(t->pub.event));
		buf_varint(out, t->pub.tracepoint);
		buf_string(out, t->text, t->pub.format_len);
		buf_varint(out, t->pub.n_fields);
		for (size_t j = 0; j < t->pub.n_fields; j++) {
			const struct cdict_field *f = &t->fields[j];

			buf_string(out, f->name, strlen(f->name));
			buf_varint(out, f->offset);
			buf_varint(out, f->size);
			buf_u8(out, (uint8_t)(f->kind | (f->is_text ? 0x80 : 0)));
			buf_u8(out, f->model.kind);
			buf_u8(out, f->model.cell);
			buf_u8(out, f->model.who);
			buf_u8(out, f->model.arg);
		}
	}
}

static const char *read_string(struct cursor *c, size_t *len)
{
	uint64_t n = cursor_varint(c);
	const char *s;

	if (n > c->left) {
		c->failed = true;
		return NULL;
	}
	s = (const char *)cursor_take(c, (size_t)n);
	if (s && memchr(s, 0, (size_t)n)) {
		c->failed = true;
		return NULL;
	}
	*len = (size_t)n;
	return s;
}

/* One field; false when it cannot be. */
static bool read_field(struct cursor *c, struct cdict_field *f)
{
	size_t len;
	const char *name = read_string(c, &len);
	uint64_t offset = cursor_varint(c), size = cursor_varint(c);
	uint8_t kind = cursor_u8(c);

	f->model.kind = cursor_u8(c);
	f->model.cell = cursor_u8(c);
	f->model.who = cursor_u8(c);
	f->model.arg = cursor_u8(c);
	f->offset = (uint32_t)offset;
	f->size = (uint32_t)size;
	f->kind = kind & 0x7f;
	f->is_text = kind & 0x80;
	if (!cursor_ok(c) || f->kind > CDICT_FIELD_REL_LOC || offset > FORMAT_MAX_PAYLOAD ||
	    size > FORMAT_MAX_PAYLOAD)
		return false;
	if (format_kind_is_scalar(f->kind) && size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	if ((f->kind == CDICT_FIELD_DATA_LOC || f->kind == CDICT_FIELD_REL_LOC) && size != 4)
		return false;
	f->name = copy(name, len);
	return f->name != NULL;
}

static int read_type(struct cdict_schema *schema, struct cursor *c, struct cdict_error *err)
{
	size_t system_len = 0, event_len = 0, format_len = 0;
	const char *system = read_string(c, &system_len);
	const char *event = read_string(c, &event_len);
	uint64_t id = cursor_varint(c);
	const char *format = read_string(c, &format_len);
	uint64_t n = cursor_varint(c);
	struct format_type *type;

	if (!cursor_ok(c) || n > FORMAT_MAX_FIELDS || n > c->left || id > UINT32_MAX)
		goto bad;
	type = type_new(system, system_len, event, event_len, format, format_len);
	if (!type)
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	type->pub.tracepoint = (uint32_t)id;
	type->fields = calloc(n ? (size_t)n : 1, sizeof(*type->fields));
	if (!type->fields) {
		type_free(type);
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	}
	for (uint64_t i = 0; i < n; i++) {
		struct cdict_field *f = &type->fields[i];

		if (!read_field(c, f)) {
			type_free(type);
			goto bad;
		}
		type->pub.n_fields++;
		if (f->offset + f->size > type->pub.payload_size)
			type->pub.payload_size = f->offset + f->size;
	}
	return schema_append(schema, type, false, err);
bad:
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "schema block cannot be read");
}

int format_schema_read(struct cdict_schema **schema, const void *data, size_t size,
		       struct cdict_error *err)
{
	struct cursor c = cursor_init(data, size, false);
	uint8_t big = cursor_u8(&c), long_size = cursor_u8(&c);
	uint64_t page_size = cursor_varint(&c), from = cursor_varint(&c), n = cursor_varint(&c);

	/* Types are numbered: after one that is lost, none is known. */
	if (from != (*schema ? (*schema)->n : 0))
		return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
				  "schema block begins with another type than the next");
	if (!cursor_ok(&c) || big > 1 || (long_size != 4 && long_size != 8) ||
	    page_size > 1u << 30 || n > FORMAT_MAX_TYPES)
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "schema block cannot be read");
	if (!*schema) {
		*schema = cdict_schema_new(big, long_size, (unsigned)page_size);
		if (!*schema)
			return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	}
	(*schema)->big_endian = big;
	(*schema)->long_size = long_size;
	(*schema)->page_size = (uint32_t)page_size;
	for (uint64_t i = 0; i < n; i++) {
		int ret = read_type(*schema, &c, err);

		if (ret < 0)
			return ret;
	}
	return 0;
}

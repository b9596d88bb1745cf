/* SPDX-License-Identifier: LGPL-2.1-only */
/* Event types as rows of a SCHM block. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/schema_internal.h"

void format_schema_write(const struct cdict_schema *schema, size_t from, struct buf *out)
{
	buf_u8(out, schema->big_endian);
	buf_u8(out, schema->long_size);
	buf_varint(out, schema->page_size);
	buf_varint(out, from);
	buf_varint(out, schema->types.n - from);
	for (size_t i = from; i < schema->types.n; i++) {
		const struct format_type *t = schema->types.at[i];

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

/* Reads one field: 0, CDICT_EFORMAT when it is invalid, or -ENOMEM. */
static int read_field(struct cursor *c, struct cdict_field *f)
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
		return CDICT_EFORMAT;
	if (format_kind_is_scalar(f->kind) && size != 1 && size != 2 && size != 4 && size != 8)
		return CDICT_EFORMAT;
	if ((f->kind == CDICT_FIELD_DATA_LOC || f->kind == CDICT_FIELD_REL_LOC) && size != 4)
		return CDICT_EFORMAT;
	f->name = format_copy(name, len);
	return f->name ? 0 : -ENOMEM;
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
	type = format_type_new(system, system_len, event, event_len, format, format_len);
	if (!type)
		return cdict_fail_nomem(err);
	type->pub.tracepoint = (uint32_t)id;
	type->fields = calloc(n ? (size_t)n : 1, sizeof(*type->fields));
	if (!type->fields) {
		format_type_free(type);
		return cdict_fail_nomem(err);
	}
	for (uint64_t i = 0; i < n; i++) {
		struct cdict_field *f = &type->fields[i];

		int ret = read_field(c, f);

		if (ret) {
			format_type_free(type);
			if (ret == -ENOMEM)
				return cdict_fail_nomem(err);
			goto bad;
		}
		type->pub.n_fields++;
		if (f->offset + f->size > type->pub.payload_size)
			type->pub.payload_size = f->offset + f->size;
	}
	return format_schema_append(schema, type, false, err);
bad:
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "schema block cannot be read");
}

int format_schema_read(struct cdict_schema **schema, const void *data, size_t size,
		       struct cdict_error *err)
{
	struct cursor c = cursor_init(data, size, false);
	uint8_t big = cursor_u8(&c), long_size = cursor_u8(&c);
	uint64_t page_size = cursor_varint(&c), from = cursor_varint(&c), n = cursor_varint(&c);

	/* Types are numbered: after a lost one, no number is certain. */
	if (from != (*schema ? (*schema)->types.n : 0))
		return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
				  "schema block does not start at the next type number");
	if (!cursor_ok(&c) || big > 1 || (long_size != 4 && long_size != 8) ||
	    page_size > 1u << 30 || n > FORMAT_MAX_TYPES)
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "schema block cannot be read");
	if (!*schema) {
		*schema = cdict_schema_new(big, long_size, (unsigned)page_size);
		if (!*schema)
			return cdict_fail_nomem(err);
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

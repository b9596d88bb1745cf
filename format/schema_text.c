/* SPDX-License-Identifier: LGPL-2.1-only */
/* Event types from the text of the kernel's format files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/schema_internal.h"

/* Finds "key:number" inside [line, end); false when it is not there. */
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

/* Parses one "field:TYPE NAME[N];\toffset:O;\tsize:S;\tsigned:B;" line, from after "field:". */
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
	f->name = format_copy(name, (size_t)(name_end - name));
	return f->name ? 0 : -ENOMEM;
}

/* A flexible array of char whose elements the print format takes one by one (ftrace:raw_data) is not text. */
static bool is_indexed(const char *name, const char *print, const char *end)
{
	size_t n = strlen(name);

	for (const char *p = print; p && p < end; p++) {
		p = memmem(p, (size_t)(end - p), "REC->", 5);
		if (!p)
			break;
		if ((size_t)(end - p) > 5 + n && !memcmp(p + 5, name, n) && p[5 + n] == '[')
			return true;
	}
	return false;
}

int cdict_schema_add(struct cdict_schema *schema, const char *system, const char *format,
		     size_t format_len, struct cdict_error *err)
{
	const char *p = format, *end = format + format_len, *name = NULL, *name_end = NULL;
	const char *print = NULL;
	struct cdict_field *fields = NULL;
	struct format_type *type;
	uint32_t id = 0, n = 0;
	int ret = 0;

	/* The text is kept NUL-terminated: a NUL inside would truncate it for readers. */
	if (memchr(format, 0, format_len))
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "format file of system %s contains a NUL", system);
	fields = calloc(FORMAT_MAX_FIELDS, sizeof(*fields));
	if (!fields)
		return cdict_fail_nomem(err);
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
			ret = n == FORMAT_MAX_FIELDS ? -1 : field_parse(line + 6, eol, &fields[n]);
			if (ret)
				goto bad;
			n++;
		} else if (starts(line, eol, "print fmt")) {
			print = line;
			break;
		}
	}
	if (!name || name == name_end || !n)
		goto bad;
	type = format_type_new(system, strlen(system), name, (size_t)(name_end - name), format,
			       format_len);
	if (!type) {
		for (uint32_t i = 0; i < n; i++)
			free((char *)fields[i].name);
		free(fields);
		return cdict_fail_nomem(err);
	}
	/* The format of kernel_stack declares 8 entries; the record has as many as the stack. */
	if (!strcmp(system, "ftrace") && fields[n - 1].kind == CDICT_FIELD_BYTES &&
	    !strcmp(fields[n - 1].name, "caller"))
		fields[n - 1].size = 0;
	type->pub.tracepoint = id;
	type->fields = fields;
	type->pub.n_fields = n;
	for (uint32_t i = 0; i < n; i++)
		if (fields[i].offset + fields[i].size > type->pub.payload_size)
			type->pub.payload_size = fields[i].offset + fields[i].size;
	for (uint32_t i = 0; i < n; i++)
		if (cdict_field_is_flexible(&type->pub, &fields[i]) &&
		    is_indexed(fields[i].name, print, end))
			fields[i].is_text = false;
	format_schema_models(type);
	return format_schema_append(schema, type, true, err);
bad:
	for (uint32_t i = 0; i < n; i++)
		free((char *)fields[i].name);
	free(fields);
	if (ret == -ENOMEM)
		return cdict_fail_nomem(err);
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "format file of %s:%.*s: %s", system,
			  name ? (int)(name_end - name) : 1, name ? name : "?",
			  n == FORMAT_MAX_FIELDS ? "too many fields" : "field line cannot be read");
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds addresses of functions in events. */
#include "convert/kernel_symbols.h"

#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"

static bool names_functions(const struct cdict_event_type *type)
{
	const char *p = strstr(type->format, "print fmt");

	if (!strcmp(type->system, "ftrace"))
		return true;
	while (p && (p = strstr(p, "%p")) != NULL) {
		p += 2;
		if (*p && strchr("sSfF", *p))
			return true;
	}
	return false;
}

/* The range of longs in @f: a scalar, an array, or the words of a bprint's arguments. */
static bool longs_of(const struct cdict_event_type *type, const struct cdict_field *f,
		     unsigned long_size, struct longs *out)
{
	*out = (struct longs){ f->offset, f->offset + f->size, long_size };
	if (f->kind <= CDICT_FIELD_INT)
		return f->size == long_size;
	if (f->kind != CDICT_FIELD_BYTES || f->is_text)
		return false;
	if (cdict_field_is_flexible(type, f)) {
		out->to = UINT32_MAX;
		out->step = 4;
	}
	return out->to - out->from >= long_size;
}

static int add_type(struct kernel_symbols *k, const struct cdict_event_type *type)
{
	struct longs longs;

	for (size_t i = 0; i < type->n_fields && names_functions(type); i++)
		if (longs_of(type, &type->fields[i], k->long_size, &longs) &&
		    array_push(&k->longs, longs))
			return -1;
	return array_push(&k->first, (uint32_t)k->longs.n) ? -1 : 0;
}

int kernel_symbols_update(struct kernel_symbols *k, const struct cdict_schema *schema,
			  const char *kallsyms, struct cdict_error *err)
{
	if (!kallsyms)
		return 0;
	k->big = cdict_schema_big_endian(schema);
	k->long_size = cdict_schema_long_size(schema);
	if (!k->first.n && array_push(&k->first, 0))
		return cdict_fail_nomem(err);
	while (k->first.n <= cdict_schema_count(schema))
		if (add_type(k, cdict_schema_at(schema, k->first.n - 1)))
			return cdict_fail_nomem(err);
	if (k->parsed || !k->longs.n)
		return 0;
	k->parsed = true;
	return kernel_functions_parse(&k->table, kallsyms) ? cdict_fail_nomem(err) : 0;
}

void kernel_symbols_look(struct kernel_symbols *k, uint32_t type, const uint8_t *payload,
			 size_t size)
{
	for (uint32_t i = k->first.at[type]; i < k->first.at[type + 1]; i++) {
		const struct longs *l = &k->longs.at[i];
		size_t to = l->to < size ? l->to : size;

		for (size_t at = l->from; at + k->long_size <= to; at += l->step)
			kernel_functions_occurs(&k->table, k->long_size == 8
								   ? load64(payload + at, k->big)
								   : load32(payload + at, k->big));
	}
}

int kernel_symbols_write(const struct kernel_symbols *k, struct cdict_writer *w,
			 struct cdict_error *err)
{
	struct buf text = { 0 };
	int ret = 0;

	kernel_functions_write(&k->table, &text);
	buf_u8(&text, 0);
	if (text.failed)
		ret = cdict_fail_nomem(err);
	else if (text.len > 1)
		ret = cdict_writer_info(w, "trace.symbols", (const char *)text.data, err);
	buf_fini(&text);
	return ret;
}

void kernel_symbols_fini(struct kernel_symbols *k)
{
	kernel_functions_fini(&k->table);
	array_fini(&k->longs);
	array_fini(&k->first);
}

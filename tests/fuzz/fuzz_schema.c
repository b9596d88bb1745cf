/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel format file: its schema is written as a file and read back; its print format is parsed, and printed of events made
 * up for it.
 */
#include "analyze/printing/print.h"
#include "base/memory/buf.h"
#include "cdict/writer.h"
#include "tests/fuzz/lib/limits.h"
#include "tests/fuzz/lib/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EVENTS = 4, BYTES_MAX = 40 };

static int to_buf(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

static void must(int so)
{
	if (!so)
		abort();
}

static uint64_t draw(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 32;
}

/* One event; every field's bytes are a block of their own, so that reading past one is seen. */
static void print_one(struct printer *p, const struct cdict_event_type *type, uint64_t *seed,
		      struct buf *out)
{
	uint64_t *values = calloc(type->n_fields + 1, sizeof(*values));
	struct cdict_bytes *bytes = calloc(type->n_fields + 1, sizeof(*bytes));
	struct cdict_event ev = { .type = type, .values = values, .bytes = bytes };
	size_t len = out->len;

	for (size_t i = 0; i < type->n_fields; i++) {
		const struct cdict_field *f = &type->fields[i];
		size_t n = draw(seed) % BYTES_MAX;
		uint8_t *block;

		values[i] = draw(seed) % 3 ? draw(seed) % 32 : draw(seed) << 32 | draw(seed);
		if (f->kind <= CDICT_FIELD_INT)
			continue;
		n = f->kind == CDICT_FIELD_BYTES && n > f->size ? f->size : n;
		block = malloc(n ? n : 1);
		for (size_t k = 0; k < n; k++)
			block[k] = (uint8_t)draw(seed) % 8 ? 'a' : (uint8_t)(draw(seed) % 2);
		bytes[i] = (struct cdict_bytes){ block, n };
		values[i] = i;
	}
	ev.t_ns = draw(seed) << draw(seed) % 32;
	ev.cpu = (uint32_t)draw(seed);
	printer_head(p, &ev, out);
	if (!printer_text(p, &ev, out))
		printer_plain(&ev, out);
	must(!out->failed && out->len > len);
	for (size_t i = 0; i < type->n_fields; i++)
		free((void *)(uintptr_t)bytes[i].data);
	free(values);
	free(bytes);
}

static void store(const char *text, size_t size)
{
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
	struct cdict_error err = { 0 };
	struct cdict_writer *w;
	struct cdict_reader *r;
	struct buf b = { 0 };
	static uint8_t zeros[1 << 16];
	int type;

	type = cdict_schema_add(schema, "sched", text, size, &err);
	must(type == 0 || (type < 0 && err.text[0]));
	must(!cdict_writer_open(&w, to_buf, &b, &err));
	must(!cdict_writer_schema(w, schema, &err));
	if (!type && cdict_schema_at(schema, 0)->payload_size <= sizeof(zeros))
		for (uint32_t i = 0; i < 3; i++) {
			struct cdict_sample s = { .t_ns = i, .tid = (int32_t)i };

			/* Words of dynamic fields that overlap others may point anywhere. */
			cdict_writer_event(w, &s, 0, zeros,
					   cdict_schema_at(schema, 0)->payload_size, &err);
		}
	must(!cdict_writer_finish(w, &err));
	cdict_writer_close(w);
	must(!cdict_reader_parse(&r, b.data, b.len, &err));
	walk_all(r);
	must(!cdict_reader_verify(r, &err));
	must(cdict_schema_count(cdict_reader_schema(r)) == cdict_schema_count(schema));
	cdict_reader_close(r);
	cdict_schema_free(schema);
	buf_fini(&b);
}

static void print(const char *text, size_t size)
{
	struct cdict_schema *schema = cdict_schema_new(size & 1, 8, 4096);
	struct cdict_error err = { 0 };
	struct buf out = { 0 };
	struct printer *p;
	uint64_t seed = size;

	if (!cdict_schema_add(schema, "test", text, size, &err)) {
		p = printer_new(schema);
		must(p != NULL);
		for (int i = 0; i < EVENTS; i++)
			print_one(p, cdict_schema_at(schema, 0), &seed, &out);
		printer_free(p);
		limits_output(out.len, size);
	}
	cdict_schema_free(schema);
	buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long: the parser sees no NUL after it. */
	char *copy = malloc(size ? size : 1);

	if (size)
		memcpy(copy, data, size);
	store(copy, size);
	print(copy, size);
	free(copy);
	return 0;
}

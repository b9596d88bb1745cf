/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel format file; and its schema, written as a file and read back. */
#include "base/memory/buf.h"
#include "cdict/writer.h"
#include "tests/fuzz/lib/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
	struct cdict_error err = { 0 };
	struct cdict_writer *w;
	struct cdict_reader *r;
	struct buf b = { 0 };
	/* Exactly as long: the parser sees no NUL after it. */
	char *copy = malloc(size ? size : 1);
	static uint8_t zeros[1 << 16];
	int type;

	if (size)
		memcpy(copy, data, size);
	type = cdict_schema_add(schema, "sched", copy, size, &err);
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
	free(copy);
	return 0;
}

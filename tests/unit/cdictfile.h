/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cdictfile.h - cdicts made in memory for tests: schemas from tables, payloads from
 * values, a sink, and the output of a reader as text.
 */
#ifndef TESTS_UNIT_CDICTFILE_H
#define TESTS_UNIT_CDICTFILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "base/memory/buf.h"
#include "cdict/reader.h"
#include "cdict/writer.h"
#include "format/coding/codec.h"
#include "format/layout.h"
#include "tests/tools/check/dumpline.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* cdict_write_fn into a struct buf. */
static inline int to_buf(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

/* --- schemas */

struct spec {
	const char *decl; /* "pid_t pid", "char comm[16]", "__data_loc char[] name" */
	unsigned size;
	bool is_signed;
	unsigned at; /* offset; 0: after the field before, aligned */
};

/* The four fields that every tracepoint has. */
#define COMMON                                                                                     \
	{ "unsigned short common_type", 2, false, 0 },                                             \
		{ "unsigned char common_flags", 1, false, 0 },                                     \
		{ "unsigned char common_preempt_count", 1, false, 0 },                             \
	{                                                                                          \
		"int common_pid", 4, true, 0                                                       \
	}

static inline bool is_array(const char *decl)
{
	return decl[strlen(decl) - 1] == ']';
}

static inline void spec_text(struct buf *out, const char *event, unsigned id,
			     const struct spec *fields, size_t n)
{
	unsigned at = 0;

	buf_printf(out, "name: %s\nID: %u\nformat:\n", event, id);
	for (size_t i = 0; i < n; i++) {
		unsigned align = is_array(fields[i].decl) ||
						 (fields[i].size & (fields[i].size - 1)) ||
						 fields[i].size > 8
					 ? 1
					 : fields[i].size;

		at = fields[i].at ? fields[i].at : (at + align - 1) / align * align;
		buf_printf(out, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", fields[i].decl,
			   at, fields[i].size, fields[i].is_signed);
		at += fields[i].size;
	}
	buf_printf(out, "\nprint fmt: \"%%d\", REC->common_pid\n");
}

static inline int add_type(struct cdict_schema *schema, const char *system, const char *event,
			   unsigned id, const struct spec *fields, size_t n)
{
	struct cdict_error err = { 0 };
	struct buf text = { 0 };
	int ret;

	spec_text(&text, event, id, fields, n);
	ret = cdict_schema_add(schema, system, (const char *)text.data, text.len, &err);
	if (ret < 0)
		print_message("%s:%s: %s\n", system, event, err.text);
	buf_fini(&text);
	return ret;
}

/* sched_switch and sched_waking, as Linux 6.1 has them. */
static const struct spec switch_fields[] = {
	COMMON,
	{ "char prev_comm[16]", 16, false, 0 },
	{ "pid_t prev_pid", 4, true, 0 },
	{ "int prev_prio", 4, true, 0 },
	{ "long prev_state", 8, true, 0 },
	{ "char next_comm[16]", 16, false, 0 },
	{ "pid_t next_pid", 4, true, 0 },
	{ "int next_prio", 4, true, 0 },
};
static const struct spec waking_fields[] = {
	COMMON,
	{ "char comm[16]", 16, false, 0 },
	{ "pid_t pid", 4, true, 0 },
	{ "int prio", 4, true, 0 },
	{ "int target_cpu", 4, true, 0 },
};
/* An event of no known kind with every kind of field. */
static const struct spec odd_fields[] = {
	COMMON,
	{ "u8 tiny", 1, false, 0 },
	{ "s16 small", 2, true, 0 },
	{ "u64 big", 8, false, 0 },
	{ "unsigned char mac[6]", 6, false, 0 },
	{ "__data_loc char[] name", 4, false, 0 },
	{ "__rel_loc u32[] list", 4, false, 0 },
};

enum { SWITCH, WAKING, ODD };

static inline struct cdict_schema *usual_schema(void)
{
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);

	assert_non_null(schema);
	assert_int_equal(add_type(schema, "sched", "sched_switch", 1, switch_fields,
				  COUNT(switch_fields)),
			 SWITCH);
	assert_int_equal(add_type(schema, "sched", "sched_waking", 2, waking_fields,
				  COUNT(waking_fields)),
			 WAKING);
	assert_int_equal(add_type(schema, "test", "odd", 3, odd_fields, COUNT(odd_fields)), ODD);
	return schema;
}

/* --- payloads */

static inline void store_scalar(uint8_t *p, uint64_t v, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		p[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

/* A payload being made: zeros, then fields by name, dynamic parts in call order. */
struct payload {
	const struct cdict_schema *schema;
	const struct cdict_event_type *type;
	uint8_t data[4096];
	size_t size;
};

static inline void payload_init(struct payload *p, const struct cdict_schema *schema, unsigned type)
{
	p->schema = schema;
	p->type = cdict_schema_at(schema, type);
	p->size = p->type->payload_size;
	assert_true(p->size <= sizeof(p->data));
	memset(p->data, 0, p->size);
}

static inline const struct cdict_field *payload_field(const struct payload *p, const char *name)
{
	int i = cdict_event_type_field(p->type, name);

	assert_true(i >= 0);
	return &p->type->fields[i];
}

static inline void payload_number(struct payload *p, const char *name, uint64_t v)
{
	const struct cdict_field *f = payload_field(p, name);

	store_scalar(p->data + f->offset, v, f->size, cdict_schema_big_endian(p->schema));
}

static inline void payload_bytes(struct payload *p, const char *name, const void *data, size_t len)
{
	const struct cdict_field *f = payload_field(p, name);
	size_t at = p->size;

	if (f->kind == CDICT_FIELD_BYTES) {
		assert_true(len <= f->size);
		memcpy(p->data + f->offset, data, len);
		return;
	}
	assert_true(at + len <= sizeof(p->data));
	memcpy(p->data + at, data, len);
	p->size += len;
	if (f->kind == CDICT_FIELD_REL_LOC)
		at -= f->offset + f->size;
	store_scalar(p->data + f->offset, at | len << 16, 4, cdict_schema_big_endian(p->schema));
}

static inline void payload_text(struct payload *p, const char *name, const char *text)
{
	payload_bytes(p, name, text, strlen(text));
}

/* --- files */

struct file {
	struct buf bytes;
	struct cdict_writer *w;
};

static inline void file_begin(struct file *f, const struct cdict_schema *schema)
{
	*f = (struct file){ 0 };
	assert_int_equal(cdict_writer_open(&f->w, to_buf, &f->bytes, NULL), 0);
	if (schema)
		assert_int_equal(cdict_writer_schema(f->w, schema, NULL), 0);
}

static inline void file_end(struct file *f)
{
	assert_int_equal(cdict_writer_finish(f->w, NULL), 0);
	assert_int_equal(cdict_writer_bytes(f->w), f->bytes.len);
	cdict_writer_close(f->w);
	f->w = NULL;
	assert_false(f->bytes.failed);
}

static inline void file_event(struct file *f, const struct cdict_sample *s, const struct payload *p)
{
	struct cdict_error err = { 0 };
	int ret = cdict_writer_event(f->w, s, p->type->index, p->data, p->size, &err);

	if (ret)
		print_message("%s\n", err.text);
	assert_int_equal(ret, 0);
}

static inline void file_switch(struct file *f, const struct cdict_schema *schema, uint32_t cpu,
			       uint64_t t_ns, int32_t prev, int32_t next)
{
	struct cdict_sample s = { .t_ns = t_ns, .cpu = cpu, .pid = prev, .tid = prev, .mode = 1 };
	struct payload p;
	char name[16];

	payload_init(&p, schema, SWITCH);
	payload_number(&p, "common_type", 1);
	payload_number(&p, "common_pid", (uint64_t)prev);
	snprintf(name, sizeof(name), "task-%d", prev);
	payload_text(&p, "prev_comm", name);
	payload_number(&p, "prev_pid", (uint64_t)prev);
	payload_number(&p, "prev_prio", 120);
	payload_number(&p, "prev_state", (uint64_t)prev % 3);
	snprintf(name, sizeof(name), "task-%d", next);
	payload_text(&p, "next_comm", name);
	payload_number(&p, "next_pid", (uint64_t)next);
	payload_number(&p, "next_prio", 120);
	file_event(f, &s, &p);
}

/* The complete output of the reader, as text. */
static inline void dump_all(struct cdict_reader *r, struct buf *out)
{
	struct cdict_error err = { 0 };
	struct cdict_events *it;
	struct cdict_event ev;
	int ret;

	assert_int_equal(cdict_events_open(&it, r, NULL, &err), 0);
	while ((ret = cdict_events_next(it, &ev, &err)) > 0)
		dump_line(out, &ev);
	if (ret)
		print_message("%s\n", err.text);
	assert_int_equal(ret, 0);
	cdict_events_close(it);
}

/* The output of @r is that of dump_all() in @lines. */
static inline void assert_holds(struct cdict_reader *r, const struct buf *lines)
{
	struct buf got = { 0 };

	dump_all(r, &got);
	assert_int_equal(got.len, lines->len);
	assert_memory_equal(got.data, lines->data, lines->len);
	buf_fini(&got);
}

static inline struct cdict_reader *open_bytes(const void *data, size_t size)
{
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	int ret = cdict_reader_parse(&r, data, size, &err);

	if (ret)
		print_message("%s\n", err.text);
	assert_int_equal(ret, 0);
	return r;
}

static inline void assert_whole(struct cdict_reader *r)
{
	struct cdict_error err = { 0 };
	struct cdict_damage d;
	int ret = cdict_reader_verify(r, &err);

	if (ret)
		print_message("%s\n", err.text);
	assert_int_equal(ret, 0);
	cdict_reader_damage(r, &d);
	assert_string_equal(d.first, "");
	assert_int_equal(d.blocks, 0);
	assert_int_equal(d.events, 0);
	assert_int_equal(d.skipped_bytes, 0);
	assert_false(d.cut);
}

/* --- blocks of a file in memory */

struct block_at {
	size_t at, size; /* with the header */
	uint32_t type;
};

/* Walks the headers; the number of blocks. */
static inline size_t find_blocks(const struct buf *b, struct block_at *out, size_t room)
{
	size_t at = FORMAT_HEADER_SIZE, n = 0;

	while (b->len - at > FORMAT_TRAILER_SIZE) {
		assert_true(n < room);
		assert_int_equal(le32(b->data + at), FORMAT_SYNC);
		out[n].at = at;
		out[n].type = le32(b->data + at + 4);
		out[n].size = FORMAT_BLOCK_HEADER_SIZE + le32(b->data + at + 8);
		at += out[n++].size;
	}
	assert_int_equal(b->len - at, FORMAT_TRAILER_SIZE);
	return n;
}

/* Corrects the CRCs of a block's header and payload. */
static inline void fix_block(uint8_t *block)
{
	store_scalar(block + 16, codec_crc(block + FORMAT_BLOCK_HEADER_SIZE, le32(block + 8)), 4,
		     false);
	store_scalar(block + 20, codec_crc(block, 20), 4, false);
}

/* A generator of fixed sequence (xorshift64*). */
static inline uint64_t next_random(uint64_t *x)
{
	*x ^= *x >> 12;
	*x ^= *x << 25;
	*x ^= *x >> 27;
	return *x * 0x2545f4914f6cdd1dull;
}

#endif

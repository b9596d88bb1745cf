/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * labelfile.h - files with labels: made in memory, changed, compared.  A caller that makes a
 * file, or is given a buffer, frees its bytes with buf_fini(); one that adds labels to a mapping
 * frees that.
 */
#ifndef TESTS_UNIT_LABELFILE_H
#define TESTS_UNIT_LABELFILE_H

#include "annotate/apply.h"
#include "tests/unit/cdictfile.h"

/* Label @i of many; texts repeat as those of VMs do. */
static inline struct cdict_label label_at(int i, char room[4][32])
{
	snprintf(room[0], 32, "vcpu%d", i % 8);
	snprintf(room[1], 32, "instance-%08x", i / 8);
	snprintf(room[2], 32, "%d", i / 80);
	snprintf(room[3], 32, "name \xff %d", i % 3);
	return (struct cdict_label){ .tid = 1 + (i * 7919) % 100000,
				     .pid = i % 2 ? 5 + i : 0,
				     .start_ns = i % 3 ? (uint64_t)i * 12345678901u : 0,
				     .origin = (enum cdict_label_origin)(1 + i % 4),
				     .name = room[3],
				     .group = i % 5 ? room[2] : "",
				     .group_type = i % 7 ? "" : "FULL",
				     .role = room[0],
				     .uuid = i % 2 ? "8f81e3a1-6b1b-4c1c-9f3f-0123456789ab" : NULL,
				     .instance = room[1],
				     .project = "p",
				     .host = "compute-01" };
}

static inline void assert_text(const char *a, const char *b)
{
	assert_string_equal(a ? a : "", b ? b : "");
}

static inline void assert_same(const struct cdict_label *a, const struct cdict_label *b)
{
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->start_ns, b->start_ns);
	assert_int_equal(a->origin, b->origin);
	assert_text(a->name, b->name);
	assert_text(a->group, b->group);
	assert_text(a->group_type, b->group_type);
	assert_text(a->role, b->role);
	assert_text(a->uuid, b->uuid);
	assert_text(a->instance, b->instance);
	assert_text(a->project, b->project);
	assert_text(a->host, b->host);
}

static inline void some_events(struct file *f, struct cdict_schema *schema)
{
	for (uint32_t i = 0; i < 200; i++)
		file_switch(f, schema, i % 2, 1000 + i * 100, (int32_t)(1 + i % 13),
			    (int32_t)(1 + (i + 3) % 13));
}

/* A file of two CPUs with @before labels at its start and @after at its end. */
static inline void make(struct file *f, int before, int after)
{
	struct cdict_schema *schema = usual_schema();
	char room[4][32];

	file_begin(f, schema);
	assert_int_equal(cdict_writer_info(f->w, "key", "value", NULL), 0);
	for (int i = 0; i < before; i++)
		assert_int_equal(
			cdict_writer_label(f->w, (struct cdict_label[]){ label_at(i, room) }, NULL),
			0);
	some_events(f, schema);
	/* an event back in time ends the block before it: labels may follow it */
	file_switch(f, schema, 0, 5, 1, 2);
	for (int i = before; i < before + after; i++)
		assert_int_equal(
			cdict_writer_label(f->w, (struct cdict_label[]){ label_at(i, room) }, NULL),
			0);
	file_end(f);
	cdict_schema_free(schema);
}

static inline void some_labels(struct mapping *m, int from, int to)
{
	char room[4][32];

	for (int i = from; i < to; i++)
		assert_int_equal(mapping_add(m, (struct cdict_label[]){ label_at(i, room) }, NULL),
				 0);
}

static inline struct buf apply(const void *data, size_t size, const struct mapping *m, bool clear)
{
	struct cdict_reader *r = open_bytes(data, size);
	struct cdict_error err = { 0 };
	struct buf out = { 0 };

	if (apply_labels(r, m, clear, to_buf, &out, &err))
		fail_msg("%s", err.text);
	cdict_reader_close(r);
	return out;
}

static inline void assert_labels(const struct buf *file, const struct mapping *m)
{
	struct cdict_reader *r = open_bytes(file->data, file->len);

	assert_int_equal(cdict_reader_label_count(r), m->n);
	for (size_t i = 0; i < m->n; i++)
		assert_same(cdict_reader_label_at(r, i), &m->labels[i]);
	cdict_reader_close(r);
}

static inline struct buf dump(const struct buf *file)
{
	struct cdict_reader *r = open_bytes(file->data, file->len);
	struct buf out = { 0 };

	dump_all(r, &out);
	cdict_reader_close(r);
	return out;
}

static inline void assert_same_bytes(const struct buf *a, const struct buf *b)
{
	assert_int_equal(a->len, b->len);
	if (a->len)
		assert_memory_equal(a->data, b->data, a->len);
}

#endif

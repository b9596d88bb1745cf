/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * labelcapture.h - a capture with a tid that is used three times, and the labels that are looked
 * for in it.  All of it is of struct capture, which capture_end() frees.
 */
#ifndef TESTS_UNIT_LABELCAPTURE_H
#define TESTS_UNIT_LABELCAPTURE_H

#include "format/labels/label_index.h"
#include "tests/unit/cdictfile.h"

#define S UINT64_C(1000000000)

struct capture {
	struct file file;
	struct cdict_schema *schema;
	struct cdict_reader *r;
	struct mapping m;
	struct label_index *ix;
};

static inline void task(struct capture *c, enum cdict_task_what what, int32_t tid, uint64_t t_ns)
{
	struct cdict_task_event ev = { .t_ns = t_ns, .what = what, .tid = tid, .pid = tid };

	ev.comm = what == CDICT_TASK_COMM ? "x" : NULL;
	assert_int_equal(cdict_writer_task(c->file.w, &ev, NULL), 0);
}

static inline void name(struct capture *c, int32_t tid, uint64_t start_ns, const char *called)
{
	struct cdict_label l = { .tid = tid, .start_ns = start_ns, .origin = CDICT_LABEL_CSV };

	l.name = called;
	assert_int_equal(mapping_add(&c->m, &l, NULL), 0);
}

/* 100 s to 110 s after the boot of the recording's clock; tid 7 was there, dies at 103 s
 * and is born again at 105 s, dies at 106 s, and is born a third time at 108 s. */
static inline void capture_begin(struct capture *c, const char *clock, const char *mono,
				 const char *boot)
{
	*c = (struct capture){ .schema = usual_schema() };
	file_begin(&c->file, c->schema);
	if (clock)
		assert_int_equal(cdict_writer_info(c->file.w, "clock.id", clock, NULL), 0);
	if (mono)
		assert_int_equal(cdict_writer_info(c->file.w, "clock.mono_ns", mono, NULL), 0);
	if (boot)
		assert_int_equal(cdict_writer_info(c->file.w, "clock.boot_ns", boot, NULL), 0);
	task(c, CDICT_TASK_COMM, 7, 0);
	task(c, CDICT_TASK_COMM, 8, 0);
	task(c, CDICT_TASK_EXIT, 7, 103 * S);
	task(c, CDICT_TASK_FORK, 7, 105 * S);
	task(c, CDICT_TASK_COMM, 7, 105 * S + 5);
	task(c, CDICT_TASK_EXIT, 7, 106 * S);
	task(c, CDICT_TASK_FORK, 7, 108 * S);
	file_switch(&c->file, c->schema, 0, 100 * S, 7, 8);
	file_switch(&c->file, c->schema, 0, 110 * S, 8, 7);
	file_end(&c->file);
	c->r = open_bytes(c->file.bytes.data, c->file.bytes.len);
}

static inline void capture_look(struct capture *c)
{
	label_index_free(c->ix);
	assert_int_equal(label_index_new(&c->ix, c->r, false, &c->m, NULL), 0);
}

static inline void capture_end(struct capture *c)
{
	label_index_free(c->ix);
	mapping_fini(&c->m);
	cdict_reader_close(c->r);
	cdict_schema_free(c->schema);
	buf_fini(&c->file.bytes);
}

/* Name of the task of @tid whose first event is at @first (born then, if @born). */
static inline const char *called(struct capture *c, int32_t tid, uint64_t first_ns, bool born)
{
	static char text[32];
	struct label_task task = { tid, born ? first_ns : UINT64_MAX, first_ns, UINT64_MAX };
	struct cdict_label l;

	if (!label_index_find(c->ix, &task, &l))
		return "-";
	snprintf(text, sizeof(text), "%s", l.name);
	return text;
}

#endif

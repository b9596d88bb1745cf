/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wholefile.h - a cdict that holds something of everything a file may hold, for the tests
 * of the reader.
 *
 * One for a group of cases: setup() makes `schema` and `whole` before the first and teardown()
 * frees them after the last. A case reads them and changes copies of its own.
 */
#ifndef TESTS_UNIT_WHOLEFILE_H
#define TESTS_UNIT_WHOLEFILE_H

#include "tests/unit/cdictfile.h"

/* Twelve blocks of events over three CPUs, with everything else a file may hold. */
static inline void make_file(struct file *f, struct cdict_schema *schema)
{
	static const struct cdict_task_event tasks[] = {
		{ 0, CDICT_TASK_COMM, 1, 1, 0, 0, "init" },
		{ 0, CDICT_TASK_EXEC, 7, 7, 0, 0, "</script>\"\n" },
		{ 5, CDICT_TASK_FORK, 8, 9, 7, 8, NULL },
		{ 6, CDICT_TASK_COMM, 8, 9, 0, 0, "init" },
		{ 3, CDICT_TASK_FORK, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MAX, NULL },
		{ UINT64_MAX, CDICT_TASK_EXIT, -1, -1, -1, -1, NULL },
		{ 0, CDICT_TASK_COMM, 0, 0, 0, 0, "" },
	};
	static const struct cdict_loss losses[] = {
		{ CDICT_LOSS_RING, 0, CDICT_TYPE_ANY, 100, 200, 12 },
		{ CDICT_LOSS_SAMPLES, CDICT_CPU_UNKNOWN, 2, 0, UINT64_MAX, UINT64_MAX },
		{ CDICT_LOSS_THROTTLE, 4000, 0, 7, 7, 0 },
		{ CDICT_LOSS_DISORDER, 1, CDICT_TYPE_ANY, 1, 2, 3 },
		{ CDICT_LOSS_DAMAGE, 2, CDICT_TYPE_ANY, UINT64_MAX, UINT64_MAX, 1 },
	};
	static const struct cdict_late late[] = { { 3, 1000, 2000 }, { 0, 0, UINT64_MAX } };

	file_begin(f, schema);
	assert_int_equal(cdict_writer_info(f->w, "host.name", "first", NULL), 0);
	assert_int_equal(cdict_writer_info(f->w, "other", "", NULL), 0);
	assert_int_equal(cdict_writer_info(f->w, "host.name", "second", NULL), 0);
	for (size_t i = 0; i < COUNT(tasks); i++)
		assert_int_equal(cdict_writer_task(f->w, &tasks[i], NULL), 0);
	for (size_t i = 0; i < COUNT(losses); i++)
		assert_int_equal(cdict_writer_loss(f->w, &losses[i], NULL), 0);
	for (size_t i = 0; i < COUNT(late); i++)
		assert_int_equal(cdict_writer_late(f->w, &late[i], NULL), 0);
	/* A time that goes back ends a block: four per CPU, without overlap. */
	for (uint64_t round = 0; round < 4; round++)
		for (uint32_t cpu = 0; cpu < 3; cpu++)
			for (uint64_t i = 0; i < 20 + cpu; i++)
				file_switch(f, schema, cpu,
					    1000040000 - 10000 * round + 100 * i + 7 * cpu,
					    (int32_t)(i % 4), (int32_t)((i + 1) % 4));
	assert_int_equal(cdict_writer_unstored(f->w, "cycles:u", 12345678901, NULL), 0);
	assert_int_equal(cdict_writer_unstored(f->w, "PERF_RECORD_MMAP2", 1, NULL), 0);
	file_end(f);
}

static struct cdict_schema *schema;
static struct file whole;

static inline int setup(void **state)
{
	(void)state;
	schema = usual_schema();
	make_file(&whole, schema);
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	buf_fini(&whole.bytes);
	cdict_schema_free(schema);
	return 0;
}

#endif

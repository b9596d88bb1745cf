/* SPDX-License-Identifier: GPL-2.0-only */
/* page_asked.h - a golden capture with the queries of the page. */
#ifndef TESTS_UNIT_PAGE_ASKED_H
#define TESTS_UNIT_PAGE_ASKED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "analyze/walk/engine.h"
#include "base/memory/buf.h"
#include "render/engine/engine.h"

/* A golden capture, opened, with its own tasks as those of the page. */
struct asked {
	struct buf file;
	struct page_engine *e;
	uint64_t t0_ns, length_ns;
	uint32_t cpus;
	json_t *answer;
	const uint8_t *arrays;
};

static inline void read_golden(struct buf *file, const char *name)
{
	char path[4096];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/tests/oracle/format/v1.0-%s.cdict", getenv("TOP"), name);
	f = fopen(path, "rb");
	assert_non_null(f);
	do {
		n = fread(buf_room(file, 4096), 1, 4096, f);
		file->len += n;
	} while (n);
	fclose(f);
}

static inline void add_tasks(struct asked *a)
{
	struct analyze_engine *eng;
	struct cdict_reader *r;
	uint64_t last_ns;

	assert_int_equal(cdict_reader_parse(&r, a->file.data, a->file.len, NULL), 0);
	assert_true(cdict_reader_window(r, &a->t0_ns, &last_ns));
	a->length_ns = last_ns - a->t0_ns;
	assert_int_equal(analyze_engine_new(&eng, NULL, NULL), 0);
	assert_int_equal(analyze_engine_run_reader(eng, r, NULL), 0);
	a->cpus = analyze_engine_cpus(eng);
	for (uint32_t i = 0; i < analyze_engine_task_count(eng); i++) {
		const struct analyze_task *own = analyze_engine_task(eng, i);
		struct page_task task = { .tid = own->tid,
					  .idle_cpu = own->idle_cpu,
					  .born_ns = own->born_ns == ANALYZE_NO_TIME
							     ? INT64_MIN
							     : (int64_t)(own->born_ns - a->t0_ns),
					  .wanted = true,
					  .vcpu = own->is_vcpu };

		assert_int_equal(page_engine_task(a->e, &task), 0);
	}
	analyze_engine_free(eng);
	cdict_reader_close(r);
}

static inline void asked_open(struct asked *a, const char *golden)
{
	*a = (struct asked){ 0 };
	read_golden(&a->file, golden);
	assert_int_equal(page_engine_open(&a->e, a->file.data, a->file.len, NULL), 0);
	add_tasks(a);
}

static inline void asked_close(struct asked *a)
{
	json_decref(a->answer);
	page_engine_close(a->e);
	buf_fini(&a->file);
}

/* The answer, in steps of @events; of the whole capture where the question has no range. */
static inline const json_t *ask_in_steps(struct asked *a, struct page_query q, uint64_t events)
{
	struct cdict_error err = { 0 };
	const char *text;
	size_t len;
	int rc;

	if (!q.to_ns)
		q.to_ns = a->length_ns;
	if (page_engine_ask(a->e, &q, &err))
		fail_msg("%s: %s", q.call, err.text);
	while ((rc = page_engine_step(a->e, events, &err)) > 0) {
		double share = page_engine_share(a->e);

		assert_true(share >= 0 && share <= 1);
	}
	assert_int_equal(rc, 0);
	text = page_engine_json(a->e, &len);
	json_decref(a->answer);
	a->answer = json_loadb(text, len, 0, NULL);
	assert_non_null(a->answer);
	a->arrays = page_engine_arrays(a->e, &len);
	return a->answer;
}

static inline const json_t *ask(struct asked *a, struct page_query q)
{
	return ask_in_steps(a, q, UINT64_MAX);
}

/* The length of an array of the answer, and one element. */
static inline size_t count_of(const struct asked *a, const char *key)
{
	json_t *place = json_object_get(json_object_get(a->answer, key), "array");

	assert_int_equal(json_array_size(place), 3);
	return (size_t)json_integer_value(json_array_get(place, 1));
}

static inline double number(const struct asked *a, const char *key, size_t i)
{
	json_t *place = json_object_get(json_object_get(a->answer, key), "array");
	size_t at = (size_t)json_integer_value(json_array_get(place, 0));
	size_t size = (size_t)json_integer_value(json_array_get(place, 2));
	uint64_t bits = 0;
	double v;

	for (size_t k = 0; k < size; k++)
		bits |= (uint64_t)a->arrays[at + i * size + k] << 8 * k;
	if (size < 8)
		return (double)bits;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static inline bool is_complete(const struct asked *a)
{
	return json_is_true(json_object_get(a->answer, "complete"));
}

static inline double integer(const struct asked *a, const char *key)
{
	return (double)json_integer_value(json_object_get(a->answer, key));
}

/* Column @key of a table of the answer. */
static inline const json_t *column(const struct asked *a, const char *table, const char *key)
{
	const json_t *t = json_object_get(json_object_get(a->answer, "tables"), table), *name;
	size_t i;

	json_array_foreach(
		json_object_get(t, "columns"), i,
		name) if (!strcmp(json_string_value(name),
				  key)) return json_array_get(json_object_get(t, "by_column"), i);
	fail_msg("%s has no %s", table, key);
	return NULL;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * book.h - a cdict being written and a copy of each event in memory: the events read back
 * must be equal to the copies.
 *
 * The book owns its file and copies, from book_begin() to book_end(), or to book_free() where the
 * bytes are looked at after book_check(); the schema is the caller's and outlives it (NULL: none).
 */
#ifndef TESTS_UNIT_BOOK_H
#define TESTS_UNIT_BOOK_H

#include "tests/unit/cdictfile.h"

/* --- copies of the written events */

struct kept {
	struct cdict_sample s;
	uint32_t type;
	uint8_t *payload;
	size_t size, seq;
};

struct book {
	const struct cdict_schema *schema;
	struct file file;
	struct kept *events;
	size_t n, cap;
};

static inline void book_begin(struct book *b, const struct cdict_schema *schema)
{
	*b = (struct book){ .schema = schema };
	file_begin(&b->file, schema);
}

static inline void book_event(struct book *b, const struct cdict_sample *s, const struct payload *p)
{
	struct kept *k;

	file_event(&b->file, s, p);
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : 1024;
		b->events = realloc(b->events, b->cap * sizeof(*b->events));
		assert_non_null(b->events);
	}
	k = &b->events[b->n];
	*k = (struct kept){ *s, p->type->index, malloc(p->size + 1), p->size, b->n };
	assert_non_null(k->payload);
	memcpy(k->payload, p->data, p->size);
	b->n++;
}

/* The reader's order: time, pass of the recorder, CPU; then as written. */
static inline int in_order(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->s.t_ns != y->s.t_ns)
		return x->s.t_ns < y->s.t_ns ? -1 : 1;
	if (x->s.order != y->s.order)
		return x->s.order < y->s.order ? -1 : 1;
	if (x->s.cpu != y->s.cpu)
		return x->s.cpu < y->s.cpu ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

/* A query for some fields gives in these, and in everything except fields, the same as a walk
 * over everything: for every subset, since predictions differ by type. */
static inline void check_some_fields(struct cdict_reader *r, uint64_t *x)
{
	const struct cdict_schema *schema = cdict_reader_schema(r);
	size_t n = cdict_schema_count(schema);
	uint64_t(*bits)[2] = calloc(n + 1, sizeof(*bits));
	const uint64_t **fields = calloc(n + 1, sizeof(*fields));
	struct cdict_query q = { .fields = fields, .n_fields = n };
	uint64_t density = next_random(x) % 5;
	struct cdict_events *all, *some;
	struct cdict_event want, ev;

	assert_true(bits && fields);
	for (size_t i = 0; i < n; i++) {
		for (size_t f = 0; f < 128; f++)
			bits[i][f / 64] |= (uint64_t)(next_random(x) % 4 < density) << f % 64;
		fields[i] = next_random(x) % 8 ? bits[i] : NULL;
	}
	assert_int_equal(cdict_events_open(&all, r, NULL, NULL), 0);
	assert_int_equal(cdict_events_open(&some, r, &q, NULL), 0);
	while (cdict_events_next(all, &want, NULL) == 1) {
		assert_int_equal(cdict_events_next(some, &ev, NULL), 1);
		assert_true(ev.t_ns == want.t_ns && ev.cpu == want.cpu && ev.tid == want.tid);
		assert_true(ev.pid == want.pid && ev.mode == want.mode && ev.type == want.type);
		for (size_t f = 0; f < ev.type->n_fields; f++) {
			const uint64_t *wanted = fields[ev.type->index];

			if (wanted && wanted[f / 64] >> f % 64 & 1)
				assert_true(ev.values[f] == want.values[f]);
		}
	}
	assert_int_equal(cdict_events_next(some, &ev, NULL), 0);
	cdict_events_close(all);
	cdict_events_close(some);
	assert_whole(r);
	free(fields);
	free(bits);
}

/* Reads everything back and compares it with the book. */
static inline void book_check(struct book *b)
{
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	struct cdict_events *it;
	struct cdict_event ev;
	uint64_t first = 0, last = 0;
	static uint8_t raw[4096];

	file_end(&b->file);
	if (b->n)
		qsort(b->events, b->n, sizeof(*b->events), in_order);
	r = open_bytes(b->file.bytes.data, b->file.bytes.len);
	assert_whole(r);
	assert_int_equal(cdict_reader_events(r), b->n);
	assert_int_equal(cdict_reader_window(r, &first, &last), b->n != 0);
	if (b->n) {
		assert_true(first == b->events[0].s.t_ns);
		assert_true(last == b->events[b->n - 1].s.t_ns);
	}
	assert_int_equal(cdict_events_open(&it, r, NULL, &err), 0);
	for (size_t i = 0; i < b->n; i++) {
		const struct kept *k = &b->events[i];

		assert_int_equal(cdict_events_next(it, &ev, &err), 1);
		assert_true(ev.t_ns == k->s.t_ns);
		assert_int_equal(ev.cpu, k->s.cpu);
		assert_int_equal(ev.tid, k->s.tid);
		assert_int_equal(ev.pid, k->s.pid);
		assert_int_equal(ev.mode, k->s.mode);
		assert_string_equal(ev.type->name, cdict_schema_at(b->schema, k->type)->name);
		assert_int_equal(cdict_event_payload(cdict_reader_schema(r), &ev, raw, sizeof(raw)),
				 k->size);
		assert_memory_equal(raw, k->payload, k->size);
		/* Trailing NULs of fixed arrays are not part of the content. */
		for (size_t f = 0; f < ev.type->n_fields; f++)
			if (ev.type->fields[f].kind == CDICT_FIELD_BYTES) {
				struct cdict_bytes bytes = cdict_event_bytes(&ev, f);

				assert_true(!bytes.len || bytes.data[bytes.len - 1]);
			}
	}
	assert_int_equal(cdict_events_next(it, &ev, &err), 0);
	cdict_events_close(it);
	for (uint64_t round = 0, x = (b->n + 1) * UINT64_C(0x9e3779b97f4a7c15); round < 6; round++)
		check_some_fields(r, &x);
	cdict_reader_close(r);
}

static inline void book_free(struct book *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->events[i].payload);
	free(b->events);
	buf_fini(&b->file.bytes);
}

static inline void book_end(struct book *b)
{
	book_check(b);
	book_free(b);
}

/* --- values */

static const uint64_t extremes[] = {
	0,          1,
	2,          3,
	0x7f,       0x80,
	0xff,       0x100,
	0x7fff,     0x8000,
	0xffff,     0x10000,
	INT32_MAX,  0x80000000,
	UINT32_MAX, 0x100000000,
	INT64_MAX,  0x8000000000000000,
	UINT64_MAX, UINT64_MAX - 1,
};

#endif

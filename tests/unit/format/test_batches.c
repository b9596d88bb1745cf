/* SPDX-License-Identifier: GPL-2.0-only */
/* Events as columns: the same as one by one. */
#include "cdict/columns.h"
#include "tests/unit/cdictfile.h"

/* Each event as a line of text; their order is not compared. */
struct lines {
	char (*at)[160];
	size_t n, room;
};

static void line_of(struct lines *l, const struct cdict_event *ev, const uint64_t *fields)
{
	int len;

	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 1024;
		l->at = realloc(l->at, l->room * sizeof(*l->at));
		assert_non_null(l->at);
	}
	len = snprintf(l->at[l->n], sizeof(*l->at), "%s %u %d %d %u %llu", ev->type->name, ev->cpu,
		       ev->tid, ev->pid, ev->mode, (unsigned long long)ev->t_ns);
	for (size_t f = 0; f < ev->type->n_fields && (size_t)len < sizeof(*l->at); f++) {
		bool scalar = ev->type->fields[f].kind <= CDICT_FIELD_INT;
		struct cdict_bytes b = { (const uint8_t *)"", 0 };

		if (fields && !(*fields >> f & 1))
			continue;
		if (!scalar)
			b = cdict_event_bytes(ev, f);
		len += scalar ? snprintf(l->at[l->n] + len, sizeof(*l->at) - (size_t)len, " %llx",
					 (unsigned long long)ev->values[f])
			      : snprintf(l->at[l->n] + len, sizeof(*l->at) - (size_t)len, " '%.*s'",
					 (int)b.len, (const char *)b.data);
	}
	l->n++;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void assert_same(struct lines *a, struct lines *b)
{
	assert_int_equal(a->n, b->n);
	if (a->n) {
		qsort(a->at, a->n, sizeof(*a->at), by_text);
		qsort(b->at, b->n, sizeof(*b->at), by_text);
	}
	for (size_t i = 0; i < a->n; i++)
		assert_string_equal(a->at[i], b->at[i]);
	free(a->at);
	free(b->at);
}

static void of_events(struct lines *l, struct cdict_reader *r, const struct cdict_query *q,
		      const uint64_t *fields)
{
	struct cdict_events *it;
	struct cdict_event ev;

	assert_int_equal(cdict_events_open(&it, r, q, NULL), 0);
	while (cdict_events_next(it, &ev, NULL) == 1)
		line_of(l, &ev, fields);
	cdict_events_close(it);
}

static void of_columns(struct lines *l, struct cdict_reader *r, const struct cdict_query *q,
		       const uint64_t *fields)
{
	struct cdict_batch b = { .size = sizeof(b) };
	struct cdict_columns *it;
	uint64_t values[64];
	int ret;

	assert_int_equal(cdict_columns_open(&it, r, q, NULL), 0);
	while ((ret = cdict_columns_next(it, &b, NULL)) == 1) {
		assert_true(b.n > 0);
		assert_int_equal(b.cpu, cdict_reader_block_at(r, b.block)->cpu);
		for (size_t i = 0; i < b.n; i++) {
			struct cdict_event ev = { .t_ns = b.t_ns[i],
						  .cpu = b.cpu,
						  .pid = b.pid[i],
						  .tid = b.tid[i],
						  .mode = b.mode[i],
						  .type = b.type,
						  .values = values,
						  .bytes = b.bytes };

			assert_true(!i || (b.t_ns[i - 1] <= b.t_ns[i] && b.at[i - 1] < b.at[i]));
			for (size_t f = 0; f < b.type->n_fields; f++) {
				assert_int_equal(b.values[f] != NULL,
						 !fields || (*fields >> f & 1));
				values[f] = b.values[f] ? b.values[f][i] : 0;
			}
			line_of(l, &ev, fields);
		}
	}
	assert_int_equal(ret, 0);
	cdict_columns_close(it);
}

static void columns_hold_what_a_walk_over_the_events_gives(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_reader *r;
	struct file f;
	uint64_t x = 7;

	(void)state;
	file_begin(&f, schema);
	for (uint32_t i = 0; i < 4000; i++)
		file_switch(&f, schema, i % 3, 1000 + i * 5 - (i % 400 ? 0 : 700), (int32_t)(i % 9),
			    (int32_t)(i % 8));
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	for (int round = 0; round < 40; round++) {
		uint64_t cpus = next_random(&x) % 8, types = next_random(&x) % 8;
		uint64_t fields = next_random(&x);
		const uint64_t *of_types[] = { &fields, &fields, &fields };
		struct cdict_query q = { .from_ns = round % 4 ? next_random(&x) % 25000 : 0,
					 .cpus = round % 3 ? &cpus : NULL,
					 .n_cpus = 3,
					 .types = round % 4 ? &types : NULL,
					 .n_types = 3,
					 .fields = round % 2 ? of_types : NULL,
					 .n_fields = 3 };
		struct lines a = { 0 }, b = { 0 };

		q.to_ns = round % 5 ? q.from_ns + next_random(&x) % 10000 : 0;
		of_events(&a, r, &q, round % 2 ? &fields : NULL);
		of_columns(&b, r, &q, round % 2 ? &fields : NULL);
		assert_true(round || a.n == 4000);
		assert_same(&a, &b);
	}
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

static void a_batch_of_a_caller_that_is_too_old_is_refused(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_batch b = { .size = 8 };
	struct cdict_columns *it;
	struct cdict_reader *r;
	struct file f;

	(void)state;
	file_begin(&f, schema);
	file_switch(&f, schema, 0, 1000, 1, 2);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_int_equal(cdict_columns_open(&it, r, NULL, NULL), 0);
	assert_int_equal(cdict_columns_next(it, &b, NULL), CDICT_EUSAGE);
	cdict_columns_close(it);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_hold_what_a_walk_over_the_events_gives),
		cmocka_unit_test(a_batch_of_a_caller_that_is_too_old_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

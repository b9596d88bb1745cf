/* SPDX-License-Identifier: GPL-2.0-only */
/* Written events are read back: from many blocks, in order of time, in a window of it. */
#include "tests/unit/book.h"

static void more_than_256_event_types_need_another_block(void **state)
{
	static const struct spec fields[] = { COMMON, { "u32 v", 4, false, 0 } };
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
	struct cdict_sample s = { .cpu = 0 };
	struct cdict_reader *r;
	struct payload p;
	struct book b;
	char name[16];

	(void)state;
	for (unsigned i = 0; i < 700; i++) {
		snprintf(name, sizeof(name), "event_%u", i);
		assert_int_equal(add_type(schema, "many", name, i, fields, COUNT(fields)), i);
	}
	book_begin(&b, schema);
	for (unsigned i = 0; i < 2000; i++) {
		s.t_ns = i;
		s.tid = s.pid = (int32_t)i % 11;
		payload_init(&p, schema, i * 37 % 700);
		payload_number(&p, "common_type", i % 700);
		payload_number(&p, "v", i);
		book_event(&b, &s, &p);
	}
	book_check(&b);
	r = open_bytes(b.file.bytes.data, b.file.bytes.len);
	assert_int_equal(cdict_schema_count(cdict_reader_schema(r)), 700);
	assert_true(cdict_reader_block_count(r) >= 2000 / 256);
	cdict_reader_close(r);
	book_free(&b);
	cdict_schema_free(schema);
}

/* Types may be added while blocks of others are open. */
static void types_may_be_added_between_events(void **state)
{
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
	static const struct spec fields[] = { COMMON,
					      { "pid_t pid", 4, true, 0 },
					      { "char comm[16]", 16, false, 0 } };
	struct cdict_sample s = { .cpu = 0 };
	struct payload p;
	struct book b;
	char name[16];

	(void)state;
	assert_int_equal(add_type(schema, "sched", "sched_switch", 1, switch_fields,
				  COUNT(switch_fields)),
			 0);
	book_begin(&b, schema);
	for (unsigned i = 0; i < 400; i++) {
		if (i && !(i % 20)) {
			snprintf(name, sizeof(name), "late_%u", i);
			assert_true(add_type(schema, i % 40 ? "kvm" : "test", name, i, fields,
					     COUNT(fields)) > 0);
			assert_int_equal(cdict_writer_schema(b.file.w, schema, NULL), 0);
		}
		s.t_ns = i;
		s.cpu = i % 3;
		payload_init(&p, schema, (unsigned)(i % cdict_schema_count(schema)));
		payload_number(&p, "common_pid", i);
		book_event(&b, &s, &p);
	}
	book_end(&b);
	cdict_schema_free(schema);
}

static void a_block_ends_after_24576_events(void **state)
{
	struct cdict_schema *schema = usual_schema();
	const struct cdict_block_info *block;
	struct cdict_reader *r;
	struct file f;
	static const struct {
		unsigned events;
		size_t blocks;
	} cases[] = { { 24575, 1 }, { 24576, 1 }, { 24577, 2 } };

	(void)state;
	for (size_t c = 0; c < COUNT(cases); c++) {
		struct cdict_events *it;
		struct cdict_event ev;
		uint64_t n = 0;

		file_begin(&f, schema);
		for (unsigned i = 0; i < cases[c].events; i++)
			file_switch(&f, schema, 5, 1000 + 10ull * i, (int32_t)(i % 17),
				    (int32_t)((i + 1) % 17));
		file_end(&f);
		r = open_bytes(f.bytes.data, f.bytes.len);
		assert_whole(r);
		assert_int_equal(cdict_reader_block_count(r), cases[c].blocks);
		block = cdict_reader_block_at(r, 0);
		assert_int_equal(block->events, cases[c].events < 24576 ? cases[c].events : 24576);
		assert_int_equal(block->cpu, 5);
		assert_int_equal(block->first_ns, 1000);
		assert_int_equal(cdict_events_open(&it, r, NULL, NULL), 0);
		while (cdict_events_next(it, &ev, NULL) == 1) {
			assert_true(ev.t_ns == 1000 + 10 * n);
			assert_int_equal(ev.tid, n % 17);
			n++;
		}
		assert_int_equal(n, cases[c].events);
		cdict_events_close(it);
		cdict_reader_close(r);
		buf_fini(&f.bytes);
	}
	cdict_schema_free(schema);
}

/* Late events start new blocks; the walk puts every one at its time. */
static void events_that_come_late_are_read_in_their_place(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_sample s = { .cpu = 0 };
	struct payload p;
	struct book b;

	(void)state;
	book_begin(&b, schema);
	for (uint32_t i = 0; i < 600; i++) {
		/* Three interleaved runs per CPU, never two events of equal time. */
		s.cpu = i % 2;
		s.t_ns = 100000 + i / 6 * 60 + (5 - i % 6) * 7;
		s.tid = s.pid = (int32_t)(i % 5);
		payload_init(&p, schema, SWITCH);
		payload_number(&p, "next_pid", i);
		book_event(&b, &s, &p);
	}
	s.t_ns = 0; /* before everything */
	book_event(&b, &s, &p);
	book_end(&b);
	cdict_schema_free(schema);
}

static void equal_times_keep_the_recorders_order(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_sample s = { 0 };
	struct payload p;
	struct book b;

	(void)state;
	book_begin(&b, schema);
	for (uint32_t i = 0; i < 3000; i++) {
		s.cpu = i * 7 % 4;
		s.t_ns = i / 100;
		s.order = i / 30;
		payload_init(&p, schema, WAKING);
		payload_number(&p, "pid", i);
		book_event(&b, &s, &p);
	}
	book_end(&b);
	cdict_schema_free(schema);
}

/* --- windows */

static void a_query_gives_what_a_full_walk_gives_in_its_window(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_reader *r;
	struct file f;
	uint64_t x = 99;

	(void)state;
	file_begin(&f, schema);
	for (uint32_t i = 0; i < 4000; i++)
		file_switch(&f, schema, i % 3, 1000 + i * 5 - (i % 400 ? 0 : 700), (int32_t)(i % 9),
			    (int32_t)(i % 8));
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	for (int round = 0; round < 60; round++) {
		uint64_t cpus = next_random(&x) % 8, types = next_random(&x) % 8;
		struct cdict_query q = { .from_ns = next_random(&x) % 25000,
					 .cpus = round % 3 ? &cpus : NULL,
					 .n_cpus = 3,
					 .types = round % 4 ? &types : NULL,
					 .n_types = 3 };
		struct cdict_events *all, *some;
		struct cdict_event ev, want;
		struct buf a = { 0 }, b = { 0 };

		q.to_ns = round % 5 ? q.from_ns + next_random(&x) % 10000 : 0;
		assert_int_equal(cdict_events_open(&all, r, NULL, NULL), 0);
		assert_int_equal(cdict_events_open(&some, r, &q, NULL), 0);
		while (cdict_events_next(all, &want, NULL) == 1) {
			if (want.t_ns < q.from_ns || (q.to_ns && want.t_ns > q.to_ns) ||
			    (q.cpus && !(cpus >> want.cpu & 1)) ||
			    (q.types && !(types >> want.type->index & 1)))
				continue;
			dump_line(&a, &want);
			assert_int_equal(cdict_events_next(some, &ev, NULL), 1);
			dump_line(&b, &ev);
		}
		assert_int_equal(cdict_events_next(some, &ev, NULL), 0);
		assert_int_equal(a.len, b.len);
		if (a.len)
			assert_memory_equal(a.data, b.data, a.len);
		buf_fini(&a);
		buf_fini(&b);
		cdict_events_close(all);
		cdict_events_close(some);
	}
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(more_than_256_event_types_need_another_block),
		cmocka_unit_test(types_may_be_added_between_events),
		cmocka_unit_test(a_block_ends_after_24576_events),
		cmocka_unit_test(events_that_come_late_are_read_in_their_place),
		cmocka_unit_test(equal_times_keep_the_recorders_order),
		cmocka_unit_test(a_query_gives_what_a_full_walk_gives_in_its_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

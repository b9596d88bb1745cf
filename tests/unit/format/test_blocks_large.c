/* SPDX-License-Identifier: GPL-2.0-only */
/* Blocks of up to 65,536 events, as filled by older writers and still accepted by the reader. */
#include "format/layout.h"

#undef FORMAT_BLOCK_FILL
#define FORMAT_BLOCK_FILL FORMAT_BLOCK_EVENTS
/* The encoder itself, filling its blocks to the reader's limit. */
#include "format/coding/encode.c"

#include "tests/unit/book.h"

enum { TASKS = 17 };

static void a_block_of_65536_events_is_read_whole(void **state)
{
	static const struct {
		unsigned events;
		size_t blocks;
	} cases[] = { { 16385, 1 }, { 65535, 1 }, { 65536, 1 }, { 65537, 2 } };
	struct cdict_schema *schema = usual_schema();

	(void)state;
	for (size_t c = 0; c < COUNT(cases); c++) {
		unsigned first = cases[c].events < 65536 ? cases[c].events : 65536;
		struct cdict_reader *r;
		struct cdict_events *it;
		struct cdict_event ev;
		struct file f;
		uint64_t n = 0;

		file_begin(&f, schema);
		for (unsigned i = 0; i < cases[c].events; i++)
			file_switch(&f, schema, 5, 1000 + 10ull * i, (int32_t)(i % TASKS),
				    (int32_t)((i + 1) % TASKS));
		file_end(&f);
		r = open_bytes(f.bytes.data, f.bytes.len);
		assert_whole(r);
		assert_int_equal(cdict_reader_block_count(r), cases[c].blocks);
		assert_int_equal(cdict_reader_block_at(r, 0)->events, first);
		assert_int_equal(cdict_reader_block_at(r, 0)->last_ns, 1000 + 10ull * (first - 1));
		assert_int_equal(cdict_events_open(&it, r, NULL, NULL), 0);
		for (; cdict_events_next(it, &ev, NULL) == 1; n++) {
			assert_true(ev.t_ns == 1000 + 10 * n);
			assert_int_equal(ev.tid, n % TASKS);
		}
		assert_int_equal(n, cases[c].events);
		cdict_events_close(it);
		cdict_reader_close(r);
		buf_fini(&f.bytes);
	}
	cdict_schema_free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_of_65536_events_is_read_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

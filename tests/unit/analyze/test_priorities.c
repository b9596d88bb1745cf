/* SPDX-License-Identifier: GPL-2.0-only */
/* Priorities from switches, in an analysis that asks for them and in one that does not. */
#include "tests/unit/cdictfile.h"

#include "analyze/walk/ops.h"

struct seen {
	unsigned switches;
	int32_t prev_prio, next_prio;
};

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct seen *seen = self;

	seen->switches++;
	seen->prev_prio = sw->prev_prio;
	seen->next_prio = sw->next_prio;
}

static void check(unsigned needs, int32_t want)
{
	const struct analyze_ops ops = { .needs = needs, .sw = on_switch };
	struct cdict_schema *schema = usual_schema();
	struct analyze_engine *eng;
	struct cdict_reader *r;
	struct cdict_error err = { 0 };
	struct seen seen = { 0 };
	struct file f;

	file_begin(&f, schema);
	file_switch(&f, schema, 0, 1000, 7, 8);
	file_switch(&f, schema, 0, 2000, 8, 7);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_int_equal(analyze_engine_new(&eng, NULL, &err), 0);
	assert_int_equal(analyze_engine_add(eng, &ops, &seen, &err), 0);
	assert_int_equal(analyze_engine_run_reader(eng, r, &err), 0);
	assert_int_equal(seen.switches, 2);
	assert_int_equal(seen.prev_prio, want);
	assert_int_equal(seen.next_prio, want);
	analyze_engine_free(eng);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

static void an_analysis_that_asks_gets_the_priorities(void **state)
{
	(void)state;
	check(ANALYZE_NEED_PRIORITIES, 120);
}

static void an_analysis_that_does_not_ask_gets_no_priorities(void **state)
{
	(void)state;
	check(0, ANALYZE_NO_PRIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_analysis_that_asks_gets_the_priorities),
		cmocka_unit_test(an_analysis_that_does_not_ask_gets_no_priorities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

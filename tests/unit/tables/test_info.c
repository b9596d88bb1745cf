/* SPDX-License-Identifier: GPL-2.0-only */
/* What cdict info computes: the wall clock's time of an event. */
#include "tables/info/info.h"
#include "tests/unit/cdictfile.h"

static void the_wall_clock_of_a_time_follows_from_one_pair(void **state)
{
	static const struct {
		const char *wall, *mono;
		uint64_t t_ns, is; /* 0: unknown */
	} cases[] = {
		{ "1700000000000000000", "5000000000", 6000000001, 1700000001000000001 },
		{ "1700000000000000000", "5000000000", 5000000000, 1700000000000000000 },
		{ "1700000000000000000", "5000000000", 4000000000, 1699999999000000000 },
		{ "1700000000000000000", NULL, 6000000000, 0 },
		{ NULL, "5000000000", 6000000000, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t wall_ns = 0;
		struct cdict_reader *r;
		struct file f;

		file_begin(&f, NULL);
		if (cases[i].wall)
			assert_int_equal(
				cdict_writer_info(f.w, "clock.wall_ns", cases[i].wall, NULL), 0);
		if (cases[i].mono)
			assert_int_equal(
				cdict_writer_info(f.w, "clock.mono_ns", cases[i].mono, NULL), 0);
		file_end(&f);
		r = open_bytes(f.bytes.data, f.bytes.len);
		assert_int_equal(info_wall(r, cases[i].t_ns, &wall_ns), cases[i].is != 0);
		assert_true(wall_ns == cases[i].is);
		cdict_reader_close(r);
		buf_fini(&f.bytes);
	}
}

static void the_job_that_started_it_is_named_with_its_clock(void **state)
{
	static const char *const info[][2] = { { "job.id", "2001" },
					       { "job.start_wall_ns", "1700000000000000000" },
					       { "job.offset_ns", "-12345678" },
					       { "job.round_trip_ns", "1098765" } };
	struct info shown;
	struct cdict_reader *r;
	struct sink s;
	size_t len;
	char *text;
	struct file f;

	(void)state;
	file_begin(&f, NULL);
	for (size_t i = 0; i < COUNT(info); i++)
		assert_int_equal(cdict_writer_info(f.w, info[i][0], info[i][1], NULL), 0);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_int_equal(info_init(&shown, r, "x.cdict"), 0);
	shown.all_types = true; /* lines of any length */
	sink_to_memory(&s);
	info_print_text(&s, &shown);
	text = sink_take(&s, &len);
	assert_non_null(strstr(
		text,
		"job 2001 for 2023-11-14 22:13:20.000000000 UTC by its store's clock, which was "
		"12.346 ms behind this host's (round trip 1.099 ms)\n"));
	free(text);
	info_fini(&shown);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_wall_clock_of_a_time_follows_from_one_pair),
		cmocka_unit_test(the_job_that_started_it_is_named_with_its_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

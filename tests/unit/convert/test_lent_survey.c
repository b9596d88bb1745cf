/* SPDX-License-Identifier: GPL-2.0-only */
/* What the records of a recording without formats tell about its kernel. */
#include "convert/lent_internal.h"

#include "tests/unit/perfdatafile.h"

#define LONG "a-release-of-79-characters-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

static void put_mmap(struct out *o, bool second, uint16_t misc, uint64_t start, const char *name)
{
	size_t at = begin(o, second ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP, misc), from;

	put(o, UINT32_MAX, 4);
	put(o, 0, 4);
	put(o, start, 8);
	put(o, 0x1000, 8);
	put(o, start + 16, 8);
	for (int i = 0; second && i < 4; i++)
		put(o, 0, 8);
	from = o->b.len;
	put_text(o, name);
	while ((o->b.len - from) % 8)
		put(o, 0, 1);
	end(o, at);
}

struct mmap {
	const char *name;
	uint16_t misc;
	uint64_t start;
};

/* The survey of a recording of these mappings. */
static struct lent_survey survey(const struct mmap *maps, size_t n, bool second, bool big)
{
	struct cdict_error err = { 0 };
	struct out o = { .big = big };
	struct lent_survey s;
	struct perfdata *pd;

	put_pipe_header(&o);
	for (size_t i = 0; i < n; i++)
		put_mmap(&o, second, maps[i].misc, maps[i].start, maps[i].name);
	pd = parse(&o);
	assert_int_equal(lent_survey(&s, NULL, pd, &err), 0);
	assert_int_equal(s.events.n, 0);
	lent_survey_fini(&s);
	perfdata_close(pd);
	buf_fini(&o.b);
	return s;
}

static void the_release_is_that_of_a_modules_path(void **state)
{
	static const struct {
		const char *path, *release;
		uint16_t misc;
	} cases[] = {
		{ "/lib/modules/6.1.0-51-amd64/kernel/fs/ext4.ko", "6.1.0-51-amd64", 1 },
		{ "/usr/lib/modules/6.12.8/kernel/fs/ext4.ko.xz", "6.12.8", 1 },
		{ "/lib/modules/" LONG "/a.ko", LONG, 1 },
		{ "/lib/modules/" LONG "y/a.ko", "", 1 }, /* longer than a release may be */
		{ "/lib/modules/6.1.0", "", 1 },          /* no folder */
		{ "/lib/module/6.1.0/a.ko", "", 1 },
		{ "/opt/lib/modules/6.1.0/a.ko", "", 1 },
		{ "[kvm]", "", 1 },
		{ "/lib/modules/6.1.0/a.ko", "", 2 }, /* a process maps it */
	};

	(void)state;
	for (size_t i = 0; i < 4 * sizeof(cases) / sizeof(cases[0]); i++) {
		const struct mmap map = { cases[i / 4].path, cases[i / 4].misc, 0x1000 };
		struct lent_survey s = survey(&map, 1, i % 2, i / 2 % 2);

		assert_string_equal(s.release, cases[i / 4].release);
		assert_string_equal(s.symbol, "");
	}
}

static void the_kernels_text_is_its_first_mapping_with_an_address(void **state)
{
	static const struct mmap maps[] = {
		{ "[kernel.kallsyms]_text", 2, 0x5000 },
		{ "[kernel.kallsyms]_text", 1, 0 },
		{ "[guest.kernel.kallsyms]_text", 1, 0x4000 },
		{ "[kernel.kallsyms]_text", 1, 0xffffffff81000000 },
		{ "[kernel.kallsyms]_stext", 1, 0x8000 },
	};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct lent_survey s =
			survey(maps, sizeof(maps) / sizeof(maps[0]), i % 2, i / 2 % 2);

		assert_string_equal(s.symbol, "_text");
		assert_true(s.text_from == 0xffffffff81000000);
		assert_true(s.text_to == 0xffffffff81001000);
		assert_true(s.text_at == 0xffffffff81000010);
		assert_string_equal(s.release, "");
	}
}

/* A sample of time 0 has none. */
static void the_times_of_samples_are_those_of_the_first_and_the_last_one(void **state)
{
	static const struct {
		uint64_t times[3], first_ns, last_ns;
	} cases[] = {
		{ { 20, 30, 40 }, 20, 40 }, { { 40, 20, 30 }, 20, 40 }, { { 0, 30, 20 }, 20, 30 },
		{ { 20, 0, 30 }, 20, 30 },  { { 0, 0, 0 }, 0, 0 },
	};
	struct cdict_error err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lent l = { .folder = -1 };
		struct lent_survey s;
		struct perfdata *pd;
		struct out o = { 0 };
		size_t at;

		put_pipe_header(&o);
		at = begin(&o, RECORD_ATTR, 0);
		put_attr(&o, 112, 300, SAMPLE_TYPE);
		put(&o, 11, 8);
		end(&o, at);
		for (int k = 0; k < 3; k++)
			put_sample(&o, 11, cases[i].times[k], 42, 7);
		pd = parse(&o);
		assert_int_equal(lent_survey(&s, &l, pd, &err), 0);
		assert_int_equal(s.events.n, 1);
		assert_int_equal(s.events.at[0].samples, 3);
		assert_int_equal(s.first_ns, cases[i].first_ns);
		assert_int_equal(s.last_ns, cases[i].last_ns);
		lent_survey_fini(&s);
		perfdata_close(pd);
		buf_fini(&o.b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_times_of_samples_are_those_of_the_first_and_the_last_one),
		cmocka_unit_test(the_release_is_that_of_a_modules_path),
		cmocka_unit_test(the_kernels_text_is_its_first_mapping_with_an_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* What the records of a recording without formats tell about its kernel, and whether its samples fit
 * a format. */
#include <unistd.h>

#include "convert/lent.h"

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

/* A payload of 20 bytes, type 300: "prev_comm" or so, and where a list is. */
struct payload {
	struct cdict_field fields[4];
	struct cdict_event_type type;
	uint8_t raw[64];
};

static bool fits(struct payload *p, uint32_t size, bool big)
{
	p->type.fields = p->fields;
	return lent_fits(&p->type, p->raw, size, big);
}

static void set(uint8_t *at, uint64_t v, unsigned bytes, bool big)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(v >> 8 * (big ? bytes - 1 - i : i));
}

static struct payload payload_of(enum cdict_field_kind list, bool big)
{
	struct payload p = {
		.fields = { { .name = "common_type", .offset = 0, .size = 2 },
			    { .name = "prio", .offset = 2, .size = 2 },
			    { .name = "x", .offset = 4, .size = 16 },
			    { .name = "list", .offset = 20, .size = 4, .kind = list } },
		.type = { .tracepoint = 300, .n_fields = 4, .payload_size = 24 },
	};

	memset(p.raw, 'a', sizeof(p.raw));
	set(p.raw, 300, 2, big);
	set(p.raw + 20, 0, 4, big);
	return p;
}

static void a_payload_ends_with_its_data_and_padding(void **state)
{
	static const struct {
		uint32_t at, len, end; /* 0: outside */
	} cases[] = { { 0, 0, 24 },  { 63, 0, 24 }, { 24, 4, 28 },  { 28, 12, 40 },
		      { 39, 1, 40 }, { 4, 8, 24 },  { 16, 10, 26 }, { 40, 8, 48 } };

	(void)state;
	for (size_t i = 0; i < 4 * sizeof(cases) / sizeof(cases[0]); i++) {
		const uint32_t at = cases[i / 4].at, len = cases[i / 4].len, end = cases[i / 4].end;
		bool big = i % 2, rel = i / 2 % 2;
		struct payload p =
			payload_of(rel ? CDICT_FIELD_REL_LOC : CDICT_FIELD_DATA_LOC, big);

		if (rel && at < 24)
			continue; /* counted from the field's end, 24 */
		set(p.raw + 20, len << 16 | (rel ? at - 24 : at), 4, big);
		for (uint32_t size = 0; size <= sizeof(p.raw); size++)
			if (fits(&p, size, big) != (size >= end && size <= end + 14))
				fail_msg("%u bytes at %u of %u", len, at, size);
	}
}

static void a_payload_has_the_number_of_its_type(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct payload p = payload_of(CDICT_FIELD_DATA_LOC, big);

		assert_true(fits(&p, 24, big));
		set(p.raw, 301, 2, big);
		assert_false(fits(&p, 24, big));
		assert_false(fits(&p, 24, !big));
	}
}

static void a_tasks_name_ends_with_a_nul(void **state)
{
	static const struct {
		const char *name;
		uint32_t size;
		bool no_text, checked;
	} cases[] = { { "comm", 16, false, true },       { "prev_comm", 16, false, true },
		      { "om", 16, false, false },        { "command", 16, false, false },
		      { "next_comm", 15, false, false }, { "comm", 16, true, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct payload p = payload_of(CDICT_FIELD_DATA_LOC, false);
		struct cdict_field *f = &p.fields[2];

		f->name = cases[i].name;
		f->size = cases[i].size;
		f->kind = CDICT_FIELD_BYTES;
		f->is_text = !cases[i].no_text;
		assert_int_equal(fits(&p, 24, false), !cases[i].checked);
		p.raw[19] = 0; /* the last of 16 */
		assert_true(fits(&p, 24, false));
	}
}

/* The samples are of an event whose format only a folder has. */
static void samples_are_counted_with_the_first_and_last_time(void **state)
{
	static const uint64_t times[] = { 1000, 1002, 999, 0, 1001 };
	static const char format[] =
		"name: stored\nID: 300\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:u64 a;\toffset:4;\tsize:8;\tsigned:0;\n";
	char folder[] = "lent.XXXXXX", path[64];
	struct cdict_error err = { 0 };
	struct lent *l;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/sched.stored.format", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(format, f);
	fclose(f);
	for (int big = 0; big < 2; big++) {
		struct out o = { .big = big };
		struct lent_survey s;
		struct perfdata *pd;
		size_t at;

		put_pipe_header(&o);
		at = begin(&o, RECORD_ATTR, 0);
		put_attr(&o, 112, 300, SAMPLE_TYPE);
		put(&o, 11, 8);
		end(&o, at);
		for (size_t i = 0; i < 5; i++)
			put_sample(&o, 11, times[i], 42, (i == 1 ? 301u : 300u) << (big ? 16 : 0));
		pd = parse(&o);
		if (lent_open(&l, folder, NULL, 0, &err) || lent_survey(&s, l, pd, &err))
			fail_msg("%s", err.text);
		assert_int_equal(s.first_ns, 999);
		assert_int_equal(s.last_ns, 1002);
		assert_int_equal(s.samples, 5);
		assert_int_equal(s.misfits, 1);
		assert_int_equal(s.events.n, 1);
		assert_int_equal(s.events.at[0].samples, 5);
		assert_int_equal(s.events.at[0].misfits, 1);
		assert_int_equal(s.events.at[0].misfit_size, 12);
		lent_survey_fini(&s);
		lent_close(l);
		perfdata_close(pd);
		buf_fini(&o.b);
	}
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_release_is_that_of_a_modules_path),
		cmocka_unit_test(the_kernels_text_is_its_first_mapping_with_an_address),
		cmocka_unit_test(a_payload_ends_with_its_data_and_padding),
		cmocka_unit_test(a_payload_has_the_number_of_its_type),
		cmocka_unit_test(a_tasks_name_ends_with_a_nul),
		cmocka_unit_test(samples_are_counted_with_the_first_and_last_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

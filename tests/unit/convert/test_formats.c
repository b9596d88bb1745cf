/* SPDX-License-Identifier: GPL-2.0-only */
/* The stored events of a recording: by their tracepoint formats, each of which may be missing or
 * wrong. */
#include "convert/formats.h"

#include "tests/unit/perfdatafile.h"

#define COMMON                                                                                     \
	"format:\n"                                                                                \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
#define GOOD "name: good\nID: 300\n" COMMON FIELD "\nprint fmt: \"%d\", REC->a\n"

/* A recording in pipe mode with events of id @config and sample types @types, and one format of
 * system sched. */
static struct perfdata *recording(struct out *o, const char *format, uint64_t config,
				  const uint64_t *types, size_t n)
{
	struct perfdata_record rec;
	struct cdict_error err;
	struct perfdata *pd;
	size_t at, size_at, from;

	*o = (struct out){ .big = false };
	put_pipe_header(o);
	for (size_t i = 0; i < n; i++) {
		at = begin(o, RECORD_ATTR, 0);
		put_attr(o, 112, config, types[i]);
		put(o, 11 + i, 8);
		end(o, at);
		at = begin(o, RECORD_EVENT_UPDATE, 0);
		put(o, 2, 8);
		put(o, 11 + i, 8);
		put_text(o, "sched:stored");
		end(o, at);
	}
	at = begin(o, RECORD_TRACING_DATA, 0);
	put(o, 0, 8);
	end(o, at);
	size_at = at + 8;
	from = o->b.len;
	buf_add(&o->b, "\x17\x08\x44tracing0.6", 14);
	put(o, 0, 1);
	put(o, 8, 1);
	put(o, 4096, 4);
	put_text(o, "header_page");
	put_format(o, "page");
	put_text(o, "header_event");
	put_format(o, "event");
	put(o, 0, 4);
	put(o, 1, 4);
	put_text(o, "sched");
	put(o, 1, 4);
	put_format(o, format);
	put(o, 0, 8);
	while ((o->b.len - from) % 8)
		put(o, 0, 1);
	patch(o, size_at, o->b.len - from, 4);
	pd = parse(o);
	while (perfdata_next(pd, &rec, &err) == 1)
		;
	return pd;
}

struct row {
	const char *format;
	uint64_t config, sample_type;
	const char *glob; /* "sched:*" */
	bool stored;
	const char *why; /* prefix of the message; NULL: no message */
};

static const struct row rows[] = {
	{ GOOD, 300, SAMPLE_TYPE, NULL, true, NULL },
	{ GOOD, 300, SAMPLE_TYPE, "sched:go?d", true, NULL },
	/* by its format's name, not by the recorder's name */
	{ GOOD, 300, SAMPLE_TYPE, "sched:stored", false, NULL },
	{ GOOD, 300, SAMPLE_TYPE, "kvm:*", false, NULL },
	{ GOOD, 301, SAMPLE_TYPE, NULL, false,
	  "the file has no tracepoint format of sched:stored (id 301)" },
	{ GOOD, 301, SAMPLE_TYPE, "kvm:*", false, NULL },
	{ GOOD, 300, SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_TIME, NULL, false,
	  "samples of sched:good were recorded without a time" },
	{ GOOD, 300, SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_TID, NULL, false,
	  "samples of sched:good were recorded without a thread id" },
	{ GOOD, 300, SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_RAW, NULL, false,
	  "samples of sched:good were recorded without their fields" },
	/* no format with a name, an id */
	{ "nome: good\nID: 300\n" COMMON FIELD, 300, SAMPLE_TYPE, NULL, false,
	  "the file has no tracepoint format of" },
	{ "name: good\n" COMMON FIELD, 300, SAMPLE_TYPE, NULL, false,
	  "the file has no tracepoint format of" },
	/* formats that we cannot read */
	{ "name: good\nID: 300\n" COMMON "\tfield:int a;\toffset:x;\tsize:4;\tsigned:1;\n", 300,
	  SAMPLE_TYPE, NULL, false, "" },
	/* formats that libtraceevent does not read, or reads differently */
	{ "name: good\nID: 300\n" COMMON "\tfield:\xc3\xa9 a;\toffset:8;\tsize:4;\tsigned:1;\n",
	  300, SAMPLE_TYPE, NULL, false, "libtraceevent cannot read the format of sched:good" },
	/* no print format, one that cannot be read, and one after a blank: the fields count */
	{ "name: good\nID: 300\n" COMMON FIELD, 300, SAMPLE_TYPE, NULL, true, NULL },
	{ "name: good\nID: 300\n" COMMON FIELD "\nprint fmt: \"%d\", {{{\n", 300, SAMPLE_TYPE, NULL,
	  true, NULL },
	{ "name: good\nID: 300\n" COMMON FIELD "\n \vprint fmt: \"\xc3\xa9\"\n", 300, SAMPLE_TYPE,
	  NULL, true, NULL },
};

static void an_event_is_stored_by_its_format(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		struct out o;
		struct perfdata *pd = recording(&o, r->format, r->config, &r->sample_type, 1);
		struct cdict_error err = { 0 };
		struct formats f;

		formats_init(&f, &r->glob, r->glob != NULL);
		if (formats_update(&f, pd, &err))
			fail_msg("row %zu: %s", i, err.text);
		assert_int_equal(f.source.n, 1);
		if ((f.source.at[0].type != SOURCE_UNSTORED) != r->stored || f.bad != !!r->why ||
		    strncmp(f.why, r->why ? r->why : "", r->why ? strlen(r->why) : 1))
			fail_msg("row %zu: type %d, %zu bad: %s", i, (int)f.source.at[0].type,
				 f.bad, f.why);
		if (r->stored)
			assert_string_equal(cdict_schema_at(f.schema, 0)->event, "good");
		formats_fini(&f);
		perfdata_close(pd);
		buf_fini(&o.b);
	}
}

/* An event's format is that whose number is its id. */
static void a_format_is_found_by_its_number(void **state)
{
	static const struct {
		const char *format;
		uint64_t config;
		bool found;
	} cases[] = {
		{ "name: good\nID: 300\n", 300, true },
		{ "name: good\nID: 300\n", 301, false },
		{ "name: good\nID: 300\n", 30, false },
		{ "name: good\nID: 0\n", 0, true },
		{ "name: good\nID: 9\n", 9, true },
		{ "name: good\nID:\t41\n", 41, true },
		/* no number */
		{ "name: good\nID: x\n", 0, false },
		{ "name: good\nID: /\n", 0, false },
		{ "name: good\nID: :\n", 0, false },
		{ "name: good\nID: -1\n", UINT64_MAX, false },
		{ "name: good\nID: \n", 0, false },
		{ "name: good\nID:", 0, false },
		{ "name: good\n", 0, false },
		{ "name: good\n ID: 300\n", 300, false },
	};
	const uint64_t type = SAMPLE_TYPE;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct out o;
		struct perfdata *pd = recording(&o, cases[i].format, cases[i].config, &type, 1);
		const struct perfdata_format *f = perfdata_format(pd, perfdata_event_at(pd, 0));

		if ((f != NULL) != cases[i].found)
			fail_msg("%s, id %d", cases[i].format, (int)cases[i].config);
		if (f)
			assert_string_equal(f->system, "sched");
		perfdata_close(pd);
		buf_fini(&o.b);
	}
}

/* perf opens a tracepoint once for each task: one type, of which the first fault is reported. */
static void events_of_one_tracepoint_are_one_type(void **state)
{
	static const uint64_t types[] = { SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_TIME, SAMPLE_TYPE,
					  SAMPLE_TYPE & ~(uint64_t)PERF_SAMPLE_TID, SAMPLE_TYPE };
	struct out o;
	struct perfdata *pd = recording(&o, GOOD, 300, types, 4);
	struct cdict_error err = { 0 };
	struct formats f;

	(void)state;
	formats_init(&f, NULL, 0);
	assert_int_equal(formats_update(&f, pd, &err), 0);
	assert_int_equal(formats_update(&f, pd, &err), 0); /* nothing is new */
	assert_int_equal(f.source.n, 4);
	assert_int_equal(f.source.at[0].type, SOURCE_UNSTORED);
	assert_int_equal(f.source.at[1].type, 0);
	assert_int_equal(f.source.at[2].type, SOURCE_UNSTORED);
	assert_int_equal(f.source.at[3].type, 0);
	assert_int_equal(cdict_schema_count(f.schema), 1);
	assert_int_equal(f.bad, 2);
	assert_string_equal(f.why, "samples of sched:good were recorded without a time");
	formats_fini(&f);
	perfdata_close(pd);
	buf_fini(&o.b);
}

static void strings_of_the_kernel_are_needed_for_pointers_alone(void **state)
{
	static const struct {
		const char *format;
		bool needed;
	} cases[] = {
		{ GOOD, false },
		{ "name: x\nID: 1\n" COMMON
		  "\tfield:const char * s;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"%s\", REC->s\n",
		  true },
		/* in the print format it is a cast */
		{ "name: x\nID: 1\n" COMMON FIELD "\nprint fmt: \"%s\", (char *)REC->a\n", false },
		{ "name: x\nID: 1\n" COMMON
		  "\tfield:const char * s;\toffset:8;\tsize:8;\tsigned:0;\n",
		  false },
	};
	struct cdict_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);

		assert_true(cdict_schema_add(schema, "test", cases[i].format,
					     strlen(cases[i].format), &err) >= 0);
		assert_int_equal(formats_need_strings(schema), cases[i].needed);
		cdict_schema_free(schema);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_format_is_found_by_its_number),
		cmocka_unit_test(an_event_is_stored_by_its_format),
		cmocka_unit_test(events_of_one_tracepoint_are_one_type),
		cmocka_unit_test(strings_of_the_kernel_are_needed_for_pointers_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf.data reader on files that are not perf.data, cut or damaged; then small recordings cut
 * and changed at every place.
 */
#include <unistd.h>

#include "tests/unit/perfdatafile.h"

static void a_cut_compressed_record_gives_its_complete_part(void **state)
{
	struct out o = { 0 };
	struct perfdata *pd;
	struct seen s;

	(void)state;
	put_pipe_start(&o);
	put_compressed(&o, 20000, 60000, RECORD_COMPRESSED);
	o.b.len -= 20;
	pd = parse(&o);
	s = read_all(pd);
	assert_true(s.samples > 1000 && s.samples < 60000);
	assert_int_equal(s.unknown + s.bad, 0);
	assert_string_not_equal(perfdata_damage(pd), "");
	perfdata_close(pd);
	buf_fini(&o.b);
}

/* Of the record: what it has is read, and reported only where all of the record is there. */
static void a_compressed_record_that_claims_more_than_it_has_is_reported(void **state)
{
	static const struct {
		int more; /* than it has, padding included */
		const char *damage;
	} cases[] = {
		{ 0, "" },
		{ 1, "a compressed record claims " },
		{ 1000, "a compressed record claims " },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct out o = { .big = i % 2 };
		struct perfdata *pd;
		size_t at, has;
		struct seen s;

		put_pipe_start(&o);
		at = o.b.len;
		put_compressed(&o, 2, SIZE_MAX, RECORD_COMPRESSED2);
		has = (size_t)load64(o.b.data + at + 8, o.big);
		o.b.len = at + 16 + has; /* without padding */
		patch(&o, at + 6, 16 + has, 2);
		patch(&o, at + 8, has + (size_t)cases[i / 2].more, 8);
		pd = parse(&o);
		s = read_all(pd);
		assert_int_equal(s.samples, 6);
		assert_int_equal(strncmp(perfdata_damage(pd), cases[i / 2].damage,
					 strlen(cases[i / 2].damage)),
				 0);
		assert_int_equal(!*perfdata_damage(pd), !cases[i / 2].more);
		perfdata_close(pd);
		buf_fini(&o.b);
	}
}

/* perf writes 12 bytes, its header and the size of what follows. */
static void the_formats_of_a_pipe_follow_a_record_of_12_bytes_or_more(void **state)
{
	static const struct {
		unsigned size;
		bool fits;
	} cases[] = { { 8, false }, { 11, false }, { 12, true }, { 16, true } };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct out o = { .big = i % 2 };
		struct perfdata *pd;
		size_t at, from;

		put_pipe_header(&o);
		at = begin(&o, RECORD_TRACING_DATA, 0);
		while (o.b.len - at < cases[i / 2].size)
			put(&o, 0, 1);
		end(&o, at);
		from = o.b.len;
		if (cases[i / 2].fits) {
			put_tracing(&o);
			while ((o.b.len - from) % 8)
				put(&o, 0, 1);
			patch(&o, at + 8, o.b.len - from, 4);
		}
		pd = parse(&o);
		read_all(pd);
		assert_int_equal(perfdata_tracing(pd)->present, cases[i / 2].fits);
		assert_int_equal(strstr(perfdata_damage(pd), "is too short") != NULL,
				 !cases[i / 2].fits);
		perfdata_close(pd);
		buf_fini(&o.b);
	}
}

static void a_file_that_is_not_perf_data_is_refused_in_one_line(void **state)
{
	struct out whole = file(&(struct shape){ 0 });
	static const struct {
		const char *bytes;
		size_t size;
		int code;
	} cases[] = {
		{ "", 0, CDICT_ETRUNCATED },
		{ "PERFILE2", 8, CDICT_ETRUNCATED },
		{ "PERFFILE\x68\0\0\0\0\0\0\0", 16, CDICT_EVERSION },
		{ "{\"name\":\"something else\"}", 24, CDICT_EFORMAT },
		{ "PERFILE2\x20\0\0\0\0\0\0\0", 16, CDICT_ECORRUPT },
		{ "PERFILE2\x68\0\0\0\0\0\0\0", 16, CDICT_ETRUNCATED },
	};
	struct cdict_error err;
	struct perfdata *pd = NULL;
	int fd[2];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(perfdata_parse(&pd, cases[i].bytes, cases[i].size, &err),
				 cases[i].code);
		assert_int_equal(err.code, cases[i].code);
		assert_null(strchr(err.text, '\n'));
		assert_true(strlen(err.text) >= strlen("is empty"));
	}
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], whole.b.data, whole.b.len), (ssize_t)whole.b.len);
	assert_int_equal(perfdata_open_fd(&pd, fd[0], &err), CDICT_EUNSUPPORTED);
	close(fd[0]);
	close(fd[1]);
	assert_int_not_equal(perfdata_open(&pd, "/nonexistent", &err), 0);
	assert_null(pd);
	perfdata_close(NULL);
	buf_fini(&whole.b);
}

static void a_killed_recording_is_read_to_its_end(void **state)
{
	struct out o = file(&(struct shape){ 0 });
	size_t data_end = (size_t)(load64(o.b.data + 40, false) + load64(o.b.data + 48, false));
	struct perfdata *pd;
	struct seen s;

	(void)state;
	o.b.len = data_end;
	patch(&o, 48, 0, 8);
	pd = parse(&o);
	s = read_all(pd);
	assert_samples(&s);
	assert_non_null(strstr(perfdata_damage(pd), "the recorder was killed"));
	assert_false(perfdata_tracing(pd)->present);
	perfdata_close(pd);
	buf_fini(&o.b);
}

static void damage_is_reported_and_the_rest_is_read(void **state)
{
	struct out o = pipe_file(false);
	size_t good = o.b.len, at;
	struct perfdata *pd;
	struct seen s;

	(void)state;
	/* an impossible type with a possible size */
	at = begin(&o, 0x70000000, 0);
	put(&o, 0, 8);
	end(&o, at);
	put_sample(&o, 11, 0, 44, 0);
	/* program output after the stream */
	buf_add(&o.b, "[ perf record: Woken up 1 times ]", 33);
	pd = parse(&o);
	s = read_all(pd);
	assert_int_equal(s.samples, 4);
	assert_non_null(strstr(perfdata_damage(pd), "invalid record type 1879048192 (at byte"));
	perfdata_close(pd);

	/* sizes 0 to 7 end the walk */
	for (uint16_t size = 0; size < 8; size++) {
		o.b.len = good;
		begin(&o, PERF_RECORD_SAMPLE, 0);
		patch(&o, good + 6, size, 2);
		pd = parse(&o);
		s = read_all(pd);
		assert_samples(&s);
		assert_non_null(strstr(perfdata_damage(pd), "the rest is not read"));
		perfdata_close(pd);
	}
	buf_fini(&o.b);
}

static void a_bad_feature_section_costs_only_itself(void **state)
{
	struct out o = file(&(struct shape){ .desc = true });
	size_t table = (size_t)(load64(o.b.data + 40, false) + load64(o.b.data + 48, false));
	struct perfdata *pd;
	struct seen s;

	(void)state;
	patch(&o, table + 16 + 8, 3, 8); /* HOSTNAME, 3 bytes */
	pd = parse(&o);
	assert_null(perfdata_features(pd)->hostname);
	assert_int_equal(perfdata_features(pd)->nrcpus_avail, 8);
	assert_non_null(strstr(perfdata_damage(pd), "header feature 3 cannot be read"));
	s = read_all(pd);
	assert_samples(&s);
	perfdata_close(pd);
	buf_fini(&o.b);
}

/* Reads a copy of exactly @size bytes, so that the sanitizers see the end. */
static bool read_copy(const uint8_t *bytes, size_t size, struct seen *s, bool *damaged)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct perfdata *pd;
	struct cdict_error err;
	bool opened;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	opened = perfdata_parse(&pd, copy, size, &err) == 0;
	*damaged = true;
	*s = (struct seen){ 0 };
	if (opened) {
		*s = read_all(pd);
		*damaged = *perfdata_damage(pd) != 0;
		perfdata_close(pd);
	}
	free(copy);
	return opened;
}

static struct out compressed_file(bool big)
{
	struct out o = { .big = big };

	put_pipe_start(&o);
	put_compressed(&o, 2, 40, RECORD_COMPRESSED);
	return o;
}

static void every_prefix_ends_cleanly_and_keeps_what_came_before(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct out o = i < 2   ? file(&(struct shape){ .big = i & 1, .desc = true })
			       : i < 4 ? pipe_file(i & 1)
				       : compressed_file(i & 1);
		unsigned before = 0;

		for (size_t n = 0; n <= o.b.len; n++) {
			struct seen s;
			bool damaged;

			read_copy(o.b.data, n, &s, &damaged);
			assert_true(s.samples >= before);
			before = s.samples;
			if (i < 2)
				assert_int_equal(damaged, n < o.b.len);
		}
		assert_int_equal(before, i < 4 ? 3 : 6);
		buf_fini(&o.b);
	}
}

/* Sanitizers are slow: each bit alone there. */
static unsigned next_change(unsigned change)
{
#ifdef __SANITIZE_ADDRESS__
	return change << 1;
#else
	return change + (change < 8 ? 1 : 13);
#endif
}

static void every_changed_byte_ends_cleanly(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct out o = i < 2   ? file(&(struct shape){ .big = i & 1, .desc = true })
			       : i < 4 ? pipe_file(i & 1)
				       : compressed_file(i & 1);

		for (size_t at = 0; at < o.b.len; at++) {
			uint8_t was = o.b.data[at];

			for (unsigned change = 1; change < 256; change = next_change(change)) {
				struct seen s;
				bool damaged;

				o.b.data[at] = was ^ (uint8_t)change;
				read_copy(o.b.data, o.b.len, &s, &damaged);
			}
			o.b.data[at] = was;
		}
		buf_fini(&o.b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cut_compressed_record_gives_its_complete_part),
		cmocka_unit_test(a_compressed_record_that_claims_more_than_it_has_is_reported),
		cmocka_unit_test(the_formats_of_a_pipe_follow_a_record_of_12_bytes_or_more),
		cmocka_unit_test(a_file_that_is_not_perf_data_is_refused_in_one_line),
		cmocka_unit_test(a_killed_recording_is_read_to_its_end),
		cmocka_unit_test(damage_is_reported_and_the_rest_is_read),
		cmocka_unit_test(a_bad_feature_section_costs_only_itself),
		cmocka_unit_test(every_prefix_ends_cleanly_and_keeps_what_came_before),
		cmocka_unit_test(every_changed_byte_ends_cleanly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The perf.data reader on sound recordings: every shape, field and way to read one. */
#include <unistd.h>

#include "tests/unit/perfdatafile.h"

static void a_file_reads_the_same_in_both_byte_orders(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct out o = file(&(struct shape){ .big = big, .desc = true });
		struct perfdata *pd = parse(&o);
		const struct perfdata_event *ev = perfdata_event_at(pd, 0);
		struct seen s;

		assert_int_equal(perfdata_big_endian(pd), big);
		assert_false(perfdata_pipe_mode(pd));
		assert_true(perfdata_stable(pd));
		assert_int_equal(perfdata_event_count(pd), 2);
		assert_string_equal(ev->name, "my:switch"); /* EVENT_DESC before the format */
		assert_string_equal(perfdata_event_at(pd, 1)->name, "sched:sched_wakeup");
		assert_int_equal(perfdata_event_by_id(pd, 12), 0);
		assert_string_equal(perfdata_features(pd)->hostname, "host-1");
		assert_int_equal(perfdata_features(pd)->nrcpus_avail, 8);
		assert_int_equal(perfdata_features(pd)->nrcpus_online, 4);
		s = read_all(pd);
		assert_samples(&s);
		assert_int_equal(s.others, 1);
		assert_sound(pd);
		assert_true(perfdata_bytes_read(pd) <= perfdata_size(pd));
		perfdata_close(pd);
		buf_fini(&o.b);
	}
}

static void a_pipe_recording_describes_itself_as_it_goes(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct out o = pipe_file(big);
		struct perfdata *pd = parse(&o);
		struct seen s;

		assert_int_equal(perfdata_event_count(pd), 0);
		s = read_all(pd);
		assert_samples(&s);
		assert_sound(pd);
		assert_int_equal(s.others, 8);
		assert_string_equal(perfdata_event_at(pd, 0)->name, "sched:sched_switch");
		assert_string_equal(perfdata_event_at(pd, 1)->name, "my:wakeup");
		assert_string_equal(perfdata_features(pd)->hostname, "host-2");
		assert_int_equal(perfdata_id_cpu(pd, 12), 5);
		assert_int_equal(perfdata_id_cpu(pd, 11), -1);
		assert_int_equal(perfdata_id_cpu(pd, 99), -1);
		perfdata_close(pd);
		buf_fini(&o.b);
	}
}

static void the_tracing_data_give_formats_by_system(void **state)
{
	struct out o = file(&(struct shape){ .big = true });
	struct perfdata *pd = parse(&o);
	const struct perfdata_tracing *t = perfdata_tracing(pd);

	(void)state;
	assert_true(t->present && t->big_endian);
	assert_int_equal(t->long_size, 8);
	assert_int_equal(t->page_size, 4096);
	assert_int_equal(t->n_formats, 3);
	assert_string_equal(t->formats[0].system, "ftrace");
	assert_string_equal(t->formats[2].system, "sched");
	assert_int_equal(t->formats[2].len, strlen(t->formats[2].text));
	assert_memory_equal(t->formats[2].text, "name: sched_wakeup\n", 19);
	assert_string_equal(t->printk, "print");
	perfdata_close(pd);
	buf_fini(&o.b);
}

static void an_attr_may_be_shorter_or_longer_than_ours(void **state)
{
	static const uint32_t sizes[] = { 64, 72, 136, 152, 4096 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct out o = file(&(struct shape){ .attr_size = sizes[i] });
		struct perfdata *pd = parse(&o);
		struct seen s = read_all(pd);

		assert_samples(&s);
		perfdata_close(pd);
		buf_fini(&o.b);
	}
}

static void raw_bytes_keep_the_order_of_the_recording(void **state)
{
	struct out o = file(&(struct shape){ .big = true });
	struct perfdata *pd = parse(&o);
	struct perfdata_record rec;
	struct perfdata_sample s;

	(void)state;
	do
		assert_int_equal(perfdata_next(pd, &rec, NULL), 1);
	while (rec.type != RECORD_SAMPLE);
	assert_int_equal(perfdata_event_of(pd, &rec), 0);
	assert_int_equal(perfdata_sample(pd, perfdata_event_at(pd, 0), &rec, &s), 0);
	assert_int_equal(s.raw_size, 12);
	assert_memory_equal(s.raw, "\xaa\xbb\xcc\xdd\x11\x22", 6);
	assert_int_equal(s.pid, 7);
	assert_int_equal(s.tid, 42);
	assert_int_equal(s.cpu, 3);
	perfdata_close(pd);
	buf_fini(&o.b);
}

static void fields_lie_where_the_sample_type_puts_them(void **state)
{
	struct perfdata_sample_layout l;

	(void)state;
	perfdata_layout(&l, SAMPLE_TYPE, 0, 0, true);
	assert_int_equal(l.id, 8);
	assert_int_equal(l.tid, 24);
	assert_int_equal(l.time, 32);
	assert_int_equal(l.cpu, 40);
	assert_int_equal(l.raw_fixed, 56);
	assert_int_equal(l.tail_size, 32);
	assert_int_equal(l.tail_time, 8);
	assert_int_equal(l.tail_cpu, 16);
	assert_int_equal(l.tail_id, 24);

	perfdata_layout(&l,
			PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
				PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
			0, 0, false);
	assert_int_equal(l.id, 40);
	assert_int_equal(l.cpu, 56);
	assert_true(l.has_raw);
	assert_int_equal(l.raw_fixed, -1);
	assert_int_equal(l.tail_size, 0);
	assert_int_equal(l.tail_id, -1);

	perfdata_layout(&l, 0, 0, 0, true);
	assert_int_equal(l.id, -1);
	assert_int_equal(l.time, -1);
	assert_int_equal(l.tail_size, 0);
}

static void raw_is_found_after_fields_of_any_length(void **state)
{
	uint64_t type = PERF_SAMPLE_TIME | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |
			PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK;
	struct event ev = { 0 };
	struct perfdata pd = { .big = false };
	struct out o = { 0 };
	struct perfdata_record rec = { .type = RECORD_SAMPLE };
	struct perfdata_sample s;

	(void)state;
	perfdata_layout(&ev.pub.layout, type, PERF_FORMAT_GROUP | PERF_FORMAT_ID, 0, false);
	begin(&o, PERF_RECORD_SAMPLE, 0);
	put(&o, 77, 8);
	put(&o, 2, 8); /* group of two: value, id */
	for (int i = 0; i < 4; i++)
		put(&o, 0, 8);
	put(&o, 3, 8); /* callchain */
	for (int i = 0; i < 3; i++)
		put(&o, 0, 8);
	put(&o, 4, 4);
	put(&o, 0xcafe, 4);
	put(&o, 1, 8); /* branches */
	for (int i = 0; i < 3; i++)
		put(&o, 0, 8);
	rec.data = o.b.data;
	rec.size = (uint32_t)o.b.len;
	assert_int_equal(perfdata_sample(&pd, &ev.pub, &rec, &s), 0);
	assert_int_equal(s.time, 77);
	assert_int_equal(s.raw_size, 4);
	assert_int_equal(le32(s.raw), 0xcafe);
	for (rec.size = 8; rec.size < o.b.len; rec.size += 4)
		assert_int_equal(perfdata_sample(&pd, &ev.pub, &rec, &s), CDICT_ECORRUPT);
	buf_fini(&o.b);
}

static void ids_at_different_places_still_find_their_event(void **state)
{
	struct out o = { 0 };
	struct perfdata *pd;
	struct seen s;
	size_t at;

	(void)state;
	put_pipe_header(&o);
	at = begin(&o, RECORD_ATTR, 0);
	put_attr(&o, 64, 1, PERF_SAMPLE_TIME | PERF_SAMPLE_ID);
	put(&o, 11, 8);
	end(&o, at);
	at = begin(&o, RECORD_ATTR, 0);
	put_attr(&o, 64, 2, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME);
	put(&o, 21, 8);
	end(&o, at);
	at = begin(&o, PERF_RECORD_SAMPLE, 0);
	put(&o, 100, 8);
	put(&o, 11, 8);
	end(&o, at);
	at = begin(&o, PERF_RECORD_SAMPLE, 0);
	put(&o, 21, 8);
	put(&o, 11, 8); /* the time; looks like an id of the other */
	end(&o, at);
	at = begin(&o, PERF_RECORD_SAMPLE, 0);
	put(&o, 5, 8);
	put(&o, 6, 8);
	end(&o, at);
	pd = parse(&o);
	s = read_all(pd);
	assert_int_equal(s.samples, 3);
	assert_int_equal(s.unknown, 1);
	assert_int_equal(s.times, 111);
	perfdata_close(pd);
	buf_fini(&o.b);
}

static void many_ids_are_all_found(void **state)
{
	struct out o = { .big = true };
	struct perfdata *pd;
	size_t at;

	(void)state;
	put_pipe_header(&o);
	for (uint64_t e = 0; e < 300; e++) {
		at = begin(&o, RECORD_ATTR, 0);
		put_attr(&o, 64, e, SAMPLE_TYPE);
		for (uint64_t i = 0; i < 64; i++)
			put(&o, (e * 64 + i) << (e % 3 * 16), 8);
		end(&o, at);
	}
	pd = parse(&o);
	read_all(pd);
	assert_int_equal(perfdata_event_count(pd), 300);
	for (uint64_t e = 1; e < 300; e++)
		for (uint64_t i = 0; i < 64; i++)
			assert_int_equal(perfdata_event_by_id(pd, (e * 64 + i) << (e % 3 * 16)), e);
	assert_int_equal(perfdata_event_by_id(pd, UINT64_MAX), -1);
	perfdata_close(pd);
	buf_fini(&o.b);
}

/* The table always has free slots: a search for another one ends. */
static void an_id_without_an_event_is_reported(void **state)
{
	(void)state;
	for (uint64_t n = 1; n < 140; n++) {
		struct out o = { 0 };
		struct perfdata *pd;
		size_t at;

		put_pipe_header(&o);
		at = begin(&o, RECORD_ATTR, 0);
		put_attr(&o, 64, 1, SAMPLE_TYPE);
		for (uint64_t i = 0; i < n; i++)
			put(&o, 1000 + i, 8);
		end(&o, at);
		pd = parse(&o);
		read_all(pd);
		for (uint64_t i = 0; i < n; i++)
			assert_int_equal(perfdata_event_by_id(pd, 1000 + i), 0);
		for (uint64_t i = 0; i < 500; i++)
			assert_int_equal(perfdata_event_by_id(pd, i), -1);
		perfdata_close(pd);
		buf_fini(&o.b);
	}
}

static void compressed_records_are_one_stream_cut_anywhere(void **state)
{
	static const size_t pieces[] = { 1, 7, 64, 60000 };

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct out o = { .big = i & 1 };
		struct perfdata *pd;
		struct seen s;

		put_pipe_start(&o);
		put_compressed(&o, 5000, pieces[i], i & 1 ? RECORD_COMPRESSED2 : RECORD_COMPRESSED);
		pd = parse(&o);
		assert_false(perfdata_stable(pd));
		s = read_all(pd);
		assert_sound(pd);
		assert_int_equal(s.samples, 15000);
		assert_int_equal(s.times, 3003 * 5000);
		perfdata_close(pd);
		buf_fini(&o.b);
	}
}

static void a_live_pipe_gives_each_record_as_soon_as_it_is_whole(void **state)
{
	struct out o = pipe_file(true), more = { .big = true };
	struct perfdata_record rec;
	struct perfdata *pd;
	struct seen s = { 0 };
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], o.b.data, o.b.len), (ssize_t)o.b.len);
	assert_int_equal(perfdata_open_fd(&pd, fd[0], NULL), 0);
	for (int i = 0; i < 12; i++) { /* would hang if it read ahead for more */
		assert_int_equal(perfdata_next(pd, &rec, NULL), 1);
		look(pd, &rec, &s);
	}
	assert_samples(&s);
	for (unsigned i = 0; i < 5000; i++) {
		more.b.len = 0;
		put_sample(&more, 11, i, i, i);
		assert_int_equal(write(fd[1], more.b.data, more.b.len), (ssize_t)more.b.len);
		assert_int_equal(perfdata_next(pd, &rec, NULL), 1);
		assert_int_equal(rec.size, more.b.len);
		assert_memory_equal(rec.data, more.b.data, rec.size);
	}
	assert_int_equal(write(fd[1], more.b.data, 20), 20);
	close(fd[1]);
	assert_int_equal(perfdata_next(pd, &rec, NULL), 0);
	assert_non_null(strstr(perfdata_damage(pd), "20 are left"));
	perfdata_close(pd);
	close(fd[0]);
	buf_fini(&more.b);
	buf_fini(&o.b);
}

static void write_file(const char *dir, const char *name, const struct out *o)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(o->b.data, 1, o->b.len, f), o->b.len);
	assert_int_equal(fclose(f), 0);
}

static void a_directory_is_merged_by_time_in_turns_of_two_mebibytes(void **state)
{
	static const char *const names[] = { "data", "data.0", "data.1", "data.10", "data.old" };
	char dir[] = "/tmp/test_perfdata.XXXXXX", path[256];
	struct out main_file = file(&(struct shape){ 0 });
	uint64_t last = 0, per_file[3] = { 0 };
	struct perfdata_record rec;
	struct perfdata *pd;
	struct cdict_error err;
	unsigned n = 0;
	int r;

	(void)state;
	assert_non_null(mkdtemp(dir));
	write_file(dir, names[0], &main_file);
	for (uint64_t f = 0; f < 3; f++) {
		struct out o = { 0 };

		for (uint64_t i = 0; i < 40000; i++)
			put_sample(&o, 21, 2000 + i * 3 + f, 1, 1);
		write_file(dir, names[1 + f], &o);
		if (f == 2)
			write_file(dir, names[4], &o); /* not one of perf's */
		buf_fini(&o.b);
	}
	assert_int_equal(perfdata_open(&pd, dir, &err), 0);
	assert_true(perfdata_stable(pd));
	while ((r = perfdata_next(pd, &rec, &err)) == 1) {
		uint64_t time = perfdata_record_time(pd, &rec);
		size_t f = rec.file == 11 ? 2 : rec.file - 1;

		n++;
		if (!rec.file)
			continue;
		assert_true(time > last);
		last = time;
		assert_true(f < 3);
		assert_int_equal(rec.offset, per_file[f]);
		/* a turn ends with the record that reaches 2 MiB */
		assert_int_equal(rec.chunk,
				 per_file[f] / ((2 << 20) / rec.size * rec.size + rec.size));
		per_file[f] += rec.size;
	}
	assert_int_equal(r, 0);
	assert_int_equal(n, 5 + 120000);
	assert_true(per_file[0] > 0 && per_file[0] == per_file[1] && per_file[0] == per_file[2]);
	assert_sound(pd);
	perfdata_close(pd);
	for (size_t i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_not_equal(perfdata_open(&pd, dir, &err), 0);
	rmdir(dir);
	buf_fini(&main_file.b);
}

static void rings_that_overwrite_are_known(void **state)
{
	struct out o = file(&(struct shape){ 0 });
	struct perfdata *pd;

	(void)state;
	o.b.data[104 + 24 + 40 + 3] |= 1 << 3; /* write_backward of the first attr: bit 27 */
	pd = parse(&o);
	assert_true(perfdata_event_at(pd, 0)->write_backward);
	assert_false(perfdata_event_at(pd, 1)->write_backward);
	perfdata_close(pd);
	buf_fini(&o.b);
}

static void a_sample_without_room_for_a_time_has_none(void **state)
{
	struct out o = file(&(struct shape){ 0 });
	struct perfdata *pd = parse(&o);
	struct perfdata_record rec;
	uint8_t data[64];

	(void)state;
	assert_int_equal(perfdata_next(pd, &rec, NULL), 1);
	memset(data, 0xff, sizeof(data));
	rec.type = PERF_RECORD_SAMPLE;
	rec.data = data;
	rec.size = sizeof(data);
	assert_true(perfdata_record_time(pd, &rec) == UINT64_MAX);
	rec.size = 31; /* id, ip, pid, tid, and less than a time */
	assert_true(perfdata_record_time(pd, &rec) == 0);
	perfdata_close(pd);
	buf_fini(&o.b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_reads_the_same_in_both_byte_orders),
		cmocka_unit_test(a_pipe_recording_describes_itself_as_it_goes),
		cmocka_unit_test(the_tracing_data_give_formats_by_system),
		cmocka_unit_test(an_attr_may_be_shorter_or_longer_than_ours),
		cmocka_unit_test(raw_bytes_keep_the_order_of_the_recording),
		cmocka_unit_test(fields_lie_where_the_sample_type_puts_them),
		cmocka_unit_test(raw_is_found_after_fields_of_any_length),
		cmocka_unit_test(ids_at_different_places_still_find_their_event),
		cmocka_unit_test(many_ids_are_all_found),
		cmocka_unit_test(an_id_without_an_event_is_reported),
		cmocka_unit_test(compressed_records_are_one_stream_cut_anywhere),
		cmocka_unit_test(a_live_pipe_gives_each_record_as_soon_as_it_is_whole),
		cmocka_unit_test(a_directory_is_merged_by_time_in_turns_of_two_mebibytes),
		cmocka_unit_test(rings_that_overwrite_are_known),
		cmocka_unit_test(a_sample_without_room_for_a_time_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

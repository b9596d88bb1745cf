/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf.data reader on small recordings crafted here, in both byte orders
 * and every shape; then the same bytes cut and changed at every place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include <cmocka.h>
#include <linux/perf_event.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/cursor.h"
#include "convert/perfdata_internal.h"

#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)

/* --- writing a recording */

struct out {
	struct buf b;
	bool big;
};

static void put(struct out *o, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_u8(&o->b, (uint8_t)(v >> 8 * (o->big ? bytes - 1 - i : i)));
}

static void put_text(struct out *o, const char *s)
{
	buf_add(&o->b, s, strlen(s) + 1);
}

static void patch(struct out *o, size_t at, uint64_t v, unsigned bytes)
{
	size_t len = o->b.len;

	o->b.len = at;
	put(o, v, bytes);
	o->b.len = len;
}

static size_t begin(struct out *o, uint32_t type, uint16_t misc)
{
	put(o, type, 4);
	put(o, misc, 2);
	put(o, 0, 2);
	return o->b.len - 8;
}

static void end(struct out *o, size_t at)
{
	patch(o, at + 6, o->b.len - at, 2);
}

static void put_attr(struct out *o, uint32_t size, uint64_t config, uint64_t sample_type)
{
	size_t at = o->b.len;
	/* sample_id_all and exclude_guest: bits 18 and 20 of C's bit-fields */
	static const uint8_t little[8] = { 0, 0, 0x14 }, large[8] = { 0, 0, 0x28 };

	put(o, PERF_TYPE_TRACEPOINT, 4);
	put(o, size, 4);
	put(o, config, 8);
	put(o, 1, 8);
	put(o, sample_type, 8);
	put(o, PERF_FORMAT_ID, 8);
	buf_add(&o->b, o->big ? large : little, 8);
	while (o->b.len - at < size)
		put(o, 0, 8);
}

static void put_sample(struct out *o, uint64_t id, uint64_t time, uint32_t tid, uint32_t raw)
{
	size_t at = begin(o, PERF_RECORD_SAMPLE, 1);

	put(o, id, 8);
	put(o, 0xffffffff81000000, 8);
	put(o, 7, 4);
	put(o, tid, 4);
	put(o, time, 8);
	put(o, 3, 4);
	put(o, 0, 4);
	put(o, 1, 8);
	put(o, 12, 4);
	put(o, raw, 4);
	put(o, 0x1122334455667788, 8);
	end(o, at);
}

static void put_comm(struct out *o, uint64_t id, uint64_t time)
{
	size_t at = begin(o, PERF_RECORD_COMM, 0);

	put(o, 7, 4);
	put(o, 8, 4);
	put_text(o, "kworker");
	put(o, 7, 4); /* trailer: tid, time, cpu, identifier */
	put(o, 8, 4);
	put(o, time, 8);
	put(o, 2, 4);
	put(o, 0, 4);
	put(o, id, 8);
	end(o, at);
}

static void put_samples(struct out *o)
{
	put_comm(o, 12, 900);
	put_sample(o, 11, 1000, 42, 0xaabbccdd);
	put_sample(o, 21, 1001, 43, 0x01020304);
	end(o, begin(o, RECORD_FINISHED_ROUND, 0));
	put_sample(o, 12, 1002, 44, 0);
}

static void put_format(struct out *o, const char *text)
{
	put(o, strlen(text), 8);
	buf_add(&o->b, text, strlen(text));
}

static void put_tracing(struct out *o)
{
	buf_add(&o->b, "\x17\x08\x44tracing0.6", 14);
	put(o, o->big, 1);
	put(o, 8, 1);
	put(o, 4096, 4);
	put_text(o, "header_page");
	put_format(o, "page");
	put_text(o, "header_event");
	put_format(o, "event");
	put(o, 1, 4);
	put_format(o, "name: function\nID: 1\n");
	put(o, 1, 4);
	put_text(o, "sched");
	put(o, 2, 4);
	put_format(o, "name: sched_switch\nID: 300\nformat:\n");
	put_format(o, "name: sched_wakeup\nID: 301\nformat:\n");
	put(o, 0, 4);
	put(o, 5, 4);
	buf_add(&o->b, "printk", 5);
	put(o, 0, 8);
}

static void put_string(struct out *o, const char *s)
{
	put(o, 16, 4);
	buf_add(&o->b, s, strlen(s));
	for (size_t i = strlen(s); i < 16; i++)
		put(o, 0, 1);
}

static void put_event_desc(struct out *o)
{
	put(o, 1, 4);
	put(o, 64, 4);
	put_attr(o, 64, 300, SAMPLE_TYPE);
	put(o, 1, 4);
	put_string(o, "my:switch");
	put(o, 11, 8);
}

struct shape {
	bool big;
	uint32_t attr_size;
	bool desc; /* with feature EVENT_DESC */
};

/* A file of two events (ids 11, 12 and 21), put_samples() and its features. */
static struct out file(const struct shape *shape)
{
	struct out o = { .big = shape->big };
	uint32_t attr = shape->attr_size ? shape->attr_size : 112;
	unsigned features[] = { 1, 3, 7, 12 }, n = 0;
	size_t data, data_end, table;

	buf_add(&o.b, o.big ? "2ELIFREP" : "PERFILE2", 8);
	put(&o, 104, 8);
	put(&o, attr + 16, 8);
	put(&o, 104 + 24, 8);
	put(&o, 2 * (attr + 16), 8);
	for (int i = 0; i < 4; i++)
		put(&o, 0, 8);
	put(&o, 1u << 1 | 1u << 3 | 1u << 7 | (shape->desc ? 1u << 12 : 0), 8);
	for (int i = 0; i < 3; i++)
		put(&o, 0, 8);
	put(&o, 11, 8);
	put(&o, 12, 8);
	put(&o, 21, 8);
	put_attr(&o, attr, 300, SAMPLE_TYPE);
	put(&o, 104, 8);
	put(&o, 16, 8);
	put_attr(&o, attr, 301, SAMPLE_TYPE);
	put(&o, 120, 8);
	put(&o, 8, 8);
	data = o.b.len;
	put_samples(&o);
	data_end = o.b.len;
	patch(&o, 40, data, 8);
	patch(&o, 48, data_end - data, 8);
	table = o.b.len;
	for (unsigned i = 0; i < 3u + shape->desc; i++) {
		put(&o, 0, 8);
		put(&o, 0, 8);
	}
	for (unsigned i = 0; i < 3u + shape->desc; i++) {
		size_t at = o.b.len;

		switch (features[i]) {
		case 1:
			put_tracing(&o);
			break;
		case 3:
			put_string(&o, "host-1");
			break;
		case 7:
			put(&o, 8, 4);
			put(&o, 4, 4);
			break;
		default:
			put_event_desc(&o);
			break;
		}
		patch(&o, table + n++ * 16, at, 8);
		patch(&o, table + n * 16 - 8, o.b.len - at, 8);
	}
	assert_false(o.b.failed);
	return o;
}

static void put_pipe_header(struct out *o)
{
	buf_add(&o->b, o->big ? "2ELIFREP" : "PERFILE2", 8);
	put(o, 16, 8);
}

static void put_pipe_start(struct out *o)
{
	size_t at, size_at, from;

	put_pipe_header(o);
	at = begin(o, RECORD_ATTR, 0);
	put_attr(o, 112, 300, SAMPLE_TYPE);
	put(o, 11, 8);
	put(o, 12, 8);
	end(o, at);
	at = begin(o, RECORD_ATTR, 0);
	put_attr(o, 144, 301, SAMPLE_TYPE); /* newer than we know */
	put(o, 21, 8);
	end(o, at);
	at = begin(o, RECORD_EVENT_UPDATE, 0);
	put(o, 2, 8);
	put(o, 21, 8);
	put_text(o, "my:wakeup");
	end(o, at);
	at = begin(o, RECORD_FEATURE, 0);
	put(o, FEATURE_HOSTNAME, 8);
	put_string(o, "host-2");
	end(o, at);
	at = begin(o, RECORD_TRACING_DATA, 0);
	put(o, 0, 4);
	put(o, 0, 4);
	end(o, at);
	size_at = at + 8;
	from = o->b.len;
	put_tracing(o);
	while ((o->b.len - from) % 8)
		put(o, 0, 1);
	patch(o, size_at, o->b.len - from, 4);
	at = begin(o, RECORD_ID_INDEX, 0);
	put(o, 1, 8);
	put(o, 12, 8);
	put(o, 0, 8);
	put(o, 5, 8);
	put(o, 0, 8);
	end(o, at);
	at = begin(o, RECORD_AUXTRACE, 0);
	put(o, 24, 8);
	for (int i = 0; i < 4; i++)
		put(o, 0, 8);
	end(o, at);
	for (int i = 0; i < 3; i++)
		put(o, UINT64_MAX, 8);
}

static struct out pipe_file(bool big)
{
	struct out o = { .big = big };

	put_pipe_start(&o);
	put_samples(&o);
	assert_false(o.b.failed);
	return o;
}

/* put_samples() @times times as one zstd stream, cut into records of @piece bytes. */
static void put_compressed(struct out *o, unsigned times, size_t piece, uint32_t type)
{
	struct out plain = { .big = o->big };
	size_t room, size;
	uint8_t *packed;

	for (unsigned i = 0; i < times; i++)
		put_samples(&plain);
	room = ZSTD_compressBound(plain.b.len);
	packed = malloc(room);
	assert_non_null(packed);
	size = ZSTD_compress(packed, room, plain.b.data, plain.b.len, 1);
	assert_false(ZSTD_isError(size));
	for (size_t i = 0; i < size; i += piece) {
		size_t n = size - i < piece ? size - i : piece;
		size_t at = begin(o, type, 0);

		if (type == RECORD_COMPRESSED2)
			put(o, n, 8);
		buf_add(&o->b, packed + i, n);
		while (type == RECORD_COMPRESSED2 && (o->b.len - at) % 8)
			put(o, 0xff, 1);
		end(o, at);
	}
	free(packed);
	buf_fini(&plain.b);
}

/* --- reading it */

struct seen {
	unsigned samples, comms, others, unknown, bad;
	uint64_t times, raws, tail_time;
	uint32_t tid;
};

static void look(const struct perfdata *pd, const struct perfdata_record *rec, struct seen *s)
{
	struct perfdata_sample_id id;
	struct perfdata_sample sample;
	int i;

	if (rec->type != RECORD_SAMPLE) {
		perfdata_sample_id(pd, rec, &id);
		s->comms += rec->type == RECORD_COMM;
		s->others += rec->type != RECORD_COMM;
		if (id.has_time)
			s->tail_time = id.time;
		return;
	}
	s->samples++;
	i = perfdata_event_of(pd, rec);
	if (i < 0) {
		s->unknown++;
	} else if (perfdata_sample(pd, perfdata_event_at(pd, (size_t)i), rec, &sample)) {
		s->bad++;
	} else {
		s->times += sample.time;
		s->tid = (uint32_t)sample.tid;
		for (uint32_t b = 0; sample.raw && b < sample.raw_size; b++)
			s->raws += sample.raw[b];
	}
}

static struct seen read_all(struct perfdata *pd)
{
	struct perfdata_record rec;
	struct cdict_error err;
	struct seen s = { 0 };
	unsigned n = 0;

	while (perfdata_next(pd, &rec, &err) == 1) {
		look(pd, &rec, &s);
		assert_true(++n < 1000000); /* it ends */
	}
	assert_int_equal(perfdata_next(pd, &rec, &err), 0);
	return s;
}

static struct perfdata *parse(const struct out *o)
{
	struct cdict_error err = { 0 };
	struct perfdata *pd = NULL;

	if (perfdata_parse(&pd, o->b.data, o->b.len, &err))
		fail_msg("%s", err.text);
	return pd;
}

static void assert_sound(const struct perfdata *pd)
{
	const struct perfdata_damage *d = perfdata_damage(pd);

	assert_string_equal(d->first, "");
	assert_false(d->truncated || d->unfinished || d->bad_compression);
	assert_true(d->bad_records + d->trailing_bytes + d->bad_features == 0);
}

static void assert_samples(const struct seen *s)
{
	assert_int_equal(s->samples, 3);
	assert_int_equal(s->comms, 1);
	assert_int_equal(s->unknown + s->bad, 0);
	assert_int_equal(s->times, 3003);
	assert_int_equal(s->tail_time, 900);
	assert_int_equal(s->tid, 44);
}

/* --- tests */

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
		assert_int_equal(ev->n_ids, 2);
		assert_int_equal(ev->ids[1], 12);
		assert_true(ev->exclude_guest && !ev->exclude_host && ev->layout.sample_id_all);
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
		assert_int_equal(perfdata_event_at(pd, 1)->attr_size, 144);
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
	assert_string_equal(t->header_page, "page");
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
		assert_int_equal(perfdata_event_at(pd, 1)->attr_size, sizes[i]);
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
	assert_int_equal(l.tail_tid, 0);
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

static void raw_is_found_behind_fields_of_any_length(void **state)
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

static void a_cut_compressed_record_gives_what_is_whole(void **state)
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
	assert_true(perfdata_damage(pd)->truncated);
	perfdata_close(pd);
	buf_fini(&o.b);
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
	assert_int_equal(perfdata_open_fd(&pd, fd[0], "pipe", NULL), 0);
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
	assert_true(perfdata_damage(pd)->truncated);
	assert_int_equal(perfdata_damage(pd)->truncated_at, o.b.len + 5000 * more.b.len + 20);
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
	assert_sound(pd);
	assert_int_equal(perfdata_features(pd)->captured_at_s > 0, 1);
	perfdata_close(pd);
	for (size_t i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		assert_int_equal(unlink(path), 0);
	}
	assert_int_not_equal(perfdata_open(&pd, dir, &err), 0);
	rmdir(dir);
	buf_fini(&main_file.b);
}

static void what_is_no_perf_data_is_refused_in_one_line(void **state)
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
		assert_true(strlen(err.text) > 10);
	}
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], whole.b.data, whole.b.len), (ssize_t)whole.b.len);
	assert_int_equal(perfdata_open_fd(&pd, fd[0], "pipe", &err), CDICT_EUNSUPPORTED);
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
	assert_true(perfdata_damage(pd)->unfinished);
	assert_false(perfdata_damage(pd)->truncated);
	assert_false(perfdata_tracing(pd)->present);
	perfdata_close(pd);
	buf_fini(&o.b);
}

static void damage_is_counted_and_the_rest_is_read(void **state)
{
	struct out o = pipe_file(false);
	size_t good = o.b.len, at;
	struct perfdata *pd;
	struct seen s;

	(void)state;
	/* a type that cannot be, of a size that can */
	at = begin(&o, 0x70000000, 0);
	put(&o, 0, 8);
	end(&o, at);
	put_sample(&o, 11, 0, 44, 0);
	/* program output behind the stream */
	buf_add(&o.b, "[ perf record: Woken up 1 times ]", 33);
	pd = parse(&o);
	s = read_all(pd);
	assert_int_equal(s.samples, 4);
	assert_int_equal(perfdata_damage(pd)->bad_records, 1);
	assert_int_equal(perfdata_damage(pd)->trailing_bytes, 33);
	assert_false(perfdata_damage(pd)->truncated);
	assert_non_null(strstr(perfdata_damage(pd)->first, "at byte"));
	perfdata_close(pd);

	/* sizes 0 to 7 end the walk */
	for (uint16_t size = 0; size < 8; size++) {
		o.b.len = good;
		begin(&o, PERF_RECORD_SAMPLE, 0);
		patch(&o, good + 6, size, 2);
		pd = parse(&o);
		s = read_all(pd);
		assert_samples(&s);
		assert_int_equal(perfdata_damage(pd)->bad_records, 1);
		assert_int_equal(perfdata_damage(pd)->trailing_bytes, 8);
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
	assert_int_equal(perfdata_damage(pd)->bad_features, 1);
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
		*damaged = perfdata_damage(pd)->first[0] != 0;
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

static void every_changed_byte_ends_cleanly(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct out o = i < 2   ? file(&(struct shape){ .big = i & 1, .desc = true })
			       : i < 4 ? pipe_file(i & 1)
				       : compressed_file(i & 1);

		for (size_t at = 0; at < o.b.len; at++) {
			uint8_t was = o.b.data[at];

			for (unsigned change = 1; change < 256; change += change < 8 ? 1 : 13) {
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
		cmocka_unit_test(a_file_reads_the_same_in_both_byte_orders),
		cmocka_unit_test(a_pipe_recording_describes_itself_as_it_goes),
		cmocka_unit_test(the_tracing_data_give_formats_by_system),
		cmocka_unit_test(an_attr_may_be_shorter_or_longer_than_ours),
		cmocka_unit_test(raw_bytes_keep_the_order_of_the_recording),
		cmocka_unit_test(fields_lie_where_the_sample_type_puts_them),
		cmocka_unit_test(raw_is_found_behind_fields_of_any_length),
		cmocka_unit_test(ids_at_different_places_still_find_their_event),
		cmocka_unit_test(many_ids_are_all_found),
		cmocka_unit_test(compressed_records_are_one_stream_cut_anywhere),
		cmocka_unit_test(a_cut_compressed_record_gives_what_is_whole),
		cmocka_unit_test(a_live_pipe_gives_each_record_as_soon_as_it_is_whole),
		cmocka_unit_test(a_directory_is_merged_by_time_in_turns_of_two_mebibytes),
		cmocka_unit_test(what_is_no_perf_data_is_refused_in_one_line),
		cmocka_unit_test(a_killed_recording_is_read_to_its_end),
		cmocka_unit_test(damage_is_counted_and_the_rest_is_read),
		cmocka_unit_test(a_bad_feature_section_costs_only_itself),
		cmocka_unit_test(every_prefix_ends_cleanly_and_keeps_what_came_before),
		cmocka_unit_test(every_changed_byte_ends_cleanly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

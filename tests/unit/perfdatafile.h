/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfdatafile.h - small perf.data recordings made in memory for tests, in both byte
 * orders and every shape, and sums of the reader's output for one.
 *
 * A recording is a struct out, of the caller, which ends it with buf_fini(&o.b); a reader that
 * parse() gives is the caller's to close, before that: it reads the recording in place.
 */
#ifndef TESTS_UNIT_PERFDATAFILE_H
#define TESTS_UNIT_PERFDATAFILE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>
#include <zstd.h>

#include "base/cursor.h"
#include "base/memory/buf.h"
#include "convert/perfdata/internal.h"

#define SAMPLE_TYPE                                                                                \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)

/* --- writing a recording */

struct out {
	struct buf b;
	bool big;
};

static inline void put(struct out *o, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_u8(&o->b, (uint8_t)(v >> 8 * (o->big ? bytes - 1 - i : i)));
}

static inline void put_text(struct out *o, const char *s)
{
	buf_add(&o->b, s, strlen(s) + 1);
}

static inline void patch(struct out *o, size_t at, uint64_t v, unsigned bytes)
{
	size_t len = o->b.len;

	o->b.len = at;
	put(o, v, bytes);
	o->b.len = len;
}

static inline size_t begin(struct out *o, uint32_t type, uint16_t misc)
{
	put(o, type, 4);
	put(o, misc, 2);
	put(o, 0, 2);
	return o->b.len - 8;
}

static inline void end(struct out *o, size_t at)
{
	patch(o, at + 6, o->b.len - at, 2);
}

static inline void put_attr(struct out *o, uint32_t size, uint64_t config, uint64_t sample_type)
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

static inline void put_sample(struct out *o, uint64_t id, uint64_t time, uint32_t tid, uint32_t raw)
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

static inline void put_comm(struct out *o, uint64_t id, uint64_t time)
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

static inline void put_samples(struct out *o)
{
	put_comm(o, 12, 900);
	put_sample(o, 11, 1000, 42, 0xaabbccdd);
	put_sample(o, 21, 1001, 43, 0x01020304);
	end(o, begin(o, RECORD_FINISHED_ROUND, 0));
	put_sample(o, 12, 1002, 44, 0);
}

static inline void put_format(struct out *o, const char *text)
{
	put(o, strlen(text), 8);
	buf_add(&o->b, text, strlen(text));
}

static inline void put_tracing(struct out *o)
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

static inline void put_string(struct out *o, const char *s)
{
	put(o, 16, 4);
	buf_add(&o->b, s, strlen(s));
	for (size_t i = strlen(s); i < 16; i++)
		put(o, 0, 1);
}

static inline void put_event_desc(struct out *o)
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
static inline struct out file(const struct shape *shape)
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

static inline void put_pipe_header(struct out *o)
{
	buf_add(&o->b, o->big ? "2ELIFREP" : "PERFILE2", 8);
	put(o, 16, 8);
}

static inline void put_pipe_start(struct out *o)
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

static inline struct out pipe_file(bool big)
{
	struct out o = { .big = big };

	put_pipe_start(&o);
	put_samples(&o);
	assert_false(o.b.failed);
	return o;
}

/* put_samples() @times times as one zstd stream, cut into records of @piece bytes. */
static inline void put_compressed(struct out *o, unsigned times, size_t piece, uint32_t type)
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
	uint64_t times, raws, tail_time, tail_id;
	uint32_t tid;
};

static inline void look(const struct perfdata *pd, const struct perfdata_record *rec,
			struct seen *s)
{
	struct perfdata_sample_id id;
	struct perfdata_sample sample;
	int i;

	if (rec->type != RECORD_SAMPLE) {
		perfdata_sample_id(pd, rec, &id);
		s->comms += rec->type == RECORD_COMM;
		s->others += rec->type != RECORD_COMM;
		if (id.has_time) {
			s->tail_time = id.time;
			s->tail_id = id.id;
		}
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

static inline struct seen read_all(struct perfdata *pd)
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

static inline struct perfdata *parse(const struct out *o)
{
	struct cdict_error err = { 0 };
	struct perfdata *pd = NULL;

	if (perfdata_parse(&pd, o->b.data, o->b.len, &err))
		fail_msg("%s", err.text);
	return pd;
}

static inline void assert_sound(const struct perfdata *pd)
{
	assert_string_equal(perfdata_damage(pd), "");
}

static inline void assert_samples(const struct seen *s)
{
	assert_int_equal(s->samples, 3);
	assert_int_equal(s->comms, 1);
	assert_int_equal(s->unknown + s->bad, 0);
	assert_int_equal(s->times, 3003);
	assert_int_equal(s->tail_time, 900);
	assert_int_equal(s->tail_id, 12);
	assert_int_equal(s->tid, 44);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of a trace.dat: the buffers that they list, and what the cdict tells about the trace's host. */
#include "convert/tracedat/contents.h"
#include "tests/unit/cdictfile.h"

static void put(struct buf *b, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		buf_u8(b, (uint8_t)(v >> 8 * i));
}

static struct tracedat *begin(void)
{
	struct tracedat *td = calloc(1, sizeof(*td));

	assert_non_null(td);
	td->version = 7;
	td->page_size = 4096;
	td->file.size = 1 << 20; /* it limits what options may list */
	return td;
}

static void take(struct tracedat *td, enum tracedat_option id, struct buf *b)
{
	struct cursor c;

	assert_false(b->failed);
	c = cursor_init(b->data, b->len, false);
	assert_int_equal(tracedat_option(td, id, &c), 0);
	buf_fini(b);
	*b = (struct buf){ 0 };
}

/* A buffer of version 7: @page_size 0 is not stored, as by trace-cmd before 3.1. */
static void put_buffer(struct buf *b, uint32_t page_size, uint32_t n_cpus)
{
	put(b, 4096, 8);
	buf_add(b, "", 1);
	buf_add(b, "mono", 5);
	if (page_size)
		put(b, page_size, 4);
	put(b, n_cpus, 4);
	for (uint32_t i = 0; i < n_cpus; i++) {
		put(b, 7 + i, 4);
		put(b, 8192 + 4096 * (uint64_t)i, 8);
		put(b, 4096, 8);
	}
}

/* Since Linux 6.8 a buffer's pages may be larger than the machine's. */
static void a_buffer_has_pages_of_its_own_size(void **state)
{
	static const struct {
		uint32_t page_size, n_cpus, is;
	} cases[] = { { 8192, 2, 8192 },
		      { 65536, 1, 65536 },
		      { 0, 2, 0 },
		      { 0, 1, 0 },
		      { 64, 1, 64 },
		      { 4096, 0, 4096 },
		      { 1u << 24, 3, 1u << 24 } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tracedat *td = begin();
		struct buf b = { 0 };

		put_buffer(&b, cases[i].page_size, cases[i].n_cpus);
		take(td, OPTION_BUFFER, &b);
		assert_string_equal(td->damage, "");
		assert_int_equal(td->buffers.n, 1);
		assert_int_equal(td->buffers.at[0].page_size, cases[i].is);
		assert_int_equal(td->buffers.at[0].cpus.n, cases[i].n_cpus);
		for (uint32_t k = 0; k < cases[i].n_cpus; k++) {
			assert_int_equal(td->buffers.at[0].cpus.at[k].cpu, 7 + k);
			assert_int_equal(td->buffers.at[0].cpus.at[k].offset, 8192 + 4096 * k);
			assert_int_equal(td->buffers.at[0].cpus.at[k].size, 4096);
		}
		assert_string_equal(td->clock, "mono");
		tracedat_close(td);
	}
}

static void a_page_size_that_cannot_be_is_reported(void **state)
{
	static const uint32_t sizes[] = { 63, (1u << 24) + 1, 1 };

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct tracedat *td = begin();
		struct buf b = { 0 };

		put_buffer(&b, sizes[i], 2);
		take(td, OPTION_BUFFER, &b);
		assert_string_equal(td->damage, "a buffer option cannot be read");
		assert_int_equal(td->buffers.n, 0);
		tracedat_close(td);
	}
}

/* Times of @n_cpus CPUs, @samples each, 1000 ticks apart, that are 50 and 70 ns late by turns. */
static void put_shifts(struct buf *b, uint64_t peer, uint32_t n_cpus, uint32_t samples)
{
	put(b, peer, 8);
	put(b, 0, 4);
	put(b, n_cpus, 4);
	for (uint32_t cpu = 0; cpu < n_cpus; cpu++) {
		put(b, samples, 4);
		for (uint32_t i = 0; i < samples; i++)
			put(b, 1000 * (uint64_t)i, 8);
		for (uint32_t i = 0; i < samples; i++)
			put(b, i % 2 ? 70 : 50, 8);
		for (uint32_t i = 0; i < samples; i++)
			put(b, 1, 8);
	}
	for (uint32_t i = 0; i < n_cpus * samples; i++)
		put(b, 0, 8);
}

/* The pairs of the cdict whose keys begin with "trace.", in their order. */
static void assert_pairs(const struct tracedat *td, const char *expected)
{
	struct buf text = { 0 };
	struct cdict_reader *r;
	struct file f;

	file_begin(&f, NULL);
	assert_int_equal(tracedat_store_host(td, f.w, "monotonic", NULL), 0);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	for (size_t i = 0; i < cdict_reader_info_count(r); i++) {
		const char *key, *value;

		cdict_reader_info_at(r, i, &key, &value);
		if (!strncmp(key, "trace.", 6))
			buf_printf(&text, "%s=%s\n", key, value);
	}
	buf_u8(&text, 0);
	assert_string_equal((char *)text.data, expected);
	buf_fini(&text);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
}

/* The peer is named once, however many CPUs have times; its error is known of two samples or more. */
static void the_trace_that_times_lead_to_is_stored_with_the_error(void **state)
{
	static const struct {
		uint32_t n_cpus, samples;
		const char *pairs;
	} cases[] = {
		{ 1, 1, "trace.peer=0000000000001234\n" },
		{ 3, 1, "trace.peer=0000000000001234\n" },
		{ 3, 0, "" },
		{ 1, 2, "trace.peer=0000000000001234\ntrace.peer_error_ns=20\n" },
		{ 3, 4, "trace.peer=0000000000001234\ntrace.peer_error_ns=20\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tracedat *td = begin();
		struct buf b = { 0 };

		put_shifts(&b, 0x1234, cases[i].n_cpus, cases[i].samples);
		take(td, OPTION_TIME_SHIFT, &b);
		assert_int_equal(td->shifts.n, cases[i].n_cpus);
		assert_pairs(td, cases[i].pairs);
		tracedat_close(td);
	}
}

/* trace-cmd writes an option for each process: its id and number of maps in hexadecimal, its program, then the maps. */
static void each_process_whose_maps_are_stored_is_known_to_be_one(void **state)
{
	static const struct {
		const char *text;
		uint32_t pid; /* 0: none */
	} cases[] = {
		{ "4d2 2 /usr/bin/qemu\n400000 4f2000 /usr/bin/qemu\n10 20 /lib/libc.so\n", 0x4d2 },
		{ "10 1 /usr/bin/make\n7f12a000 7f12b000 /usr/bin/make\n", 0x10 },
		{ "ffffff 0 /sbin/init\n", 0xffffff },
		{ "7 /sbin/init\n", 0 }, /* no number of maps */
		{ "7 1 sh\n", 0 },       /* no path */
		{ "7 -1 /sbin/init\n", 0 },
		{ "7 1", 0 },
		{ "7", 0 },
		{ "0 1 /sbin/init\n", 0 },
		{ "-7 1 /sbin/init\n", 0 },
		{ "fffffffffffffffff 1 /sbin/init\n", 0 },
		{ "x 1 /sbin/init\n", 0 },
		{ "", 0 },
	};
	struct tracedat *td = begin();
	struct cdict_error err = { 0 };
	struct map leaders = { 0 };
	uint32_t n = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf b = { 0 };

		buf_add(&b, cases[i].text, strlen(cases[i].text) + 1);
		take(td, OPTION_PROCMAPS, &b);
		n += cases[i].pid != 0;
		assert_int_equal(td->processes.n, n);
	}
	assert_int_equal(tracedat_store_tasks(td, NULL, &leaders, &err),
			 0); /* there are no names */
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_true(!cases[i].pid || map_find(&leaders, cases[i].pid, 0));
	assert_null(map_find(&leaders, 7, 0));
	assert_null(map_find(&leaders, 0x20, 0)); /* a map's end */
	map_fini(&leaders);
	tracedat_close(td);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_process_whose_maps_are_stored_is_known_to_be_one),
		cmocka_unit_test(a_buffer_has_pages_of_its_own_size),
		cmocka_unit_test(a_page_size_that_cannot_be_is_reported),
		cmocka_unit_test(the_trace_that_times_lead_to_is_stored_with_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages of the kernel's ring buffer, as trace-cmd keeps them: every kind of event, and invalid
 * pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "convert/tracedat/clock.h"
#include "convert/tracedat/ring.h"

#define PAGE 128u

struct bench {
	struct tracedat td;
	struct tracedat_buffer buffer;
	uint8_t pages[4 * PAGE];
	size_t at; /* in the page that is being written */
	uint8_t *page;
	uint64_t live;
	struct ring ring;
};

static void put(struct bench *b, uint64_t v, size_t size)
{
	for (size_t i = 0; i < size; i++)
		b->page[b->at++] =
			(uint8_t)(v >> 8 * (b->td.tracing.big_endian ? size - 1 - i : i));
}

static void page(struct bench *b, unsigned n, uint64_t t)
{
	b->page = b->pages + n * PAGE;
	b->at = 0;
	put(b, t, 8);
	b->at = b->td.data_at;
}

/* Ends the page: so many bytes are committed, -1: as many as were written. */
static void commit(struct bench *b, int64_t bytes, uint64_t flags)
{
	uint64_t n = bytes < 0 ? b->at - b->td.data_at : (uint64_t)bytes;

	b->at = 8;
	put(b, n | flags, b->td.commit_size);
}

static void event(struct bench *b, unsigned type, uint32_t delta)
{
	put(b, b->td.tracing.big_endian ? type << 27 | delta : delta << 5 | type, 4);
}

static struct bench *begin(bool big, unsigned long_size)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->td.tracing.big_endian = big;
	b->td.file.data = b->pages;
	b->td.file.size = sizeof(b->pages);
	b->td.page_size = PAGE;
	b->td.commit_at = 8;
	b->td.commit_size = long_size;
	b->td.data_at = 8 + long_size;
	return b;
}

static void read_pages(struct bench *b, unsigned n)
{
	struct tracedat_cpu cpu = { .cpu = 3, .size = n * PAGE };

	assert_int_equal(ring_open(&b->ring, &b->td, &b->buffer, &cpu, &b->live), n * PAGE);
}

/* The next event: of so many bytes, at that time, the first word of it. */
static void next_is(struct bench *b, uint32_t size, uint64_t t, uint32_t word)
{
	assert_int_equal(ring_next(&b->ring, NULL), 1);
	assert_int_equal(b->ring.size, size);
	assert_true(b->ring.ticks == t);
	assert_int_equal(load32(b->ring.payload, b->td.tracing.big_endian), word);
}

static void end_is(struct bench *b, const char *damage)
{
	assert_int_equal(ring_next(&b->ring, NULL), 0);
	assert_string_equal(b->td.damage, damage);
	ring_close(&b->ring);
	free(b);
}

static void events_of_every_kind(bool big, unsigned long_size)
{
	struct bench *b = begin(big, long_size);

	page(b, 0, 1000);
	event(b, 1, 0); /* a word */
	put(b, 11, 4);
	event(b, 2, 5); /* two of them */
	put(b, 22, 4);
	put(b, 0, 4);
	event(b, 0, 1); /* its length in a word of its own: 4 + 5, in whole words */
	put(b, 9, 4);
	put(b, 33, 4);
	put(b, 0, 4);
	event(b, 30, 7); /* 2^27 ticks and 7 later */
	put(b, 1, 4);
	event(b, 1, 0);
	put(b, 44, 4);
	event(b, 29, 3); /* discarded: 4 and 8 bytes, and 3 ticks */
	put(b, 8, 4);
	put(b, 99, 4);
	event(b, 31, 6); /* it is 2 * 2^27 + 6 */
	put(b, 2, 4);
	event(b, 1, 1);
	put(b, 55, 4);
	commit(b, -1, 0);
	read_pages(b, 1);
	next_is(b, 4, 1000, 11);
	assert_false(b->ring.missed);
	next_is(b, 8, 1005, 22);
	next_is(b, 8, 1006, 33);
	next_is(b, 4, 1006 + (1u << 27) + 7, 44);
	next_is(b, 4, (2u << 27) + 7, 55);
	end_is(b, "");
}

static void events_of_every_kind_in_every_layout(void **state)
{
	(void)state;
	events_of_every_kind(false, 8);
	events_of_every_kind(false, 4);
	events_of_every_kind(true, 8);
	events_of_every_kind(true, 4);
}

static void an_absolute_time_has_the_upper_bits_of_its_page(void **state)
{
	struct bench *b = begin(false, 8);

	(void)state;
	page(b, 0, 0xa800000000000001u);
	event(b, 31, 5);
	put(b, 1, 4);
	event(b, 1, 0);
	put(b, 1, 4);
	commit(b, -1, 0);
	read_pages(b, 1);
	next_is(b, 4, 0xa800000000000000u + (1u << 27) + 5, 1);
	end_is(b, "");
}

static void padding_without_a_time_ends_the_page(void **state)
{
	struct bench *b = begin(false, 8);

	(void)state;
	page(b, 0, 10);
	event(b, 1, 0);
	put(b, 1, 4);
	event(b, 29, 0);
	put(b, 4, 4);
	event(b, 1, 0); /* data after the end is from the page's previous use */
	put(b, 2, 4);
	commit(b, -1, 0);
	page(b, 1, 20);
	event(b, 1, 1);
	put(b, 3, 4);
	commit(b, -1, 0);
	read_pages(b, 2);
	next_is(b, 4, 10, 1);
	next_is(b, 4, 21, 3);
	end_is(b, "");
}

/* The flag alone says that some were lost; with the second one their number is after the events. */
static void lost_events_are_reported_before_the_next_one(void **state)
{
	(void)state;
	for (unsigned big = 0; big < 2; big++) {
		struct bench *b = begin(big, big ? 4 : 8);

		page(b, 0, 10);
		event(b, 1, 0);
		put(b, 1, 4);
		commit(b, -1, 1u << 31);
		page(b, 1, 20); /* nothing but a number */
		put(b, 5, b->td.commit_size);
		commit(b, 0, 1u << 31 | 1u << 30);
		page(b, 2, 30);
		event(b, 1, 0);
		put(b, 2, 4);
		put(b, 7, b->td.commit_size);
		commit(b, 8, 1u << 31 | 1u << 30);
		page(b, 3, 40);
		event(b, 1, 0);
		put(b, 3, 4);
		commit(b, -1, 0);
		read_pages(b, 4);
		next_is(b, 4, 10, 1);
		assert_true(b->ring.missed);
		assert_int_equal(b->ring.missed_count, 0);
		next_is(b, 4, 30, 2);
		assert_true(b->ring.missed);
		assert_int_equal(b->ring.missed_count, 12);
		next_is(b, 4, 40, 3);
		assert_false(b->ring.missed);
		end_is(b, "");
	}
}

static void data_that_a_page_cannot_hold_is_damage_and_the_next_page_is_read(void **state)
{
	static const struct {
		unsigned type, word, words;
		int64_t bytes;
		const char *damage;
	} cases[] = {
		/* a word more than there is */
		{ 2, 0, 1, -1, "a page of CPU 3 is damaged: an event is longer than the page" },
		{ 0, 9, 2, -1, "a page of CPU 3 is damaged: an event is longer than the page" },
		{ 29, 8, 1, -1, "a page of CPU 3 is damaged: an event is longer than the page" },
		{ 28, 0, 1, -1, "a page of CPU 3 is damaged: an event is longer than the page" },
		{ 0, 3, 1, -1, "a page of CPU 3 is damaged: an event is longer than the page" },
		{ 0, 0, 1, -1, "a page of CPU 3 is damaged: an event is longer than the page" },
		{ 0, 0xffffffff, 1, -1,
		  "a page of CPU 3 is damaged: an event is longer than the page" },
		{ 29, 0xfffffff0, 1, -1,
		  "a page of CPU 3 is damaged: an event is longer than the page" },
		{ 0, 0, 0, -1, "a page of CPU 3 is damaged: an event has no length" },
		{ 30, 0, 0, -1, "a page of CPU 3 is damaged: an event has no length" },
		{ 31, 0, 0, -1, "a page of CPU 3 is damaged: an event has no length" },
		{ 29, 8, 2, 500, "a page of CPU 3 claims 500 bytes, but has 112" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench *b = begin(false, 8);

		page(b, 0, 10);
		event(b, 1, 0);
		put(b, 1, 4);
		event(b, cases[i].type, 1);
		for (unsigned k = 0; k < cases[i].words; k++)
			put(b, cases[i].word, 4);
		if (cases[i].bytes > 0) {
			memset(b->page + b->at, 0, PAGE - b->at);
			event(b, 29, 0);
		}
		commit(b, cases[i].bytes, 0);
		page(b, 1, 20);
		event(b, 1, 0);
		put(b, 2, 4);
		commit(b, -1, 0);
		read_pages(b, 2);
		next_is(b, 4, 10, 1);
		next_is(b, 4, 20, 2);
		end_is(b, cases[i].damage);
	}
}

static void a_file_that_ends_within_a_page_has_its_events_up_to_there(void **state)
{
	struct bench *b = begin(false, 8);
	struct tracedat_cpu cpu = { .cpu = 3, .size = 2 * PAGE };

	(void)state;
	page(b, 0, 10);
	for (unsigned i = 0; i < 10; i++) {
		event(b, 1, 1);
		put(b, i, 4);
	}
	commit(b, -1, 0);
	b->td.file.size = 16 + 5 * 8 + 3;
	assert_int_equal(ring_open(&b->ring, &b->td, &b->buffer, &cpu, &b->live), b->td.file.size);
	for (unsigned i = 0; i < 5; i++)
		next_is(b, 4, 11 + i, i);
	end_is(b, "the events of CPU 3 end beyond the end of the file");
}

static void ticks_are_scaled_without_128_bits(void **state)
{
	struct tracedat td = { .tsc_mult = 0xfffffff1, .tsc_shift = 31 };

	(void)state;
	/* 2^40 + 1 ticks of (2^32 - 15) / 2^31 ns */
	assert_true(tracedat_ns(&td, 0, (1ull << 40) + 1) == 2199023247873ull);
	td.tsc_shift = 32;
	td.offset_ns = -5;
	assert_true(tracedat_ns(&td, 0, 1ull << 40) == (1ull << 40) - 3840 - 5);
	td.tsc_mult = 0;
	td.offset_ns = 7;
	assert_true(tracedat_ns(&td, 0, 100) == 107);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_every_kind_in_every_layout),
		cmocka_unit_test(an_absolute_time_has_the_upper_bits_of_its_page),
		cmocka_unit_test(padding_without_a_time_ends_the_page),
		cmocka_unit_test(lost_events_are_reported_before_the_next_one),
		cmocka_unit_test(data_that_a_page_cannot_hold_is_damage_and_the_next_page_is_read),
		cmocka_unit_test(a_file_that_ends_within_a_page_has_its_events_up_to_there),
		cmocka_unit_test(ticks_are_scaled_without_128_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

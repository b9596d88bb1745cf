/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest's clock: lines through knots, by the TSC; pieces of time that are looked up. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/guest/clock_tsc.h"
#include "analyze/guest/pieces.h"
#include "tests/unit/cdictfile.h"

static struct guest_clock parsed(const char *knots)
{
	struct guest_clock c = { 0 };

	assert_int_equal(guest_clock_parse(&c, knots, NULL), 0);
	return c;
}

static void times_are_on_the_line_rounded_down(void **state)
{
	static const struct {
		const char *knots;
		uint64_t guest_ns, host_ns;
	} cases[] = {
		{ "5:80", 5, 80 },
		{ "5:80", 0, 75 },
		{ "5:80", 1000000, 1000075 },
		{ "80:5", 79, 4 },
		{ "80:5", 10, 0 },                             /* before the clock's 0 */
		{ "0:18446744073709551610", 100, UINT64_MAX }, /* after its end */
		/* 11 to 10: 10 -> 9.09, -10 -> -9.09 */
		{ "1000:1000 2100:2000", 1010, 1009 },
		{ "1000:1000 2100:2000", 990, 990 },
		{ "1000:1000 2100:2000", 989, 990 },
		{ "1000:1000 2100:2000", 988, 989 },
		{ "1000:1000 2100:2000", 2100, 2000 },
		{ "1000:1000 2100:2000", 3200, 3000 },
		/* of three knots the next line from the middle one on */
		{ "0:100 1000:1100 2000:2200", 999, 1099 },
		{ "0:100 1000:1100 2000:2200", 1000, 1100 },
		{ "0:100 1000:1100 2000:2200", 1001, 1101 },
		{ "0:100 1000:1100 2000:2200", 1010, 1111 },
		{ "0:100 1000:1100 2000:2200", 3000, 3300 },
		/* products of more than 64 bits: a year at 100 ppm */
		{ "0:0 1000000000000000:1000100000000000", UINT64_C(31557600000000000),
		  UINT64_C(31560755760000000) },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct guest_clock c = parsed(cases[i].knots);

		assert_int_equal(guest_clock_host_ns(&c, cases[i].guest_ns), cases[i].host_ns);
		guest_clock_fini(&c);
	}
}

static void a_later_time_is_never_earlier_on_the_host(void **state)
{
	struct guest_clock c = parsed("7:1000 1007:1993 3001:4100");
	uint64_t last = 0;

	(void)state;
	for (uint64_t ns = 0; ns < 6000; ns++) {
		uint64_t host_ns = guest_clock_host_ns(&c, ns);

		assert_true(host_ns >= last);
		last = host_ns;
	}
	guest_clock_fini(&c);
}

static void a_clock_is_written_as_it_is_read_and_bad_ones_are_refused(void **state)
{
	static const char *const bad[] = { "",
					   "x",
					   "1",
					   "1:",
					   "1:2:3",
					   "1:2 1:3",
					   "1:2 3:2",
					   "1:2 2:1",
					   "0:0 100:50",
					   "0:0 50:100",
					   "-1:2",
					   "1:2,3:4",
					   "99999999999999999999:1" };
	struct guest_clock c = parsed("1:5 100:105 200:204");
	struct sink out;
	char *text;

	(void)state;
	sink_to_memory(&out);
	guest_clock_print(&out, &c);
	text = sink_take(&out, NULL);
	assert_string_equal(text, "1:5 100:105 200:204");
	free(text);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(guest_clock_parse(&c, bad[i], NULL), CDICT_ECORRUPT);
	guest_clock_fini(&c);
}

/* The host: 2 GHz, zero at 1000 s; the guest: the same speed by another shift, 500 s behind. */
static void the_tsc_joins_two_conversions(void **state)
{
	struct guest_clock c = { 0 };
	struct tsc_line host, guest;
	struct tsc_offset offset;
	uint64_t apart;

	(void)state;
	assert_true(tsc_line_of(&host, "1000000000000 2147483648 32", NULL, NULL));
	assert_true(tsc_line_of(&guest, "500000000000 1073741824 31", NULL, NULL));
	assert_true(tsc_offset_of(&offset, &apart,
				  "7 0 5\n1616 0 -4000000000\n1616 1 -4000000200\n9 0 1", 1616));
	assert_int_equal(offset.offset, -4000000000);
	assert_int_equal(apart, 200);
	/* guest's 510 s: its TSC is 20e9, the host's 24e9: 12 s after its zero */
	assert_int_equal(guest_clock_tsc(&c, &host, &guest, &offset, apart, UINT64_C(510000000000),
					 UINT64_C(520000000000), NULL),
			 0);
	assert_int_equal(guest_clock_host_ns(&c, UINT64_C(510000000000)), UINT64_C(1012000000000));
	assert_int_equal(guest_clock_host_ns(&c, UINT64_C(515000000000)), UINT64_C(1017000000000));
	assert_int_equal(c.error_ns, 1000 + 100);
	assert_int_equal(c.method, GUEST_CLOCK_TSC);
	/* scaled: the guest's TSC runs at half the speed */
	assert_true(tsc_offset_of(&offset, &apart, "1616 0 0 1 1", 1616));
	assert_true(tsc_line_of(&guest, "500000000000 2147483648 31", NULL, NULL)); /* 1 GHz */
	assert_int_equal(guest_clock_tsc(&c, &host, &guest, &offset, apart, UINT64_C(510000000000),
					 UINT64_C(520000000000), NULL),
			 0);
	assert_int_equal(guest_clock_host_ns(&c, UINT64_C(510000000000)), UINT64_C(1010000000000));
	assert_false(tsc_offset_of(&offset, &apart, "1617 0 0", 1616));
	assert_false(tsc_offset_of(&offset, &apart, "1616 0 x", 1616));
	guest_clock_fini(&c);
}

/* kvm-clock: no conversion, but readings at begin and end, 1 ns a tick on the host, 2 in the guest. */
static void readings_of_the_tsc_show_a_clock_without_conversion(void **state)
{
	struct guest_clock c = { 0 };
	struct tsc_line host, guest;
	struct tsc_offset offset = { 0 };

	(void)state;
	assert_true(tsc_line_of(&host, NULL, "1000 1100 5050", "9000 9100 13050"));
	assert_true(tsc_line_of(&guest, "not one", "2000 2020 102020", "3000 3020 104020"));
	assert_int_equal(guest_clock_tsc(&c, &host, &guest, &offset, 0, 102020, 104020, NULL),
			 CDICT_ECORRUPT); /* half the speed: no line */
	assert_true(tsc_line_of(&guest, NULL, "2000 2020 102010", "3000 3020 103010"));
	assert_int_equal(guest_clock_tsc(&c, &host, &guest, &offset, 0, 102010, 103010, NULL), 0);
	assert_int_equal(guest_clock_host_ns(&c, 102010), 6010);
	assert_int_equal(guest_clock_host_ns(&c, 102000), 6000);
	assert_int_equal(c.error_ns, 1000 + 100 + 20);
	assert_false(tsc_line_of(&guest, NULL, "2000 2020 102010", NULL));
	assert_false(tsc_line_of(&guest, NULL, "2000 2020 5", "2000 2020 6"));
	assert_false(tsc_line_of(&guest, NULL, "2000 1999 5", "3000 3020 6"));
	guest_clock_fini(&c);
}

static void pieces_are_found_and_gaps_are_unknown(void **state)
{
	struct guest_pieces p = { 0 };
	struct guest_piece got;
	size_t at = 0;
	uint64_t to;

	(void)state;
	assert_int_equal(guest_pieces_add(&p, (struct guest_piece){ 10, 1, 0 }, 20), 0);
	assert_int_equal(guest_pieces_add(&p, (struct guest_piece){ 20, 1, 0 }, 30), 0);
	assert_int_equal(p.all.n, 1);
	assert_int_equal(guest_pieces_add(&p, (struct guest_piece){ 25, 2, 0 }, 40), 0); /* 30-40 */
	assert_int_equal(guest_pieces_add(&p, (struct guest_piece){ 50, 3, 1 }, 60), 0);
	for (uint64_t ns = 0; ns < 70; ns++) {
		uint64_t end = ns < 10   ? 10
			       : ns < 30 ? 30
			       : ns < 40 ? 40
			       : ns < 50 ? 50
			       : ns < 60 ? 60
					 : 100;

		to = 100;
		got = guest_pieces_at(&p, &at, ns, &to);
		assert_int_equal(to, end);
		assert_int_equal(got.who, end == 30   ? 1
					  : end == 40 ? 2
					  : end == 60 ? 3
						      : UINT32_MAX);
	}
	to = 25;
	got = guest_pieces_at(&p, &at, 12, &to); /* back, and an end before the piece's */
	assert_int_equal(to, 25);
	assert_int_equal(got.who, 1);
	guest_pieces_fini(&p);
}

/* 40 pieces, every fourth after a gap; @at is a hint: any one gives the same piece. */
static void a_piece_is_found_from_any_other(void **state)
{
	struct guest_pieces p = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(guest_pieces_add(&p, (struct guest_piece){ 10 * i, i, 0 },
						  10 * i + (i % 4 == 3 ? 5 : 10)),
				 0);
	for (size_t from = 0; from < 50; from++)
		for (uint64_t ns = 0; ns < 420; ns++) {
			uint64_t to = UINT64_MAX;
			uint32_t i = (uint32_t)(ns / 10);
			bool gap = i % 4 == 3 && ns % 10 >= 5;
			size_t at = from;
			struct guest_piece got = guest_pieces_at(&p, &at, ns, &to);

			if (ns >= 395) {
				assert_int_equal(got.state, GUEST_PIECE_NONE);
				assert_true(to == UINT64_MAX);
				continue;
			}
			assert_int_equal(got.state, gap ? GUEST_PIECE_NONE : 0);
			assert_int_equal(got.who, gap ? UINT32_MAX : i);
			assert_int_equal(got.from_ns, 10 * i + (gap ? 5 : 0));
			assert_int_equal(to, 10 * i + (i % 4 == 3 && !gap ? 5 : 10));
		}
	guest_pieces_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_on_the_line_rounded_down),
		cmocka_unit_test(a_later_time_is_never_earlier_on_the_host),
		cmocka_unit_test(a_clock_is_written_as_it_is_read_and_bad_ones_are_refused),
		cmocka_unit_test(the_tsc_joins_two_conversions),
		cmocka_unit_test(readings_of_the_tsc_show_a_clock_without_conversion),
		cmocka_unit_test(pieces_are_found_and_gaps_are_unknown),
		cmocka_unit_test(a_piece_is_found_from_any_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

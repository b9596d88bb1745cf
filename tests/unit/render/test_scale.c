/* SPDX-License-Identifier: GPL-2.0-only */
/* Positions, ticks and the numbers next to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/draw/names.h"
#include "render/draw/scale.h"
#include "render/draw/text.h"

static void ends_and_middle_of_a_scale_are_where_they_belong(void **state)
{
	struct scale lin = { .lo = 0, .hi = 10, .from = 100, .to = 200 };
	struct scale log = { .lo = 10, .hi = 1000, .from = 50, .to = 0, .log = true };

	(void)state;
	assert_true(scale_at(&lin, 0) == 100 && scale_at(&lin, 5) == 150);
	assert_true(scale_at(&lin, 10) == 200);
	assert_true(scale_at(&lin, -3) == 100 && scale_at(&lin, 11) == 200);
	assert_true(scale_at(&log, 10) == 50 && scale_at(&log, 1000) == 0);
	assert_true(scale_at(&log, 100) > 24.999 && scale_at(&log, 100) < 25.001);
	assert_true(scale_at(&log, 0) == 50);
}

static void steps_are_one_two_or_five(void **state)
{
	(void)state;
	assert_true(scale_step(1) == 1);
	assert_true(scale_step(1.1) == 2);
	assert_true(scale_step(3) == 5);
	assert_true(scale_step(7) == 10);
	assert_true(scale_step(0.3) > 0.4999 && scale_step(0.3) < 0.5001);
	assert_true(scale_step(0) == 1);
}

static void labels(const struct scale_tick *t, size_t n, char *out)
{
	*out = '\0';
	for (size_t i = 0; i < n; i++) {
		if (t[i].minor)
			continue;
		strcat(out, *out ? "|" : "");
		strcat(out, t[i].label);
	}
}

static void time_ticks_share_a_unit_and_are_distinct(void **state)
{
	static const struct {
		double hi;
		unsigned most;
		const char *want;
	} cases[] = {
		{ 5.02e9, 6, "0|1 s|2 s|3 s|4 s|5 s" },
		{ 1e9, 5, "0|0.2 s|0.4 s|0.6 s|0.8 s|1.0 s" },
		{ 354e6, 4, "0|100 ms|200 ms|300 ms" },
		{ 20e6, 5, "0|5 ms|10 ms|15 ms|20 ms" },
		{ 2500, 6, "0|0.5 µs|1.0 µs|1.5 µs|2.0 µs|2.5 µs" },
		{ 3, 20, "0|1 ns|2 ns|3 ns" },
		{ 86400e9, 5, "0|20,000 s|40,000 s|60,000 s|80,000 s" },
		{ 1800e9, 4, "0|500 s|1,000 s|1,500 s" },
	};
	struct scale_tick t[SCALE_TICKS];
	char all[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		labels(t, scale_ticks_time(t, 0, cases[i].hi, cases[i].most), all);
		assert_string_equal(all, cases[i].want);
	}
}

static void count_ticks_are_whole_and_short(void **state)
{
	struct scale_tick t[SCALE_TICKS];
	char all[1024];

	(void)state;
	labels(t, scale_ticks_count(t, 0, 301, 6, ""), all);
	assert_string_equal(all, "0|100|200|300");
	labels(t, scale_ticks_count(t, 0, 18841, 5, ""), all);
	assert_string_equal(all, "0|5k|10k|15k");
	labels(t, scale_ticks_count(t, 0, 100, 4, " %"), all);
	assert_string_equal(all, "0|50 %|100 %");
}

static void a_log_axis_names_decades_and_never_too_many(void **state)
{
	struct scale_tick t[SCALE_TICKS];
	char all[1024];
	size_t n;

	(void)state;
	n = scale_ticks_log(t, 1e4, 1e9, 20);
	labels(t, n, all);
	assert_string_equal(all, "10 µs|100 µs|1 ms|10 ms|100 ms|1 s");
	assert_int_equal(n, 5 * 9 + 1);
	for (size_t i = 1; i < n; i++)
		assert_true(t[i].at > t[i - 1].at);
	n = scale_ticks_log(t, 1e3, 1e12, 4);
	labels(t, n, all);
	assert_string_equal(all, "1 µs|1 ms|1 s|1,000 s");
	assert_true(n <= SCALE_TICKS);
}

static void durations_have_three_digits_and_a_unit(void **state)
{
	static const struct {
		double ns;
		const char *want;
	} cases[] = {
		{ 0, "0 ns" },        { 7, "7 ns" },         { 999, "999 ns" },
		{ 1000, "1 µs" },     { 1234, "1.23 µs" },   { 12345, "12.3 µs" },
		{ 999499, "999 µs" }, { 999500, "1.00 ms" }, { 5.02e9, "5.02 s" },
		{ 123.4e9, "123 s" }, { 4567e9, "4,567 s" },
	};
	char out[TEXT_ROOM];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(text_duration(out, cases[i].ns), cases[i].want);
	assert_string_equal(number_grouped(out, 1234567), "1,234,567");
	assert_string_equal(number_ns(out, 544816702906), "544.816702906");
	assert_string_equal(text_percent(out, 1, 3), "33.3 %");
	assert_string_equal(text_percent(out, 1, 100000), "< 0.1 %");
	assert_string_equal(text_percent(out, 0, 0), "0.0 %");
}

static void a_name_that_does_not_fit_keeps_its_beginning_and_its_end(void **state)
{
	char *fit = text_fit("qemu-system-x86_64  4711", 13, 120);

	(void)state;
	assert_true(text_width(fit, 13) <= 120);
	assert_memory_equal(fit, "qemu", 4);
	assert_non_null(strstr(fit, "\xe2\x80\xa6"));
	assert_string_equal(fit + strlen(fit) - 2, "11");
	free(fit);
	fit = text_fit("short", 13, 120);
	assert_string_equal(fit, "short");
	free(fit);
	/* never inside a character */
	for (double room = 0; room < 200; room += 3.7) {
		char *clean;

		fit = text_fit("αβγδεζηθικλμνξοπρστυφχψω", 13, room);
		clean = text_clean(fit, strlen(fit));
		assert_string_equal(fit, clean);
		free(clean);
		free(fit);
	}
}

static void names_of_one_picture_stay_different(void **state)
{
	static const char *const names[] = {
		"instance-0000001b.vcpu0",         "instance-0000001b.vcpu1",
		"instance-0000001c.vcpu0",         "instance-0000001c.vcpu1",
		"instance-0000001c.emulator-1959", "perf"
	};
	enum { N = sizeof(names) / sizeof(names[0]) };

	(void)state;
	for (double size = 0; size < 14; size += 13) {
		for (double room = size > 0 ? 80 : 8; room < 200; room += 3.7) {
			char **fit = names_fit(names, N, size, room);

			for (size_t i = 0; i < N; i++) {
				assert_true(text_width(fit[i], size) <= room);
				if (text_width(names[i], size) > room)
					assert_string_not_equal(fit[i], names[i]);
				for (size_t k = 0; k < i; k++)
					assert_string_not_equal(fit[i], fit[k]);
			}
			assert_string_equal(fit[N - 1], "perf");
			names_free(fit, N);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_and_middle_of_a_scale_are_where_they_belong),
		cmocka_unit_test(steps_are_one_two_or_five),
		cmocka_unit_test(time_ticks_share_a_unit_and_are_distinct),
		cmocka_unit_test(count_ticks_are_whole_and_short),
		cmocka_unit_test(a_log_axis_names_decades_and_never_too_many),
		cmocka_unit_test(durations_have_three_digits_and_a_unit),
		cmocka_unit_test(a_name_that_does_not_fit_keeps_its_beginning_and_its_end),
		cmocka_unit_test(names_of_one_picture_stay_different),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

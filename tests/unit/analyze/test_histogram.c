/* SPDX-License-Identifier: GPL-2.0-only */
/* The histogram of durations: exact ends, percentiles within 1/128, merging. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyze/walk/histogram.h"

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void count_sum_min_max_and_the_time_of_the_max_are_exact(void **state)
{
	struct histogram h;

	(void)state;
	histogram_init(&h);
	assert_true(histogram_percentile(&h, 50) == 0);
	assert_int_equal(histogram_add(&h, 1000, 7), 0);
	assert_int_equal(histogram_add(&h, 3, 8), 0);
	assert_int_equal(histogram_add(&h, 123456789, 9), 0);
	assert_int_equal(histogram_add(&h, 123456789, 10), 0); /* the first max keeps its time */
	assert_int_equal(h.count, 4);
	assert_true(h.sum == 1000 + 3 + 2 * UINT64_C(123456789));
	assert_true(h.min == 3 && h.max == 123456789 && h.max_at == 9);
	assert_true(histogram_avg(&h) == h.sum / 4);
	histogram_fini(&h);
}

static void every_value_lies_in_its_bin_and_bins_are_in_order(void **state)
{
	static const uint64_t values[] = { 0,
					   1,
					   63,
					   64,
					   65,
					   127,
					   128,
					   1000,
					   4095,
					   4096,
					   1u << 20,
					   UINT64_MAX / 3,
					   UINT64_MAX - 1,
					   UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		unsigned bin = histogram_bin(values[i]);

		assert_true(bin < HISTOGRAM_BINS);
		assert_true(histogram_bin_low(bin) <= values[i]);
		if (bin + 1 < HISTOGRAM_BINS)
			assert_true(histogram_bin_low(bin + 1) > values[i]);
	}
	for (unsigned bin = 1; bin < HISTOGRAM_BINS; bin++)
		assert_true(histogram_bin_low(bin) > histogram_bin_low(bin - 1));
}

static void percentiles_are_within_one_percent_of_the_exact_ones(void **state)
{
	static const double percents[] = { 0.1, 1, 10, 50, 90, 99, 99.9, 100 };
	enum { N = 20000 };
	uint64_t *values = calloc(N, sizeof(*values));
	struct histogram h;

	(void)state;
	assert_non_null(values);
	histogram_init(&h);
	for (int i = 0; i < N; i++) {
		values[i] = rnd() >> (rnd() % 60);
		assert_int_equal(histogram_add(&h, values[i], 0), 0);
	}
	qsort(values, N, sizeof(*values), by_value);
	for (size_t p = 0; p < sizeof(percents) / sizeof(percents[0]); p++) {
		/* Nearest rank: the smallest value that percent of the values do not exceed. */
		double exact_rank = N * percents[p] / 100.0;
		size_t rank = (size_t)exact_rank + (exact_rank > (double)(size_t)exact_rank);
		uint64_t exact = values[rank - 1], got = histogram_percentile(&h, percents[p]);
		uint64_t off = got > exact ? got - exact : exact - got;

		assert_true((double)off <= (double)exact / 128.0);
	}
	assert_true(histogram_percentile(&h, 100) == values[N - 1]);
	assert_true(histogram_percentile(&h, 0) == values[0]);
	free(values);
	histogram_fini(&h);
}

static void small_values_have_exact_percentiles(void **state)
{
	struct histogram h;

	(void)state;
	histogram_init(&h);
	for (uint64_t v = 1; v <= 60; v++)
		assert_int_equal(histogram_add(&h, v, 0), 0);
	assert_true(histogram_percentile(&h, 50) == 30);
	assert_true(histogram_percentile(&h, 90) == 54);
	assert_true(histogram_percentile(&h, 100) == 60);
	histogram_fini(&h);
}

static void merging_gives_what_one_histogram_would_hold(void **state)
{
	struct histogram parts[3], merged, whole;

	(void)state;
	histogram_init(&merged);
	histogram_init(&whole);
	for (int i = 0; i < 3; i++)
		histogram_init(&parts[i]);
	for (int i = 0; i < 3000; i++) {
		uint64_t v = rnd() >> (rnd() % 64);

		assert_int_equal(histogram_add(&parts[i % 3], v, (uint64_t)i), 0);
		assert_int_equal(histogram_add(&whole, v, (uint64_t)i), 0);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(histogram_merge(&merged, &parts[i]), 0);
	assert_true(merged.count == whole.count && merged.sum == whole.sum);
	assert_true(merged.min == whole.min && merged.max == whole.max);
	assert_true(merged.max_at == whole.max_at);
	for (unsigned bin = 0; bin < HISTOGRAM_BINS; bin++)
		assert_true(histogram_bin_count(&merged, bin) == histogram_bin_count(&whole, bin));
	for (int i = 0; i < 3; i++)
		histogram_fini(&parts[i]);
	histogram_fini(&merged);
	histogram_fini(&whole);
}

static void bins_and_powers_of_two_add_up_to_the_count(void **state)
{
	struct histogram h;
	uint64_t log2[64], sum = 0, bins = 0;

	(void)state;
	histogram_init(&h);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(histogram_add(&h, rnd() >> (rnd() % 64), 0), 0);
	assert_int_equal(histogram_add(&h, 0, 0), 0);
	assert_int_equal(histogram_add(&h, 1, 0), 0);
	histogram_log2(&h, log2);
	for (int i = 0; i < 64; i++)
		sum += log2[i];
	for (unsigned bin = 0; bin < HISTOGRAM_BINS; bin++)
		bins += histogram_bin_count(&h, bin);
	assert_true(sum == h.count && bins == h.count);
	assert_true(log2[0] >= 2);
	histogram_fini(&h);
}

/* Some values are pending; they are below, among and above the counted ones. */
static void pending_values_are_included_in_the_figures(void **state)
{
	uint64_t values[70];
	struct histogram h;

	(void)state;
	histogram_init(&h);
	for (unsigned n = 1; n <= 70; n++) {
		uint64_t v = rnd() >> (rnd() % 64);
		unsigned at = n - 1;

		assert_int_equal(histogram_add(&h, v, 0), 0);
		for (; at && values[at - 1] > v; at--)
			values[at] = values[at - 1];
		values[at] = v;
		/* a few values have no counters yet */
		assert_true((h.bins != NULL) == (n >= HISTOGRAM_WAITING));
		for (unsigned rank = 1; rank <= n; rank++) {
			double percent = (rank - 0.5) * 100 / n;
			uint64_t exact = values[rank - 1], got = histogram_percentile(&h, percent);

			assert_true((double)(got > exact ? got - exact : exact - got) <=
				    (double)exact / 128);
		}
	}
	histogram_fini(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(count_sum_min_max_and_the_time_of_the_max_are_exact),
		cmocka_unit_test(every_value_lies_in_its_bin_and_bins_are_in_order),
		cmocka_unit_test(percentiles_are_within_one_percent_of_the_exact_ones),
		cmocka_unit_test(small_values_have_exact_percentiles),
		cmocka_unit_test(merging_gives_what_one_histogram_would_hold),
		cmocka_unit_test(pending_values_are_included_in_the_figures),
		cmocka_unit_test(bins_and_powers_of_two_add_up_to_the_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

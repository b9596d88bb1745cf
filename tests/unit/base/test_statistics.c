/* SPDX-License-Identifier: GPL-2.0-only */
/* Quartiles and the test of Mann and Whitney, against values worked out by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/statistics.h"

static void near(double v, double want)
{
	if (!(fabs(v - want) <= 1e-12 * fmax(1, fabs(want))))
		fail_msg("%.17g, not %.17g", v, want);
}

static void quartiles_lie_between_the_neighbouring_values(void **state)
{
	double four[] = { 4, 1, 3, 2 }, six[] = { 41, 7, 15, 40, 36, 39 }, one[] = { 5 };
	struct statistics_quartiles q;

	(void)state;
	statistics_sort(four, 4);
	q = statistics_quartiles(four, 4); /* places 0.75, 1.5, 2.25 of 0..3 */
	near(q.q1, 1.75);
	near(q.median, 2.5);
	near(q.q3, 3.25);
	statistics_sort(six, 6);
	q = statistics_quartiles(six, 6); /* 7 15 36 39 40 41: places 1.25, 2.5, 3.75 of 0..5 */
	near(q.q1, 20.25);
	near(q.median, 37.5);
	near(q.q3, 39.75);
	q = statistics_quartiles(one, 1);
	near(q.q1, 5);
	near(q.q3, 5);
	assert_true(isnan(statistics_quartiles(one, 0).median));
	near(statistics_quantile(six, 6, 0), 7);
	near(statistics_quantile(six, 6, 1), 41);
}

#define P(a, b) p_of(a, sizeof(a) / sizeof(*(a)), b, sizeof(b) / sizeof(*(b)))
static double p_of(const double *a, size_t n_a, const double *b, size_t n_b)
{
	double p, other;

	assert_int_equal(statistics_mann_whitney(&p, a, n_a, b, n_b), 0);
	assert_int_equal(statistics_mann_whitney(&other, b, n_b, a, n_a), 0);
	near(other, p); /* whichever comes first */
	return p;
}

static void ranks_of_small_groups_are_counted_out(void **state)
{
	const double low[] = { 1, 2, 3 }, high[] = { 4, 5, 6 };
	const double odd[] = { 5, 1, 3 }, even[] = { 2, 6, 4 };
	const double five[] = { 11, 12, 13, 14, 15 }, more[] = { 21, 22, 23, 24, 25 };
	const double once[] = { 1 }, twice[] = { 2, 3 };

	(void)state;
	near(P(low, high), 2.0 / 20);  /* one of the 20 ways to choose 3 of 6 has the sum 6 */
	near(P(odd, even), 14.0 / 20); /* ranks 1 3 5: of sums to 9 there are 7: 6 7 8 8 9 9 9 */
	near(P(five, more), 2.0 / 252);
	near(P(once, twice), 2.0 / 3);
}

static void ties_share_their_ranks(void **state)
{
	/* 1 | 2 2 2 | 3 | 4 have the ranks 1 3 3 3 5 6: sums to 7 are 1 + 3 + 3, in 3 ways of 20 */
	const double a[] = { 1, 2, 2 }, b[] = { 2, 3, 4 };
	const double same[] = { 7, 7, 7, 7 }, half[] = { 0, 0, 0, 1 };
	/* ranks 4 (seven times) and 8: the sum is 20 in 35 ways of 70, 16 in the others */
	const double zeros[] = { 0, 0, 0, 0 };

	(void)state;
	near(P(a, b), 6.0 / 20);
	near(P(same, same), 1);
	near(P(half, zeros), 1);
}

static void many_values_go_by_the_normal_distribution(void **state)
{
	double a[21], b[21], even[21], p;

	(void)state;
	for (int i = 0; i < 21; i++) {
		a[i] = i;
		b[i] = 100 + i;
		even[i] = i + 0.5;
	}
	/* U is 0 of 441: 220 from the middle; variance 21 * 21 * 43 / 12 */
	p = P(a, b);
	near(p / erfc(220 / sqrt(1580.25) / sqrt(2)), 1);
	assert_true(p > 3.1e-8 && p < 3.2e-8);
	/* every value of the second is above one more of the first: U is 210 = 220.5 - 10.5 */
	near(P(a, even), erfc(10 / sqrt(1580.25) / sqrt(2)));
	/* 20 and 20 are counted: of two groups apart 2 of 40 over 20 ways */
	assert_int_equal(statistics_mann_whitney(&p, a, 20, b, 20), 0);
	near(p / (2 / 137846528820.0), 1);
}

static void the_smallest_p_is_that_of_groups_apart(void **state)
{
	double p;
	const double one = 1;

	(void)state;
	near(statistics_mann_whitney_least(1, 1), 1);
	near(statistics_mann_whitney_least(2, 2), 2.0 / 6);
	near(statistics_mann_whitney_least(3, 3), 2.0 / 20);
	near(statistics_mann_whitney_least(4, 4), 2.0 / 70);
	near(statistics_mann_whitney_least(5, 5), 2.0 / 252);
	near(statistics_mann_whitney_least(1, 5), 2.0 / 6);
	near(statistics_mann_whitney_least(0, 5), 1);
	assert_int_equal(statistics_mann_whitney(&p, &one, 1, &one, 0), 0);
	assert_true(isnan(p));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quartiles_lie_between_the_neighbouring_values),
		cmocka_unit_test(ranks_of_small_groups_are_counted_out),
		cmocka_unit_test(ties_share_their_ranks),
		cmocka_unit_test(many_values_go_by_the_normal_distribution),
		cmocka_unit_test(the_smallest_p_is_that_of_groups_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

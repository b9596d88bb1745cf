/* SPDX-License-Identifier: GPL-2.0-only */
/* What relates a recording to those of the host and of guests: steal time, TSC offsets of vCPUs,
 * the TSC and the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/host/ties.h"

static const char *text(struct buf *b)
{
	buf_u8(b, 0);
	assert_false(b->failed);
	return (const char *)b->data;
}

static void steal_is_the_eighth_number_of_each_cpu(void **state)
{
	struct buf b = { 0 };

	(void)state;
	/* The sum of all CPUs, kernels before 2.6.11 without steal, and other lines are skipped. */
	ties_steal(&b,
		   "cpu  117 0 1933 27288 0 0 881 1917 0 0\n"
		   "cpu0 59 0 959 13465 0 0 480 1264 0 0\n"
		   "cpu3 58 0 973 13822 0 0 400 652 0 0\n"
		   "cpu4 58 0 973 13822\n"
		   "intr 7 1 2 3 4 5 6 7 8\n",
		   100);
	assert_string_equal(text(&b), "0:12640000000 3:6520000000");
	buf_fini(&b);
}

static void put(const char *path, const char *content)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(content, f);
	fclose(f);
}

static void offsets_and_threads_of_vcpus_are_read_from_debugfs(void **state)
{
	char folder[] = "/tmp/test_ties.XXXXXX", command[64];
	struct ties_vcpus v = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkdir("405-10", 0755) | mkdir("405-10/vcpu0", 0755) |
				 mkdir("405-10/vcpu10", 0755) | mkdir("405-10/vcpu2", 0755) |
				 mkdir("97-5", 0755) | mkdir("97-5/vcpu0", 0755),
			 0);
	put("405-10/vcpu0/pid", "418\n");
	put("405-10/vcpu0/tsc-offset", "-403909235244\n");
	put("405-10/vcpu2/pid", "420\n");
	put("405-10/vcpu2/tsc-offset", "-403909235244\n");
	put("405-10/vcpu2/tsc-scaling-ratio", "6442450944\n");
	put("405-10/vcpu2/tsc-scaling-ratio-frac-bits", "32\n");
	put("405-10/vcpu10/pid", "421\n");
	put("405-10/vcpu10/tsc-offset", "12 monkeys\n"); /* no number */
	put("405-10/exits", "7\n");
	put("halt_exits", "7\n");
	put("97-5/vcpu0/tsc-offset", "0\n"); /* before Linux 5.19: without pid */
	ties_vcpus(&v, folder);
	assert_string_equal(text(&v.tids), "405 0 418\n405 2 420\n405 10 421");
	assert_string_equal(text(&v.offsets), "97 0 0\n405 0 -403909235244\n"
					      "405 2 -403909235244 6442450944 32");
	buf_fini(&v.tids);
	buf_fini(&v.offsets);
	ties_vcpus(&v, "/nonexistent");
	assert_int_equal(v.tids.len + v.offsets.len, 0);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

static void the_tsc_is_read_around_the_clock(void **state)
{
#if defined(__x86_64__) || defined(__i386__)
	struct clock *c = clock_open(true, CLOCK_MONOTONIC_RAW);
	struct clock_tsc_pair a, b;
	struct clock_conversion by;
	uint64_t ticks, ns;

	(void)state;
	assert_non_null(c);
	assert_false(clock_conversion(c, &by)); /* the kernel converts perf's own clock only */
	assert_true(clock_tsc_pair(c, &a));
	usleep(20000);
	assert_true(clock_tsc_pair(c, &b));
	assert_true(a.before < a.after && a.after < b.before && b.before < b.after);
	/* Between 100 MHz and 10 GHz. */
	ticks = b.before - a.after;
	ns = b.clock_ns - a.clock_ns;
	assert_true(ticks * 10 > ns && ticks < ns * 10);
	clock_close(c);
#else
	struct clock *c = clock_open(true, CLOCK_MONOTONIC_RAW);
	struct clock_tsc_pair a;

	(void)state;
	assert_false(clock_tsc_pair(c, &a));
	clock_close(c);
#endif
}

static void the_frequency_is_that_of_the_conversion(void **state)
{
	(void)state;
	assert_int_equal(info_tsc_khz(878177271, 31), 2445387); /* 1e6 * 2^31 / mult, rounded */
	assert_int_equal(info_tsc_khz(0, 31), 0);
	assert_int_equal(info_tsc_khz(1, 63), 0);
	assert_int_equal(info_tsc_khz(1, 64), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steal_is_the_eighth_number_of_each_cpu),
		cmocka_unit_test(offsets_and_threads_of_vcpus_are_read_from_debugfs),
		cmocka_unit_test(the_tsc_is_read_around_the_clock),
		cmocka_unit_test(the_frequency_is_that_of_the_conversion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - reads the clock of the samples from user space.
 *
 * No system call returns perf's own clock. But renaming a task makes a record with a time stamp of
 * that clock: a task that is renamed to its present name reads the clock, on any machine.
 *
 * Threads    a clock belongs to the thread that opened it
 * Units      ns
 */
#ifndef CAPTURE_HOST_CLOCK_H
#define CAPTURE_HOST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock;

/* clock_open - returns NULL when the clock cannot be read. */
struct clock *clock_open(bool use_clockid, int clockid);
void clock_close(struct clock *c);
/* clock_now - returns the time; 0 when it cannot be read. */
uint64_t clock_now(struct clock *c);

/* clock_pair - reads the wall clock and this clock at the same moment; false when it cannot. */
bool clock_pair(struct clock *c, uint64_t *wall_ns, uint64_t *clock_ns);

/* The kernel's conversion of the TSC to perf's own clock: zero_ns + (tsc * mult >> shift), the
 * product with 128 bits (perf_event_open(2), cap_user_time_zero). */
struct clock_conversion {
	uint64_t zero_ns;
	uint32_t mult;
	unsigned shift;
};

/* clock_conversion - false when the kernel does not publish it: other clocks, unstable TSC, a
 * paravirtual sched_clock as kvm-clock's. */
bool clock_conversion(const struct clock *c, struct clock_conversion *by);

/* The TSC before and after a reading of the clock. */
struct clock_tsc_pair {
	uint64_t before, after, clock_ns;
};

/* clock_tsc_pair - the tightest of several readings; false without a TSC. */
bool clock_tsc_pair(struct clock *c, struct clock_tsc_pair *pair);

/* clock_wall_ns - reads CLOCK_REALTIME. */
uint64_t clock_wall_ns(void);

/* clock_find - finds a clock by name, "CLOCK_MONOTONIC", "mono", "raw", ... as of perf's -k; false
 * for other names. */
bool clock_find(const char *name, int *clockid);

#endif

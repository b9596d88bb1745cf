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

/* clock_wall_ns - reads CLOCK_REALTIME. */
uint64_t clock_wall_ns(void);

/* clock_find - finds a clock by name, "CLOCK_MONOTONIC", "mono", "raw", ... as of perf's -k; false
 * for other names. */
bool clock_find(const char *name, int *clockid);

#endif

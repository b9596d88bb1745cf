/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - the clock of the samples, read from user space.
 *
 * perf's own clock is in no system call. But a task that is renamed makes a record with the
 * clock's time: renamed to what it is called already, it reads the clock, on any machine.
 *
 * Threads    a clock belongs to the thread that opened it
 * Units      ns
 */
#ifndef CAPTURE_CLOCK_H
#define CAPTURE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct clock;

/* clock_open - NULL when it cannot be read. */
struct clock *clock_open(bool use_clockid, int clockid);
void clock_close(struct clock *c);
/* clock_now - 0 when there is no time. */
uint64_t clock_now(struct clock *c);

/* clock_pair - wall clock and this clock at the same moment; false when it cannot be told. */
bool clock_pair(struct clock *c, uint64_t *wall_ns, uint64_t *clock_ns);

/* clock_wall_ns - CLOCK_REALTIME. */
uint64_t clock_wall_ns(void);

/* clock_name - "CLOCK_MONOTONIC", "mono", "raw", ... as perf's -k; false for none of them. */
bool clock_find(const char *name, int *clockid);

#endif

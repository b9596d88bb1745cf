/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - perf's events that are no tracepoints: their names, and whether this machine has them.
 *
 * Threads    any, but event_pfm() one at a time
 */
#ifndef CAPTURE_HOST_EVENTS_H
#define CAPTURE_HOST_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>

/* event_known - fills in an event of the kernel or a PMU by its perf name, with modifiers; false: no
 * such event. event_pfm - by a name that libpfm4 has for this processor, if it is installed. */
bool event_known(const char *name, struct perf_event_attr *attr);
bool event_pfm(const char *name, struct perf_event_attr *attr);

/* event_open - perf_event_open(2): a descriptor, or -1 and errno. */
int event_open(struct perf_event_attr *attr, int tid, int cpu, int group);
/* event_is_uncountable - whether the errno @code means that this machine lacks the event. */
bool event_is_uncountable(int code);
/* event_try - opens the event, disabled, as perf does: with less precision when the PMU has not as
 * much, without the exclusion of guests when it cannot exclude, and, if @user_only is not NULL, without
 * the kernel when the user may not count it. Changes @attr and *user_only accordingly. A descriptor,
 * or a negative errno. */
int event_try(struct perf_event_attr *attr, int tid, int cpu, bool *user_only);

#endif

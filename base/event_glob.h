/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * event_glob.h - how an event is named by people: -e of every command.
 *
 * Threads    no state
 */
#ifndef BASE_EVENT_GLOB_H
#define BASE_EVENT_GLOB_H

#include <stdbool.h>

/* event_glob - whether @glob is of the event @name, "sched:sched_switch": a pattern of the whole name; without a colon
 * one of what follows the colon, or the system's name, which is all of its events (as trace-cmd takes it). Samples
 * (base/sampled.h) are named as by perf, too: "cycles:u". */
bool event_glob(const char *glob, const char *name);

#endif

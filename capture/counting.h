/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counting.h - how often events happen, program by program, as perf stat counts them.
 *
 * On each CPU the events are a group whose leader is sched:sched_switch: each switch makes a sample with all counters,
 * and what they grew by since the one before belongs to the task that ran. So no thread is asked, none is missed,
 * and nothing runs per event.  A program is called by its comm.
 *
 * Signals    counting_run() blocks SIGINT, SIGTERM and SIGCHLD and answers them
 * Failure    0 or a negative code with *err filled
 * Ownership  counting_open() gives, counting_close() takes (NULL is fine)
 */
#ifndef CAPTURE_COUNTING_H
#define CAPTURE_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

/* Of whom nobody knows: a CPU that never switched, switches that were lost. */
#define COUNTING_UNKNOWN "[unknown]"
#define COUNTING_IDLE "swapper"
#define COUNTING_EVENTS_MOST 64

struct counting;

struct counting_figure {
	uint64_t value; /* extrapolated by enabled / running where counters took turns */
	uint64_t count; /* as counted */
};
struct counting_times {
	uint64_t enabled_ns, running_ns; /* over all CPUs */
};

/* counting_open - the events, disabled: names as of perf stat, tracepoints, r and a raw code. -EPERM and -EACCES when it is not
 * allowed; an event that this machine cannot count is told by name. */
int counting_open(struct counting **out, const char *const *events, size_t n,
		  struct cdict_error *err);
/* counting_run - counts until @seconds passed (0: without end), @command (or NULL) ended, or a signal came. */
int counting_run(struct counting *c, double seconds, const char *const *command,
		 struct cdict_error *err);
void counting_close(struct counting *c);

/* What was counted. */
size_t counting_events(const struct counting *c);
const char *counting_event(const struct counting *c, size_t event);
struct counting_times counting_times(const struct counting *c, size_t event);
size_t counting_names(const struct counting *c);
const char *counting_name(const struct counting *c, size_t name);
struct counting_figure counting_at(const struct counting *c, size_t name, size_t event);
/* counting_switches - that were seen; *lost: records that did not fit into a ring. */
uint64_t counting_switches(const struct counting *c, uint64_t *lost);
uint32_t counting_cpus(const struct counting *c);
double counting_seconds(const struct counting *c);
/* counting_status - the command's, as a shell tells it; 0: there was none. */
int counting_status(const struct counting *c);

/* The kernel's number of an event that perf calls so; false: it is none of these. */
struct perf_event_attr;
bool counting_event_known(const char *name, struct perf_event_attr *attr);

#endif

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
struct counting_event {
	const char *name; /* borrowed */
	uint32_t type;
	uint64_t config, config1, config2;
	bool switches; /* counted by the leader: the kernel counts one after the switch, for the next task */
	uint64_t enabled_ns, running_ns; /* over all CPUs */
};
/* Borrowed. */
struct counting_result {
	const struct counting_event *events;
	size_t n_events;
	const char *const *names; /* of programs */
	size_t n_names;
	const struct counting_figure *figures; /* [name][event] */
	uint64_t switches;                     /* that were seen */
	uint64_t lost;                         /* records that did not fit into a ring */
	uint32_t cpus;
	double seconds;
	int status; /* the command's, as a shell tells it; 0: there was none */
};

/* counting_open - the events, disabled: names as of perf stat, tracepoints, r and a raw code. -EPERM and -EACCES when it is not
 * allowed; an event that this machine cannot count is told by name. */
int counting_open(struct counting **out, const char *const *events, size_t n,
		  struct cdict_error *err);
/* counting_run - counts until @seconds passed (0: without end), @command (or NULL) ended, or a signal came. */
int counting_run(struct counting *c, double seconds, const char *const *command,
		 struct cdict_error *err);
void counting_close(struct counting *c);

/* counting_result - what was counted. */
struct counting_result counting_result(const struct counting *c);

/* The kernel's number of an event that perf calls so; false: it is none of these. */
struct perf_event_attr;
bool counting_event_known(const char *name, struct perf_event_attr *attr);

#endif

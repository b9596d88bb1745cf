/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counting.h - counts events per program, in the form of perf stat.
 *
 * On each CPU the events form a group whose leader is sched:sched_switch: each switch makes a
 * sample with all counters, and the difference from the previous one is attributed to the task that
 * ran. So no thread needs to be opened, none is missed, and there is no overhead per event. A
 * program is identified by its comm.
 *
 * Signals    counting_run() blocks and handles SIGINT, SIGTERM and SIGCHLD
 * Failure    0 or a negative code with *err filled
 * Ownership  counting_open() gives, counting_close() takes (NULL is fine)
 */
#ifndef CAPTURE_COUNT_COUNTING_H
#define CAPTURE_COUNT_COUNTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

/* Program of unattributed counts: a CPU that never switched, lost switches. */
#define COUNTING_UNKNOWN "[unknown]"
#define COUNTING_IDLE "swapper"
#define COUNTING_EVENTS_MOST 64

struct counting;

struct counting_figure {
	uint64_t value; /* scaled by enabled / running where counters were multiplexed */
	uint64_t count; /* unscaled */
};
struct counting_event {
	const char *name; /* borrowed */
	uint32_t type;
	uint64_t config, config1, config2;
	bool switches; /* the leader's: a switch is counted after its sample, for the next task */
	uint64_t enabled_ns, running_ns; /* over all CPUs */
};
/* The result; everything in it is borrowed. */
struct counting_result {
	const struct counting_event *events;
	size_t n_events;
	const char *const *names; /* program names */
	size_t n_names;
	const struct counting_figure *figures; /* [name][event] */
	uint64_t switches;                     /* switches read */
	uint64_t lost;                         /* samples that did not fit into a ring */
	uint32_t cpus;
	double seconds;
	int status; /* exit status of the command, as in a shell; 0: no command */
};

/* counting_open - opens the events, disabled: names as of perf stat, tracepoints, r and a raw code.
 * -EPERM and -EACCES when not permitted; the error names an event that this machine cannot
 * count. */
int counting_open(struct counting **out, const char *const *events, size_t n,
		  struct cdict_error *err);
/* counting_run - counts until @seconds passed (0: no limit), @command (or NULL) ended, or a signal came. */
int counting_run(struct counting *c, double seconds, const char *const *command,
		 struct cdict_error *err);
void counting_close(struct counting *c);

/* counting_result - returns the counts. */
struct counting_result counting_result(const struct counting *c);

/* Fills in an event of the kernel or a PMU by its perf name; false: no such event. */
struct perf_event_attr;
bool counting_event_known(const char *name, struct perf_event_attr *attr);

#endif

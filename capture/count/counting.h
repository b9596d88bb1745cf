/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counting.h - counts events per program, in the form of perf stat.
 *
 * Tasks      of a command or of given threads, with their children: each event is opened for each
 *            task on each CPU and inherited; a child's counts come when it ends (PERF_RECORD_READ, as
 *            of perf record -s), and what is left belongs to the first task. So the sum is perf
 *            stat's, whatever else runs, and several may count at once.
 * Machine    on each CPU the events form a group whose leader is sched:sched_switch: each switch
 *            makes a sample with all counters, and the difference from the previous one is attributed
 *            to the task that ran. So no thread needs to be opened, none is missed, and there is no
 *            overhead per event.
 *
 * A program is identified by its comm.
 *
 * Signals    counting_run() blocks and handles SIGINT, SIGTERM and SIGCHLD
 * Failure    0 or a negative code with *err filled
 * Ownership  counting_open() gives, counting_close() takes (NULL is fine)
 */
#ifndef CAPTURE_COUNT_COUNTING_H
#define CAPTURE_COUNT_COUNTING_H

#include <linux/perf_event.h>
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
	const char *name;            /* borrowed */
	struct perf_event_attr attr; /* what to count */
	bool user_only;              /* without the kernel's part: this user may not count it */
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
	const char *const *uncountable;        /* events that this machine cannot count */
	size_t n_uncountable;
	bool machine;      /* all tasks were counted */
	uint64_t switches; /* of the machine: switches read */
	uint64_t lost;     /* records that did not fit into a ring */
	uint32_t cpus;
	double seconds;
	int status; /* exit status of the command, as in a shell; 0: no command */
};

struct counting_options {
	const char *const *events;
	size_t n;
	const char *const *command; /* or NULL; ends the run */
	const int32_t *tids;        /* counts these threads and their children */
	size_t n_tids;
	bool machine;   /* counts all tasks; otherwise those of @command and @tids */
	double seconds; /* 0: no limit */
	/* Called when everything is open, before counting begins, with signals blocked; or NULL. May set
	 * another duration; a code ends the run. */
	int (*ready)(void *ctx, double *seconds, struct cdict_error *err);
	void *ctx;
};

/* counting_open - finds the events: names as of perf stat, with modifiers, tracepoints, PMU events,
 * raw codes, and libpfm4's names. Unknown events are an error that lists them, as is a machine that
 * can count none of them; -EPERM and -EACCES when not permitted. */
int counting_open(struct counting **out, const struct counting_options *o, struct cdict_error *err);
/* counting_run - counts until the time passed, the command or all threads ended, or a signal came. */
int counting_run(struct counting *c, struct cdict_error *err);
void counting_close(struct counting *c);

/* counting_result - returns the counts. */
struct counting_result counting_result(const struct counting *c);

/* counting_lock_machine - lets one process at a time count this machine, until the descriptor *out is
 * closed, or this process ends: -EBUSY when another does. Any other failure: *out is -1, and others cannot be detected. */
int counting_lock_machine(int *out, struct cdict_error *err);

#endif

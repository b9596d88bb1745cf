/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * stacks.h - times off the CPU, exits, wake-ups and switches by the call chain of their event, in
 * captures with call chains (cdict/stack.h).
 *
 * Counts and clips like analyze/sched/tasks.h and analyze/kvm/exits.h, so that the rows of a task
 * add up to its figures there.
 *
 * Units      *_ns durations
 * Ownership  rows are borrowed and die with the analysis
 */
#ifndef ANALYZE_SCHED_STACKS_H
#define ANALYZE_SCHED_STACKS_H

#include "analyze/walk/engine.h"
#include "cdict/stack.h"

struct analyze_exits;
struct analyze_stacks;

enum analyze_stacks_by {
	ANALYZE_STACKS_OFF_CPU = 0, /* time from the switch-out with the stack to the switch-in */
	ANALYZE_STACKS_EXITS,       /* time from the kvm_exit with the stack to the kvm_entry */
	ANALYZE_STACKS_WAKEUPS,     /* by the waker's stack */
	ANALYZE_STACKS_SWITCHES,    /* by the stack of the task that was switched out */
	ANALYZE_STACKS_SAMPLES,     /* samples of one hardware, software or cache event */
	ANALYZE_STACKS_N,
};

/* One row per task, stack and waker or reason. */
struct analyze_stack_row {
	uint32_t task;  /* off the CPU, vCPU, woken, switched out, sampled */
	uint32_t stack; /* of the capture, or CDICT_NO_STACK */
	/* WAKEUPS: the task running on the waker's CPU, or ANALYZE_NO_TASK */
	uint32_t waker;
	/* EXITS: the exit reason, as in struct analyze_exit_row */
	uint32_t isa;
	uint64_t reason;
	uint64_t count;  /* that ended in the window; WAKEUPS, SWITCHES: in the window */
	uint64_t ns;     /* OFF_CPU: time in the window; EXITS: of exits that ended in it */
	uint64_t period; /* SAMPLES: the events that they stand for */
};

/* analyze_stacks_new - registers itself, for EXITS an analyze_exits too. The walk covers the whole
 * capture, in one thread: an interval that began before a window has its stack there. */
int analyze_stacks_new(struct analyze_stacks **out, struct analyze_engine *eng,
		       enum analyze_stacks_by by, struct cdict_error *err);
void analyze_stacks_free(struct analyze_stacks *s);
/* analyze_stacks_event - for SAMPLES: only those of the schema's type @type; before the run. */
void analyze_stacks_event(struct analyze_stacks *s, uint32_t type);

/* Rows with events in the window, in order of task. */
size_t analyze_stacks_count(const struct analyze_stacks *s);
const struct analyze_stack_row *analyze_stacks_at(const struct analyze_stacks *s, size_t i);
enum analyze_stacks_by analyze_stacks_by(const struct analyze_stacks *s);
/* analyze_stacks_reason - for EXITS: the name of the exit reason of @row; *idle: whether the guest
 * was idle. */
const char *analyze_stacks_reason(const struct analyze_stacks *s,
				  const struct analyze_stack_row *row, bool *idle);

#endif

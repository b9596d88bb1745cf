/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * choose.h - which tracepoints are recorded, and with which filters.
 *
 * Failure    negative code with *err filled: CDICT_EUSAGE for what the user asked for wrongly
 * Ownership  choice_fini() empties what choice_*() filled
 */
#ifndef CAPTURE_CHOOSE_H
#define CAPTURE_CHOOSE_H

#include <stdbool.h>

#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "cdict/schema.h"

/* The modifiers of an event, as perf's :u, :k, :h, :G and :H. */
enum choice_not {
	CHOICE_NOT_USER = 1,
	CHOICE_NOT_KERNEL = 2,
	CHOICE_NOT_HV = 4,
	CHOICE_NOT_HOST = 8,
	CHOICE_NOT_GUEST = 16,
};

struct chosen {
	char *name; /* "sched:sched_switch" */
	char *system, *event;
	char *format; /* the kernel's text */
	size_t format_len;
	uint32_t id;
	char *filter;  /* the user's, or NULL */
	int type;      /* index in the schema */
	unsigned not ; /* enum choice_not: in what the CPU must not be when it happens */
};

struct choice {
	char *root; /* tracefs */
	ARRAY(struct chosen) events;
	size_t last; /* first event of the last choice_add(): what a filter is for */
	struct buf
		missing; /* patterns and defaults that this kernel has nothing of, ", " between them */
};

int choice_init(struct choice *c, struct cdict_error *err);
void choice_fini(struct choice *c);

/* choice_defaults - what the views need: see choose.c for the list. */
int choice_defaults(struct choice *c, struct cdict_error *err);
/* choice_add - every event that matches one of the globs in @list, "sched:*,kvm:kvm_exit", as perf takes
 * them: a name without a system, or a system's (all of its events), modifiers ("sched:sched_switch:k"), groups ("{a,b}"). A pattern that nothing
 * matches is in c->missing, a name is a failure. */
int choice_add(struct choice *c, const char *list, struct cdict_error *err);
/* choice_filter - the filter of the events that the last choice_add() named; as perf's --filter,
 * a second one is joined with &&. */
int choice_filter(struct choice *c, const char *filter, struct cdict_error *err);

/* choice_schema - the event types, in the order of the events. Given. */
int choice_schema(struct choice *c, struct cdict_schema **schema, struct cdict_error *err);

/* choice_full_filter - the filter of @ev, which leaves out what the tasks @own (ascending)
 * do to themselves; appended to @out, empty when there is none. */
void choice_full_filter(const struct chosen *ev, const int32_t *own, size_t n_own, struct buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * choose.h - chooses the events to record: tracepoints and their filters, and events that are sampled
 * (cycles, cpu-clock).
 *
 * Failure    negative code with *err filled: CDICT_EUSAGE for a mistake of the user
 * Ownership  choice_fini() empties what choice_*() filled
 */
#ifndef CAPTURE_HOST_CHOOSE_H
#define CAPTURE_HOST_CHOOSE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "cdict/schema.h"

/* The modifiers of an event: perf's :u, :k, :h, :G and :H. */
enum choice_not {
	CHOICE_NOT_USER = 1,
	CHOICE_NOT_KERNEL = 2,
	CHOICE_NOT_HV = 4,
	CHOICE_NOT_HOST = 8,
	CHOICE_NOT_GUEST = 16,
};

/* perf record's default. */
#define CHOICE_FREQ 4000u
/* As many as the kernel permits. */
#define CHOICE_FREQ_MOST UINT64_MAX

/* Of the option that was given. */
#define CHOICE_NOT_SAMPLED "option --%s: tracepoints are not sampled: every event is recorded"

struct chosen {
	char *name; /* "sched:sched_switch", "sample:cycles:u" */
	char *system, *event;
	bool sampled;                /* no tracepoint: */
	struct perf_event_attr attr; /* what to sample */
	char *format;                /* tracepoints: the kernel's format text */
	size_t format_len;
	uint32_t id;
	char *filter;  /* given by the user, or NULL */
	int type;      /* index in the schema */
	unsigned not ; /* enum choice_not: CPU modes in which it is not recorded */
};

struct choice {
	char *root; /* mount point of tracefs */
	ARRAY(struct chosen) events;
	bool samples; /* choice_add() takes events that are no tracepoints */
	size_t last;  /* first event of the last choice_add(), to which a filter applies */
	struct buf
		missing; /* patterns and defaults with no match in this kernel, separated by ", " */
	size_t n_sampled;
};

int choice_init(struct choice *c, struct cdict_error *err);
void choice_fini(struct choice *c);

/* choice_defaults - adds the events that the tables and pictures need: see choose.c for the
 * list. */
int choice_defaults(struct choice *c, struct cdict_error *err);
/* choice_add - adds every event that matches one of the globs in @list, "sched:*,kvm:kvm_exit",
 * with perf's syntax: a name without a system, a system's name (all of its events), modifiers
 * ("sched:sched_switch:k"), groups ("{a,b}"). A pattern without a match goes to c->missing; a name
 * without a match is an error. With c->samples, also events that are no tracepoints (events.h). */
int choice_add(struct choice *c, const char *list, struct cdict_error *err);
/* choice_sampling - sets how often the events that are no tracepoints are sampled. Those that this machine
 * cannot sample are removed, and listed in @lacks, each in quotes. */
struct choice_sampling {
	uint64_t period; /* events per sample; 0: as many that there are @freq samples a second */
	uint64_t freq;   /* 0: CHOICE_FREQ, or as many as the kernel permits */
	int tid, cpu;    /* to be tried with, as in perf_event_open() */
};
int choice_sampling(struct choice *c, const struct choice_sampling *how, struct buf *lacks,
		    struct cdict_error *err);
/* choice_filter - sets the filter of the events that the last choice_add() named; like perf's
 * --filter, a second one is joined with &&. */
int choice_filter(struct choice *c, const char *filter, struct cdict_error *err);

/* choice_schema - makes the schema of the event types, in the order of the events. Given. */
int choice_schema(struct choice *c, struct cdict_schema **schema, struct cdict_error *err);

/* choice_full_filter - appends the filter of @ev to @out, nothing if there is none; it also
 * excludes what the tasks @own (ascending) do to themselves. */
void choice_full_filter(const struct chosen *ev, const int32_t *own, size_t n_own, struct buf *out);

#endif

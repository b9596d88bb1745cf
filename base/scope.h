/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * scope.h - what of a machine a recording saw: all of it, some CPUs, some tasks.
 *
 * perf keeps it in the recorder's command line only, and in a few bits of its attrs. So whoever makes
 * a cdict reads it from there, and puts it into the file (INFO record.scope, cdict(5)); files without
 * that key are told by perf.cmdline.
 *
 * Ownership  caller's storage, nothing is allocated
 */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "cdict/reader.h"

enum scope_whom { SCOPE_SYSTEM = 0, SCOPE_CPUS, SCOPE_TASKS };

struct scope {
	enum scope_whom whom;
	bool overwritten; /* rings that keep their latest: each CPU begins where its ring does */
	bool filtered;    /* not every sched_switch: there is a filter on it */
	bool no_inherit;  /* of some tasks: what they start is not recorded */
	bool late;        /* -D: recording began some time after the recorder */
	bool foreign;     /* the recorder counted pids in a namespace of its own */
	/* Up to then the recorder went from CPU to CPU and switched its events on: a CPU without an event begins
	 * with its first one, or then.  0: all at once, as far as is known. */
	uint64_t begins_ns;
};

/* scope_of_words - by the words of a perf record command line; of none: SCOPE_SYSTEM.
 * @online: how many CPUs the machine has, 0 not known: -C of as many is all of them. */
void scope_of_words(struct scope *s, const char *const *words, size_t n, unsigned long online);

/* scope_read - by the values of INFO record.scope and perf.cmdline, either may be NULL;
 * @by_cpus: the file has record.cpus, so the recorder was cdict record. */
void scope_read(struct scope *s, const char *text, const char *cmdline, bool by_cpus);

static inline void scope_of_reader(struct scope *s, const struct cdict_reader *r)
{
	scope_read(s, cdict_reader_info(r, "record.scope"), cdict_reader_info(r, "perf.cmdline"),
		   cdict_reader_info(r, "record.cpus") != NULL);
}

/* scope_text - the value of record.scope: "tasks no-inherit", "system begins=1000". */
enum { SCOPE_TEXT_MAX = 112 };
const char *scope_text(char room[SCOPE_TEXT_MAX], const struct scope *s);

/* scope_whom_name - "system", "cpus", "tasks". */
const char *scope_whom_name(enum scope_whom whom);

#endif

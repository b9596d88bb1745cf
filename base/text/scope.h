/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * scope.h - what a recording covers: the whole system, some CPUs, or some tasks.
 *
 * perf stores this only in the recorder's command line, and in a few bits of its attrs. Writers of a
 * cdict parse it from there and store it in the file (INFO record.scope, cdict(5)); for files without
 * that key, readers parse perf.cmdline.
 *
 * Ownership  caller's storage, nothing is allocated
 */
#ifndef BASE_TEXT_SCOPE_H
#define BASE_TEXT_SCOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "cdict/reader.h"

enum scope_kind { SCOPE_SYSTEM = 0, SCOPE_CPUS, SCOPE_TASKS };

struct scope {
	enum scope_kind kind;
	bool overwritten; /* overwritten rings: each CPU starts where its ring does */
	bool filtered;    /* not every sched_switch: it has a filter */
	bool no_inherit;  /* some tasks: their children are not recorded */
	bool late;        /* -D: recording started some time after the recorder */
	bool foreign;     /* the recorder's pids are those of a PID namespace */
	/* Until then the recorder enabled its events CPU by CPU: a CPU starts with its first event, or at this
	 * time if it has none.  0: all at once, as far as known. */
	uint64_t begins_ns;
};

/* scope_of_words - from the words of a perf record command line; without one: SCOPE_SYSTEM.
 * @online: number of CPUs of the machine, 0 unknown: -C with as many means all. */
void scope_of_words(struct scope *s, const char *const *words, size_t n, unsigned long online);

/* scope_read - from the values of INFO record.scope and perf.cmdline, either may be NULL;
 * @by_cpus: the file has record.cpus, so cdict record wrote it. */
void scope_read(struct scope *s, const char *text, const char *cmdline, bool by_cpus);

static inline void scope_of_reader(struct scope *s, const struct cdict_reader *r)
{
	scope_read(s, cdict_reader_info(r, "record.scope"), cdict_reader_info(r, "perf.cmdline"),
		   cdict_reader_info(r, "record.cpus") != NULL);
}

/* scope_text - the value of record.scope: "tasks no-inherit", "system begins=1000". */
enum { SCOPE_TEXT_MAX = 112 };
const char *scope_text(char room[SCOPE_TEXT_MAX], const struct scope *s);

/* scope_kind_name - "system", "cpus", "tasks". */
const char *scope_kind_name(enum scope_kind kind);

#endif

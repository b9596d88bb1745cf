/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * info.h - the properties of a file, printed as text or JSON.
 *
 * Ownership  caller's storage: the reader is borrowed; info_fini() empties
 */
#ifndef TABLES_INFO_INFO_H
#define TABLES_INFO_INFO_H

#include "base/text/sink.h"
#include "cdict/reader.h"

struct info {
	const char *file;
	const struct cdict_reader *reader;
	uint64_t *events;              /* per event type */
	uint64_t counted;              /* events that could be read */
	size_t n_threads, n_processes; /* distinct tids and pids named by the recorder */
	uint64_t first_ns, last_ns;    /* the window, valid when any_event */
	bool any_event;
	bool verified;    /* --verify: every block was read and checked */
	bool labels;      /* --labels */
	bool all_types;   /* -v: also types without events, and lines of any length */
	unsigned columns; /* width of the terminal; 0: no terminal */
};

/* info_init - counts; 0 or -ENOMEM. The caller sets verified, labels and all_types. */
int info_init(struct info *info, const struct cdict_reader *r, const char *file);
void info_fini(struct info *info);

/* info_wall - the wall clock of @t_ns, ns since 1970; false when the capture does not have it. */
bool info_wall(const struct cdict_reader *r, uint64_t t_ns, uint64_t *wall_ns);

void info_print_text(struct sink *s, const struct info *info);
void info_print_json(struct sink *s, const struct info *info);

#endif

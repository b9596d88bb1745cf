/* SPDX-License-Identifier: GPL-2.0-only */
/* info.h - what `cdict info` knows of a file, and its two ways of telling. */
#ifndef CMD_INFO_H
#define CMD_INFO_H

#include "base/sink.h"
#include "cdict/reader.h"

struct info {
	const char *file;
	struct cdict_reader *reader;
	uint64_t *events;              /* per event type */
	uint64_t counted;              /* events that could be read */
	size_t n_threads, n_processes; /* distinct tids and pids that the recorder named */
	uint64_t first_ns, last_ns;    /* valid when any_event */
	bool any_event;
	bool verified;  /* --verify: every block was read and tested */
	bool labels;    /* --labels */
	bool all_types; /* -v: also those without an event */
};

/* The wall clock of @t_ns, ns since 1970; false when the capture does not tell. */
bool info_wall(const struct info *info, uint64_t t_ns, uint64_t *wall_ns);

void info_print_text(struct sink *s, const struct info *info);
void info_print_json(struct sink *s, const struct info *info);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * active.h - activity while some events of an I/O trace were active: number and total duration, by name and
 * category, of all events that overlap the union of the events on certain files.
 *
 * An event lasts from its time less `dur` up to its time (exclusive): adjacent events do not overlap. Events
 * without a duration neither overlap nor count as active. The active events themselves are counted, too.
 *
 * Units      ns
 * Threads    active_sums() starts its own; the reader may be in use elsewhere
 * Failure    negative code with *err filled; a block that cannot be read is noted in the reader's damage
 * Ownership  active_sums() fills the caller's storage, active_fini() empties it; texts are the reader's
 */
#ifndef QUERY_SQL_ROWS_ACTIVE_H
#define QUERY_SQL_ROWS_ACTIVE_H

#include "base/memory/array.h"
#include "cdict/reader.h"

struct active_interval {
	uint64_t from_ns, to_ns; /* exclusive */
};

struct active_row {
	const struct cdict_event_type *type; /* category is its system, name its event */
	uint64_t count, dur_ns;
};

struct active {
	ARRAY(struct active_row) rows; /* the longest first */
	ARRAY(struct active_interval)
	intervals; /* active times, ascending, disjoint */
};

struct active_options {
	const char *file;        /* substring of the files' names; "": any name */
	const char *name;        /* of the active events: "read"; NULL: any */
	uint64_t from_ns, to_ns; /* events that reach into this window; to_ns 0: to the end */
	unsigned jobs;           /* 0: one per CPU */
};

int active_sums(struct active *out, struct cdict_reader *r, const struct active_options *opts,
		struct cdict_error *err);
void active_fini(struct active *a);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * active.h - activity while some events of an I/O trace were active: number and total duration, by name and
 * category, of all events that overlap the union of the events on certain files.
 *
 * An event lasts from its time less `dur` up to its time (exclusive): adjacent events do not overlap. Events
 * without a duration neither overlap nor count as active. The active events themselves are counted, too, and so
 * are, with their whole duration, events that reach over an end of the span of the active times.
 *
 * The rule of datacrumbs' notebook (active_options.notebook) differs: only events that lie within the span are
 * counted; an active event without a duration lasts 1 us, and so does every event whose line has no `dur`.
 *
 * Units      ns
 * Threads    active_sums() starts its own; the reader may be in use elsewhere
 * Failure    negative code with *err filled; a block that cannot be read is noted in the reader's damage
 * Ownership  active_sums() fills the caller's storage, active_fini() empties it; texts are the reader's
 */
#ifndef QUERY_SQL_ROWS_ACTIVE_H
#define QUERY_SQL_ROWS_ACTIVE_H

#include "analyze/walk/histogram.h"
#include "base/memory/array.h"
#include "cdict/reader.h"

struct active_interval {
	uint64_t from_ns, to_ns; /* exclusive */
};

struct active_row {
	const struct cdict_event_type *type; /* category is its system, name its event */
	uint64_t count, dur_ns;
	struct histogram durations; /* with active_options.histograms */
};

struct active {
	ARRAY(struct active_row) rows; /* the longest first */
	ARRAY(struct active_interval)
	intervals; /* active times, ascending, disjoint */
};

struct active_options {
	const char *file; /* substring of the files' names; "": any name */
	const char *name; /* of the active events: "read"; NULL: any */
	/* Replaces @file and @name if not NULL: the active times, ascending and disjoint. */
	const struct active_interval *set;
	size_t n_set;
	bool all;                /* instead: sums of all events, also of those without a duration */
	bool only_times;         /* no sums */
	bool histograms;         /* of the durations */
	bool notebook;           /* the rule above, */
	uint64_t margin_ns;      /* with the span extended by this at both ends */
	uint64_t from_ns, to_ns; /* events that reach into this window; to_ns 0: to the end */
	unsigned jobs;           /* 0: one per CPU */
};

int active_sums(struct active *out, struct cdict_reader *r, const struct active_options *opts,
		struct cdict_error *err);
void active_fini(struct active *a);

#endif

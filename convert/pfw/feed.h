/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * feed.h - the parts of I/O traces, one file after the other, each in its order: threads read,
 * inflate and parse ahead of who takes them.
 *
 * What comes does not depend on the number of threads.
 *
 * Threads    one thread takes
 * Failure    negative code with *err filled, the file named
 * Ownership  pfw_feed_new() gives; names are borrowed; a part from pfw_feed_next() to the next call
 */
#ifndef EXCHANGE_PFW_FEED_H
#define EXCHANGE_PFW_FEED_H

#include "cdict/error.h"
#include "convert/pfw/parse.h"

struct pfw_feed;

/* What was taken so far. */
struct pfw_feed_counts {
	size_t file;    /* the one that the part is of */
	uint64_t bytes; /* of the inputs */
	uint64_t lines; /* in that file, before the part */
	uint64_t long_lines;
	/* The first damage of all; code 0: none. In which file. */
	struct cdict_error damage;
	size_t damaged_file;
};

struct pfw_feed_options {
	const char *const *names;
	size_t n_names;
	unsigned jobs;
};

int pfw_feed_new(struct pfw_feed **out, const struct pfw_feed_options *opts,
		 struct cdict_error *err);
void pfw_feed_free(struct pfw_feed *feed);

/* pfw_feed_next - 1 and *part, 0 after the last. */
int pfw_feed_next(struct pfw_feed *feed, struct pfw_part **part, struct cdict_error *err);
const struct pfw_feed_counts *pfw_feed_counts(const struct pfw_feed *feed);

#endif

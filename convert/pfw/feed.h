/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * feed.h - the parts of I/O traces, file after file, each in order: threads read, inflate and parse
 * ahead of the consumer.
 *
 * The result does not depend on the number of threads.
 *
 * Threads    one thread calls pfw_feed_next()
 * Failure    negative code with *err filled, including the file's name
 * Ownership  pfw_feed_new() gives; names are borrowed; a part is valid until the next
 *            pfw_feed_next()
 */
#ifndef CONVERT_PFW_FEED_H
#define CONVERT_PFW_FEED_H

#include "cdict/error.h"
#include "convert/pfw/parse.h"

struct pfw_feed;

/* Totals so far. */
struct pfw_feed_counts {
	size_t file;    /* index of the part's file */
	uint64_t bytes; /* read from the inputs */
	uint64_t lines; /* in that file, before the part */
	uint64_t long_lines;
	/* The first damage of all files, code 0: none; and the index of its file. */
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

/* pfw_feed_next - returns 1 and *part, 0 after the last. */
int pfw_feed_next(struct pfw_feed *feed, struct pfw_part **part, struct cdict_error *err);
const struct pfw_feed_counts *pfw_feed_counts(const struct pfw_feed *feed);

#endif

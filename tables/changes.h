/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * changes.h - what changed from one capture to another: a table of each kind of comparison,
 * and what became worse than allowed.
 *
 * Ownership  changes_init() fills the caller's zeroed struct, changes_fini() empties it, also
 *            after a failure; the table's texts are borrowed from it
 */
#ifndef TABLES_CHANGES_H
#define TABLES_CHANGES_H

#include "tables/compare.h"
#include "tables/table.h"

enum { CHANGES_PARTS = 3 }; /* columns a figure: before, after, the difference */
enum { CHANGES_FIRST = 4 }; /* columns before them: name, reason, CPU, why it is not compared */

struct changes {
	struct compare compare;
	struct table_column columns[CHANGES_FIRST + CHANGES_PARTS * COMPARE_FIGURES_MAX + 1];
	char names[CHANGES_PARTS * COMPARE_FIGURES_MAX][64];
	char heads[CHANGES_PARTS * COMPARE_FIGURES_MAX][64];
	struct table *table;
};

/* changes_init - 0 or -ENOMEM; @walks as compare_init() wants them. */
int changes_init(struct changes *c, enum compare_what what,
		 const struct tables_walk *const walks[2]);
void changes_fini(struct changes *c);

/* By how much figures may grow; NAN: by any. */
struct changes_limits {
	double delay;   /* points of a vCPU's delay in percent of the window */
	double latency; /* percent of a task's p99 wake-up latency */
	double exits;   /* percent of a task's exits for a reason */
};

/* How many rows a limit could be held against, and how many not because there was too little of them. */
struct changes_judged {
	size_t rows, few;
};

/* changes_regressions - what grew beyond them; given, NULL: out of memory. *@judged[]: by delay, latency
 * and exits. */
struct table *changes_regressions(const struct changes all[COMPARE_N],
				  const struct changes_limits *limits,
				  const struct tables_walk *const walks[2],
				  struct changes_judged judged[3]);

#endif

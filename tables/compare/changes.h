/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * changes.h - what changed between two sides, each of one or several runs: medians, quartiles and whether the
 * difference is more than chance, figure by figure of the rows that compare.h aligns.
 *
 * A row that a run lacks is 0 there for shares and rates, when its task is known on that side; it has no
 * durations.  Runs of which too much is unknown are left out, row by row.
 *
 * Ownership  changes_init() fills the caller's zeroed struct, changes_fini() empties it, also
 *            after a failure; the tables' texts are borrowed from it
 */
#ifndef TABLES_CHANGES_H
#define TABLES_CHANGES_H

#include "base/statistics.h"
#include "tables/columns/table.h"
#include "tables/compare/compare.h"

enum { CHANGES_BASE = 0, CHANGES_NEW, CHANGES_SIDES };

enum { CHANGES_PARTS = 3 }; /* columns a figure: before, after, the difference */
enum { CHANGES_FIRST = 4 }; /* columns before them: name, reason, CPU, why it is not compared */

/* A figure of a row. */
struct changes_value {
	struct statistics_quartiles side[CHANGES_SIDES]; /* NAN: no run tells */
	size_t n[CHANGES_SIDES];                         /* runs that tell it */
	double change;  /* of the medians; NAN where one is missing */
	double percent; /* the same, of the base; NAN where that is 0 */
	double p;       /* that it is chance; NAN: one run a side, or none */
};

struct changes_row {
	const struct compare_row *row;
	struct changes_value *values; /* by figure */
	bool stands;                  /* it can be compared */
	double order;                 /* how much the first figure changed */
};

struct changes {
	struct compare compare;
	const struct tables_walk *const *walks;
	size_t n_base, n_runs;          /* the first @n_base runs are the base's, the others new */
	ARRAY(struct changes_row) rows; /* most changed first */
	struct table_column columns[CHANGES_FIRST + CHANGES_PARTS * COMPARE_FIGURES_MAX + 1];
	char names[CHANGES_PARTS * COMPARE_FIGURES_MAX][64];
	char heads[CHANGES_PARTS * COMPARE_FIGURES_MAX][64];
	struct table *table; /* a row each, three columns a figure */
};

/* changes_init - 0 or -ENOMEM; @walks as compare_init() wants them, borrowed. */
int changes_init(struct changes *c, enum compare_what what, const struct tables_walk *const *walks,
		 size_t n_base, size_t n_runs);
void changes_fini(struct changes *c);

/* changes_several - whether there are runs to tell chance by. */
bool changes_several(const struct changes *c);
/* changes_events - how many events of the row are behind @figure on a side, its runs together; NAN: it is not one
 * of which few say little. */
double changes_events(const struct changes *c, const struct changes_row *row, size_t figure,
		      unsigned side);
/* changes_first, changes_end - of a side's runs. */
size_t changes_first(const struct changes *c, unsigned side);
size_t changes_end(const struct changes *c, unsigned side);

/* changes_unknown - how much of a side is unknown, in percent, in the run in which least is. */
double changes_unknown(const struct changes *c, const struct compare_row *row, unsigned side);
/* changes_why_not - why a row is not compared, or "". */
#define CHANGES_TEXT 96
char *changes_why_not(char room[CHANGES_TEXT], const struct changes *c,
		      const struct changes_row *row);

/* changes_name - what a figure is called by people and in rules: "exits.rate"; given by @room. */
#define CHANGES_NAME 64
char *changes_name(char room[CHANGES_NAME], const struct compare *c, size_t figure);
/* changes_text - a value of the figure with its unit: "12.30 %", "1,234 /s", "94.3 ms"; with a sign when it is a
 * difference ("+2.10 points"). Not finite: "". */
char *changes_text(char room[CHANGES_TEXT], const struct compare_figure *figure, double v,
		   bool difference);

/*
 * changes_list - a row for each figure of each row of @all, with everything that is known of it: for programs
 * "changes", for people the figures of one kind, as @how says.  NULL: out of memory.
 */
struct changes_how {
	double alpha; /* of less than that p is no chance */
	bool people;  /* texts with units, and only the figures that tables show */
	bool wide;    /* people: those that -v shows, too */
	size_t top;   /* people: rows, each with its figures; 0: all */
};
struct table *changes_list(const struct changes *const *all, size_t n,
			   const struct changes_how *how);

/* Columns of the lists of changes: for everybody; in CSV and JSON alone; as people read it. */
#define CHANGES_BOTH(key_, title_, kind_)                                                          \
	{                                                                                          \
		.key = (key_), .title = (title_), .kind = (kind_)                                  \
	}
#define CHANGES_PROGRAMS(key_, kind_)                                                              \
	{                                                                                          \
		.key = (key_), .title = "", .kind = (kind_), .flags = TABLE_MACHINE                \
	}
#define CHANGES_PEOPLE(key_, title_, flags_)                                                       \
	{                                                                                          \
		.key = (key_), .title = (title_), .kind = TABLE_TEXT,                              \
		.flags = TABLE_HUMAN | TABLE_RIGHT | (flags_)                                      \
	}

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * changes.h - changes between two sides of one or several runs each: medians, quartiles and whether
 * the difference is significant, for each figure of the rows that compare.h aligns.
 *
 * If a run lacks a row, its shares and rates are 0 there when the task is known on that side; it
 * has no durations. Runs with too much unknown time are left out, row by row.
 *
 * Ownership  changes_init() fills the caller's zeroed struct, changes_fini() empties it, also
 *            after a failure; the tables' texts are borrowed from it
 */
#ifndef TABLES_COMPARE_CHANGES_H
#define TABLES_COMPARE_CHANGES_H

#include "base/statistics.h"
#include "tables/columns/table.h"
#include "tables/compare/compare.h"

enum { CHANGES_BASE = 0, CHANGES_NEW, CHANGES_SIDES };

enum { CHANGES_PARTS = 3 }; /* columns per figure: before, after, the difference */
enum { CHANGES_FIRST = 4 }; /* columns before those: name, reason, CPU, why it is not compared */

/* A figure of a row. */
struct changes_value {
	struct statistics_quartiles side[CHANGES_SIDES]; /* NAN: no run has it */
	size_t n[CHANGES_SIDES];                         /* runs that have it */
	double change;  /* of the medians; NAN where one is missing */
	double percent; /* of the base; NAN where that is 0 */
	double p;       /* p-value; NAN: one run per side, or none */
};

struct changes_row {
	const struct compare_row *row;
	const double *p;           /* p-values by figure; NULL: one run per side */
	bool known[CHANGES_SIDES]; /* the side has the task */
	bool stands;               /* whether it can be compared */
	double order;              /* how much the first figure changed */
};

struct changes {
	struct compare compare;
	const struct tables_walk *const *walks;
	size_t n_base, n_runs;          /* the first @n_base runs are the base, the others are
					 * new */
	ARRAY(struct changes_row) rows; /* most changed first */
	struct table_column columns[CHANGES_FIRST + CHANGES_PARTS * COMPARE_FIGURES_MAX + 1];
	char names[CHANGES_PARTS * COMPARE_FIGURES_MAX][64];
	char heads[CHANGES_PARTS * COMPARE_FIGURES_MAX][64];
	struct table *table; /* a row for each of @rows, three columns per figure */
	double *p;           /* of all rows */
	double *room;        /* values of the runs, while they become a changes_value */
	bool *any;           /* [run]: has any row of the table */
};

/* changes_init - 0 or -ENOMEM; @walks as for compare_init(), borrowed. */
int changes_init(struct changes *c, enum compare_what what, const struct tables_walk *const *walks,
		 size_t n_base, size_t n_runs);
void changes_fini(struct changes *c);

/* changes_value - a figure of a row; computed at each call: values of all figures would take more memory than the
 * rest of the comparison. */
struct changes_value changes_value(const struct changes *c, const struct changes_row *row,
				   size_t figure);
/* changes_several - whether there are enough runs for a p-value. */
bool changes_several(const struct changes *c);
/* changes_events - the number of the row's events that @figure is based on, over all runs of a
 * side; NAN: the figure does not depend on the number of events. */
double changes_events(const struct changes *c, const struct changes_row *row, size_t figure,
		      unsigned side);
/* changes_first, changes_end - the range of a side's runs. */
size_t changes_first(const struct changes *c, unsigned side);
size_t changes_end(const struct changes *c, unsigned side);

/* changes_unknown - the unknown share of a side's time in percent, in the run with the smallest. */
double changes_unknown(const struct changes *c, const struct compare_row *row, unsigned side);
/* changes_why_not - why a row is not compared, or "". */
#define CHANGES_TEXT 96
char *changes_why_not(char room[CHANGES_TEXT], const struct changes *c,
		      const struct changes_row *row);

/* changes_name - the name of a figure in output and rules: "exits.rate"; in @room. changes_alias -
 * the names that rules accept, from 0: that one, the key of its column in the command's table
 * ("exits.count", "run_ns"), and in the comparison's ("exits.count_per_s", "run_percent"). */
#define CHANGES_NAME 64
enum { CHANGES_ALIASES = 3 };
char *changes_name(char room[CHANGES_NAME], const struct compare *c, size_t figure);
char *changes_alias(char room[CHANGES_NAME], const struct compare *c, size_t figure, unsigned i);
/* changes_text - a value of the figure with its unit: "12.30 %", "1,234 /s", "94.3 ms"; a
 * difference has a sign ("+2.10 points"). Not finite: "". */
char *changes_text(char room[CHANGES_TEXT], const struct compare_figure *figure, double v,
		   bool difference);

/*
 * changes_list - a row for each figure of each row of @all: with all its values for programs
 * ("changes"), or the figures of one kind for people, by @how. NULL: out of memory.
 */
struct changes_how {
	double alpha; /* a smaller p is significant */
	bool people;  /* texts with units, and only the figures shown in tables */
	bool wide;    /* people: also figures shown with -v */
	size_t top;   /* people: rows, each with its figures; 0: all */
};
struct table *changes_list(const struct changes *const *all, size_t n,
			   const struct changes_how *how);

/* Columns of the lists of changes: in all formats; only in CSV and JSON; only in text. */
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

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * compare.h - several captures beside each other, aligned by what things are called: for the
 * page of cdict report and for cdict diff.
 *
 * What is compared are the columns of a table that are marked so, of a kind that does not depend
 * on the windows' lengths: percent of the window, per second, durations.  Tasks of one capture
 * with the same name are one row.
 *
 * Ownership  compare_init() fills the caller's struct, compare_fini() empties it, also after
 *            a failure; names are borrowed from it
 */
#ifndef TABLES_COMPARE_H
#define TABLES_COMPARE_H

#include "base/memory/array.h"
#include "base/memory/stringset.h"
#include "tables/columns/decl.h"

enum compare_what {
	COMPARE_TASKS = 0,
	COMPARE_EXITS, /* by task and reason */
	COMPARE_VCPU,
	COMPARE_COREMAP, /* by task and CPU */
	COMPARE_N,
	COMPARE_GROUPS = COMPARE_N, /* tasks, many as few rows (fold.h); no rule is of them */
};

#define COMPARE_FIGURES_MAX 12

/* A column, as it is compared; the first one decides how much a row changed. */
struct compare_figure {
	size_t column;
	char key[48];    /* "run_percent", "switches_per_s", "latency_p99_ns" */
	char title[48];  /* "run %", "switches/s", "lat p99 ms" */
	bool ns, counts; /* a duration; per second; else percent of the window */
	bool wide;       /* shown with -v only */
};

struct compare_item; /* a task of one capture, before rows are made */

struct compare_row {
	const char *name, *reason;        /* reason: NULL when it is not part of the key */
	uint32_t cpu;                     /* CDICT_CPU_UNKNOWN when it is not */
	const struct compare_item *items; /* of all captures */
	size_t n_items;
	double *values; /* [capture][figure]; NAN where there is none */
	bool *set;      /* [capture]: it has such a row */
	double *unknown; /* [capture]: percent of its tasks' time of which is not known what they did */
	bool nameless; /* of one of several VMs that nobody named: of one capture only */
	bool of_vm;    /* or of one that has a name */
	double change; /* of the first figure, of the capture that differs most from the first */
};

struct compare {
	const struct tables_decl *decl; /* of what */
	struct compare_figure figures[COMPARE_FIGURES_MAX];
	size_t n_captures, n_figures;
	bool nameless; /* some rows are */
	bool *anonymous; /* [capture]: of this one, so that a named VM that it lacks may be among them */
	ARRAY(struct compare_item) items;
	struct stringset names;
	ARRAY(struct compare_row) rows; /* most changed first */
};

/* compare_declare - fills what is compared, without any capture; compare_init() does that, too. */
void compare_declare(struct compare *c, enum compare_what what);
/* compare_value - the figure of a cell; NAN: there is none. */
double compare_value(const struct compare_figure *f, const struct table_cell *cell,
		     uint64_t window_ns);
/* compare_init - of the @n @walks that were walked, each with tasks, exits, vcpus and coremap;
 * 0 or -ENOMEM. */
int compare_init(struct compare *c, enum compare_what what, const struct tables_walk *const *walks,
		 size_t n);
void compare_fini(struct compare *c);

/* compare_row_stands - whether the row's first capture can be compared with @capture: of neither is too
 * much unknown, and who it is about is known.  compare_row_hidden - whether @capture lacks the row, and may have its VM
 * without its name. */
enum { COMPARE_UNKNOWN_MAX = 10 }; /* percent */
bool compare_row_stands(const struct compare *c, const struct compare_row *row, size_t capture);
bool compare_row_hidden(const struct compare *c, const struct compare_row *row, size_t capture);
#define COMPARE_IDLE "IDLE" /* the row of those of all CPUs */
#define COMPARE_NAMELESS                                                                           \
	"several VMs have no names: they are listed apart, not compared; cdict identify names them"

/* compare_difference - how much more figure @i is in @capture than in the first one, where one alone has it
 * all of it; NAN when neither has. */
double compare_difference(const struct compare *c, const struct compare_row *row, size_t capture,
			  size_t i);

/* The tasks of a row in one capture. */
size_t compare_task_count(const struct compare_row *row, size_t capture);
uint32_t compare_task_at(const struct compare_row *row, size_t capture, size_t i);

#endif

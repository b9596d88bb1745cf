/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * compare.h - several captures beside each other, aligned by what things are called: for the
 * page of cdict report and for cdict diff.
 *
 * Tasks of one capture with the same name are one row.  Figures are of a kind that can be
 * compared whatever the windows' lengths: percent of the window, per second, durations.
 *
 * Ownership  compare_init() fills the caller's struct, compare_fini() empties it, also after
 *            a failure; names are borrowed from it
 */
#ifndef TABLES_COMPARE_H
#define TABLES_COMPARE_H

#include "tables/walk.h"

enum compare_what {
	COMPARE_TASKS = 0,
	COMPARE_EXITS, /* by task and reason */
	COMPARE_VCPU,
	COMPARE_COREMAP, /* by task and CPU */
	COMPARE_N,
};

#define COMPARE_FIGURES_MAX 12

/* What is compared, its figures in order; the first one decides how much a row changed. */
struct compare_kind {
	const char *name, *second; /* second key, or NULL */
	const char *figures[COMPARE_FIGURES_MAX + 1];
};
extern const struct compare_kind compare_kinds[COMPARE_N];

struct compare_item; /* a task of one capture, before rows are made */

struct compare_row {
	const char *name, *second;        /* second: reason; NULL */
	uint32_t cpu;                     /* CDICT_CPU_UNKNOWN when it is not part of the key */
	const struct compare_item *items; /* of all captures */
	size_t n_items;
	double *values; /* [capture][figure]; NAN where there is none */
	bool *set;      /* [capture]: it has such a row */
	double change;  /* of the first figure, of the capture that differs most from the first */
};

struct compare {
	enum compare_what what;
	size_t n_captures, n_figures;
	struct compare_item *items;
	size_t n_items;
	struct compare_row *rows; /* most changed first */
	size_t n;
};

/* compare_init - of the @n @walks that were walked, each with tasks, exits, vcpus and coremap;
 * 0 or -ENOMEM. */
int compare_init(struct compare *out, enum compare_what what,
		 const struct tables_walk *const *walks, size_t n);
void compare_fini(struct compare *c);

/* The tasks of a row in one capture. */
size_t compare_task_count(const struct compare_row *row, size_t capture);
uint32_t compare_task_at(const struct compare_row *row, size_t capture, size_t i);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * merged.h - a command's table from rows that were added up elsewhere: for many hosts, without a
 * capture.
 *
 * The columns, units and totals are those of the command on one capture (decl.h). Cells that only
 * make sense in one capture stay empty: tids, CPUs, points in time.
 *
 * Ownership  rows and their texts are borrowed for the call
 */
#ifndef TABLES_COMPARE_MERGED_H
#define TABLES_COMPARE_MERGED_H

#include "tables/compare/compare.h"

struct tables_merged_row {
	const char *name, *vm; /* or NULL */
	int32_t vcpu;          /* -1: none */
	bool idle;             /* IDLE: not in totals */
	bool lossy;
	unsigned lacks;  /* TABLE_OF_* that none of the added captures has */
	const void *row; /* row of the declaration's analysis */
};

/* tables_merged - makes the table; @window_ns: base of shares; @hidden: HIDE_* of cells.h. NULL:
 * out of memory. */
struct table *tables_merged(const struct tables_decl *decl, const struct tables_merged_row *rows,
			    size_t n, uint64_t window_ns, unsigned hidden);

/* tables_merged_figures - the compared figures of such rows: values[row * c->n_figures + figure],
 * NAN where a row has no such figure. @c is from compare_declare(). 0 or -ENOMEM. */
int tables_merged_figures(const struct compare *c, const struct tables_merged_row *rows, size_t n,
			  uint64_t window_ns, double *values);

#endif

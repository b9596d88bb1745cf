/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * delays.h - a matrix: delayed VMs as rows, worst first; their antagonists as columns, the same VMs
 * first; the darker, the longer.
 *
 * Units      ns
 * Ownership  names are clean and the caller's
 */
#ifndef RENDER_VIEWS_DELAYS_H
#define RENDER_VIEWS_DELAYS_H

#include "render/draw/frame.h"

struct delays_name {
	char *name;
	uint64_t ns;  /* of a row: its total */
	uint32_t row; /* of a column: the same VM's row, or UINT32_MAX */
};

struct delays_cell {
	uint32_t row, column;
	uint64_t ns;
};

struct delays {
	const struct delays_name *rows, *columns; /* rows worst first; columns in any order */
	size_t n_rows, n_columns;
	const struct delays_cell *cells; /* each pair once, in any order */
	size_t n_cells;
	size_t top;        /* number of rows, the others as one; 0: all */
	const char *sum;   /* heading of the rows' sums: "waited" */
	const char *foot;  /* text below the matrix */
	const char *lacks; /* text when there are no rows */
};

/* view_delays - draws as many columns as there is room for, the others as one; 0 or -ENOMEM. */
int view_delays(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
		const struct delays *delays);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bins.h - events with a time and a duration, counted on a grid of time (linear)
 * and duration (logarithmic).
 *
 * Which tasks are wanted is known only after the walk (names change during it), so
 * each count has an owner, and a grid sums the wanted owners.  Only non-empty cells
 * take memory: at most one per event.
 *
 *	Σ cells + short + long + outside + unplaced = events, for every grid
 *
 * Units      *_ns nanoseconds
 * Failure    0 or -ENOMEM
 * Ownership  new gives, free takes (NULL is fine); a grid is the caller's, emptied
 *            by bins_grid_fini()
 */
#ifndef RENDER_BINS_BINS_H
#define RENDER_BINS_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows by duration: BINS_PER_DECADE per decade, from 1 ns to 1000 s. */
#define BINS_PER_DECADE 24u
#define BINS_DECADES 12u
#define BINS_ROWS (BINS_PER_DECADE * BINS_DECADES)

struct bins;

/* bins_new - @columns (at least 1, at most 65535) over [from_ns, to_ns]. */
struct bins *bins_new(uint64_t from_ns, uint64_t to_ns, unsigned columns);
void bins_free(struct bins *b);

int bins_add(struct bins *b, uint32_t owner, uint64_t t_ns, uint64_t dur_ns);
/* bins_unplaced - adds an event with an unknown duration. */
int bins_unplaced(struct bins *b, uint32_t owner);

/* bins_edge - the start of row @row in ns; @row may be BINS_ROWS: the end of the last. */
uint64_t bins_edge(unsigned row);
/* Edges of all rows, and for each bit the first row of durations with that highest bit. */
struct bins_rows {
	uint64_t edges[BINS_ROWS + 1];
	uint16_t first[64];
};
void bins_rows_init(struct bins_rows *r);
/* bins_row - the row of a duration, BINS_ROWS when it is longer; 0 ns has no row. */
unsigned bins_row(const struct bins_rows *r, uint64_t dur_ns);

struct bins_grid {
	unsigned columns, rows;
	unsigned per_decade; /* rows per decade */
	unsigned lo_decade;  /* row 0 begins at 10^lo_decade ns */
	uint64_t *cells;     /* columns * rows, row by row, short durations first */
	uint64_t max;        /* the fullest cell */
	uint64_t events;     /* all of the wanted owners */
	uint64_t in_cells, shorter, longer, outside, unplaced;
};

/* bins_sum - the grid of the owners for which @wanted is true (NULL: all), with
 * @per_decade rows per decade (a divisor of BINS_PER_DECADE), cut to the decades that
 * are not empty. */
int bins_sum(const struct bins *b, bool (*wanted)(void *ctx, uint32_t owner), void *ctx,
	     unsigned per_decade, struct bins_grid *out);
void bins_grid_fini(struct bins_grid *g);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grid.h - a job as a grid of hosts and time: figures of each host per column and in total.
 *
 * A column is a bucket, or, when the picture has too few columns, 2, 4, 8... buckets: it then has the largest
 * figures among them, so that no bad second hides in a good minute. A bucket of which less than a tenth was
 * recorded (a capture's first and last) counts only if there is no other.
 *
 * Columns are wall-clock time. If no capture of the job has the wall clock, each host's own clock is used, from its
 * first bucket on; if only some have it, the others are left out, and counted.
 *
 * Units      *_ns durations, percent, per second per host
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage, zeroed; fleet_grid_fini() empties it
 */
#ifndef QUERY_FLEET_FIGURES_GRID_H
#define QUERY_FLEET_FIGURES_GRID_H

#include "query/fleet/figures/hosts.h"
#include "query/fleet/values/sums.h"

struct fleet_cell {
	uint64_t column;
	uint32_t buckets;
	bool whole; /* more than a tenth of one bucket was recorded */
	double at[FLEET_FIGURES];
};

struct fleet_line {
	ARRAY(struct fleet_cell) cells[2]; /* [1]: by wall clock */
	uint64_t first[2], last[2];        /* columns, if there are cells */
	struct fleet_sums sums;
};

/* Limits of columns and rows in a picture. */
#define FLEET_COLUMNS 300
#define FLEET_ROWS 250

struct fleet_grid {
	struct fleet_read read;
	ARRAY(struct fleet_line) lines; /* one per host of read.hosts */
	uint64_t width_ns[2];           /* of a column */
	uint64_t first[2], last[2];
	struct fleet_summing now; /* of the bucket being read */
};

int fleet_grid_read(struct fleet_grid *g, struct store *st, const char *id,
		    struct cdict_error *err);
void fleet_grid_fini(struct fleet_grid *g);

/* The grid as a rectangle: hosts that waited most first; with more than FLEET_ROWS hosts, several share a row, which
 * has their largest figures. */
struct fleet_map {
	bool clocked;
	uint64_t from_ns; /* start of column 0, wall clock */
	uint64_t column_ns;
	size_t columns, rows, per_row; /* hosts per row */
	size_t absent;                 /* hosts without a wall clock, when others have it */
	uint64_t buckets;              /* in the rectangle */
	uint32_t most;                 /* most buckets of one host in one cell */
	size_t *order;                 /* all hosts, by rank */
	uint32_t *seen;                /* [row * columns + column]: buckets */
	double *at[FLEET_FIGURES];     /* the same index; NAN: unknown */
};
/* fleet_map_make - 0 or -ENOMEM; call fleet_map_fini() in either case. */
int fleet_map_make(struct fleet_map *m, const struct fleet_grid *g);
void fleet_map_fini(struct fleet_map *m);

#endif

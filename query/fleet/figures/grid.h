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

enum fleet_figure {
	FLEET_WAITING = 0, /* hosts are ranked by it */
	FLEET_BUSY,
	FLEET_LATENCY_P99,
	FLEET_LATENCY_AVG,
	FLEET_SWITCHES,
	FLEET_MIGRATIONS,
	FLEET_DELAYED,
	FLEET_GUEST_SHARE,
	FLEET_EXIT_SHARE,
	FLEET_EXITS_RATE,
	FLEET_EVENTS_RATE,
	FLEET_LOST,
	FLEET_FIGURES,
};

struct fleet_figure_name {
	const char *key, *title;
	const char *about; /* a sentence without a full stop */
};
extern const struct fleet_figure_name fleet_figure_names[FLEET_FIGURES];

/* Sums from which figures are computed. Each has its own base: the time in which its events were recorded. */
struct fleet_sums {
	uint64_t window_ns, events, lost;
	double run_cpu_ns; /* window times CPUs, without time in which the running task is unknown; */
	uint64_t run_ns, switches, migrations, run_window_ns;
	double wait_cpu_ns;
	uint64_t wait_ns;
	struct histogram latency;
	uint64_t exits, exits_window_ns;
	uint64_t vcpu_ns; /* time in which their state is known */
	uint64_t delayed_ns, guest_ns, exit_ns;
};

/* fleet_figure - NAN: unknown. */
double fleet_figure(const struct fleet_sums *s, enum fleet_figure figure);

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
	/* The bucket being read. */
	struct fleet_sums now;
	unsigned lacks; /* TABLE_OF_* that its task rows lack */
	bool tasks, vcpus;
	bool failed;
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

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grid.h - a job as hosts by time: what each host did in each part of the time, and in all of it.
 *
 * A part is a bucket, or, where there are more than fit into a picture, 2, 4, 8... of them: then its figures are
 * the largest of theirs, so that no bad second hides in a good minute. A bucket of which less than a tenth was
 * recorded (a capture's first and last) counts only where there is no other.
 *
 * Parts are of the wall clock. When no capture of the job tells it, each host's own clock is taken, from its first bucket
 * on; when some do, the others are left out, and counted.
 *
 * Units      *_ns durations, percent, per second of one host
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage, zeroed at first; fleet_grid_fini() empties it
 */
#ifndef FLEET_GRID_H
#define FLEET_GRID_H

#include "fleet/hosts.h"

enum fleet_figure {
	FLEET_WAITING = 0, /* by which hosts are ranked */
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
	const char *about; /* a sentence without its full stop */
};
extern const struct fleet_figure_name fleet_figure_names[FLEET_FIGURES];

/* What figures are made of. Each has a whole of its own: the time in which its parts were recorded. */
struct fleet_sums {
	uint64_t window_ns, events, lost;
	double run_cpu_ns; /* window times CPUs, without the time of which nobody knows who ran; */
	uint64_t run_ns, switches, migrations, run_window_ns;
	double wait_cpu_ns;
	uint64_t wait_ns;
	struct histogram latency;
	uint64_t exits, exits_window_ns;
	uint64_t vcpu_ns; /* of which it is known what they did */
	uint64_t delayed_ns, guest_ns, exit_ns;
};

/* fleet_figure - NAN: not known. */
double fleet_figure(const struct fleet_sums *s, enum fleet_figure figure);

struct fleet_cell {
	uint64_t column;
	uint32_t buckets;
	bool whole; /* more than a tenth of one was recorded */
	double at[FLEET_FIGURES];
};

struct fleet_line {
	ARRAY(struct fleet_cell) cells[2]; /* [1]: of the wall clock */
	uint64_t first[2], last[2];        /* columns, when there are cells */
	struct fleet_sums sums;
};

/* As many columns and rows as a picture has. */
#define FLEET_COLUMNS 300
#define FLEET_ROWS 250

struct fleet_grid {
	struct fleet_read read;
	ARRAY(struct fleet_line) lines; /* one for each of read.hosts */
	uint64_t width_ns[2];           /* of a column */
	uint64_t first[2], last[2];
	/* The bucket that is being read. */
	struct fleet_sums now;
	unsigned lacks; /* TABLE_OF_* of its rows of tasks */
	bool tasks, vcpus;
	bool failed;
};

int fleet_grid_read(struct fleet_grid *g, struct store *st, const char *id,
		    struct cdict_error *err);
void fleet_grid_fini(struct fleet_grid *g);

/* A rectangle of it: hosts that waited most first, several in a row where there are more than FLEET_ROWS: the largest
 * figures of theirs. */
struct fleet_map {
	bool clocked;
	uint64_t from_ns; /* where column 0 begins, of the wall clock */
	uint64_t column_ns;
	size_t columns, rows, per_row; /* hosts in a row */
	size_t absent;                 /* hosts without a clock, when others have one */
	uint64_t buckets;              /* in it */
	uint32_t most;                 /* buckets of one host in one cell */
	size_t *order;                 /* hosts, as they are ranked: all of them */
	uint32_t *seen;                /* [row * columns + column]: buckets */
	double *at[FLEET_FIGURES];     /* the same; NAN: not known */
};
/* fleet_map_make - 0 or -ENOMEM; fleet_map_fini() also after that. */
int fleet_map_make(struct fleet_map *m, const struct fleet_grid *g);
void fleet_map_fini(struct fleet_map *m);

#endif

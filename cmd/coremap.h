/* SPDX-License-Identifier: GPL-2.0-only */
/* coremap.h - the tables of `cdict coremap`. */
#ifndef CMD_COREMAP_H
#define CMD_COREMAP_H

#include "analyze/coremap.h"
#include "cmd/figures.h"

/* What --by takes, in this order. */
enum coremap_by { COREMAP_BY_RUN = 0, COREMAP_BY_SWITCHES };

/* Each gives a table (free it, also after a failure) and a status. */
int coremap_cells(struct table **out, const struct figures *f, const struct analyze_coremap *map);
int coremap_cpus(struct table **out, const struct figures *f, const struct analyze_coremap *map);

/* The map as people read it: as many tables as it takes to keep lines short. */
struct coremap_view {
	const struct figures *f;
	const struct analyze_coremap *map;
	int by;
	/* filled by coremap_view_init() */
	uint32_t *cpus; /* those asked for */
	uint32_t n_cpus;
	struct coremap_row *rows; /* tasks by -s, others, IDLE, unknown, and their sum */
	size_t n_rows;
	struct table **tables;
	struct table_column **columns; /* of each table */
	char (*titles)[16];            /* of the CPUs */
	size_t n_tables;
};

/* coremap_view_init - a status; coremap_view_fini() also after a failure. */
int coremap_view_init(struct coremap_view *v);
void coremap_view_fini(struct coremap_view *v);

#endif

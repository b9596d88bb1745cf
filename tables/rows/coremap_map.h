/* SPDX-License-Identifier: LGPL-2.1-only */
/* coremap_map.h - the core map for people: a row per task, a column per CPU, in as many tables as
 * needed to keep lines short. */
#ifndef TABLES_ROWS_COREMAP_MAP_H
#define TABLES_ROWS_COREMAP_MAP_H

#include "analyze/walk/index.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "tables/columns/table.h"
#include "tables/columns/walk.h"

struct coremap_row;
struct coremap_group;

struct coremap_sum {
	uint64_t run_ns, switches;
};

struct coremap_map {
	/* Set by the caller. */
	const struct tables_walk *w; /* with coremap */
	bool by_switches;            /* cells are switches, else percent of the window */
	const char *sort;            /* as table_sort() takes it, of name, tid, run_ns, switches */
	uint64_t top;                /* number of tasks, the rest is one row; 0: all */
	/* Set by coremap_map_init(). */
	uint32_t *cpus; /* selected CPUs */
	uint32_t n_cpus;
	ARRAY(struct coremap_row) rows; /* tasks in order, others, IDLE, unknown */
	ARRAY(struct coremap_group) groups;
	struct index pairs; /* (group, index in cpus) */
	ARRAY(struct coremap_sum) sums;
	struct map by_name; /* groups of tasks whose names are merged */
	struct stringset names;
	struct table **tables;
	struct table_column **columns; /* of each table */
	char (*titles)[16];            /* of the CPUs */
	size_t n_tables;
};

/* coremap_map_init - 0, or a negative code with *err filled; call coremap_map_fini() in either
 * case. */
int coremap_map_init(struct coremap_map *m, struct cdict_error *err);
void coremap_map_fini(struct coremap_map *m);

#endif

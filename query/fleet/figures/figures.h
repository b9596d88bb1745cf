/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figures.h - figures in a job that come from no capture: event counts by program, results of benchmarks.
 *
 * They are values like buckets (value.h), on shelves of their own, written once; readers add them up.
 *
 * Failure    0 or a negative code with *err filled; damaged or foreign values are errors that name them
 */
#ifndef QUERY_FLEET_FIGURES_FIGURES_H
#define QUERY_FLEET_FIGURES_FIGURES_H

#include "query/fleet/values/rows.h"
#include "query/fleet/store/store.h"

/* Followed by the host's name: a value is one measurement, named by its time and process; one run of a
 * benchmark, with its figures, its texts and the document as given. */
#define FLEET_SHELF_COUNTS "c:"
#define FLEET_SHELF_BENCH "b:"

/* fleet_bench_add - adds a value of the figure @event of the benchmark @name. */
int fleet_bench_add(struct fleet_rows *rows, const char *name, const char *event, double value,
		    struct cdict_error *err);
/* fleet_text_add - adds the text at @path of a run's document. fleet_document_add - adds the document. */
int fleet_text_add(struct fleet_rows *rows, const char *name, const char *path, const char *text,
		   struct cdict_error *err);
int fleet_document_add(struct fleet_rows *rows, const char *name, const char *document,
		       struct cdict_error *err);
/* fleet_figures_host - the host of a shelf of counts or benchmarks; NULL: another shelf. */
const char *fleet_figures_host(const char *shelf);
/* fleet_figures_put - stores @rows as the value @name on @host's shelf; *added: it was new. */
int fleet_figures_put(struct store *st, const char *id, const char *shelf, const char *host,
		      const char *name, const struct fleet_rows *rows,
		      const struct fleet_window *window, bool *added, struct cdict_error *err);

/* fleet_figures_new - an empty table of figures, NULL: out of memory.
 * fleet_figures_fill - adds the summed rows of @host to it. */
struct table *fleet_figures_new(void);
void fleet_figures_fill(struct table *t, const char *host, const struct fleet_rows *rows);
/* fleet_figures_table - of the job, only @host or NULL: all; given. *gone: values missing from the store. */
int fleet_figures_table(struct table **out, struct store *st, const char *id, const char *host,
			uint64_t *gone, struct cdict_error *err);

#endif

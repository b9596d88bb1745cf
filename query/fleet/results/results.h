/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * results.h - a job's counts and benchmarks, host by host and run by run, and tables of them.
 *
 * Failure    0 or a negative code with *err filled; tables: NULL, out of memory
 * Ownership  caller's storage, zeroed; fleet_results_fini() empties it.  Tables are given, and borrow
 *            their columns' names from the results
 */
#ifndef QUERY_FLEET_RESULTS_RESULTS_H
#define QUERY_FLEET_RESULTS_RESULTS_H

#include "query/fleet/values/rows.h"
#include "query/fleet/store/store.h"

struct fleet_result_host {
	char *name;
	struct fleet_rows
		counts; /* summed; counts.values: pushes, counts.last_ns: the end of the last */
};

/* A run of a benchmark. */
struct fleet_run {
	char *host, *value;     /* name of its value in the store */
	uint64_t number;        /* from 1, of its benchmark, in order of time */
	uint64_t at_ns;         /* when it was pushed, wall clock; 0: not known */
	struct fleet_rows rows; /* its figures, texts and document */
};

struct fleet_results {
	ARRAY(struct fleet_result_host) hosts;
	ARRAY(struct fleet_run) runs; /* by benchmark, then number */
	struct stringset texts;
	uint64_t gone; /* values that the store evicted */
};

/* fleet_results_read - of the job, only @host or NULL: all. */
int fleet_results_read(struct fleet_results *out, struct store *st, const char *id,
		       const char *host, struct cdict_error *err);
void fleet_results_fini(struct fleet_results *r);
/* fleet_host_known - 0 if @host has pushed something into the job, or CDICT_ENOTFOUND and an error that
 * lists the hosts that have. */
int fleet_host_known(struct store *st, const char *id, const char *host, struct cdict_error *err);
const char *fleet_run_name(const struct fleet_run *run);
/* fleet_run_document - the JSON as given; NULL: pushed by a version that did not keep it. */
const char *fleet_run_document(const struct fleet_run *run);

/* fleet_results_counts - the sum of each event of each program, by host and event if @by_host: a row
 * per program or host, a column per event; empty: not counted there. */
struct table *fleet_results_counts(struct fleet_results *r, bool by_host);
/* fleet_results_programs - the same as one row per program and event, for machines. */
struct table *fleet_results_programs(struct fleet_results *r, bool by_host);
/* fleet_results_each - a row per host, program and event. */
struct table *fleet_results_each(const struct fleet_results *r);
/* fleet_results_functions - samples by program, event and function, over all hosts: of each event those with
 * the most events first. fleet_results_functions_each - a row per host, too. */
struct table *fleet_results_functions(const struct fleet_results *r);
struct table *fleet_results_functions_each(const struct fleet_results *r);
/* fleet_results_has - whether a host has figures of this kind. */
bool fleet_results_has(const struct fleet_results *r, enum fleet_kind kind);
/* fleet_results_bench - figures over the runs: median and quartiles of the runs' values. */
struct table *fleet_results_bench(const struct fleet_results *r);
/* fleet_results_runs - a row per run. fleet_results_values - a row per run and figure or text. */
struct table *fleet_results_runs(const struct fleet_results *r);
struct table *fleet_results_values(const struct fleet_results *r);

#endif

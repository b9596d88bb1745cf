/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fleet.h - shared by commands that read many hosts: the store, and the tables of a job.
 *
 * Failure    a status; failures are reported
 */
#ifndef CMD_TABLES_FLEET_H
#define CMD_TABLES_FLEET_H

#include "cmd/core/options.h"
#include "query/fleet/figures/hosts.h"
#include "query/fleet/results/results.h"

/* fleet_open - opens the store of --store, CDICT_STORE or the default. */
int fleet_open(struct store **out, const struct cmd_call *call);
/* fleet_open_store - like fleet_open(), but returns a code and reports nothing. */
int fleet_open_store(struct store **out, const struct options_shared *o, struct cdict_error *err);
/* fleet_fail - reports *@err. */
int fleet_fail(const struct cmd_call *call, const struct cdict_error *err);

/* The tables of a command: --sort and --top apply to the first; its rows are merged over the @hidden keys. */
struct fleet_view {
	enum fleet_kind kinds[2];
	size_t n;
	unsigned hidden; /* HIDE_* */
};
extern const struct fleet_view fleet_tasks, fleet_latency, fleet_vcpu, fleet_behind;

/* fleet_print - prints a command's tables for --job. */
int fleet_print(const struct cmd_call *call, const struct fleet_view *view);
/* fleet_print_tables - sorts the first one by -s, prints and frees all; a NULL among them means out
 * of memory. */
int fleet_print_tables(const struct cmd_call *call, const char *title, const char *note,
		       struct table **tables, size_t n);

/* fleet_add_results - adds the tables of counts, functions and benchmarks that are not empty to @tables, at most
 * FLEET_RESULT_TABLES; returns the new @n. */
#define FLEET_RESULT_TABLES 5
size_t fleet_add_results(const struct cmd_call *call, struct fleet_results *r,
			 struct table **tables, size_t n);
/* fleet_only_results - whether people see nothing but counts and benchmarks: tables of captures would be
 * empty. */
bool fleet_only_results(const struct cmd_call *call, const struct fleet_read *r,
			const struct fleet_results *results);

/* fleet_refuse - rejects options that apply only to a file together with --job; a status. */
int fleet_refuse(const struct cmd_call *call);
/* fleet_loss_status - like cmd_loss_status(), for a job. */
int fleet_loss_status(const struct cmd_call *call, const struct fleet_read *r);

#endif

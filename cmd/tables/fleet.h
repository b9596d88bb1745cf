/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fleet.h - what commands share that look at many hosts: the store, and the tables of a job.
 *
 * Failure    a status; what failed was told
 */
#ifndef CMD_FLEET_H
#define CMD_FLEET_H

#include "cmd/core/options.h"
#include "query/fleet/figures/hosts.h"

/* fleet_open - the store that --store, CDICT_STORE or the default names. */
int fleet_open(struct store **out, const struct cmd_call *call);
/* fleet_open_store - the same, nothing told: a code. */
int fleet_open_store(struct store **out, const struct options_shared *o, struct cdict_error *err);
/* fleet_fail - tells *@err. */
int fleet_fail(const struct cmd_call *call, const struct cdict_error *err);

/* The tables of a command: the first one is what --sort and --top are of; rows of it are not told apart by @hidden. */
struct fleet_view {
	enum fleet_kind kinds[2];
	size_t n;
	unsigned hidden; /* HIDE_* */
};
extern const struct fleet_view fleet_tasks, fleet_latency, fleet_vcpu;

/* fleet_print - a command's tables of --job. */
int fleet_print(const struct cmd_call *call, const struct fleet_view *view);
/* fleet_print_tables - sorts the first by -s, prints all and frees them; NULL among them: out of memory. */
int fleet_print_tables(const struct cmd_call *call, const char *title, const char *note,
		       struct table **tables, size_t n);

/* fleet_refuse - what only a file has, when it was given with --job; a status. */
int fleet_refuse(const struct cmd_call *call);
/* fleet_loss_status - how much of a job is missing, told as of a file. */
int fleet_loss_status(const struct cmd_call *call, const struct fleet_read *r);

#endif

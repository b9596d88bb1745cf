/* SPDX-License-Identifier: GPL-2.0-only */
/* push.h - `cdict push`, shared by its files: captures, figures of benchmarks, counts of events, a spool. */
#ifndef CMD_FLEET_PUSH_H
#define CMD_FLEET_PUSH_H

#include "cmd/tables/fleet.h"
#include "query/fleet/figures/capture.h"

struct push_opts {
	struct options_shared shared;
	const char *host, *spool;
	bool with_file;
	struct cmd_list bench; /* JSON files */
	const char *name;      /* name of the benchmark */
	const char *seconds;
	struct cmd_tids pids;
	bool all_cpus, wait;
};

/* push_host - gets --host, or the name of this machine. */
int push_host(char host[FLEET_HOST_ROOM], const struct push_opts *o, struct cdict_error *err);

int push_bench(const struct cmd_call *call, struct store *st, const struct fleet_job *job,
	       const char *file);
/* push_counts - counts --event for --seconds or while a command, the operands, runs; the status is
 * the command's. */
int push_counts(const struct cmd_call *call, struct store *st, const struct fleet_job *job);
/* push_spool - pushes everything in the spool @dir, or in that of --job; a status. */
int push_spool(const struct cmd_call *call, const char *dir);

#endif

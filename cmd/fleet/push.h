/* SPDX-License-Identifier: GPL-2.0-only */
/* push.h - `cdict push`, shared by its files: captures, figures of benchmarks, counts of events, a spool. */
#ifndef CMD_FLEET_PUSH_H
#define CMD_FLEET_PUSH_H

#include "base/memory/texts.h"
#include "cmd/tables/fleet.h"
#include "query/fleet/figures/capture.h"

enum { PUSH_BY_PROGRAM = 0, PUSH_BY_FUNCTION };

struct push_opts {
	struct options_shared shared;
	const char *host, *spool;
	bool with_file;
	struct cmd_list bench; /* JSON files */
	const char *name;      /* name of the benchmark */
	const char *seconds;
	struct cmd_tids pids;
	bool all_cpus, wait;
	int by; /* PUSH_BY_* */
	const char *freq, *count;
};

/* push_host - gets --host, or the name of this machine. */
int push_host(char host[FLEET_HOST_ROOM], const struct push_opts *o, struct cdict_error *err);

int push_bench(const struct cmd_call *call, struct store *st, const struct fleet_job *job,
	       const char *file);
/* push_counts - counts --event for --seconds or while a command, the operands, runs; the status is
 * the command's. */
int push_counts(const struct cmd_call *call, struct store *st, const struct fleet_job *job);
/* push_functions - the same, but samples by function. */
int push_functions(const struct cmd_call *call, struct store *st, const struct fleet_job *job);
/* push_events - the words of --event; a comma between slashes belongs to an event: cpu/event=0x3c,umask=1/. */
int push_events(struct texts *events, const struct cmd_list *words, struct cdict_error *err);
/* push_is_of_machine - whether all tasks are counted. push_lock_machine - one process at a time does that; the
 * others would count the same again. *lock: a descriptor to be closed, or -1. */
bool push_is_of_machine(const struct cmd_call *call);
int push_lock_machine(const struct cmd_call *call, int *lock, struct cdict_error *err);
/* push_rollups - fleet_rollup_host(), warning after a failure. */
void push_rollups(const struct cmd_call *call, struct store *st, const char *id, const char *host,
		  const char *ended);
/* push_spool - pushes everything in the spool @dir, or in that of --job; a status. */
int push_spool(const struct cmd_call *call, const char *dir);

#endif

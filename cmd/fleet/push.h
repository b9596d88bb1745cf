/* SPDX-License-Identifier: GPL-2.0-only */
/* push.h - `cdict push`, split over cmd/push*.c: captures, figures of benchmarks, counts of events, a spool. */
#ifndef CMD_PUSH_H
#define CMD_PUSH_H

#include "cmd/tables/fleet.h"
#include "query/fleet/figures/capture.h"

struct push_opts {
	struct options_shared shared;
	const char *host, *spool;
	bool with_file;
	struct cmd_list bench; /* files with JSON */
	const char *name;      /* of the benchmark */
	const char *seconds;
};

/* push_host - --host, or what this machine is called. */
int push_host(char host[FLEET_HOST_ROOM], const struct push_opts *o, struct cdict_error *err);
/* push_hash - FNV-1a, from @h on. */
uint64_t push_hash(uint64_t h, const void *data, size_t size);

int push_bench(const struct cmd_call *call, struct store *st, const struct fleet_job *job,
	       const char *file);
/* push_counts - counts --event while --seconds pass or the operands, a command, run. */
int push_counts(const struct cmd_call *call, struct store *st, const struct fleet_job *job);
/* push_spool - all of the spool in @dir, or of --job; a status. */
int push_spool(const struct cmd_call *call, const char *dir);

#endif

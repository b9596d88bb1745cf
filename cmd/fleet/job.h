/* SPDX-License-Identifier: GPL-2.0-only */
/* job.h - `cdict job`, shared by its files. */
#ifndef CMD_FLEET_JOB_H
#define CMD_FLEET_JOB_H

#include "cmd/tables/fleet.h"
#include "query/fleet/figures/start.h"

/* job_start - starts all waiting recorders in @in ("5s"), for @seconds (NULL: for their own times);
 * a code. */
int job_start(const struct cmd_call *call, struct store *st, const char *id, const char *in,
	      const char *seconds, struct cdict_error *err);
/* job_waiters - the recorders that wait at @now_ns of the store's clock, or did; warns about
 * differing clocks. Given, NULL: out of memory. */
struct table *job_waiters(const struct cmd_call *call, const struct fleet_waiters *waiters,
			  uint64_t now_ns);

/* job_clients - a row for each host and kind of what it pushed, with the time of the last; given, NULL:
 * out of memory. */
struct table *job_clients(const struct fleet_read *r, const struct fleet_results *results);

#endif

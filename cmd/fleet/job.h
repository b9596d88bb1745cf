/* SPDX-License-Identifier: GPL-2.0-only */
/* job.h - `cdict job`, split over cmd/job*.c. */
#ifndef CMD_JOB_H
#define CMD_JOB_H

#include "cmd/tables/fleet.h"
#include "query/fleet/figures/start.h"

/* job_start - all that wait begin in @in ("5s"), for @seconds (NULL: each as it was told); a code. */
int job_start(const struct cmd_call *call, struct store *st, const char *id, const char *in,
	      const char *seconds, struct cdict_error *err);
/* job_waiters - who waits at @now_ns of the store's clock, or did; clocks that are apart are told. Given, NULL: out of
 * memory. */
struct table *job_waiters(const struct cmd_call *call, const struct fleet_waiters *waiters,
			  uint64_t now_ns);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* sweep_loop.h - all runs of a sweep, one after the other. */
#ifndef CMD_SWEEP_LOOP_H
#define CMD_SWEEP_LOOP_H

#include "cmd/sweep.h"

/* sweep_loop - the runs that s->done lacks, each into it and into @journal; a status. */
int sweep_loop(const struct cmd_call *call, struct sweep *s, struct sweep_journal *journal);

#endif

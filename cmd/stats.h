/* SPDX-License-Identifier: GPL-2.0-only */
/* stats.h - the stats file, for the commands that make a capture. */
#ifndef CMD_STATS_H
#define CMD_STATS_H

#include "cmd/cmd.h"

/* stats_beside - what `cdict stats` prints of the file @cdict, written beside it:
 * run.cdict -> run.stats.txt. Reports failures as the command of @call; a status (loss does
 * not change it: who made the capture tells of that). */
int stats_beside(const struct cmd_call *call, const char *cdict);

#endif

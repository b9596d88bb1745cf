/* SPDX-License-Identifier: GPL-2.0-only */
/* foreign.h - commands of perf, trace-cmd and others, and what does the same here. */
#ifndef CMD_CORE_FOREIGN_H
#define CMD_CORE_FOREIGN_H

#include "cmd/core/cmd.h"

struct foreign_command {
	const char *tool;
	const char *words; /* "sched latency" */
	const char *use;   /* "cdict latency FILE" */
};

/* foreign_command - the command that the first of @args, NULL-terminated, are; with the most words. NULL: none. */
const struct foreign_command *foreign_command(const char *const *args);

/* Options of such tools by the command of the same purpose, for struct cmd. */
extern const struct cmd_foreign foreign_script_options[], foreign_report_options[],
	foreign_top_options[], foreign_sweep_options[];

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/* foreign.h - commands of perf, trace-cmd and others, and what does the same here. */
#ifndef CMD_CORE_FOREIGN_H
#define CMD_CORE_FOREIGN_H

struct foreign_command {
	const char *tool;
	const char *words; /* "sched latency" */
	const char *use;   /* "cdict latency FILE" */
};

/* foreign_command - the command that the first of @args, NULL-terminated, are; with the most words. NULL: none. */
const struct foreign_command *foreign_command(const char *const *args);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * commands.h - every command, in the order in which the help lists them.  A new
 * command is one line here and one file cmd/<name>.c.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include "cmd/cmd.h"

#define COMMANDS(X)                                                                                \
	X(record)                                                                                  \
	X(convert)                                                                                 \
	X(identify)                                                                                \
	X(annotate)                                                                                \
	X(info)                                                                                    \
	X(script)                                                                                  \
	X(tasks)                                                                                   \
	X(exits)                                                                                   \
	X(vcpu)                                                                                    \
	X(latency)                                                                                 \
	X(coremap)                                                                                 \
	X(switches)                                                                                \
	X(successors)                                                                              \
	X(stats)                                                                                   \
	X(heatmap)                                                                                 \
	X(report)                                                                                  \
	X(diff)

#define X(name) extern const struct cmd cmd_##name;
COMMANDS(X)
#undef X

#endif

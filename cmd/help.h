/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * help.h - what the option tables say, as help and as shell completion.
 * @cmds is the NULL-terminated list of all commands.
 */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "base/sink.h"
#include "cmd/cmd.h"

void help_commands(struct sink *s, const struct cmd *const *cmds);
void help_command(struct sink *s, const struct cmd *cmd);
void help_completion_bash(struct sink *s, const struct cmd *const *cmds);

#endif

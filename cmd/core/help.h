/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * help.h - prints the option tables as help and as shell completions (completion.c).
 * @cmds is the NULL-terminated list of all commands.
 */
#ifndef CMD_CORE_HELP_H
#define CMD_CORE_HELP_H

#include "base/text/sink.h"
#include "cmd/core/cmd.h"

void help_commands(struct sink *s, const struct cmd *const *cmds);
void help_command(struct sink *s, const struct cmd *cmd);
/* help_completion - for bash, zsh or fish; false: unknown shell, and nothing was written. */
bool help_completion(struct sink *s, const char *shell, const struct cmd *const *cmds);

#endif

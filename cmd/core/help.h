/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * help.h - what the option tables say, as help and as the completions of shells (completion.c).
 * @cmds is the NULL-terminated list of all commands.
 */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "base/text/sink.h"
#include "cmd/core/cmd.h"

void help_commands(struct sink *s, const struct cmd *const *cmds);
void help_command(struct sink *s, const struct cmd *cmd);
/* help_completion - for bash, zsh or fish; false: for another shell, and nothing was written. */
bool help_completion(struct sink *s, const char *shell, const struct cmd *const *cmds);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config.h - stored defaults of options: a file in the form of perfconfig, and the environment.
 *
 *	[tasks]
 *		sort = latency_max_ns		# as cdict tasks --sort latency_max_ns
 *	[cdict]
 *		max-loss = 1			# of every command that has it
 *
 * $CDICT_CONFIG, else $XDG_CONFIG_HOME/cdict/config, else ~/.config/cdict/config; the variables
 * CDICT_TASKS_SORT, ... override it; the command line overrides both. Only options with a single
 * value: no lists.
 *
 * Failure    CDICT_EUSAGE with the file and line, or -ENOMEM
 */
#ifndef CMD_CORE_CONFIG_H
#define CMD_CORE_CONFIG_H

#include "cmd/core/parse.h"

/* config_defaults - sets the options of @args, which must have their presets. */
int config_defaults(struct cmd_args *args, const struct cmd *cmd, struct cdict_error *err);

#endif

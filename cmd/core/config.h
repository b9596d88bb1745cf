/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config.h - defaults of options that somebody keeps: a file as perfconfig, and the environment.
 *
 *	[tasks]
 *		sort = latency_max_ns		# as cdict tasks --sort latency_max_ns
 *	[cdict]
 *		max-loss = 1			# of every command that has it
 *
 * $CDICT_CONFIG, else $XDG_CONFIG_HOME/cdict/config, else ~/.config/cdict/config; after it the variables
 * CDICT_TASKS_SORT, ...; after those the command line. Options of one value only: no lists.
 *
 * Failure    CDICT_EUSAGE with the file and line, or -ENOMEM
 */
#ifndef CMD_CONFIG_H
#define CMD_CONFIG_H

#include "cmd/core/parse.h"

/* config_defaults - sets the options of @args, whose presets are set. */
int config_defaults(struct cmd_args *args, const struct cmd *cmd, struct cdict_error *err);

#endif

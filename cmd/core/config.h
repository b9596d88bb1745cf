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

/* A section of a file: its keys are the options of @cmd. */
struct config_section {
	const char *name;
	const struct cmd *cmd;
	struct cmd_args *args;      /* with their presets */
	const char *const *refused; /* options that it does not take, up to NULL; or NULL */
	bool any;                   /* other keys are those of other commands */
};

/* The line that set an option. */
struct config_line {
	const char *name; /* of the option table */
	unsigned line;
};
struct config_lines {
	struct config_line *at;
	size_t n, cap;
};

/* config_file - reads @path, whose sections are all in @sections; lists are allowed, and a repeated
 * key adds to them. A file that cannot be read is a failure, too. */
int config_file(const char *path, const struct config_section *sections, size_t n,
		struct config_lines *lines, struct cdict_error *err);
/* config_fail - *err with the file and line (0: none) before its text, and options without dashes; its
 * code. */
int config_fail(struct cdict_error *err, const char *path, unsigned line);
/* config_line_of - the line of the first option --NAME in the message @text; 0: none. */
unsigned config_line_of(const struct config_lines *lines, const char *text);

/* config_defaults - sets the options of @args, which must have their presets. */
int config_defaults(struct cmd_args *args, const struct cmd *cmd, struct cdict_error *err);

#endif

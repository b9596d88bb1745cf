/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parse.h - parses argv into a command's options struct, by its option table.
 *
 * As in perf: options and operands in any order, "--" ends the options, -abc for -a -b -c, -oFILE
 * and -o FILE, --output=FILE and --output FILE, long names may be abbreviated if unambiguous.
 */
#ifndef CMD_CORE_PARSE_H
#define CMD_CORE_PARSE_H

#include "base/memory/texts.h"
#include "cmd/core/cmd.h"

struct cmd_args {
	void *opts;            /* the command's options struct */
	const char **operands; /* NULL-terminated */
	size_t n_operands;
	size_t n_before;    /* number of operands before "--"; without "--", all */
	struct texts texts; /* owned texts from the configuration */
	bool help;          /* -h or --help was given: nothing after it was parsed */
};

/* cmd_parse - @argv is NULL-terminated, without the names of the program and the command.
 * CDICT_EUSAGE with the reason, or -ENOMEM. To be freed with cmd_args_fini(), also after a
 * failure. */
int cmd_parse(struct cmd_args *args, const struct cmd *cmd, const char *const *argv,
	      struct cdict_error *err);
/* cmd_option_set - sets @o as if given with @arg, which must live as long as @opts. */
int cmd_option_set(void *opts, const struct cmd_option *o, const char *arg,
		   struct cdict_error *err);
void cmd_args_fini(struct cmd_args *args, const struct cmd *cmd);

#endif

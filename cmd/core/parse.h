/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parse.h - argv to a command's options struct, by its option table.
 *
 * As perf takes them: options and operands in any order, "--" ends the options,
 * -abc for -a -b -c, -oFILE and -o FILE, --output=FILE and --output FILE, long
 * names may be shortened as long as they stay unambiguous.
 */
#ifndef CMD_PARSE_H
#define CMD_PARSE_H

#include "base/memory/texts.h"
#include "cmd/core/cmd.h"

struct cmd_args {
	void *opts;            /* the command's options struct */
	const char **operands; /* NULL-terminated */
	size_t n_operands;
	size_t n_before;    /* of them, before "--"; all when there is none */
	struct texts texts; /* of the configuration, owned */
	bool help;          /* -h or --help: nothing after it was looked at */
};

/* cmd_parse - @argv is NULL-terminated, without the program's and the command's
 * name.  CDICT_EUSAGE with the reason, or -ENOMEM.  Free with cmd_args_fini(),
 * also after a failure. */
int cmd_parse(struct cmd_args *args, const struct cmd *cmd, const char *const *argv,
	      struct cdict_error *err);
/* cmd_option_set - as if @arg had been given to @o; it must live as long as @opts. */
int cmd_option_set(void *opts, const struct cmd_option *o, const char *arg,
		   struct cdict_error *err);
void cmd_args_fini(struct cmd_args *args, const struct cmd *cmd);

#endif

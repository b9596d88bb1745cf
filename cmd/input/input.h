/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - the captures that a command reads, and their formats.
 *
 * Failure    a status; failures are reported
 */
#ifndef CMD_INPUT_INPUT_H
#define CMD_INPUT_INPUT_H

#include "base/memory/texts.h"
#include "cdict/reader.h"
#include "cmd/core/cmd.h"

/* Default output of record, and input of the other commands, like perf.data for perf. */
#define INPUT_DEFAULT "record.cdict"

/* input_file - the FILE operand, else -i; without both, "-" if standard input is a pipe, else
 * INPUT_DEFAULT: like perf. */
const char *input_file(const struct cmd_call *call);

/* input_files - the files of a command that takes several; like input_file() when none is given. A
 * pattern ("*.cdict") that the shell left unexpanded stands for the files that match. */
int input_files(struct texts *files, const struct cmd_call *call);
/* input_files_add - appends @n names to @files, patterns as above. */
int input_files_add(struct texts *files, const struct cmd_call *call, const char *const *names,
		    size_t n);

enum input_flags {
	INPUT_ALL_EVENTS = 1, /* of a perf recording; otherwise only those of sched and kvm */
	INPUT_MAY_BE_EMPTY = 2,
};

/* input_open - opens @file, which is a cdict, or a recording of perf: that is converted in memory,
 * and this is reported. */
int input_open(struct cdict_reader **out, const struct cmd_call *call, const char *file,
	       unsigned flags);

/* input_open_all - opens @n files as input_open() does, messages in their order; of I/O traces, up to @jobs are
 * converted at once. Also on failure, the caller closes those that are open: others are NULL. */
int input_open_all(struct cdict_reader **out, const struct cmd_call *call, const char *const *files,
		   size_t n, unsigned flags, unsigned jobs);

/* input_is_empty - whether @file is an empty regular file. */
bool input_is_empty(const char *file);
/* input_is_text - whether @file begins with text, not with a capture; false for input that cannot
 * be read yet. */
bool input_is_text(const char *file);
/* input_is_perf - whether it is a perf recording, a file or a directory. */
bool input_is_perf(const char *file);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - the captures that a command reads: which ones, and of what kind.
 *
 * Failure    a status; what failed was told
 */
#ifndef CMD_INPUT_H
#define CMD_INPUT_H

#include "base/memory/texts.h"
#include "cdict/reader.h"
#include "cmd/core/cmd.h"

/* What record writes and the others read when no file is named, as perf.data is for perf. */
#define INPUT_DEFAULT "record.cdict"

/* input_file - the FILE operand, else -i; when there is neither, "-" if standard input is a pipe, else
 * INPUT_DEFAULT: perf's rule. */
const char *input_file(const struct cmd_call *call);

/* The files of a command that takes several, as input_file() when none is named. A pattern ("*.cdict") that
 * the shell left as it is stands for the files that match. */
int input_files(struct texts *files, const struct cmd_call *call);
/* input_files_add - @n names behind those that are there, patterns as above. */
int input_files_add(struct texts *files, const struct cmd_call *call, const char *const *names,
		    size_t n);

enum input_flags {
	INPUT_ALL_EVENTS = 1, /* of a recording of perf; else those of sched and kvm */
	INPUT_MAY_BE_EMPTY = 2,
};

/* input_open - @file, which is a cdict, or what perf records: that is converted on the way, into memory, and told. */
int input_open(struct cdict_reader **out, const struct cmd_call *call, const char *file,
	       unsigned flags);

/* input_is_empty - whether @file is a regular file without a byte. */
bool input_is_empty(const char *file);
/* input_is_text - whether @file begins as a text does, and not as a capture; what cannot be read yet is none. */
bool input_is_text(const char *file);
/* input_is_perf - whether it is what perf records, a file or a directory. */
bool input_is_perf(const char *file);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - a second reader of perf script's input: of the file, or of a copy of
 * the pipe's data.
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  input_open() fills caller's storage, input_close() empties it
 */
#ifndef PLUGIN_INPUT_H
#define PLUGIN_INPUT_H

#include "convert/perfdata/perfdata.h"
#include "plugin/args.h"
#include "plugin/tee.h"

struct input {
	struct perfdata *pd; /* when it is a file; else: */
	int fd;              /* or -1 */
	struct tee *tee;     /* feeds fd; NULL: fd is a file */
	char from[300];      /* "kvm.data", "the recording" */
};

int input_open(struct input *in, const struct perf_args *perf, struct cdict_error *err);
/* input_may_have_chains - false when no event was recorded with its call chain. */
bool input_may_have_chains(const struct input *in);
/* input_close_copy - closes the copy; perf's input continues. input_close - closes both; false when memory
 * ran out and the copy was incomplete. */
void input_close_copy(struct input *in);
bool input_close(struct input *in);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - the recording that perf script reads, once more: the file, or a copy of what
 * comes through a pipe.
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  input_open() fills caller's storage, input_close() empties it
 */
#ifndef PLUGIN_INPUT_H
#define PLUGIN_INPUT_H

#include "convert/perfdata.h"
#include "plugin/args.h"
#include "plugin/tee.h"

struct input {
	struct perfdata *pd; /* of a file; else it comes from: */
	int fd;              /* or -1 */
	struct tee *tee;     /* which fills fd; NULL: fd is a file */
	char from[300];      /* "kvm.data", "the recording" */
};

int input_open(struct input *in, const struct perf_args *perf, struct cdict_error *err);
/* input_may_have_chains - false when no event of it was recorded with its call chain. */
bool input_may_have_chains(const struct input *in);
/* input_close_copy - what perf reads comes on. input_close - that is over too; false when memory was
 * out, and the copy was not complete. */
void input_close_copy(struct input *in);
bool input_close(struct input *in);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - where the recording is that perf script reads, and where formats come from:
 * out of it, or, when it cannot be read along, from the running kernel.
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  input_open() fills caller's storage, input_close() empties it
 */
#ifndef PLUGIN_INPUT_H
#define PLUGIN_INPUT_H

#include "plugin/along.h"
#include "plugin/args.h"
#include "plugin/tap.h"

struct input {
	struct along *along; /* NULL: formats come from tracefs */
	struct tap *tap;
	char *path;        /* of a file; NULL: standard input */
	char from[300];    /* "kvm.data", "the recording", "tracefs at /sys/kernel/tracing" */
	char why_not[300]; /* why it is tracefs, "" when it is not or when that was asked for */
	char tracefs[256]; /* its mount point */
	size_t seen;       /* events of the recording asked for already */
	struct perfdata_format *formats; /* of tracefs, so far */
	size_t n_formats;
};

int input_open(struct input *in, const struct perf_args *perf, bool tracefs,
	       struct cdict_error *err);
/* input_types - adds the events that are known by now to @types. For tracefs: the event
 * @name with this id alone; *@why says why it cannot be stored, "" when it can. */
int input_types(struct input *in, struct types *types, const char *name, uint64_t config,
		uint64_t sample_type, char *why, size_t why_size, struct cdict_error *err);
/* input_strings - printk_formats of tracefs, given; NULL when there is none. */
char *input_strings(const struct input *in);
/* input_finish - no more comes; along_write() may be called then. */
void input_finish(struct input *in);
void input_close(struct input *in);

#endif

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

#include "base/array.h"
#include "convert/formats.h"
#include "plugin/along.h"
#include "plugin/args.h"
#include "plugin/tee.h"

struct perf_event_attr;

struct input {
	struct along *along; /* NULL: formats come from tracefs */
	struct tee *tee;
	char *path;        /* of a file; NULL: standard input */
	char from[300];    /* "kvm.data", "the recording", "tracefs at /sys/kernel/tracing" */
	char why_not[300]; /* why it is tracefs, "" when it is not or when that was asked for */
	char tracefs[256]; /* its mount point */
	/* Of tracefs, so far; all of it is ours. */
	ARRAY(struct perfdata_format) formats;
	ARRAY(struct perfdata_event *) events;
};

int input_open(struct input *in, const struct perf_args *perf, bool tracefs,
	       struct cdict_error *err);
/* input_types - adds the events that are known by now to @types. For tracefs: the event of @attr,
 * called @name, alone; *@why says why it cannot be stored, "" when it can. */
int input_types(struct input *in, struct formats *types, const char *name,
		const struct perf_event_attr *attr, char *why, size_t why_size,
		struct cdict_error *err);
/* input_strings - printk_formats of tracefs, given; NULL when there is none. */
char *input_strings(const struct input *in);
/* input_finish - no more comes; along_write() may be called then. */
void input_finish(struct input *in);
void input_close(struct input *in);

#endif

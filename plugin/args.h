/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * args.h - the plugin's --dlarg options, and perf script's command line, which names the
 * recording and shows whether perf will leave events out.
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage, emptied by *_fini(); texts are copied
 */
#ifndef PLUGIN_ARGS_H
#define PLUGIN_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory/texts.h"
#include "cdict/error.h"

struct args {
	char *out;           /* NULL: derived from the input's name */
	struct texts events; /* globs over "system:event" */
	struct texts maps;   /* mapping files */
	bool print;          /* perf prints the events too */
	bool quiet;          /* no summary line on success */
	bool stacks;
};

/* args_parse - parses the values of --dlarg. */
int args_parse(struct args *a, char *const *argv, int argc, struct cdict_error *err);
void args_fini(struct args *a);

struct perf_args {
	char *input;     /* -i, or NULL */
	bool filtered;   /* an option may make perf leave events out */
	bool guest_code; /* --guest-code or a similar option was given */
	bool symbols;    /* an option for symbol files was given */
};

/* perf_args_parse - @size bytes of a command line as in /proc/self/cmdline. */
int perf_args_parse(struct perf_args *p, const char *cmdline, size_t size, struct cdict_error *err);
/* perf_args_read - the same for this process. */
int perf_args_read(struct perf_args *p, struct cdict_error *err);
void perf_args_fini(struct perf_args *p);

#endif

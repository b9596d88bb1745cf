/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figures.h - the way every table command goes: open the file, make the filter,
 * set up the engine, walk, name the tasks, print, tell the status.
 */
#ifndef CMD_FIGURES_H
#define CMD_FIGURES_H

#include "analyze/engine.h"
#include "cmd/names.h"
#include "cmd/options.h"
#include "cmd/table.h"

struct figures {
	const struct cmd_call *call;
	const struct options_shared *opts;
	const char *file;
	struct cdict_reader *reader;
	struct options_filter filter;
	int32_t *nodes;
	struct analyze_engine *eng;
	struct names names;
	uint64_t unknown_ns;
};

/* Each returns CMD_DONE, or the status of a failure that was reported. */
int figures_open(struct figures *f, const struct cmd_call *call);
/* Between the two the command registers its analyses with f->eng. */
int figures_run(struct figures *f);
/* figures_print - sorts the first table by -s, cuts it by -n and prints all. */
int figures_print(struct figures *f, const char *note, struct table *const *tables, size_t n);
void figures_close(struct figures *f); /* after the analyses were freed */

/* figures_fail - reports @err about the file; CMD_USAGE or CMD_FAILED. */
int figures_fail(const struct figures *f, const struct cdict_error *err);
int figures_no_memory(const struct figures *f);

#endif

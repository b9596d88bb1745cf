/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_stacks.h - the stacks of a perf.data's samples: their call chains, the stacks that were
 * copied (perf record --call-graph dwarf), or the address alone, with the symbols that perf would
 * give them.
 *
 * The address space at the time of a sample is that of all earlier records, but a recording has
 * them ring by ring. So a file's records of mappings are read first; of a pipe, as they come.
 *
 * Threads    any
 * Failure    negative code with *err filled
 * Ownership  perf_stacks_new() gives, perf_stacks_free() takes (NULL is fine)
 */
#ifndef CONVERT_STACKS_PERF_STACKS_H
#define CONVERT_STACKS_PERF_STACKS_H

#include "convert/perfdata/perfdata.h"

struct cdict_writer;
struct perf_stacks;

/* Where files are found; the zero value is perf's default. */
struct perf_stacks_options {
	const char *symfs;   /* folder that replaces "/" in paths, or NULL */
	const char *buildid; /* folder of files by build id, or NULL */
};

/* perf_stacks_wanted - whether samples of @ev have a stack. */
bool perf_stacks_wanted(const struct perfdata_event *ev);

/* perf_stacks_new - for @pd, which must stay open. */
int perf_stacks_new(struct perf_stacks **out, const struct perfdata *pd,
		    const struct perf_stacks_options *opts, struct cdict_error *err);
void perf_stacks_free(struct perf_stacks *s);

/* perf_stacks_survey - reads the mappings of the whole recording: 1; 0 when it can be read only
 * once, and perf_stacks_record() must pass its records; or a negative code. */
int perf_stacks_survey(struct perf_stacks *s, struct cdict_error *err);
/* perf_stacks_record - handles a record that is not a sample. */
void perf_stacks_record(struct perf_stacks *s, const struct perfdata_record *rec);

/* perf_stacks_find - the number of the stack of a sample of @ev, or CDICT_NO_STACK. */
uint32_t perf_stacks_find(struct perf_stacks *s, const struct perfdata_event *ev,
			  const struct perfdata_record *rec);

/* perf_stacks_write - writes the stacks; *why receives a clause about missing symbols or stacks, or
 * "". */
int perf_stacks_write(struct perf_stacks *s, struct cdict_writer *w, const char **why,
		      struct cdict_error *err);

#endif

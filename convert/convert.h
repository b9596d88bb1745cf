/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * convert.h - converts perf.data to cdict.
 *
 * Records are read once, in the file's order. Samples are distributed to their CPUs; 64 Ki samples
 * of one CPU make a block, which any thread may decode and compress; blocks are written in the
 * order in which they were cut. The cuts depend only on the input, so the output does not depend on
 * the number of threads.
 *
 * Units      bytes, events, ns of the recording's clock
 * Failure    negative code with *err filled; the output is then incomplete and the caller discards
 *            it
 * Ownership  the caller frees the report with convert_report_fini()
 */
#ifndef CONVERT_CONVERT_H
#define CONVERT_CONVERT_H

#include <stdbool.h>

#include "base/memory/array.h"
#include "cdict/writer.h"
#include "convert/stacks/perf_stacks.h"
#include "convert/perfdata/perfdata.h"
#include "format/labels/mapping.h"

struct stack_dict;

/* A sample, for another reader of the same recording. */
struct convert_sample {
	uint64_t t_ns;
	uint32_t cpu, config; /* config of the event's attr */
	bool chain;           /* it has a call chain */
	bool stored;          /* its event is stored: only then its stack may be requested */
};

/* Results of another reader of the same recording, perf script's filter. Called in the order of the
 * recording, stack() when a block is encoded; by one thread with one job. */
struct convert_beside {
	void *ctx;
	bool filtered; /* some samples are not wanted */
	/* NULL when nothing is filtered and there are no stacks. */
	bool (*wanted)(void *ctx, const struct convert_sample *s);
	/* NULL: no stacks; else returns CDICT_NO_STACK, or the number in the dictionary that end()
	 * writes. */
	uint32_t (*stack)(void *ctx, const struct convert_sample *s);
	/* Called before the file ends. */
	int (*end)(void *ctx, struct cdict_writer *w, const struct perfdata *pd,
		   struct cdict_error *err);
};

/* Formats for a recording that lacks those of some of its events. */
struct convert_lent {
	const struct perfdata_tracing
		*tracing;   /* NULL: none; else they must outlive the conversion */
	const char *source; /* "tracefs", "folder", "perf.data", "cdict" */
	struct lent
		*each; /* to check each sample against its types on the way; NULL: checked before */
	char left_out[256]; /* a sentence about an event whose samples do not fit; "" */
	char why[384];      /* why none were found; "": not searched */
};

struct convert_options {
	const char *const *events; /* globs (base/event_glob.h); NULL: sched:* and kvm:* */
	size_t n_events;
	unsigned jobs; /* number of threads; 0: one per CPU that this process may use */
	/* Called from time to time with the bytes read and the input's size (0: unknown). */
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	const struct mapping *labels; /* written to the file as well; NULL: none */
	const struct convert_beside *beside;
	/* Store stacks of a perf.data's samples, with symbols from there; NULL: none. Not with
	 * @beside. */
	const struct perf_stacks_options *stacks;
	/* Called once, before the first sample of a recording that lacks formats, which stays as it
	 * is. NULL: do not look for formats. */
	int (*lend)(void *ctx, const struct perfdata *pd, struct convert_lent *out,
		    struct cdict_error *err);
	void *lend_ctx;
};

struct convert_unstored {
	char *name;
	uint64_t count;
};

/* Results of a conversion, for the summary line. */
struct convert_report {
	uint64_t events, bytes_in, bytes_out;
	uint64_t lost;        /* number of lost events, as counted by the recording */
	uint64_t disordered;  /* events that were out of order and were sorted */
	uint64_t bad_samples; /* unreadable samples */
	size_t types;         /* event types stored */
	uint64_t first_ns, last_ns;
	bool damaged;       /* the input is damaged: see damage */
	char damage[512];   /* one sentence */
	char note[256];     /* a remark that is not about damage */
	char missing[1024]; /* when no event was stored: what the input contains instead */
	ARRAY(struct convert_unstored) unstored; /* most frequent first */
};

int convert_run(struct perfdata *pd, const struct convert_options *opts, cdict_write_fn fn,
		void *ctx, struct convert_report *report, struct cdict_error *err);
void convert_report_fini(struct convert_report *report);
/* convert_unstored_add - adds @count events called @name that were read and not stored; 0: none. */
int convert_unstored_add(struct convert_report *report, const char *name, uint64_t count,
			 struct cdict_error *err);
/* convert_unstored_write - sorts them, the most frequent first, and writes them to the file. */
int convert_unstored_write(struct convert_report *report, struct cdict_writer *w,
			   struct cdict_error *err);

/* convert_jobs - the number of threads, including the reading one; also for other sources. */
unsigned convert_jobs(const struct convert_options *opts);

#endif

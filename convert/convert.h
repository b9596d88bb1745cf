/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * convert.h - perf.data in, cdict out.
 *
 * Records are read once, in the file's order. Samples are routed to their CPU; 64 Ki
 * of one CPU make a block, which any thread may decode and compress; blocks are
 * written in the order in which they were cut. What is cut depends on the input
 * alone, so the bytes do not depend on the number of threads.
 *
 * Units      bytes, events, ns of the recording's clock
 * Failure    negative code with *err filled; the output is then incomplete and
 *            the caller throws it away
 * Ownership  the caller frees the report with convert_report_fini()
 */
#ifndef CONVERT_CONVERT_H
#define CONVERT_CONVERT_H

#include <stdbool.h>

#include "base/memory/array.h"
#include "cdict/writer.h"
#include "convert/perfdata/perfdata.h"
#include "format/labels/mapping.h"

struct stack_dict;

/* A sample, as who watches another reader of the recording knows it. */
struct convert_sample {
	uint64_t t_ns;
	uint32_t cpu, config; /* of the event's attr */
	bool chain;           /* with a call chain */
	bool stored;          /* its event: then its stack may be asked for */
};

/* What another reader of the same recording did with its samples: perf script's filter. Called in
 * the order of the recording, the stack when a block is encoded; by one thread with one job. */
struct convert_beside {
	void *ctx;
	bool filtered; /* not every sample is wanted */
	/* NULL when nothing is filtered and no stack is known. */
	bool (*wanted)(void *ctx, const struct convert_sample *s);
	/* NULL: no stacks; else CDICT_NO_STACK, or the number in the dictionary that end() writes. */
	uint32_t (*stack)(void *ctx, const struct convert_sample *s);
	/* Before the file ends. */
	int (*end)(void *ctx, struct cdict_writer *w, const struct perfdata *pd,
		   struct cdict_error *err);
};

/* Formats for a recording that lacks those of some of its events. */
struct convert_lent {
	const struct perfdata_tracing
		*tracing;   /* NULL: there are none; else they outlive the conversion */
	const char *source; /* "tracefs", "folder", "perf.data", "cdict" */
	struct lent
		*each; /* whose types each sample is held against on the way; NULL: that was done */
	char left_out[256]; /* an event whose samples do not fit: a sentence; "" */
	char why[384];      /* there are none because...; "": nobody looked */
};

struct convert_options {
	const char *const *events; /* base/event_glob.h; NULL: sched:* and kvm:* */
	size_t n_events;
	unsigned jobs; /* threads; 0: one per CPU that this process may use */
	/* Called now and then with the bytes read and the input's size (0: unknown). */
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
	const struct mapping *labels; /* go into the file as well; NULL: none */
	const struct convert_beside *beside;
	/* Called once, before the first sample of such a recording, which stays as it is. NULL: never. */
	int (*lend)(void *ctx, const struct perfdata *pd, struct convert_lent *out,
		    struct cdict_error *err);
	void *lend_ctx;
};

struct convert_unstored {
	char *name;
	uint64_t count;
};

/* What was done, for the closing line. */
struct convert_report {
	uint64_t events, bytes_in, bytes_out;
	uint64_t lost;        /* events, by the recording's own account */
	uint64_t disordered;  /* events that ran backwards in time and were sorted in */
	uint64_t bad_samples; /* samples that could not be read */
	size_t types;         /* event types stored */
	uint64_t first_ns, last_ns;
	bool damaged;       /* the input: see damage */
	char damage[512];   /* one sentence */
	char note[256];     /* what is worth a word, but no damage */
	char missing[1024]; /* no event was stored: what the input has instead */
	ARRAY(struct convert_unstored) unstored; /* most frequent first */
};

int convert_run(struct perfdata *pd, const struct convert_options *opts, cdict_write_fn fn,
		void *ctx, struct convert_report *report, struct cdict_error *err);
void convert_report_fini(struct convert_report *report);
/* convert_unstored_add - @count events called @name were seen and not stored; 0: none. */
int convert_unstored_add(struct convert_report *report, const char *name, uint64_t count,
			 struct cdict_error *err);
/* convert_unstored_write - they are sorted, the most frequent first, and become rows of the file. */
int convert_unstored_write(struct convert_report *report, struct cdict_writer *w,
			   struct cdict_error *err);

/* convert_jobs - how many threads that is, the reading one of them; for other sources, too. */
unsigned convert_jobs(const struct convert_options *opts);

#endif

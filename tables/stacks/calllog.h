/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * calllog.h - call-depth logs, printed by a program that measures its own calls, one line per call.
 *
 *	++,thread,function,calls,percent,cycles,ns
 *
 * The number of + is the call's depth; its caller is the thread's last line with a smaller depth,
 * depth 1 begins a new stack. Other and malformed lines are ignored. The function may contain
 * commas, or be quoted as in CSV. A figure may be missing: empty, or NaN, as 0/0 is printed.
 *
 * Figures of the same stack in several files or threads are averaged and rounded to two decimals as
 * pandas does it, groupby("stack").mean().round(2), bit by bit: Kahan's sum in order of the lines
 * divided by their number, and 100 times that, all in double precision, rounded half to even. The
 * mean of the decimals differs at ties: that of 0.57 and 0.58 is 0.575, half to even 0.58, but 100
 * times its double is less than 57.5. Reports of CI are compared with those of scripts.
 *
 *	struct calllog log;
 *
 *	calllog_init(&log);
 *	calllog_read(&log, text, size, err);	// of each file
 *	calllog_done(&log, CALLLOG_NS, err);	// the unit of the tree's values
 *	t = calllog_table(&log);
 *	calllog_fini(&log);
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage; calllog_fini() also after a failure
 */
#ifndef TABLES_STACKS_CALLLOG_H
#define TABLES_STACKS_CALLLOG_H

#include "tables/columns/table.h"
#include "tables/stacks/folded.h"

enum calllog_figure {
	CALLLOG_CALLS = 0,
	CALLLOG_PERCENT,
	CALLLOG_CYCLES,
	CALLLOG_NS,
	CALLLOG_FIGURES,
};
extern const char *const calllog_figures[]; /* "calls", ..., NULL */

struct calllog_sum {
	uint64_t lines; /* 0: seen only as a caller */
	struct calllog_mean {
		uint64_t n;          /* lines that have the figure */
		double sum, excess;  /* Kahan's: what the sum has too much */
		uint64_t hundredths; /* after calllog_done(): the mean */
	} of[CALLLOG_FIGURES];
};

struct calllog {
	struct folded tree;
	ARRAY(struct calllog_sum) sums; /* by node */
	uint64_t lines, ignored;        /* calls; malformed lines with a + */
};

int calllog_init(struct calllog *log); /* 0 or -ENOMEM */
void calllog_fini(struct calllog *log);
/* calllog_read - reads one file; stacks do not continue from another file. */
int calllog_read(struct calllog *log, const char *text, size_t size, struct cdict_error *err);
/* calllog_done - averages; the tree's values are the figures @of. CDICT_ELIMIT: they overflow. */
int calllog_done(struct calllog *log, enum calllog_figure of, struct cdict_error *err);
/* calllog_table - a row per stack, most calls first; NULL: out of memory. */
struct table *calllog_table(const struct calllog *log);

#endif

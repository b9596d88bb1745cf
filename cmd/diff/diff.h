/* SPDX-License-Identifier: GPL-2.0-only */
/* diff.h - shared by the files of cdict diff: rules (rules.c), output (print.c). */
#ifndef CMD_DIFF_DIFF_H
#define CMD_DIFF_DIFF_H

#include "cmd/report/report.h"
#include "tables/compare/rules.h"

struct diff_opts {
	struct options_shared shared;
	struct cmd_list labels, commits; /* first of the base, second of the new side */
	struct cmd_list rules;           /* "fail-if=RULE", "max-exits=PCT": in the order given */
	const char *alpha;
	uint64_t min_events;
	bool skip_unjudged;
	int by; /* DIFF_BY_* */
};

/* The unit of a row in the table of tasks. */
enum { DIFF_BY_TASK = 0, DIFF_BY_GROUP };

struct diff {
	const struct cmd_call *call;
	const struct diff_opts *opts;
	struct report_capture *captures; /* the runs, the base's first */
	struct figures **f;              /* figures of each run */
	size_t n_base, n;
	double alpha;
	struct changes all[COMPARE_ALL]; /* groups: for a page, --by group and rules on them */
	struct rule *rules;
	size_t n_rules;
	struct table *regressions, *outcome, *runs; /* broken rules, all rules, captures */
};

/* diff_rules_init - parses the rules of the command line; a status. Call diff_rules_fini() also
 * after a failure. */
int diff_rules_init(struct diff *d);
void diff_rules_fini(struct diff *d);
/* diff_judge - applies the rules; a status. */
int diff_judge(struct diff *d);
/* diff_unjudged - the reason why a rule could not be judged, given; NULL: out of memory. */
char *diff_unjudged(const struct diff *d, const struct rule *rule);

/* diff_page - writes the page of the comparison to -o; a status. */
int diff_page(struct diff *d);
/* diff_print - prints to stdout or -o; a status that ignores loss. */
int diff_print(struct diff *d);

#endif

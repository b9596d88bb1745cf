/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * rules.h - what must not change: rules in a line each, and what breaks them.
 *
 *	rule   = figure [ "[" choice { "," choice } "]" ] ( ">" | "<" ) limit
 *	choice = ( "name" | "reason" | "cpu" ) "=" ( text | '"' text '"' )
 *	limit  = [ "+" | "-" ] number [ unit ]
 *
 * A figure is called as changes_name() has it: "exits.rate".  A limit with a sign is of the difference: relative
 * with the unit %, absolute with "points" (of percentages), ns us ms s (of durations), /s (of rates).  Without a sign
 * it is of the new value itself.  doc/cdict-diff.1 explains it to users.
 *
 * Ownership  rule_parse() fills the caller's struct, rule_fini() empties it, also after a failure
 */
#ifndef TABLES_RULES_H
#define TABLES_RULES_H

#include "tables/compare/changes.h"

enum rule_of { RULE_RELATIVE, RULE_ABSOLUTE, RULE_LEVEL };

/* What of the rows was judged, and why others were not. */
struct rule_counts {
	size_t judged, broken;
	size_t few;     /* too few events */
	size_t runs;    /* too few runs for any change to be more than chance */
	size_t unknown; /* not compared: too much is unknown, or the VM has no name */
	size_t lone;    /* on one side only */
	size_t untold;  /* told by no capture: its events were not recorded, or there were none */
};

struct rule {
	char *text; /* as it was given */
	enum compare_what what;
	size_t figure;       /* of what is compared */
	char *name, *reason; /* patterns; NULL: any */
	uint32_t cpu;        /* CDICT_CPU_UNKNOWN: any */
	enum rule_of of;
	bool below;   /* broken by less */
	double limit; /* percent of the base, or of the figure's own unit: percent, per second, ns */
	/* Whether a text is what a pattern means: set between rule_parse() and rules_judge(); NULL: none is. */
	bool (*matches)(void *pattern, const char *text);
	void *name_pattern, *reason_pattern;
	struct rule_counts counts; /* by rules_judge() */
};

/* rule_parse - CDICT_EUSAGE with what is wrong, or -ENOMEM. */
int rule_parse(struct rule *rule, const char *text, struct cdict_error *err);
void rule_fini(struct rule *rule);

struct rules_how {
	double alpha;      /* of less than that p is no chance */
	double min_events; /* a rate or a percentile of fewer events is not judged */
};
/* Less of the window than that is not held against a relative limit. */
#define RULES_SHARE_LEAST 0.1 /* percent */

/* rules_judge - what breaks the rules, a row each, with units; given, NULL: out of memory. */
struct table *rules_judge(struct rule *rules, size_t n, const struct changes all[COMPARE_N],
			  const struct rules_how *how);
/* rules_table - each rule with what came of it. */
struct table *rules_table(const struct rule *rules, size_t n);

#endif

/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * rules.h - rules on what must not change, one per line, and the rows that break them.
 *
 *	rule   = figure [ "[" choice { "," choice } "]" ] ( ">" | "<" ) limit
 *	choice = ( "name" | "reason" | "cpu" ) "=" ( text | '"' text '"' )
 *	limit  = [ "+" | "-" ] number [ unit ]
 *
 * A figure has a name of changes_alias(): "exits.rate". A limit with a sign is for the difference:
 * relative with the unit %, absolute with "points" (of percentages), ns us ms s (of
 * durations), /s (of rates). Without a sign it is for the new value itself. doc/cdict-diff.1 is the
 * user documentation.
 *
 * Ownership  rule_parse() fills the caller's struct, rule_fini() empties it, also after a failure
 */
#ifndef TABLES_COMPARE_RULES_H
#define TABLES_COMPARE_RULES_H

#include "tables/compare/changes.h"

enum rule_of { RULE_RELATIVE, RULE_ABSOLUTE, RULE_LEVEL };

/* The number of judged rows, and of others by the reason why they were not. */
struct rule_counts {
	size_t judged, broken;
	size_t few;        /* too few events */
	size_t runs;       /* too few runs for any change to be significant */
	size_t unknown;    /* not compared: too much unknown, or the VM has no name */
	size_t lone;       /* on one side only */
	size_t unreported; /* in no capture: its events were not recorded, or there were none */
};

struct rule {
	char *text; /* as given */
	enum compare_what what;
	size_t figure;       /* in compare.figures */
	char *name, *reason; /* patterns; NULL: any */
	uint32_t cpu;        /* CDICT_CPU_UNKNOWN: any */
	enum rule_of of;
	bool below;   /* a smaller value breaks it */
	double limit; /* percent of the base, or in the figure's unit: percent, per second, ns */
	/* Whether a text matches a pattern: set between rule_parse() and rules_judge(); NULL:
	 * nothing matches. */
	bool (*matches)(void *pattern, const char *text);
	void *name_pattern, *reason_pattern;
	struct rule_counts counts; /* set by rules_judge() */
};

/* rule_parse - 0, CDICT_EUSAGE with a description of the error, or -ENOMEM. */
int rule_parse(struct rule *rule, const char *text, struct cdict_error *err);
void rule_fini(struct rule *rule);

struct rules_how {
	double alpha;      /* a smaller p is significant */
	double min_events; /* rates and percentiles of fewer events are not judged */
};
/* Smaller shares of the window are not judged by relative limits. */
#define RULES_SHARE_LEAST 0.1 /* percent */

/* rules_judge - a table with a row for each violation, with units; NULL: out of memory. */
struct table *rules_judge(struct rule *rules, size_t n, const struct changes all[COMPARE_ALL],
			  const struct rules_how *how);
/* rules_table - a table of the rules with their results; NULL: out of memory. */
struct table *rules_table(const struct rule *rules, size_t n);

#endif

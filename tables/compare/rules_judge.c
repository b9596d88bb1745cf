/* SPDX-License-Identifier: LGPL-2.1-only */
/* Judges changes by rules. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tables/compare/rules.h"

enum {
	B_RULE,
	B_TABLE,
	B_NAME,
	B_REASON,
	B_CPU,
	B_KEY,
	B_UNIT,
	B_BASE,
	B_NEW,
	B_LIMIT,
	B_CHANGE,
	B_PERCENT,
	B_P,
	B_BASE_N,
	B_NEW_N,
	B_WAS,
	B_IS,
	B_BY,
	B_RELATIVE,
	B_MOST,
	B_CHANCE,
	B_RUNS,
};

static const struct table_column broken_columns[] = {
	[B_RULE] = CHANGES_BOTH("rule", "rule", TABLE_TEXT),
	[B_TABLE] = CHANGES_PROGRAMS("what", TABLE_TEXT),
	[B_NAME] = CHANGES_BOTH("name", "task", TABLE_TEXT),
	[B_REASON] = CHANGES_BOTH("reason", "reason", TABLE_TEXT),
	[B_CPU] = CHANGES_BOTH("cpu", "cpu", TABLE_INTEGER),
	[B_KEY] = CHANGES_PROGRAMS("figure", TABLE_TEXT),
	[B_UNIT] = CHANGES_PROGRAMS("unit", TABLE_TEXT),
	[B_BASE] = CHANGES_PROGRAMS("base", TABLE_PERCENT),
	[B_NEW] = CHANGES_PROGRAMS("new", TABLE_PERCENT),
	[B_LIMIT] = CHANGES_PROGRAMS("limit", TABLE_PERCENT),
	[B_CHANGE] = CHANGES_PROGRAMS("change", TABLE_PERCENT),
	[B_PERCENT] = CHANGES_PROGRAMS("change_percent", TABLE_PERCENT),
	[B_P] = CHANGES_PROGRAMS("p", TABLE_PERCENT),
	[B_BASE_N] = CHANGES_PROGRAMS("base_runs", TABLE_INTEGER),
	[B_NEW_N] = CHANGES_PROGRAMS("new_runs", TABLE_INTEGER),
	[B_WAS] = CHANGES_PEOPLE("was", "was", 0),
	[B_IS] = CHANGES_PEOPLE("is", "is", 0),
	[B_BY] = CHANGES_PEOPLE("by", "by", 0),
	[B_RELATIVE] = CHANGES_PEOPLE("relative", "%", 0),
	[B_MOST] = CHANGES_PEOPLE("allowed", "allowed", 0),
	[B_CHANCE] = CHANGES_PEOPLE("chance", "p", 0),
	[B_RUNS] = CHANGES_PEOPLE("runs", "n", 0),
	TABLE_COLUMNS_END,
};

/* ---- judging ---- */

/* The limit for the new side's value. */
static double limit_of(const struct rule *rule, const struct changes_value *v)
{
	double base = v->side[CHANGES_BASE].median;

	return rule->of == RULE_RELATIVE   ? base * (1 + rule->limit / 100)
	       : rule->of == RULE_ABSOLUTE ? base + rule->limit
					   : rule->limit;
}

static bool chosen(const struct rule *rule, const struct compare_row *row)
{
	/* IDLE only matches if named */
	if (!rule->name && !strcmp(row->name, COMPARE_IDLE))
		return false;
	if (rule->cpu != CDICT_CPU_UNKNOWN && rule->cpu != row->cpu)
		return false;
	if (rule->name && !(rule->matches && rule->matches(rule->name_pattern, row->name)))
		return false;
	return !rule->reason ||
	       (rule->matches && row->reason && rule->matches(rule->reason_pattern, row->reason));
}

/* Whether there are too few events to judge. */
static bool too_few(const struct rule *rule, const struct changes *c, const struct changes_row *row,
		    const struct rules_how *how)
{
	const struct compare_figure *figure = &c->compare.figures[rule->figure];
	const struct changes_value v = changes_value(c, row, rule->figure);
	double base = changes_events(c, row, rule->figure, CHANGES_BASE);
	double now = changes_events(c, row, rule->figure, CHANGES_NEW);

	if (figure->ns) /* a percentile needs them on each side */
		return now < how->min_events || (rule->of != RULE_LEVEL && base < how->min_events);
	if (figure->counts) /* enough on one side: from none to many is a change */
		return fmax(base, now) < how->min_events;
	return rule->of == RULE_RELATIVE &&
	       fmax(v.side[CHANGES_BASE].median, v.side[CHANGES_NEW].median) < RULES_SHARE_LEAST;
}

static void add_failure(struct table *t, const struct rule *rule, const struct changes *c,
			const struct changes_row *row, double limit)
{
	const struct compare_figure *figure = &c->compare.figures[rule->figure];
	const struct changes_value v = changes_value(c, row, rule->figure);
	double was = v.side[CHANGES_BASE].median, is = v.side[CHANGES_NEW].median;
	char text[CHANGES_TEXT];

	table_row(t);
	table_text(t, B_RULE, rule->text);
	table_text(t, B_TABLE, c->compare.decl->name);
	table_text(t, B_NAME, row->row->name);
	table_text(t, B_REASON, row->row->reason);
	if (row->row->cpu != CDICT_CPU_UNKNOWN)
		table_i64(t, B_CPU, row->row->cpu);
	table_text(t, B_KEY, figure->key);
	table_text(t, B_UNIT, figure->ns ? "ns" : figure->counts ? "per_s" : "percent");
	table_percent(t, B_BASE, was);
	table_percent(t, B_NEW, is);
	table_percent(t, B_LIMIT, limit);
	table_percent(t, B_CHANGE, v.change);
	table_percent(t, B_PERCENT, v.percent);
	table_percent(t, B_P, v.p);
	table_i64(t, B_BASE_N, (int64_t)v.n[CHANGES_BASE]);
	table_i64(t, B_NEW_N, (int64_t)v.n[CHANGES_NEW]);
	table_text(t, B_WAS, changes_text(text, figure, was, false));
	table_text(t, B_IS, changes_text(text, figure, is, false));
	table_text(t, B_BY, changes_text(text, figure, v.change, true));
	table_text(t, B_MOST, changes_text(text, figure, limit, false));
	if (isfinite(v.percent)) {
		snprintf(text, sizeof(text), "%+.1f %%", v.percent);
		table_text(t, B_RELATIVE, text);
	}
	if (isfinite(v.p)) {
		snprintf(text, sizeof(text), "%.3f", v.p);
		table_text(t, B_CHANCE, v.p < 0.0005 ? "<0.001" : text);
	}
	if (changes_several(c)) {
		snprintf(text, sizeof(text), "%zu+%zu", v.n[CHANGES_BASE], v.n[CHANGES_NEW]);
		table_text(t, B_RUNS, text);
	}
}

static void judge(struct table *t, struct rule *rule, const struct changes *c,
		  const struct changes_row *row, const struct rules_how *how)
{
	const struct changes_value v = changes_value(c, row, rule->figure);
	struct rule_counts *n = &rule->counts;
	bool level = rule->of == RULE_LEVEL, several = changes_several(c);
	double limit = limit_of(rule, &v), now = v.side[CHANGES_NEW].median;

	if (!chosen(rule, row->row)) {
		return;
	} else if (!row->stands) {
		n->unknown++;
	} else if (!v.n[CHANGES_NEW] && !v.n[CHANGES_BASE]) {
		n->unreported++;
	} else if (!v.n[CHANGES_NEW] || (!level && !v.n[CHANGES_BASE])) {
		n->lone++;
	} else if (too_few(rule, c, row, how)) {
		n->few++;
	} else if (several && !level &&
		   !(statistics_mann_whitney_least(v.n[CHANGES_BASE], v.n[CHANGES_NEW]) <
		     how->alpha)) {
		n->runs++;
	} else {
		n->judged++;
		if (rule->below ? !(now < limit) : !(now > limit))
			return;
		if (several && !level && !(v.p < how->alpha))
			return;
		n->broken++;
		add_failure(t, rule, c, row, limit);
	}
}

struct table *rules_judge(struct rule *rules, size_t n, const struct changes all[COMPARE_ALL],
			  const struct rules_how *how)
{
	struct table *t = table_new("regressions", broken_columns);

	if (!t)
		return NULL;
	t->heading = "Worse than allowed";
	for (size_t i = 0; i < n; i++) {
		const struct changes *c = &all[rules[i].what];

		rules[i].counts = (struct rule_counts){ 0 };
		for (size_t k = 0; k < c->rows.n; k++)
			judge(t, &rules[i], c, &c->rows.at[k], how);
	}
	return table_done(t);
}

/* ---- results ---- */

enum { O_RULE, O_RESULT, O_JUDGED, O_BROKEN, O_FEW, O_RUNS, O_UNKNOWN, O_LONE, O_UNTOLD };

static const struct table_column rule_columns[] = {
	[O_RULE] = CHANGES_BOTH("rule", "rule", TABLE_TEXT),
	[O_RESULT] = CHANGES_BOTH("result", "result", TABLE_TEXT),
	[O_JUDGED] = CHANGES_BOTH("judged", "rows judged", TABLE_COUNT),
	[O_BROKEN] = CHANGES_BOTH("broken", "worse", TABLE_COUNT),
	[O_FEW] = { .key = "too_few_events",
		    .title = "too few events",
		    .kind = TABLE_COUNT,
		    .flags = TABLE_SPARE },
	[O_RUNS] = { .key = "too_few_runs",
		     .title = "too few runs",
		     .kind = TABLE_COUNT,
		     .flags = TABLE_SPARE },
	[O_UNKNOWN] = { .key = "unknown",
			.title = "unknown",
			.kind = TABLE_COUNT,
			.flags = TABLE_SPARE },
	[O_LONE] = { .key = "one_side_only",
		     .title = "one side only",
		     .kind = TABLE_COUNT,
		     .flags = TABLE_SPARE },
	[O_UNTOLD] = { .key = "not_recorded",
		       .title = "not recorded",
		       .kind = TABLE_COUNT,
		       .flags = TABLE_SPARE },
	TABLE_COLUMNS_END,
};

struct table *rules_table(const struct rule *rules, size_t n)
{
	struct table *t = table_new("rules", rule_columns);

	for (size_t i = 0; t && i < n; i++) {
		const struct rule_counts *c = &rules[i].counts;

		table_row(t);
		table_text(t, O_RULE, rules[i].text);
		table_text(t, O_RESULT,
			   c->broken   ? "broken"
			   : c->judged ? "held"
				       : "cannot be judged");
		table_u64(t, O_JUDGED, c->judged);
		table_u64(t, O_BROKEN, c->broken);
		table_u64(t, O_FEW, c->few);
		table_u64(t, O_RUNS, c->runs);
		table_u64(t, O_UNKNOWN, c->unknown);
		table_u64(t, O_LONE, c->lone);
		table_u64(t, O_UNTOLD, c->unreported);
	}
	return t ? table_done(t) : NULL;
}

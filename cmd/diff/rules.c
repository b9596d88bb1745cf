/* SPDX-License-Identifier: GPL-2.0-only */
/* The rules of cdict diff: parses them, and explains why some cannot be judged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/trigger/task_pattern.h"
#include "base/text/plural.h"
#include "cmd/diff/diff.h"

/* Rules with an option of their own. */
static const struct {
	const char *option, *rule; /* rule: format with the number */
} shorthands[] = {
	{ "max-delay", "vcpu.delayed > +%s points" },
	{ "max-latency", "latency.p99 > +%s %%" },
	{ "max-exits", "exits.rate > +%s %%" },
};

/* The text of the rule for "max-exits=10", given. */
static int rule_text(const struct cmd_call *call, const char *item, char **out)
{
	size_t len = strcspn(item, "=");
	const char *value = item + len + 1;
	char *end;
	double v;

	*out = NULL;
	for (size_t i = 0; i < sizeof(shorthands) / sizeof(shorthands[0]); i++) {
		char text[128];

		if (strlen(shorthands[i].option) != len || memcmp(shorthands[i].option, item, len))
			continue;
		v = strtod(value, &end);
		if (end == value || *end || !isfinite(v) || v < 0 ||
		    value[strspn(value, "0123456789.")] || strlen(value) > 30)
			return cmd_usage(call, "option --%s takes a number of 0 or more, not '%s'",
					 shorthands[i].option, value);
		snprintf(text, sizeof(text), shorthands[i].rule, value);
		*out = strdup(text);
		return CMD_DONE;
	}
	*out = strdup(value);
	return CMD_DONE;
}

static int compile(const struct cmd_call *call, const char *pattern, void **out)
{
	struct cdict_error err = { 0 };
	struct task_pattern *made = NULL;
	int rc = pattern ? task_pattern_new(&made, pattern, &err) : 0;

	*out = made;
	return rc ? options_fail(call, NULL, &err) : CMD_DONE;
}

static int add_rule(struct diff *d, const char *item)
{
	struct rule *rule = &d->rules[d->n_rules];
	struct cdict_error err = { 0 };
	char *text;
	int status = rule_text(d->call, item, &text);

	if (status)
		return status;
	if (!text)
		return cmd_errorf(d->call, NULL, "out of memory");
	d->n_rules++;
	if (rule_parse(rule, text, &err))
		status = options_fail(d->call, NULL, &err);
	free(text);
	rule->matches = task_pattern_matches;
	if (!status)
		status = compile(d->call, rule->name, &rule->name_pattern);
	if (!status)
		status = compile(d->call, rule->reason, &rule->reason_pattern);
	return status;
}

int diff_rules_init(struct diff *d)
{
	const struct diff_opts *o = d->opts;
	int status = CMD_DONE;
	char *end;

	d->alpha = strtod(o->alpha, &end);
	if (*end || !(d->alpha > 0 && d->alpha < 1))
		return cmd_usage(d->call, "option --alpha takes a number between 0 and 1, not '%s'",
				 o->alpha);
	d->rules = calloc(o->rules.n + 1, sizeof(*d->rules));
	if (!d->rules)
		return cmd_errorf(d->call, NULL, "out of memory");
	for (size_t i = 0; i < o->rules.n && !status; i++)
		status = add_rule(d, o->rules.at[i]);
	return status;
}

void diff_rules_fini(struct diff *d)
{
	for (size_t i = 0; i < d->n_rules; i++) {
		task_pattern_free(d->rules[i].name_pattern);
		task_pattern_free(d->rules[i].reason_pattern);
		rule_fini(&d->rules[i]);
	}
	free(d->rules);
}

/* ---- rules that could not be judged ---- */

/* Finds a capture that lacks the events of the rule's figure. */
static const struct figures *lacking(const struct diff *d, const struct rule *rule)
{
	const struct compare *c = &d->all[rule->what].compare;
	unsigned flags = c->decl->columns[c->figures[rule->figure].column].flags;
	const unsigned of_switches = TABLE_OF_SWITCHES | TABLE_OF_TIMES_OFF | TABLE_OF_RUNS;

	for (size_t i = 0; i < d->n && (flags & of_switches); i++) {
		if (!analyze_engine_summary(d->f[i]->walk.eng)->has_switch)
			return d->f[i];
	}
	return NULL;
}

char *diff_unjudged(const struct diff *d, const struct rule *rule)
{
	const struct rule_counts *n = &rule->counts;
	const struct figures *without = lacking(d, rule);
	const struct compare *c = &d->all[rule->what].compare;
	size_t need = 1;
	char *text;
	int len;

	while (need < 100 && !(statistics_mann_whitney_least(need, need) < d->alpha))
		need++;
	if (without)
		len = asprintf(&text, "%s has no sched:sched_switch events", without->file);
	else if (n->runs)
		len = asprintf(&text,
			       "%s and %s runs are too few to tell a change from chance (p can "
			       "be no less than %.2g): --alpha %g needs %zu on each side",
			       GROUPED(d->n_base), GROUPED(d->n - d->n_base),
			       statistics_mann_whitney_least(d->n_base, d->n - d->n_base), d->alpha,
			       need);
	else if (n->few)
		len = asprintf(&text,
			       "no row on both sides has %s events or more, or takes %g %% of "
			       "the time (--min-events)",
			       GROUPED(d->opts->min_events), RULES_SHARE_LEAST);
	else if (n->unknown)
		len = asprintf(&text, "too much time of the matching rows is unknown");
	else if (n->lone)
		len = asprintf(&text, "matching rows are on one side only");
	else if (c->waits_differ &&
		 c->decl->columns[c->figures[rule->figure].column].flags & TABLE_AND_WAKEUPS)
		len = asprintf(&text, "only some of the captures have wake-ups, on which the "
				      "figure depends");
	else if (n->unreported)
		len = asprintf(&text, "no capture has this figure; 'cdict info' lists the recorded "
				      "events");
	else
		len = asprintf(&text, "no row matches");
	return len < 0 ? NULL : text;
}

int diff_judge(struct diff *d)
{
	const struct rules_how how = { d->alpha, (double)d->opts->min_events };

	d->regressions = rules_judge(d->rules, d->n_rules, d->all, &how);
	d->outcome = d->regressions ? rules_table(d->rules, d->n_rules) : NULL;
	return d->outcome ? CMD_DONE : figures_no_memory(d->f[0]);
}

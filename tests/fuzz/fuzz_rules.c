/* SPDX-License-Identifier: GPL-2.0-only */
/* A rule of cdict diff: taken, with a figure and a limit that it can have, or refused with a reason. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tables/compare/rules.h"
#include "tests/fuzz/lib/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int so)
{
	if (!so)
		abort();
}

static void judge(const struct rule *rule)
{
	const struct compare_figure *figure;
	struct compare c;

	must(rule->what < COMPARE_ALL);
	compare_declare(&c, rule->what);
	must(rule->figure < c.n_figures && isfinite(rule->limit));
	figure = &c.figures[rule->figure];
	must(!rule->reason || c.decl->key_reason);
	must(rule->cpu == CDICT_CPU_UNKNOWN || c.decl->key_cpu);
	must(!figure->ns || !figure->counts);
	if (rule->of != RULE_LEVEL)
		must(rule->below ? rule->limit <= 0 : rule->limit >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdict_error err = { 0 };
	struct rule rule, again;
	char *text;
	int rc;

	limits_begin(size);
	text = malloc(size + 1);
	must(!!text);
	memcpy(text, data, size);
	text[size] = '\0';
	rc = rule_parse(&rule, text, &err);
	must(!rc || (rc == CDICT_EUSAGE && err.code == rc && err.text[0]));
	if (!rc) {
		judge(&rule);
		must(!rule_parse(&again, rule.text, NULL) && again.figure == rule.figure &&
		     again.limit == rule.limit);
		rule_fini(&again);
	}
	rule_fini(&rule);
	free(text);
	limits_end();
	return 0;
}

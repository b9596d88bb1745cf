/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules of cdict diff: their meaning, and the reasons for refusing others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tables/compare/rules.h"

static const char *figure(const struct rule *rule)
{
	static char room[CHANGES_NAME];
	struct compare c;

	compare_declare(&c, rule->what);
	return changes_name(room, &c, rule->figure);
}

static void rules_have_figure_rows_and_limit(void **state)
{
	static const struct {
		const char *text, *figure, *name, *reason;
		uint32_t cpu;
		enum rule_of of;
		bool below;
		double limit;
	} cases[] = {
		{ "exits.rate > +10 %", "exits.rate", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_RELATIVE,
		  false, 10 },
		{ "  exits.rate>+10%  ", "exits.rate", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_RELATIVE,
		  false, 10 },
		{ "cpu < -2.5 points", "cpu", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_ABSOLUTE, true,
		  -2.5 },
		{ "vcpu.delayed > 20 %", "vcpu.delayed", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_LEVEL,
		  false, 20 },
		{ "latency.p99 > 1.5 ms", "latency.p99", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_LEVEL,
		  false, 1.5e6 },
		{ "latency.p50 > + 20 us", "latency.p50", NULL, NULL, CDICT_CPU_UNKNOWN,
		  RULE_ABSOLUTE, false, 2e4 },
		{ "vcpu.worst > +1 s", "vcpu.worst", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_ABSOLUTE,
		  false, 1e9 },
		{ "migrations.rate > +100 /s", "migrations.rate", NULL, NULL, CDICT_CPU_UNKNOWN,
		  RULE_ABSOLUTE, false, 100 },
		{ "switches.rate < 7", "switches.rate", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_LEVEL,
		  true, 7 },
		{ "exits.time[name=^Fire.*, reason = HLT|IO ] > +0 %", "exits.time", "^Fire.*",
		  "HLT|IO", CDICT_CPU_UNKNOWN, RULE_RELATIVE, false, 0 },
		{ "cpu[name=\"a,b] \\\"c\\\" \\\\d\"] > +1 points", "cpu", "a,b] \"c\" \\d", NULL,
		  CDICT_CPU_UNKNOWN, RULE_ABSOLUTE, false, 1 },
		{ "delayed > +50%", "delayed", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_RELATIVE, false,
		  50 },
		{ "delays > +10 /s", "delays.rate", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_ABSOLUTE,
		  false, 10 },
		{ "worst_ns > 5 ms", "worst", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_LEVEL, false,
		  5e6 },
		{ "run_percent > +1 points", "cpu", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_ABSOLUTE,
		  false, 1 },
		{ "exits.count > +10%", "exits.rate", NULL, NULL, CDICT_CPU_UNKNOWN, RULE_RELATIVE,
		  false, 10 },
		{ "groups.latency_p99_ns[name=web] > +1 ms", "groups.latency_p99", "web", NULL,
		  CDICT_CPU_UNKNOWN, RULE_ABSOLUTE, false, 1e6 },
		{ "coremap.cpu[cpu=3] > +10 points", "coremap.cpu", NULL, NULL, 3, RULE_ABSOLUTE,
		  false, 10 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_error err = { 0 };
		struct rule rule;

		if (rule_parse(&rule, cases[i].text, &err))
			fail_msg("%s", err.text);
		assert_string_equal(rule.text, cases[i].text);
		assert_string_equal(figure(&rule), cases[i].figure);
		assert_int_equal(!rule.name, !cases[i].name);
		if (rule.name)
			assert_string_equal(rule.name, cases[i].name);
		assert_int_equal(!rule.reason, !cases[i].reason);
		if (rule.reason)
			assert_string_equal(rule.reason, cases[i].reason);
		assert_int_equal(rule.cpu, cases[i].cpu);
		assert_int_equal(rule.of, cases[i].of);
		assert_int_equal(rule.below, cases[i].below);
		assert_true(fabs(rule.limit - cases[i].limit) < 1e-6);
		rule_fini(&rule);
	}
}

static void an_invalid_rule_is_refused_with_the_reason(void **state)
{
	static const char *const cases[][2] = {
		{ "", "must begin with a figure" },
		{ "> +10 %", "must begin with a figure" },
		{ "exit.rate > +10 %", "unknown figure 'exit.rate' (did you mean 'exits.rate'?)" },
		{ "delay_ns > +10 %", "unknown figure 'delay_ns' (did you mean 'delayed_ns'?)" },
		{ "run_ns > +10 ms", "this figure's units are % and points, not 'ms'" },
		{ "exits.delayed > +10 %", "unknown figure 'exits.delayed'" },
		{ "nonsense > +10 %", "unknown figure 'nonsense'; the manual" },
		{ "exits.rate", "must compare with > or <" },
		{ "exits.rate = 3", "must compare with > or <" },
		{ "exits.rate >= 3", "needs a number, not '= 3'" },
		{ "exits.rate >", "needs a number" },
		{ "exits.rate > +", "needs a number" },
		{ "exits.rate > +1.2.3 %", "needs a number" },
		{ "exits.rate > +. %", "needs a number" },
		{ "exits.rate > +1e3 %", "this figure's units are % and /s, not 'e3 %'" },
		{ "exits.rate > +1111111111111111111111111111111111111 %", "needs a number" },
		{ "exits.rate > -10 %", "an increase is written > +N" },
		{ "exits.rate < +10 %", "a decrease is written < -N" },
		{ "exits.rate > +10 points", "this figure's units are % and /s" },
		{ "exits.rate > 10 %", "this figure's unit is /s" },
		{ "cpu > +10", "this figure's units are % and points" },
		{ "cpu > 10 points", "this figure's unit is %" },
		{ "latency.p99 > 10 %", "this figure's units are ns, us, ms and s" },
		{ "latency.p99 > +10 h", "this figure's units are %, ns, us, ms and s" },
		{ "latency.p99 > +10 % more", "this figure's units are" },
		{ "cpu[reason=HLT] > +1 %", "only figures of exits have a reason" },
		{ "cpu[cpu=1] > +1 %", "only figures of the core map have a cpu" },
		{ "coremap.cpu[cpu=one] > +1 %", "cpu must be a number, not 'one'" },
		{ "coremap.cpu[cpu=4294967295] > +1 %", "cpu must be a number" },
		{ "cpu[task=x] > +1 %", "selects by name=, reason= or cpu=" },
		{ "cpu[name] > +1 %", "selects by name=" },
		{ "cpu[name=] > +1 %", "needs a text after =" },
		{ "cpu[name=\"x] > +1 %", "a quoted text must end with" },
		{ "cpu[name=x > +1 %", "the selection must end with ]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_error err = { 0 };
		struct rule rule;

		assert_int_equal(rule_parse(&rule, cases[i][0], &err), CDICT_EUSAGE);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("%s: not '%s'", err.text, cases[i][1]);
		rule_fini(&rule);
	}
}

static void every_figure_has_a_name_of_its_own(void **state)
{
	char names[COMPARE_ALL * COMPARE_FIGURES_MAX][CHANGES_NAME];
	size_t n = 0;

	(void)state;
	for (unsigned what = 0; what < COMPARE_ALL; what++) {
		struct compare c;

		compare_declare(&c, (enum compare_what)what);
		assert_in_range(c.n_figures, 1, COMPARE_FIGURES_MAX);
		for (size_t f = 0; f < c.n_figures; f++) {
			char text[CHANGES_NAME + 16];
			struct rule rule;

			changes_name(names[n], &c, f);
			for (size_t i = 0; i < n; i++)
				assert_string_not_equal(names[i], names[n]);
			n++;
			for (unsigned i = 0; i < CHANGES_ALIASES; i++) {
				char name[CHANGES_NAME];

				changes_alias(name, &c, f, i);
				snprintf(text, sizeof(text), "%s > +1 %%", name);
				assert_int_equal(rule_parse(&rule, text, NULL), 0);
				assert_int_equal(rule.what, what);
				assert_int_equal(rule.figure, f);
				rule_fini(&rule);
			}
		}
	}
}

static void values_are_printed_with_their_units(void **state)
{
	const struct compare_figure percent = { .key = "run_percent" }, rate = { .counts = true },
				    ns = { .ns = true };
	char room[CHANGES_TEXT];

	(void)state;
	assert_string_equal(changes_text(room, &percent, 12.345, false), "12.35 %");
	assert_string_equal(changes_text(room, &percent, -2, true), "-2.00 points");
	assert_string_equal(changes_text(room, &rate, 12345.6, false), "12,346 /s");
	assert_string_equal(changes_text(room, &rate, 1.5, true), "+1.50 /s");
	assert_string_equal(changes_text(room, &ns, 94300000, false), "94.3 ms");
	assert_string_equal(changes_text(room, &ns, -1500, true), "-1.50 us");
	assert_string_equal(changes_text(room, &ns, NAN, true), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_have_figure_rows_and_limit),
		cmocka_unit_test(an_invalid_rule_is_refused_with_the_reason),
		cmocka_unit_test(every_figure_has_a_name_of_its_own),
		cmocka_unit_test(values_are_printed_with_their_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-only */
/* The grammar of rules. */
#include "tables/compare/rules.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/suggest.h"

struct scan {
	const char *text, *at; /* the rule, and the parse position */
	struct cdict_error *err;
};

static void blanks(struct scan *s)
{
	s->at += strspn(s->at, " \t");
}

static int wrong(const struct scan *s, const char *what)
{
	return cdict_fail(s->err, CDICT_EUSAGE, CDICT_NO_OFFSET, "rule '%s': %s, not '%s'", s->text,
			  what, s->at);
}

/* ---- which figure ---- */

static int unknown_figure(const struct scan *s, size_t len)
{
	char names[COMPARE_ALL * COMPARE_FIGURES_MAX * CHANGES_ALIASES][CHANGES_NAME];
	struct suggest like;
	size_t n = 0;

	suggest_begin(&like, s->at, len);
	for (unsigned what = 0; what < COMPARE_ALL; what++) {
		struct compare c;

		compare_declare(&c, (enum compare_what)what);
		for (size_t f = 0; f < c.n_figures * CHANGES_ALIASES; f++)
			suggest_try(&like, changes_alias(names[n++], &c, f / CHANGES_ALIASES,
							 f % CHANGES_ALIASES));
	}
	return cdict_fail(s->err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "rule '%s': unknown figure '%.*s'%s; the manual lists them", s->text,
			  (int)len, s->at, suggest_text(&like, ""));
}

static bool is_named(const struct compare *c, size_t figure, const char *text, size_t len)
{
	char name[CHANGES_NAME];

	for (unsigned i = 0; i < CHANGES_ALIASES; i++) {
		changes_alias(name, c, figure, i);
		if (strlen(name) == len && !memcmp(name, text, len))
			return true;
	}
	return false;
}

static int parse_figure(struct scan *s, struct rule *rule)
{
	size_t len = strspn(s->at, "abcdefghijklmnopqrstuvwxyz0123456789._");

	if (!len)
		return wrong(s, "must begin with a figure, as in 'exits.rate > +10 %'");
	for (unsigned what = 0; what < COMPARE_ALL; what++) {
		struct compare c;

		compare_declare(&c, (enum compare_what)what);
		for (size_t f = 0; f < c.n_figures; f++) {
			if (!is_named(&c, f, s->at, len))
				continue;
			rule->what = (enum compare_what)what;
			rule->figure = f;
			s->at += len;
			return 0;
		}
	}
	return unknown_figure(s, len);
}

/* ---- which rows ---- */

/* Reads a quoted value, '"a \"b\" c"', or one up to a bracket or comma, 'a b]'; NULL: out of
 * memory. */
static char *take_value(struct scan *s, bool *ended)
{
	size_t room = strlen(s->at), n = 0;
	char *out = malloc(room + 1);
	bool quoted = *s->at == '"';

	if (!out)
		return NULL;
	s->at += quoted;
	while (*s->at && (quoted ? *s->at != '"' : !strchr(",]", *s->at))) {
		if (quoted && s->at[0] == '\\' && (s->at[1] == '"' || s->at[1] == '\\'))
			s->at++;
		out[n++] = *s->at++;
	}
	*ended = !quoted || *s->at == '"';
	s->at += quoted && *ended;
	while (!quoted && n && strchr(" \t", out[n - 1]))
		n--;
	out[n] = '\0';
	return out;
}

static int set_cpu(struct scan *s, struct rule *rule, const char *value)
{
	char *end;
	unsigned long cpu = strtoul(value, &end, 10);

	if (!isdigit((unsigned char)*value) || *end || cpu >= CDICT_CPU_UNKNOWN)
		return cdict_fail(s->err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "rule '%s': cpu must be a number, not '%s'", s->text, value);
	rule->cpu = (uint32_t)cpu;
	return 0;
}

static int parse_choice(struct scan *s, struct rule *rule)
{
	struct compare c;
	const char *key;
	size_t len;
	char *value;
	bool ended;
	int rc = 0;

	compare_declare(&c, rule->what);
	blanks(s);
	key = s->at;
	len = strspn(key, "abcdefghijklmnopqrstuvwxyz");
	s->at += len;
	blanks(s);
	if (*s->at != '=' ||
	    !((len == 4 && !memcmp(key, "name", 4)) || (len == 6 && !memcmp(key, "reason", 6)) ||
	      (len == 3 && !memcmp(key, "cpu", 3)))) {
		s->at = key;
		return wrong(s, "selects by name=, reason= or cpu=");
	}
	if ((*key == 'r' && !c.decl->key_reason) || (*key == 'c' && !c.decl->key_cpu)) {
		s->at = key;
		return wrong(s, *key == 'r' ? "only figures of exits have a reason"
					    : "only figures of the core map have a cpu");
	}
	s->at++;
	blanks(s);
	value = take_value(s, &ended);
	if (!value)
		return cdict_fail_nomem(s->err);
	if (!ended || !*value) {
		free(value);
		return wrong(s, ended ? "needs a text after =" : "a quoted text must end with \"");
	}
	if (*key == 'c') {
		rc = set_cpu(s, rule, value);
		free(value);
	} else {
		char **to = *key == 'n' ? &rule->name : &rule->reason;

		free(*to);
		*to = value;
	}
	blanks(s);
	return rc;
}

static int parse_choices(struct scan *s, struct rule *rule)
{
	int rc;

	blanks(s);
	if (*s->at != '[')
		return 0;
	do {
		s->at++;
		rc = parse_choice(s, rule);
	} while (!rc && *s->at == ',');
	if (rc)
		return rc;
	if (*s->at != ']')
		return wrong(s, "the selection must end with ]");
	s->at++;
	return 0;
}

/* ---- the limit ---- */

static int parse_unit(struct scan *s, struct rule *rule, const struct compare_figure *figure,
		      bool sign)
{
	static const struct {
		const char *text;
		double ns;
	} times[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	size_t len = strcspn(s->at, " \t");
	const char *rest = s->at + len + strspn(s->at + len, " \t");

	if (!*rest && sign && len == 1 && *s->at == '%') {
		rule->of = RULE_RELATIVE;
		return 0;
	}
	rule->of = sign ? RULE_ABSOLUTE : RULE_LEVEL;
	for (size_t i = 0; i < 4 && !*rest && figure->ns; i++) {
		if (strlen(times[i].text) == len && !memcmp(times[i].text, s->at, len)) {
			rule->limit *= times[i].ns;
			return 0;
		}
	}
	if (!*rest && figure->counts && (!len || (len == 2 && !memcmp(s->at, "/s", 2))))
		return 0;
	if (!*rest && !figure->counts && !figure->ns &&
	    (sign ? len == 6 && !memcmp(s->at, "points", 6) : len == 1 && *s->at == '%'))
		return 0;
	return wrong(s, figure->ns       ? sign ? "this figure's units are %, ns, us, ms and s"
						: "this figure's units are ns, us, ms and s"
			: figure->counts ? sign ? "this figure's units are % and /s"
						: "this figure's unit is /s"
			: sign           ? "this figure's units are % and points"
					 : "this figure's unit is %");
}

static int parse_limit(struct scan *s, struct rule *rule)
{
	struct compare c;
	char number[32], sign, *end;
	size_t digits;
	int rc;

	compare_declare(&c, rule->what);
	blanks(s);
	if (*s->at != '>' && *s->at != '<')
		return wrong(s, "must compare with > or <");
	rule->below = *s->at++ == '<';
	blanks(s);
	sign = *s->at == '+' || *s->at == '-' ? *s->at++ : '\0';
	if (sign && (sign == '-') != rule->below) {
		s->at--;
		return wrong(s, rule->below ? "a decrease is written < -N"
					    : "an increase is written > +N");
	}
	blanks(s);
	digits = strspn(s->at, "0123456789.");
	snprintf(number, sizeof(number), "%.*s", (int)digits, s->at);
	rule->limit = strtod(number, &end);
	if (!digits || digits >= sizeof(number) || *end)
		return wrong(s, "needs a number");
	s->at += digits;
	blanks(s);
	rc = parse_unit(s, rule, &c.figures[rule->figure], sign);
	if (sign == '-')
		rule->limit = -rule->limit;
	return rc;
}

int rule_parse(struct rule *rule, const char *text, struct cdict_error *err)
{
	struct scan s = { .text = text, .at = text, .err = err };
	int rc;

	*rule = (struct rule){ .cpu = CDICT_CPU_UNKNOWN };
	blanks(&s);
	rc = parse_figure(&s, rule);
	if (!rc)
		rc = parse_choices(&s, rule);
	if (!rc)
		rc = parse_limit(&s, rule);
	if (rc)
		return rc;
	rule->text = strdup(text);
	return rule->text ? 0 : cdict_fail_nomem(err);
}

void rule_fini(struct rule *rule)
{
	free(rule->text);
	free(rule->name);
	free(rule->reason);
	*rule = (struct rule){ 0 };
}

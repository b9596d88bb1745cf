/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics of each run. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/suggest.h"
#include "cmd/sweep/run/sweep.h"

static double ns_of(struct timeval t)
{
	return (double)t.tv_sec * 1e9 + (double)t.tv_usec * 1e3;
}

#define NS(name, value)                                                                            \
	static double name(const struct sweep_measured *m)                                         \
	{                                                                                          \
		return (value);                                                                    \
	}
NS(wall, (double)m->wall_ns)
NS(user, ns_of(m->usage.ru_utime))
NS(sys, ns_of(m->usage.ru_stime))
NS(cpu, user(m) + sys(m))
NS(maxrss, (double)m->usage.ru_maxrss * 1024)
NS(minflt, (double)m->usage.ru_minflt)
NS(majflt, (double)m->usage.ru_majflt)
NS(inblock, (double)m->usage.ru_inblock)
NS(oublock, (double)m->usage.ru_oublock)
NS(nvcsw, (double)m->usage.ru_nvcsw)
NS(nivcsw, (double)m->usage.ru_nivcsw)
#undef NS

/* Fields of getrusage(2). */
static const struct {
	const char *name, *unit;
	double (*get)(const struct sweep_measured *m);
} plain[] = {
	{ "wall", "ns", wall },   { "user", "ns", user },     { "sys", "ns", sys },
	{ "cpu", "ns", cpu },     { "maxrss", "B", maxrss },  { "minflt", "", minflt },
	{ "majflt", "", majflt }, { "inblock", "", inblock }, { "oublock", "", oublock },
	{ "nvcsw", "", nvcsw },   { "nivcsw", "", nivcsw },
};

static const char *const reductions[] = {
	[SWEEP_MEDIAN] = "median", [SWEEP_MEAN] = "mean",   [SWEEP_MIN] = "min",
	[SWEEP_MAX] = "max",       [SWEEP_SUM] = "sum",     [SWEEP_FIRST] = "first",
	[SWEEP_LAST] = "last",     [SWEEP_COUNT] = "count",
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int refuse(struct cdict_error *err, const char *spec, const char *why)
{
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "option --metric: '%s' %s", spec,
			  why);
}

/* How long the "name=" before a source is, without its =. */
static size_t name_length(const char *spec)
{
	size_t n = 0;

	while (isalnum((unsigned char)spec[n]) || (spec[n] && strchr("_-", spec[n])))
		n++;
	return spec[n] == '=' ? n : 0;
}

/* The next of @signs outside quotes, subscripts ([1:]) and the options of record{...}. */
static char *find_outside(char *text, const char *signs)
{
	char until = '\0';

	for (; *text; text++) {
		if (until)
			until = *text == until ? '\0' : until;
		else if (*text == '[' && text[1] == '"')
			until = *++text;
		else if (*text == '[' || *text == '{' || *text == '"')
			until = *text == '[' ? ']' : *text == '{' ? '}' : '"';
		else if (strchr(signs, *text))
			return text;
	}
	return NULL;
}

/* "median", "mean", ... after the |. */
static int reduce_by(struct sweep_metric *m, const char *spec, const char *how,
		     struct cdict_error *err)
{
	for (size_t i = 1; i < COUNT(reductions); i++) {
		if (!strcmp(how, reductions[i])) {
			m->reduce = (enum sweep_reduce)i;
			return 0;
		}
	}
	return refuse(
		err, spec,
		"has an unknown reduction; expected |median, |mean, |min, |max, |sum, |first, |last or |count");
}

/* The default name: the last name in the source. */
static const char *default_name(const struct sweep_metric *m)
{
	/* record.exits, not "count" */
	if (!strncmp(m->source, "record.", 7))
		return strrchr(m->source, '.') + 1;
	for (size_t i = m->path.n; i-- > 0;) {
		if (m->path.at[i].key)
			return m->path.at[i].key;
	}
	return m->source;
}

/* The unit of a figure that is measured here is known: another one of its kind converts it. */
static int convert_from(struct sweep_metric *m, const char *spec, const char *unit,
			struct cdict_error *err)
{
	double of, to;
	const char *base = sweep_unit(unit, &of);

	if (strcmp(base, sweep_unit(m->unit, &to)) != 0 || !(to > 0))
		return cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			"option --metric: '%s' is measured in %s, which '%s' is no unit of", spec,
			unit, m->unit);
	m->per = of / to;
	return 0;
}

static int find_source(struct sweep_metric *m, const char *spec,
		       const struct sweep_recorder *recorder, struct cdict_error *err)
{
	const char *unit = "";
	int rc = 0;

	m->from = SWEEP_FROM_JSON;
	for (size_t i = 0; i < COUNT(plain); i++) {
		if (!strcmp(m->source, plain[i].name)) {
			m->from = SWEEP_FROM_RUSAGE;
			m->which = (unsigned)i;
			unit = plain[i].unit;
		}
	}
	if (!strncmp(m->source, "record.", 7) || !strncmp(m->source, "record{", 7)) {
		m->from = SWEEP_FROM_RECORD;
		rc = recorder ? recorder->find(m, &unit, err)
			      : refuse(err, spec, "needs a recording: use --record");
	} else if (m->from == SWEEP_FROM_JSON) {
		rc = sweep_path_parse(m, m->source, err);
	}
	if (!rc && m->reduce && m->from == SWEEP_FROM_RUSAGE)
		rc = refuse(err, spec, "is a single figure per run: nothing to reduce");
	if (!rc && m->unit && *unit)
		rc = convert_from(m, spec, unit, err);
	if (!rc && !m->unit) {
		m->unit = strdup(unit);
		rc = m->unit ? 0 : cdict_fail_nomem(err);
	}
	return rc;
}

/* Parses [NAME=]SOURCE[|REDUCTION][:UNIT], splitting @copy. */
static int parse_metric(struct sweep_metric *m, const char *spec, char *copy,
			const struct sweep_recorder *recorder, struct cdict_error *err)
{
	size_t len = name_length(copy);
	char *source = copy + (len ? len + 1 : 0), *unit, *bar;
	int rc = 0;

	unit = find_outside(source, ":");
	if (unit)
		*unit++ = '\0';
	bar = find_outside(source, "|");
	if (bar)
		*bar++ = '\0';
	if (!*source || (unit && !*unit))
		return refuse(err, spec, "does not have the form [NAME=]SOURCE[|REDUCTION][:UNIT]");
	m->source = strdup(source);
	m->unit = unit ? strdup(unit) : NULL;
	if (!m->source || (unit && !m->unit))
		return cdict_fail_nomem(err);
	if (bar)
		rc = reduce_by(m, spec, bar, err);
	if (!rc)
		rc = find_source(m, spec, recorder, err);
	if (rc)
		return rc;
	m->name = len ? strndup(copy, len) : strdup(default_name(m));
	return m->name ? 0 : cdict_fail_nomem(err);
}

int sweep_metrics_add(struct sweep_metrics *all, const char *spec, struct cdict_error *err)
{
	struct sweep_metric *m = array_add(&all->all);
	char *copy = m ? strdup(spec) : NULL;
	int rc = copy ? parse_metric(m, spec, copy, all->recorder, err) : cdict_fail_nomem(err);

	free(copy);
	for (size_t i = 0; !rc && i + 1 < all->all.n; i++) {
		if (!strcmp(all->all.at[i].name, m->name))
			rc = refuse(err, spec,
				    "has the name of another metric; name it, as in NAME=SOURCE");
	}
	return rc;
}

void sweep_metrics_fini(struct sweep_metrics *all)
{
	for (size_t i = 0; i < all->all.n; i++) {
		struct sweep_metric *m = &all->all.at[i];

		for (size_t k = 0; k < m->path.n; k++)
			free(m->path.at[k].key);
		array_fini(&m->path);
		free(m->name);
		free(m->unit);
		free(m->source);
		free(m->args);
	}
	array_fini(&all->all);
}

size_t sweep_metrics_from(const struct sweep_metrics *all, const char *source)
{
	size_t i = 0;

	while (i < all->all.n && strcmp(all->all.at[i].source, source) != 0)
		i++;
	return i;
}

bool sweep_metrics_any(const struct sweep_metrics *all, enum sweep_from from)
{
	for (size_t i = 0; i < all->all.n; i++) {
		if (all->all.at[i].from == from)
			return true;
	}
	return false;
}

const char *sweep_metrics_reduction(const struct sweep_metric *m)
{
	return reductions[m->reduce];
}

int sweep_samples_reduce(struct sweep_samples *s, enum sweep_reduce how)
{
	size_t n = s->all.n;
	double sum = 0, first, last;
	struct quartiles q;

	if (!n)
		return how == SWEEP_COUNT ? array_push(&s->all, 0.0) : 0;
	if (how == SWEEP_ALL)
		return 0;
	first = s->all.at[0];
	last = s->all.at[n - 1];

	for (size_t i = 0; i < n; i++)
		sum += s->all.at[i];
	q = quartiles_of(s->all.at, n);
	s->all.n = 1;
	s->all.at[0] = how == SWEEP_MEDIAN  ? q.median
		       : how == SWEEP_MEAN  ? sum / (double)n
		       : how == SWEEP_MIN   ? q.min
		       : how == SWEEP_MAX   ? q.max
		       : how == SWEEP_SUM   ? sum
		       : how == SWEEP_FIRST ? first
		       : how == SWEEP_LAST  ? last
					    : (double)n;
	return 0;
}

int sweep_samples_miss(struct sweep_samples *s, const char *why, struct cdict_error *err)
{
	array_fini(&s->all);
	free(s->why);
	s->why = strdup(why);
	return s->why ? 0 : cdict_fail_nomem(err);
}

void sweep_samples_fini(struct sweep_samples *s)
{
	array_fini(&s->all);
	free(s->why);
	*s = (struct sweep_samples){ 0 };
}

int sweep_metrics_take(const struct sweep_metrics *all, const struct sweep_measured *from,
		       struct sweep_samples *samples, struct cdict_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < all->all.n && !rc; i++) {
		const struct sweep_metric *m = &all->all.at[i];

		if (m->from == SWEEP_FROM_RUSAGE &&
		    array_push(&samples[i].all, plain[m->which].get(from)))
			rc = cdict_fail_nomem(err);
	}
	if (!rc && sweep_metrics_any(all, SWEEP_FROM_RECORD))
		rc = all->recorder->take(all, from, samples, err);
	for (size_t i = 0; i < all->all.n && !rc; i++) {
		if (all->all.at[i].from != SWEEP_FROM_JSON)
			continue;
		rc = sweep_json_take(all, i, (const char *)from->output.data, from->output.len,
				     samples, err);
		break; /* it filled all metrics of the same source */
	}
	for (size_t i = 0; i < all->all.n && !rc; i++) {
		const struct sweep_metric *m = &all->all.at[i];

		for (size_t k = 0; m->per > 0 && m->reduce != SWEEP_COUNT && k < samples[i].all.n;
		     k++)
			samples[i].all.at[k] *= m->per;
	}
	return rc;
}

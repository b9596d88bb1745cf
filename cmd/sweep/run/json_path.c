/* SPDX-License-Identifier: GPL-2.0-only */
/* Metrics from a command's JSON output. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/library.h"
#include "base/fail.h"
#include "cmd/sweep/run/sweep.h"

#define STEPS_MAX 32

static int refuse(struct cdict_error *err, const char *text, const char *why)
{
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "option --metric: '%s' %s", text,
			  why);
}

static int add_key(struct sweep_metric *m, const char *key, size_t len, struct cdict_error *err)
{
	struct sweep_step *step = array_add(&m->path);

	if (step)
		step->key = strndup(key, len);
	return step && step->key ? 0 : cdict_fail_nomem(err);
}

/* "[]", "[3]", "[\"a key\"]". */
static int add_bracket(struct sweep_metric *m, const char *whole, const char **text,
		       struct cdict_error *err)
{
	const char *p = *text + 1;
	size_t n = strspn(p, "0123456789");
	struct sweep_step *step;

	if (*p == '"') {
		size_t len = strcspn(++p, "\"");

		if (p[len] != '"' || p[len + 1] != ']')
			return refuse(err, whole, "has an unclosed [\"");
		*text = p + len + 2;
		return add_key(m, p, len, err);
	}
	if (p[n] != ']' || n > 9)
		return refuse(err, whole, "has a bad subscript; expected [], [3] or [\"key\"]");
	step = array_add(&m->path);
	if (!step)
		return cdict_fail_nomem(err);
	step->all = !n;
	step->index = n ? strtoul(p, NULL, 10) : 0;
	*text = p + n + 1;
	return 0;
}

int sweep_path_parse(struct sweep_metric *m, const char *text, struct cdict_error *err)
{
	const char *p = text + (*text == '$');
	int rc = 0;

	p += *p == '.';
	while (*p && !rc) {
		size_t len = strcspn(p, ".[");

		if (m->path.n == STEPS_MAX)
			return refuse(err, text, "has more than 32 steps");
		if (*p == '[')
			rc = add_bracket(m, text, &p, err);
		else if (len)
			rc = add_key(m, p, len, err);
		else
			return refuse(err, text, "has two adjacent dots");
		p += len;
		if (!rc && *p == '.' && !*++p)
			return refuse(err, text, "ends with a dot");
	}
	return rc || m->path.n ? rc : refuse(err, text, "is empty");
}

static int fail_missing(struct cdict_error *err, const struct sweep_metric *m, size_t step,
			const char *why)
{
	const struct sweep_step *s = step < m->path.n ? &m->path.at[step] : NULL;

	if (s && s->key)
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET, "%s: no '%s' %s",
				  m->source, s->key, why);
	return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET, "%s: no %s %s", m->source,
			  !s       ? "number"
			  : s->all ? "array"
				   : "such element",
			  why);
}

/* Recursion depth: the number of steps. */
static int collect(const struct sweep_metric *m, size_t step, const json_t *at,
		   struct sweep_samples *out, struct cdict_error *err)
{
	const struct sweep_step *s = &m->path.at[step];
	size_t n;
	int rc = 0;

	if (step == m->path.n) {
		if (!json_is_number(at))
			return fail_missing(err, m, step, "at this path");
		if (!(fabs(json_number_value(at)) <= SWEEP_NUMBER_MAX))
			return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
					  "%s: a number beyond 1e100", m->source);
		if (out->all.n == SWEEP_SAMPLES_MAX)
			return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
					  "%s: more than a million samples", m->source);
		return array_push(&out->all, json_number_value(at)) ? cdict_fail_nomem(err) : 0;
	}
	if (s->key) {
		const json_t *next = json_object_get(at, s->key);

		return next ? collect(m, step + 1, next, out, err)
			    : fail_missing(err, m, step, "in the JSON");
	}
	n = json_is_array(at) ? json_array_size(at) : 0;
	if (!json_is_array(at) || (!s->all && s->index >= n))
		return fail_missing(err, m, step, "in the JSON");
	if (!s->all)
		return collect(m, step + 1, json_array_get(at, s->index), out, err);
	for (size_t i = 0; i < n && !rc; i++)
		rc = collect(m, step + 1, json_array_get(at, i), out, err);
	return rc;
}

/* Other output may come before: JSON starts at the first line that begins with { or [. */
static const char *find_json(const char *text, size_t *size)
{
	const char *end = text + *size, *p = text;

	while (p < end && *p != '{' && *p != '[') {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return NULL;
		while (p < end && (*p == '\n' || *p == ' ' || *p == '\t' || *p == '\r'))
			p++;
	}
	*size = (size_t)(end - p);
	return p < end ? p : NULL;
}

int sweep_json_parse(json_t **out, const char *text, size_t size, const char *what,
		     struct cdict_error *err)
{
	json_error_t why;
	int rc = library_json(err);

	*out = NULL;
	if (rc)
		return rc;
	errno = 0; /* jansson has no error code for some of its failures */
	*out = json_loadb(text, size,
			  JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &why);
	if (*out)
		return 0;
	if (errno == ENOMEM)
		return cdict_fail_nomem(err);
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
			  "%s is not JSON (line %d, column %d)", what, why.line, why.column);
}

/* Whether both take their numbers from the same text. */
static bool same_text(const struct sweep_metric *a, const struct sweep_metric *b)
{
	return a->from == b->from && (a->from == SWEEP_FROM_JSON || !strcmp(a->args, b->args));
}

int sweep_json_take(const struct sweep_metrics *m, size_t first, const char *text, size_t size,
		    struct sweep_samples *samples, struct cdict_error *err)
{
	const char *from = size ? find_json(text, &size) : NULL;
	json_t *root = NULL;
	int rc;

	if (!from)
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "no JSON in its output: no line begins with { or [");
	rc = sweep_json_parse(&root, from, size, "its output", err);
	for (size_t i = first; i < m->all.n && !rc; i++) {
		if (!same_text(&m->all.at[first], &m->all.at[i]))
			continue;
		rc = collect(&m->all.at[i], 0, root, &samples[i], err);
		if (!rc && !samples[i].all.n)
			rc = fail_missing(err, &m->all.at[i], m->all.at[i].path.n, "in the JSON");
	}
	json_decref(root);
	return rc;
}

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

/* A number of a subscript, as in [-1]; false: not one, or beyond a billion. */
static bool take_bound(const char **p, long *out)
{
	const char *from = *p + (**p == '-');
	size_t n = strspn(from, "0123456789");

	if (n > 9 || (!n && from != *p))
		return false;
	*out = n ? strtol(*p, NULL, 10) : SWEEP_OPEN;
	*p = from + n;
	return true;
}

/* "[]", "[3]", "[-1]", "[1:]", "[::2]", "[\"a key\"]". */
static int add_bracket(struct sweep_metric *m, const char *whole, const char **text,
		       struct cdict_error *err)
{
	const char *p = *text + 1;
	long bounds[3] = { SWEEP_OPEN, SWEEP_OPEN, SWEEP_OPEN };
	bool number = true, slice = *p == ']';
	struct sweep_step *step;
	int n = 0;

	if (*p == '"') {
		size_t len = strcspn(++p, "\"");

		if (p[len] != '"' || p[len + 1] != ']')
			return refuse(err, whole, "has an unclosed [\"");
		*text = p + len + 2;
		return add_key(m, p, len, err);
	}
	while (number && n < 3) {
		number = take_bound(&p, &bounds[n++]);
		if (!number || *p != ':')
			break;
		slice = true;
		number = n < 3;
		p += number;
	}
	if (!number || *p != ']')
		return refuse(err, whole,
			      "has a bad subscript; expected [], [3], [-1], [1:], [1:10:2] or "
			      "[\"key\"]");
	if (!bounds[2])
		return refuse(err, whole, "has a slice with step 0");
	step = array_add(&m->path);
	if (!step)
		return cdict_fail_nomem(err);
	*step = (struct sweep_step){
		.slice = slice, .from = bounds[0], .to = bounds[1], .step = bounds[2]
	};
	*text = p + 1;
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
			  !s         ? "number"
			  : s->slice ? "array"
				     : "such element",
			  why);
}

/* A number, also in quotes: "12.5". */
static bool number_of(const json_t *at, double *out)
{
	const char *text = json_string_value(at);

	if (json_is_number(at)) {
		*out = json_number_value(at);
		return true;
	}
	return text && strlen(text) == json_string_length(at) && sweep_plain_number(text, out);
}

/* One bound of a slice of @n elements, as in Python: negative numbers count from the end. */
static long bound(long at, long open, long n, long step)
{
	long least = step < 0 ? -1 : 0, most = step < 0 ? n - 1 : n;

	if (at == SWEEP_OPEN)
		return open;
	at += at < 0 ? n : 0;
	return at < least ? least : at > most ? most : at;
}

static int collect(const struct sweep_metric *m, size_t step, const json_t *at,
		   struct sweep_samples *out, struct cdict_error *err);

static int collect_elements(const struct sweep_metric *m, size_t nth, const json_t *at,
			    struct sweep_samples *out, struct cdict_error *err)
{
	const struct sweep_step *s = &m->path.at[nth];
	long n = (long)json_array_size(at), by = s->step == SWEEP_OPEN ? 1 : s->step, from, to;
	int rc = 0;

	if (!s->slice) {
		from = s->from + (s->from < 0 ? n : 0);
		return from < 0 || from >= n
			       ? fail_missing(err, m, nth, "in the JSON")
			       : collect(m, nth + 1, json_array_get(at, (size_t)from), out, err);
	}
	from = bound(s->from, by < 0 ? n - 1 : 0, n, by);
	to = bound(s->to, by < 0 ? -1 : n, n, by);
	for (; (by < 0 ? from > to : from < to) && !rc; from += by)
		rc = collect(m, nth + 1, json_array_get(at, (size_t)from), out, err);
	return rc;
}

/* Recursion depth: the number of steps. */
static int collect(const struct sweep_metric *m, size_t step, const json_t *at,
		   struct sweep_samples *out, struct cdict_error *err)
{
	const struct sweep_step *s = &m->path.at[step];
	double number;

	if (step == m->path.n) {
		if (!number_of(at, &number))
			return fail_missing(err, m, step, "at this path");
		if (!(fabs(number) <= SWEEP_NUMBER_MAX))
			return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
					  "%s: a number beyond 1e100", m->source);
		if (out->all.n == SWEEP_SAMPLES_MAX)
			return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
					  "%s: more than a million samples", m->source);
		return array_push(&out->all, number) ? cdict_fail_nomem(err) : 0;
	}
	if (s->key) {
		const json_t *next = json_object_get(at, s->key);

		return next ? collect(m, step + 1, next, out, err)
			    : fail_missing(err, m, step, "in the JSON");
	}
	return json_is_array(at) ? collect_elements(m, step, at, out, err)
				 : fail_missing(err, m, step, "in the JSON");
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

bool sweep_costs_all(int rc)
{
	return rc == -ENOMEM || rc == -ENOENT || rc == -ENOSYS;
}

/* Takes the samples of metric @i; if it is missing, the reason. */
static int take_one(const struct sweep_metric *m, const json_t *root, struct sweep_samples *samples,
		    struct cdict_error *err)
{
	int rc = collect(m, 0, root, samples, err);

	if (!rc && sweep_samples_reduce(samples, m->reduce))
		return cdict_fail_nomem(err);
	if (!rc && !samples->all.n)
		rc = fail_missing(err, m, m->path.n, "in the JSON");
	return rc && !sweep_costs_all(rc) ? sweep_samples_miss(samples, err->text, err) : rc;
}

int sweep_json_take(const struct sweep_metrics *m, size_t first, const char *text, size_t size,
		    struct sweep_samples *samples, struct cdict_error *err)
{
	const char *from = size ? find_json(text, &size) : NULL;
	json_t *root = NULL;
	int rc;

	if (from)
		rc = sweep_json_parse(&root, from, size, "its output", err);
	else
		rc = cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				"no JSON in its output: no line begins with { or [");
	if (sweep_costs_all(rc))
		return rc;
	rc = 0;
	for (size_t i = first; i < m->all.n && !rc; i++) {
		if (same_text(&m->all.at[first], &m->all.at[i]))
			rc = root ? take_one(&m->all.at[i], root, &samples[i], err)
				  : sweep_samples_miss(&samples[i], err->text, err);
	}
	json_decref(root);
	return rc;
}

int sweep_json_miss(const struct sweep_metrics *m, size_t first, struct sweep_samples *samples,
		    struct cdict_error *err)
{
	int rc = 0;

	for (size_t i = first; i < m->all.n && !rc; i++) {
		if (same_text(&m->all.at[first], &m->all.at[i]))
			rc = sweep_samples_miss(&samples[i], err->text, err);
	}
	return rc;
}

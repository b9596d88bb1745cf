/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the JSON of a sweep, and a line of its journal. Both are untrusted input. */
#include <stdlib.h>
#include <string.h>

#include "annotate/library.h"
#include "base/fail.h"
#include "cmd/sweep/run/sweep.h"

static int fail_data(struct cdict_error *err, const char *what)
{
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "not cdict sweep data: %s", what);
}

/* A member that is a whole number up to @most. */
static int read_whole(const json_t *object, const char *key, double most, uint32_t *out,
		      struct cdict_error *err)
{
	const json_t *v = json_object_get(object, key);
	double number = json_is_number(v) ? json_number_value(v) : -1;

	if (!(number >= 0 && number <= most) || number != nearbyint(number))
		return fail_data(err, key);
	*out = (uint32_t)number;
	return 0;
}

/* A string member: given; NULL when it is null or missing. */
static int read_text(const json_t *object, const char *key, bool needed, char **out,
		     struct cdict_error *err)
{
	const json_t *v = json_object_get(object, key);

	*out = NULL;
	if (!v || json_is_null(v))
		return needed ? fail_data(err, key) : 0;
	if (!json_is_string(v))
		return fail_data(err, key);
	*out = strdup(json_string_value(v));
	return *out ? 0 : cdict_fail_nomem(err);
}

/* @texts: the values as typed; files of earlier versions have none. */
static int read_values(struct sweep_param *p, const json_t *values, const json_t *texts,
		       struct cdict_error *err)
{
	size_t n = json_array_size(values);

	if (!json_is_array(values) || !n || n > SWEEP_VALUES_MAX ||
	    (texts && json_array_size(texts) != n))
		return fail_data(err, "values");
	for (size_t i = 0; i < n; i++) {
		const char *t = json_string_value(json_array_get(values, i));
		const char *typed = texts ? json_string_value(json_array_get(texts, i)) : t;
		struct sweep_value *v;

		if (!t || !typed)
			return fail_data(err, "values");
		v = array_add(&p->values);
		if (!v || !(v->text = strdup(t)) || !(v->typed = strdup(typed)))
			return cdict_fail_nomem(err);
		if (!sweep_number(t, &v->number, NULL))
			v->number = NAN;
	}
	return 0;
}

static int read_params(struct sweep *s, const json_t *params, struct cdict_error *err)
{
	int rc = json_is_array(params) && json_array_size(params) <= 64 ? 0
									: fail_data(err, "params");

	for (size_t i = 0; !rc && i < json_array_size(params); i++) {
		const json_t *one = json_array_get(params, i);
		struct sweep_param *p = array_add(&s->params.all);

		if (!p)
			return cdict_fail_nomem(err);
		p->binary = json_is_true(json_object_get(one, "binary"));
		rc = read_text(one, "name", true, &p->name, err);
		if (!rc)
			rc = read_values(p, json_object_get(one, "values"),
					 json_object_get(one, "texts"), err);
		if (!rc && sweep_params_points(&s->params) > SWEEP_RUNS_MAX)
			rc = fail_data(err, "too many points");
	}
	return rc;
}

static int read_metrics(struct sweep *s, const json_t *metrics, struct cdict_error *err)
{
	size_t n = json_array_size(metrics);
	int rc = json_is_array(metrics) && n && n <= 1000 ? 0 : fail_data(err, "metrics");

	for (size_t i = 0; !rc && i < n; i++) {
		const json_t *one = json_array_get(metrics, i);
		struct sweep_metric *m = array_add(&s->metrics.all);

		if (!m)
			return cdict_fail_nomem(err);
		rc = read_text(one, "name", true, &m->name, err);
		if (!rc)
			rc = read_text(one, "unit", true, &m->unit, err);
		if (!rc)
			rc = read_text(one, "source", true, &m->source, err);
	}
	if (!rc && sweep_params_points(&s->params) * n > SWEEP_RUNS_MAX)
		rc = fail_data(err, "too many figures");
	return rc;
}

static int read_samples(struct sweep *s, struct sweep_done *run, const json_t *samples,
			const json_t *missing, struct cdict_error *err)
{
	size_t n = s->metrics.all.n;

	if (!json_is_array(samples) || json_array_size(samples) != n)
		return fail_data(err, "samples");
	run->samples = calloc(n, sizeof(*run->samples));
	if (!run->samples)
		return cdict_fail_nomem(err);
	for (size_t m = 0; m < n; m++) {
		const json_t *of = json_array_get(samples, m);
		const char *why = json_string_value(json_array_get(missing, m));
		size_t count = json_is_array(of) ? json_array_size(of) : 0;

		if (json_is_null(of) && why) {
			if (sweep_samples_miss(&run->samples[m], why, err))
				return err->code;
			continue;
		}
		if (!count || count > SWEEP_SAMPLES_MAX)
			return fail_data(err, "samples");
		for (size_t i = 0; i < count; i++) {
			const json_t *v = json_array_get(of, i);

			if (!json_is_number(v) || !(fabs(json_number_value(v)) <= SWEEP_NUMBER_MAX))
				return fail_data(err, "samples");
			if (array_push(&run->samples[m].all, json_number_value(v)))
				return cdict_fail_nomem(err);
		}
	}
	return 0;
}

static int read_run(struct sweep *s, const json_t *from, struct cdict_error *err)
{
	const json_t *samples = json_object_get(from, "samples");
	size_t points = sweep_params_points(&s->params);
	struct sweep_done run = { 0 };
	uint32_t status = 0;
	double took = json_number_value(json_object_get(from, "took_ns"));
	int rc = read_whole(from, "point", (double)points - 1, &run.point, err);

	if (!rc)
		rc = read_whole(from, "run", SWEEP_RUNS_MAX, &run.nth, err);
	if (!rc)
		rc = read_whole(from, "status", 255, &status, err);
	if (!rc)
		rc = read_text(from, "failed", false, &run.why, err);
	run.status = (int)status;
	run.dropped = json_is_true(json_object_get(from, "dropped"));
	run.took_ns = took > 0 && took < 1e18 ? (uint64_t)took : 0;
	if (!rc && !json_is_null(samples))
		rc = read_samples(s, &run, samples, json_object_get(from, "missing"), err);
	else if (!rc && !run.why)
		rc = fail_data(err, "a run has neither samples nor a failure");
	if (!rc && array_push(&s->done, run))
		rc = cdict_fail_nomem(err);
	if (rc)
		sweep_done_fini(&run, s->metrics.all.n);
	return rc;
}

int sweep_read_run(struct sweep *s, const char *line, size_t size, struct cdict_error *err)
{
	json_t *root = NULL;
	int rc = sweep_json_parse(&root, line, size, "the line", err);

	if (!rc)
		rc = read_run(s, root, err);
	json_decref(root);
	return rc;
}

static int read_command(struct sweep *s, const json_t *command, struct cdict_error *err)
{
	size_t n = json_array_size(command);

	if (!json_is_array(command) || !n || n > SWEEP_WORDS_MAX)
		return fail_data(err, "command");
	for (size_t i = 0; i < n; i++) {
		const char *word = json_string_value(json_array_get(command, i));

		if (!word)
			return fail_data(err, "command");
		if (texts_add(&s->command, word))
			return cdict_fail_nomem(err);
	}
	return 0;
}

static int read_head(struct sweep *s, const json_t *root, struct cdict_error *err)
{
	const json_t *schema = json_object_get(root, "schema");
	const char *name = json_string_value(json_object_get(schema, "name"));
	uint32_t version = 0;
	int rc;

	if (!name || strcmp(name, "cdict-sweep"))
		return fail_data(err, "schema");
	rc = read_whole(schema, "version", 1, &version, err);
	if (!rc)
		rc = read_command(s, json_object_get(root, "command"), err);
	if (!rc)
		rc = read_text(root, "title", false, &s->title, err);
	if (!rc)
		rc = read_text(root, "host", false, &s->host, err);
	if (!rc)
		rc = read_text(root, "record", false, &s->record, err);
	if (!rc)
		rc = read_params(s, json_object_get(root, "params"), err);
	if (!rc)
		rc = read_metrics(s, json_object_get(root, "metrics"), err);
	if (!rc)
		rc = read_whole(root, "runs", SWEEP_RUNS_MAX, &s->runs, err);
	if (!rc && !s->runs)
		rc = fail_data(err, "runs");
	if (!rc)
		rc = read_whole(root, "warmup", SWEEP_RUNS_MAX, &s->warmup, err);
	s->lines = json_is_true(json_object_get(root, "lines"));
	s->drop_first = json_is_true(json_object_get(root, "drop_first"));
	return rc;
}

int sweep_read(struct sweep *s, const char *data, size_t size, struct cdict_error *err)
{
	json_t *root = NULL;
	const json_t *done;
	int rc = sweep_json_parse(&root, data, size, "the file", err);

	if (!rc)
		rc = read_head(s, root, err);
	done = rc ? NULL : json_object_get(root, "done");
	if (!rc && (!json_is_array(done) || json_array_size(done) > SWEEP_RUNS_MAX))
		rc = fail_data(err, "done");
	for (size_t i = 0; !rc && i < json_array_size(done); i++)
		rc = read_run(s, json_array_get(done, i), err);
	/* limits the memory for figures to the size of the runs */
	if (!rc && s->done.n != sweep_params_points(&s->params) * s->runs)
		rc = fail_data(err, "runs are missing from done");
	json_decref(root);
	return rc;
}

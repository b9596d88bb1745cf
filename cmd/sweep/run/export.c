/* SPDX-License-Identifier: GPL-2.0-only */
/* The command as text, and runs in the JSON format of hyperfine's --export-json (its src/export/json.rs). */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cmd/sweep/run/sweep.h"

const char *sweep_line(const struct sweep *s, size_t point)
{
	bool several = !strcmp(s->command.at[0], "{command}") && s->params.all.n &&
		       !strcmp(s->params.all.at[0].name, "command");

	return several ? sweep_params_at(&s->params, 0, point)->text : s->command.at[0];
}

char *sweep_command(const struct sweep *s, size_t point)
{
	struct sink all;
	char *text, *replaced;

	sink_to_memory(&all);
	if (s->lines)
		sink_puts(&all, sweep_line(s, point));
	for (size_t i = 0; i < s->command.n && !s->lines; i++)
		sink_printf(&all, "%s%s", i ? " " : "", s->command.at[i]);
	text = sink_take(&all, NULL);
	replaced = text ? sweep_params_replace(&s->params, point, text) : NULL;
	free(text);
	return replaced;
}

enum { WALL, USER, SYS, TIMES };
static const char *const sources[TIMES] = { "wall", "user", "sys" };

/* The samples of runs at a point that count. */
struct times {
	ARRAY(double) s[TIMES];
};

static int take_times(struct times *t, const struct sweep *s, size_t point)
{
	for (size_t i = 0; i < s->done.n; i++) {
		const struct sweep_done *run = &s->done.at[i];

		if (run->point != point || run->dropped || !run->samples)
			continue;
		for (int k = 0; k < TIMES; k++) {
			size_t m = sweep_metrics_from(&s->metrics, sources[k]);
			double ns;

			sweep_unit(s->metrics.all.at[m].unit, &ns);
			if (run->samples[m].all.n &&
			    array_push(&t->s[k], run->samples[m].all.at[0] * ns / 1e9))
				return -1;
		}
	}
	return 0;
}

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : NAN;
}

static double deviation_of(const double *v, size_t n)
{
	double mean = mean_of(v, n), sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return n > 1 ? sqrt(sum / (double)(n - 1)) : NAN;
}

static int put_point(struct json *j, const struct sweep *s, size_t point, const struct times *t)
{
	const double *wall = t->s[WALL].at;
	size_t n = t->s[WALL].n;
	char *command = sweep_command(s, point);
	double *sorted = malloc((n + 1) * sizeof(*sorted));
	struct quartiles q;

	if (!command || !sorted) {
		free(command);
		free(sorted);
		return -1;
	}
	if (n)
		memcpy(sorted, wall, n * sizeof(*sorted));
	q = quartiles_of(sorted, n);
	json_open(j, NULL, '{', true);
	json_text(j, "command", command);
	json_number(j, "mean", mean_of(wall, n));
	json_number(j, "stddev", deviation_of(wall, n));
	json_number(j, "median", n ? q.median : NAN);
	json_number(j, "user", mean_of(t->s[USER].at, t->s[USER].n));
	json_number(j, "system", mean_of(t->s[SYS].at, t->s[SYS].n));
	json_number(j, "min", n ? q.min : NAN);
	json_number(j, "max", n ? q.max : NAN);
	json_open(j, "times", '[', false);
	for (size_t i = 0; i < n; i++)
		json_number(j, NULL, wall[i]);
	json_close(j);
	json_open(j, "exit_codes", '[', false);
	for (size_t i = 0; i < s->done.n; i++) {
		if (s->done.at[i].point == point && !s->done.at[i].dropped)
			json_i64(j, NULL, s->done.at[i].status);
	}
	json_close(j);
	if (s->params.all.n) {
		json_open(j, "parameters", '{', false);
		for (size_t i = 0; i < s->params.all.n; i++)
			json_text(j, s->params.all.at[i].name,
				  sweep_params_at(&s->params, i, point)->text);
		json_close(j);
	}
	json_close(j);
	free(command);
	free(sorted);
	return 0;
}

int sweep_export(struct sink *out, const struct sweep *s, struct cdict_error *err)
{
	struct json j;
	int rc = 0;

	for (int k = 0; k < TIMES; k++) {
		if (sweep_metrics_from(&s->metrics, sources[k]) == s->metrics.all.n)
			return cdict_fail(
				err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				"--export-json needs the metric %s, which was not measured",
				sources[k]);
	}
	json_init(&j, out);
	json_open(&j, NULL, '{', true);
	json_open(&j, "results", '[', true);
	for (size_t point = 0; point < sweep_params_points(&s->params) && !rc; point++) {
		struct times t = { 0 };

		rc = take_times(&t, s, point) || put_point(&j, s, point, &t);
		for (int k = 0; k < TIMES; k++)
			array_fini(&t.s[k]);
	}
	json_close(&j);
	json_close(&j);
	return rc ? cdict_fail_nomem(err) : 0;
}

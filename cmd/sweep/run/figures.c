/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of the finished runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/sweep/run/sweep.h"

void sweep_done_fini(struct sweep_done *run, size_t n_metrics)
{
	for (size_t i = 0; run->samples && i < n_metrics; i++)
		sweep_samples_fini(&run->samples[i]);
	free(run->samples);
	free(run->why);
	*run = (struct sweep_done){ 0 };
}

void sweep_fini(struct sweep *s)
{
	for (size_t i = 0; i < s->done.n; i++)
		sweep_done_fini(&s->done.at[i], s->metrics.all.n);
	array_fini(&s->done);
	texts_fini(&s->command);
	texts_fini(&s->select);
	sweep_params_fini(&s->params);
	sweep_metrics_fini(&s->metrics);
	free(s->shell);
	free(s->setup);
	free(s->prepare);
	free(s->cleanup);
	free(s->title);
	free(s->record);
	free(s->host);
	*s = (struct sweep){ 0 };
}

/* All samples that count, grouped by figure. */
struct grouped {
	double *all;
	size_t *from; /* by figure: index of its first sample; one more at the end */
};

static bool counts(const struct sweep_done *run)
{
	return !run->dropped && run->samples;
}

static int group(struct grouped *g, const struct sweep *s, size_t n)
{
	size_t metrics = s->metrics.all.n, *next, at = 0;

	g->from = calloc(n + 2, sizeof(*g->from));
	if (!g->from)
		return -ENOMEM;
	next = g->from + 1; /* advances to the start of the next figure */
	for (size_t i = 0; i < s->done.n; i++) {
		const struct sweep_done *run = &s->done.at[i];

		for (size_t m = 0; m < metrics && counts(run); m++)
			next[run->point * metrics + m] += run->samples[m].all.n;
	}
	for (size_t i = 0, size; i < n; i++) {
		size = next[i];
		next[i] = at;
		at += size;
	}
	g->all = malloc((at + 1) * sizeof(*g->all));
	if (!g->all)
		return -ENOMEM;
	for (size_t i = 0; i < s->done.n; i++) {
		const struct sweep_done *run = &s->done.at[i];

		for (size_t m = 0; m < metrics && counts(run); m++) {
			size_t of = run->point * metrics + m, size = run->samples[m].all.n;

			if (size)
				memcpy(g->all + next[of], run->samples[m].all.at,
				       size * sizeof(*g->all));
			next[of] += size;
		}
	}
	return 0;
}

struct sweep_figure *sweep_figures(const struct sweep *s)
{
	size_t metrics = s->metrics.all.n, n = sweep_params_points(&s->params) * metrics;
	struct sweep_figure *f = calloc(n + 1, sizeof(*f));
	struct grouped g = { 0 };

	if (f && group(&g, s, n)) {
		free(f);
		f = NULL;
	}
	for (size_t i = 0; f && i < s->done.n; i++) {
		const struct sweep_done *run = &s->done.at[i];

		for (size_t m = 0; m < metrics && !run->dropped; m++) {
			struct sweep_figure *of = &f[run->point * metrics + m];

			bool failed = !run->samples || run->samples[m].why;

			of->runs += !failed;
			of->failed += failed;
			of->missing += failed && run->samples;
			if (failed && !of->why)
				of->why = i + 1;
		}
	}
	for (size_t i = 0; f && i < n; i++)
		f[i].q = quartiles_of(g.all + g.from[i], g.from[i + 1] - g.from[i]);
	free(g.all);
	free(g.from);
	return f;
}

size_t sweep_failed(const struct sweep *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->done.n; i++)
		n += !s->done.at[i].dropped && !s->done.at[i].samples;
	return n;
}

size_t sweep_missing(const struct sweep *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->done.n; i++) {
		const struct sweep_done *run = &s->done.at[i];
		bool any = false;

		for (size_t m = 0; counts(run) && m < s->metrics.all.n; m++)
			any |= run->samples[m].why != NULL;
		n += any;
	}
	return n;
}

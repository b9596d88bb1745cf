/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws the figures: chooses the axis parameter, the series, and which metrics share a plot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/sweep/run/picture.h"
#include "base/text/plural.h"
#include "render/draw/text.h"

#define FEW 3 /* values needed before a scale is guessed */

/* Memory made for the picture, which borrows it. */
struct work {
	struct sweep_picture *to;
	const struct sweep *s;
	const struct sweep_figure *f;
	bool failed;
};

static void *keep_memory(struct work *w, void *p)
{
	if (p && array_push(&w->to->kept, p)) {
		free(p);
		p = NULL;
	}
	w->failed |= !p;
	return p;
}

static const char *keep_text(struct work *w, struct sink *s)
{
	char *raw = sink_take(s, NULL), *clean = raw ? text_clean(raw, strlen(raw)) : NULL;
	const char *kept;

	free(raw);
	kept = keep_memory(w, clean);
	return kept ? kept : "";
}

/* --- the axis --- */

static bool numeric(const struct sweep_param *p)
{
	for (size_t i = 0; i < p->values.n; i++) {
		if (isnan(p->values.at[i].number))
			return false;
		for (size_t k = 0; k < i; k++) {
			if (p->values.at[k].number == p->values.at[i].number)
				return false; /* 1K and 1024 would overlap */
		}
	}
	return true;
}

int sweep_plot_axis(const struct sweep *s, const char *name)
{
	int first = s->params.all.n ? 0 : -1;

	for (size_t i = 0; i < s->params.all.n; i++) {
		const struct sweep_param *p = &s->params.all.at[i];

		if (name ? !strcmp(name, p->name) : p->values.n > 1 && numeric(p))
			return (int)i;
	}
	return name ? -1 : first;
}

/* Use a logarithmic axis when values differ by factors. */
static bool wants_log(const struct sweep_param *p)
{
	double lo = INFINITY, hi = 0;

	for (size_t i = 0; i < p->values.n; i++) {
		lo = fmin(lo, p->values.at[i].number);
		hi = fmax(hi, p->values.at[i].number);
	}
	return p->values.n >= FEW && lo > 0 && hi / lo >= 32;
}

static bool can_log(const struct sweep_param *p)
{
	for (size_t i = 0; i < p->values.n; i++) {
		if (!(p->values.at[i].number > 0))
			return false;
	}
	return true;
}

bool sweep_plot_numbers(const struct sweep *s, int axis)
{
	return axis >= 0 && numeric(&s->params.all.at[axis]);
}

bool sweep_plot_positive(const struct sweep *s, int axis)
{
	return sweep_plot_numbers(s, axis) && can_log(&s->params.all.at[axis]);
}

bool sweep_plot_log(const struct sweep *s, int axis, int scale)
{
	return sweep_plot_positive(s, axis) &&
	       (scale == SWEEP_SCALE_LOG ||
		(scale == SWEEP_SCALE_AUTO && wants_log(&s->params.all.at[axis])));
}

static const char *value_text(struct work *w, const struct sweep_param *p, size_t i)
{
	struct sink s;

	sink_to_memory(&s);
	sweep_params_show(&s, p, i);
	return keep_text(w, &s);
}

/* x is the first member of ticks, marks and points. */
static int by_x(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double x_of(const struct sweep_picture *to, const struct sweep_param *p, size_t i)
{
	return !p ? 0 : to->numbers ? p->values.at[i].number : (double)i;
}

static void make_axis(struct work *w, const struct sweep_plot_options *o, int axis)
{
	const struct sweep_param *p = axis < 0 ? NULL : &w->s->params.all.at[axis];
	size_t n = p ? p->values.n : 1;
	struct view_sweep_tick *ticks = keep_memory(w, calloc(n, sizeof(*ticks)));

	w->to->numbers = p && numeric(p);
	for (size_t i = 0; ticks && i < n; i++) {
		ticks[i].x = x_of(w->to, p, i);
		ticks[i].label = p ? value_text(w, p, i) : "";
	}
	for (size_t i = 0; ticks && i < sweep_params_points(&w->s->params); i++) {
		struct view_sweep_tick *tick =
			&ticks[p ? sweep_params_index(&w->s->params, (size_t)axis, i) : 0];

		/* a failed run fails for all metrics, unlike a run without one of them */
		const struct sweep_figure *f = &w->f[i * w->s->metrics.all.n];

		tick->runs += f->runs + f->missing;
		tick->failed += f->failed - f->missing;
	}
	if (ticks)
		qsort(ticks, n, sizeof(*ticks), by_x);
	w->to->view.ticks = ticks;
	w->to->view.n_ticks = ticks ? n : 0;
	w->to->view.x_title = p ? p->name : "";
	w->to->view.categories = p && !w->to->numbers;
	w->to->view.x_log = sweep_plot_log(w->s, axis, o->x_scale);
}

static void make_marks(struct work *w, const struct sweep_plot_options *o)
{
	struct view_sweep_mark *marks = keep_memory(w, calloc(o->n_marks + 1, sizeof(*marks)));

	for (size_t i = 0; marks && i < o->n_marks; i++) {
		struct sink s;

		marks[i].x = o->marks[i].number;
		marks[i].ink = o->marks[i].ink;
		sink_to_memory(&s);
		sink_puts(&s, o->marks[i].label);
		marks[i].label = keep_text(w, &s);
	}
	if (marks)
		qsort(marks, o->n_marks, sizeof(*marks), by_x);
	w->to->view.marks = marks;
	w->to->view.n_marks = marks ? o->n_marks : 0;
}

/* --- points --- */

static void put_params(struct sink *s, const struct sweep *sw, size_t point, int but)
{
	bool any = false;

	for (size_t i = 0; i < sw->params.all.n; i++) {
		const struct sweep_param *p = &sw->params.all.at[i];

		if ((int)i == but || p->values.n < 2)
			continue;
		sink_printf(s, "%s%s=", any ? ", " : "", p->name);
		sweep_params_show(s, p, sweep_params_index(&sw->params, i, point));
		any = true;
	}
}

/* "1 run of 5 samples"; one sample each is not mentioned, nor is a varying number (0). */
static void put_runs(struct sink *s, unsigned runs, size_t samples)
{
	sink_printf(s, "%s run%s", GROUPED(runs), runs == 1 ? "" : "s");
	if (samples > 1)
		sink_printf(s, " of %s samples", GROUPED(samples));
}

static const char *note_of(struct work *w, size_t point, size_t metric,
			   const struct sweep_figure *f)
{
	const struct sweep_metric *m = &w->s->metrics.all.at[metric];
	char median[NUMBER_ROOM], q1[NUMBER_ROOM], q3[NUMBER_ROOM], min[NUMBER_ROOM],
		max[NUMBER_ROOM];
	struct sink s;

	sink_to_memory(&s);
	put_params(&s, w->s, point, -1);
	sink_printf(&s, "%s%s: median %s, quartiles %s and %s, from %s to %s; ",
		    s.buf.len ? ": " : "", m->name, sweep_human(median, f->q.median, m->unit),
		    sweep_human(q1, f->q.q1, m->unit), sweep_human(q3, f->q.q3, m->unit),
		    sweep_human(min, f->q.min, m->unit), sweep_human(max, f->q.max, m->unit));
	put_runs(&s, f->runs, f->q.n % f->runs ? 0 : f->q.n / f->runs);
	if (f->q.n % f->runs)
		sink_printf(&s, ", %s sample%s", GROUPED(f->q.n), f->q.n == 1 ? "" : "s");
	if (f->failed)
		sink_printf(&s, ", %u failed", f->failed);
	return keep_text(w, &s);
}

/* The reason of the first failed run at a point, or why it lacks the metric. */
static const char *why_of(struct work *w, size_t point, size_t metric, const struct sweep_figure *f)
{
	const struct sweep_done *run = &w->s->done.at[f->why - 1];
	const char *why = run->samples ? run->samples[metric].why : run->why;
	struct sink s;

	sink_to_memory(&s);
	put_params(&s, w->s, point, -1);
	sink_printf(&s, "%s%s%s%s of %s run%s%s: %s", s.buf.len ? ": " : "",
		    run->samples ? w->s->metrics.all.at[metric].name : "",
		    run->samples ? " is missing in " : "", GROUPED(f->failed),
		    GROUPED(f->runs + f->failed), f->runs + f->failed == 1 ? "" : "s",
		    run->samples ? "" : " failed", why ? why : "");
	return keep_text(w, &s);
}

/* --- series --- */

/* The unit in which a metric is drawn. */
static const char *unit_of(const struct sweep *s, size_t metric, double *factor)
{
	return sweep_unit(s->metrics.all.at[metric].unit, factor);
}

/* Metrics of the same unit share a plot, also KB/s and MB/s; counts do not. */
static bool same_plot(const struct sweep *s, size_t a, size_t b)
{
	double factor;
	const char *unit = unit_of(s, a, &factor);

	return a == b || (*unit && !strcmp(unit, unit_of(s, b, &factor)));
}

static struct quartiles scaled(struct quartiles q, double by)
{
	q.min *= by;
	q.q1 *= by;
	q.median *= by;
	q.q3 *= by;
	q.max *= by;
	return q;
}

/* A series: points that differ in the axis only; the first one has the axis' first value. */
static bool begins_series(const struct sweep *s, size_t point, int axis)
{
	return axis < 0 || !sweep_params_index(&s->params, (size_t)axis, point);
}

/* Distance between points with adjacent axis values. */
static size_t stride(const struct sweep *s, int axis)
{
	size_t n = 1;

	for (size_t i = (size_t)axis + 1; axis >= 0 && i < s->params.all.n; i++)
		n *= s->params.all.at[i].values.n;
	return n;
}

static void make_series(struct work *w, struct view_sweep_series *to, size_t first, size_t metric,
			int axis, bool report_metric)
{
	const struct sweep_param *p = axis < 0 ? NULL : &w->s->params.all.at[axis];
	size_t n = p ? p->values.n : 1, step = stride(w->s, axis), metrics = w->s->metrics.all.n;
	struct view_sweep_point *points = keep_memory(w, calloc(n, sizeof(*points)));
	struct sink s;
	double factor;

	unit_of(w->s, metric, &factor);
	sink_to_memory(&s);
	put_params(&s, w->s, first, axis);
	if (s.buf.len && report_metric)
		sink_printf(&s, ": ");
	if (report_metric)
		sink_puts(&s, w->s->metrics.all.at[metric].name);
	if (s.buf.len)
		to->name = keep_text(w, &s);
	sink_finish(&s);
	for (size_t i = 0; points && i < n; i++) {
		size_t point = first + i * step;
		const struct sweep_figure *f = &w->f[point * metrics + metric];

		points[i] = (struct view_sweep_point){ .x = x_of(w->to, p, i),
						       .q = scaled(f->q, factor),
						       .failed = f->failed > 0 };
		if (f->q.n)
			points[i].note = note_of(w, point, metric, f);
		if (f->failed)
			points[i].why = why_of(w, point, metric, f);
	}
	if (points)
		qsort(points, n, sizeof(*points), by_x);
	to->points = points;
	to->n = points ? n : 0;
}

static void make_panel(struct work *w, struct view_sweep_panel *to, size_t metric, int axis,
		       bool log)
{
	size_t points = sweep_params_points(&w->s->params), metrics = w->s->metrics.all.n,
	       lines = 0, n = 0;
	struct view_sweep_series *series;
	struct sink title;
	double factor;

	for (size_t m = metric; m < metrics; m++)
		lines += same_plot(w->s, metric, m);
	sink_to_memory(&title);
	for (size_t m = metric, nth = 0; m < metrics; m++) {
		if (same_plot(w->s, metric, m))
			sink_printf(&title, "%s%s", nth++ ? ", " : "",
				    w->s->metrics.all.at[m].name);
	}
	*to = (struct view_sweep_panel){ .title = keep_text(w, &title), .log = log };
	sink_to_memory(&title);
	sink_puts(&title, unit_of(w->s, metric, &factor));
	to->unit = keep_text(w, &title);
	series = keep_memory(w, calloc(lines * points, sizeof(*series)));
	for (size_t m = metric; series && m < metrics; m++) {
		for (size_t p = 0; p < points && same_plot(w->s, metric, m); p++) {
			if (begins_series(w->s, p, axis))
				make_series(w, &series[n++], p, m, axis, lines > 1);
		}
	}
	to->series = series;
	to->n = n;
}

static void make_panels(struct work *w, int axis, bool log)
{
	size_t metrics = w->s->metrics.all.n, n = 0;
	struct view_sweep_panel *panels = keep_memory(w, calloc(metrics, sizeof(*panels)));

	for (size_t m = 0; panels && m < metrics; m++) {
		bool drawn = false;

		for (size_t k = 0; k < m; k++)
			drawn |= same_plot(w->s, k, m);
		if (!drawn)
			make_panel(w, &panels[n++], m, axis, log);
	}
	w->to->view.panels = panels;
	w->to->view.n_panels = n;
}

/* --- texts --- */

/* How many samples each run has, of the metric that has most; 0: it varies. */
static size_t samples_of(const struct work *w)
{
	size_t most = 0;

	for (size_t m = 0; m < w->s->metrics.all.n; m++) {
		size_t n = 0;

		for (size_t i = 0; i < w->s->done.n; i++) {
			const struct sweep_done *run = &w->s->done.at[i];
			size_t has = run->samples ? run->samples[m].all.n : 0;

			if (has && n && has != n)
				return 0;
			n = has ? has : n;
		}
		most = n > most ? n : most;
	}
	return most;
}

static void make_texts(struct work *w)
{
	const struct sweep *sw = w->s;
	size_t bad = sweep_failed(sw);
	struct sink s;

	sink_to_memory(&s);
	if (sw->title)
		sink_puts(&s, sw->title);
	/* several command lines are the values of the first parameter */
	if (!sw->title && sw->lines && sw->params.all.n &&
	    sweep_line(sw, 0) == sweep_params_at(&sw->params, 0, 0)->text) {
		for (size_t i = 0; i < sw->params.all.at[0].values.n; i++)
			sink_printf(&s, "%s%s", i ? " · " : "",
				    sw->params.all.at[0].values.at[i].text);
	} else {
		for (size_t i = 0; !sw->title && i < sw->command.n; i++)
			sink_printf(&s, "%s%s", i ? " " : "", sw->command.at[i]);
	}
	w->to->view.title = keep_text(w, &s);
	sink_to_memory(&s);
	if (sw->host)
		sink_printf(&s, "%s · ", sw->host);
	put_runs(&s, sw->runs, samples_of(w));
	sink_puts(&s, " per value");
	if (sw->drop_first)
		sink_puts(&s, ", first run dropped");
	if (sw->warmup)
		sink_printf(&s, ", after %u warm-up run%s", sw->warmup, sw->warmup == 1 ? "" : "s");
	w->to->view.subtitle = keep_text(w, &s);
	sink_to_memory(&s);
	sink_puts(&s, "squares: medians; bars: first to third quartile");
	if (bad)
		sink_printf(&s, "; hatched: %s run%s failed", GROUPED(bad), bad == 1 ? "" : "s");
	w->to->view.foot = keep_text(w, &s);
}

int sweep_plot(struct sweep_picture *to, const struct sweep *s, const struct sweep_figure *f,
	       const struct sweep_plot_options *o)
{
	struct work w = { .to = to, .s = s, .f = f };
	int axis = sweep_plot_axis(s, o->x);

	make_axis(&w, o, axis);
	make_marks(&w, o);
	make_panels(&w, axis, o->y_log);
	make_texts(&w);
	return w.failed ? -ENOMEM : 0;
}

void sweep_picture_fini(struct sweep_picture *p)
{
	for (size_t i = 0; i < p->kept.n; i++)
		free(p->kept.at[i]);
	array_fini(&p->kept);
	*p = (struct sweep_picture){ 0 };
}

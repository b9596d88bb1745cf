/* SPDX-License-Identifier: GPL-2.0-only */
/* Medians and quartiles over a parameter. */
#include "render/views/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/draw/names.h"
#include "render/draw/rows.h"
#include "render/draw/text.h"

#define DOT 7     /* side of a median's square */
#define CAP 9     /* width of a bar's end */
#define INSET 28  /* from the plot's edge to the first value */
#define APART 11  /* between series at the same value */
#define FAILED 11 /* side of the box of failed runs */

static const struct ink text_ink = { INK_TEXT, 0 }, dim = { INK_DIM, 0 },
			plot_ink = { INK_PLOT, 0 }, loss = { INK_LOSS, 0 };

static struct ink ink_of(size_t series)
{
	return (struct ink){ INK_TASK, (uint8_t)(series % PALETTE_TASKS) };
}

/* --- axes --- */

/* The smallest and largest drawn value; false without values. */
static bool range(const struct view_sweep_panel *p, bool positive, double *lo, double *hi)
{
	bool any = false;

	for (size_t s = 0; s < p->n; s++) {
		for (size_t i = 0; i < p->series[s].n; i++) {
			const struct quartiles *q = &p->series[s].points[i].q;
			double from = q->q1, to = q->q3;

			if (!q->n || (positive && q->median <= 0))
				continue;
			if (positive && from <= 0)
				from = q->median;
			*lo = any ? fmin(*lo, from) : from;
			*hi = any ? fmax(*hi, to) : to;
			any = true;
		}
	}
	return any;
}

static bool is_time(const struct view_sweep_panel *p)
{
	return !strcmp(p->unit, "ns");
}

static struct scale y_scale(const struct view_sweep_panel *p)
{
	struct scale s = { .lo = 0, .hi = 1 };

	if (p->log && range(p, true, &s.lo, &s.hi)) {
		s.log = true;
		s.lo = pow(10, floor(log10(s.lo) + 1e-9));
		s.hi = pow(10, ceil(log10(s.hi) - 1e-9));
		if (s.hi <= s.lo)
			s.hi = s.lo * 10;
		return s;
	}
	if (!range(p, false, &s.lo, &s.hi))
		return s;
	/* lengths can be compared only from 0 on */
	s.lo = fmin(s.lo, 0);
	s.hi = fmax(s.hi, 0);
	if (s.hi <= s.lo)
		s.hi = s.lo + 1;
	s.hi += (s.hi - s.lo) * 0.06;
	s.lo -= s.lo < 0 ? (s.hi - s.lo) * 0.06 : 0;
	return s;
}

/* One unit for a whole axis: 4G and not 4000M. */
static void label_count(struct scale_tick *ticks, size_t n, double hi)
{
	double unit = hi >= 2e12 ? 1e12 : hi >= 2e9 ? 1e9 : hi >= 2e6 ? 1e6 : hi >= 1e4 ? 1e3 : 1;
	const char *name = unit == 1e12  ? "T"
			   : unit == 1e9 ? "G"
			   : unit == 1e6 ? "M"
			   : unit == 1e3 ? "k"
					 : "";

	for (size_t i = 0; i < n; i++)
		snprintf(ticks[i].label, sizeof(ticks[i].label), "%.6g%s", ticks[i].at / unit,
			 ticks[i].at ? name : "");
}

static size_t y_ticks(const struct view_sweep_panel *p, const struct scale *s, double h,
		      const struct canvas *c, struct scale_tick *ticks)
{
	unsigned most = (unsigned)(h / (2.4 * c->line)) + 1;
	size_t n;

	if (!s->log && is_time(p) && s->lo >= 0)
		return scale_ticks_time(ticks, s->lo, s->hi, most);
	if (!s->log) {
		n = scale_ticks_count(ticks, s->lo, s->hi, most, "");
		label_count(ticks, n, fmax(s->hi, -s->lo));
		return n;
	}
	n = scale_ticks_log(ticks, s->lo, s->hi, most < 2 ? 2 : most);
	for (size_t i = 0; i < n && !is_time(p); i++) {
		if (!ticks[i].minor && ticks[i].at >= 0.001)
			text_short(ticks[i].label, ticks[i].at);
		else if (!ticks[i].minor)
			snprintf(ticks[i].label, sizeof(ticks[i].label), "%g", ticks[i].at);
	}
	return n;
}

/* Labels of texts are shortened to the distance between them. */
static void fit_labels(struct marks *m, const struct canvas *c, const struct scale *x,
		       struct scale_tick *ticks, size_t n)
{
	double room = n > 1 ? scale_at(x, ticks[1].at) - scale_at(x, ticks[0].at) : x->to - x->from;

	const char **full = calloc(n + 1, sizeof(*full));
	char **names;

	for (size_t i = 0; full && i < n; i++)
		full[i] = ticks[i].label;
	names = full ? names_fit(full, n, canvas_font(c, MARK_SMALL), room - c->gap_x) : NULL;
	for (size_t i = 0; names && i < n; i++)
		snprintf(ticks[i].label, sizeof(ticks[i].label), "%s", names[i]);
	m->failed |= !names;
	names_free(names, n);
	free(full);
}

static size_t x_ticks(const struct view_sweep *v, struct scale_tick *ticks, bool labels)
{
	size_t every = (v->n_ticks + SCALE_TICKS - 1) / SCALE_TICKS, n = 0;

	for (size_t i = 0; i < v->n_ticks; i += every) {
		ticks[n] = (struct scale_tick){ .at = v->ticks[i].x };
		if (labels)
			snprintf(ticks[n].label, sizeof(ticks[n].label), "%s", v->ticks[i].label);
		n++;
	}
	return n;
}

static struct scale x_scale(const struct view_sweep *v, const struct box *plot)
{
	struct scale s = { .lo = v->n_ticks ? v->ticks[0].x : 0,
			   .hi = v->n_ticks ? v->ticks[v->n_ticks - 1].x : 1,
			   .from = plot->x + INSET,
			   .to = plot->x + plot->w - INSET,
			   .log = v->x_log };

	if (v->categories) { /* each has the same room for its label */
		s.from = plot->x;
		s.to = plot->x + plot->w;
		s.lo -= 0.5;
		s.hi += 0.5;
		return s;
	}
	for (size_t i = 0; i < v->n_marks; i++) {
		s.lo = fmin(s.lo, v->marks[i].x);
		s.hi = fmax(s.hi, v->marks[i].x);
	}
	if (s.hi > s.lo)
		return s;
	/* a single value is in the middle */
	s.hi = s.log ? s.lo * 2 : s.lo + 1;
	s.lo = s.log ? s.lo / 2 : s.lo - 1;
	return s;
}

/* --- in a plot --- */

struct plot {
	struct marks *m;
	const struct canvas *c;
	const struct view_sweep_panel *panel;
	struct frame f;
	struct scale x, y;
	double apart; /* between series */
};

static double x_of(const struct plot *p, size_t series, double x)
{
	double middle = (double)(p->panel->n - 1) / 2;

	return nearbyint(scale_at(&p->x, x)) + 0.5 + ((double)series - middle) * p->apart;
}

static void bar(const struct plot *p, struct ink ink, double x, const struct quartiles *q)
{
	double top = scale_at(&p->y, q->q3), bottom = scale_at(&p->y, q->q1);

	marks_rect(p->m, ink, x - 1, top, 2, bottom - top, NULL);
	marks_rect(p->m, ink, x - CAP / 2.0, top - 0.5, CAP, 1, NULL);
	marks_rect(p->m, ink, x - CAP / 2.0, bottom - 0.5, CAP, 1, NULL);
}

static void failed(const struct plot *p, const struct view_sweep_point *pt, double x)
{
	double bottom = p->f.plot.y + p->f.plot.h;

	marks_hatch(p->m, x - FAILED / 2.0, bottom - FAILED - 2, FAILED, FAILED, pt->why);
}

/* Writes the failed runs of all series at a value of the axis: there is no room for each series. */
static void count_failed(const struct plot *p, const struct view_sweep_tick *tick)
{
	if (tick->failed)
		marks_textf(p->m, loss, MARK_SMALL, MARK_MIDDLE,
			    nearbyint(scale_at(&p->x, tick->x)) + 0.5,
			    p->f.plot.y + p->f.plot.h - FAILED - 2 - p->c->line / 2, "%u/%u",
			    tick->failed, tick->runs + tick->failed);
}

static void draw_series(const struct plot *p, size_t nth, bool connected)
{
	const struct view_sweep_series *s = &p->panel->series[nth];
	const struct view_sweep_point *last = NULL;
	struct ink ink = ink_of(nth);

	for (size_t i = 0; i < s->n; i++) {
		const struct view_sweep_point *pt = &s->points[i];

		if (pt->q.n && last && connected)
			for (int k = 0; k < 2; k++) /* a line of two pixels */
				marks_line(p->m, ink, x_of(p, nth, last->x),
					   scale_at(&p->y, last->q.median) + k - 0.5,
					   x_of(p, nth, pt->x),
					   scale_at(&p->y, pt->q.median) + k - 0.5);
		/* no line across a value at which all runs failed */
		last = pt->q.n ? pt : NULL;
	}
	for (size_t i = 0; i < s->n; i++) {
		if (s->points[i].q.n > 1)
			bar(p, ink, x_of(p, nth, s->points[i].x), &s->points[i].q);
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct view_sweep_point *pt = &s->points[i];
		double x = x_of(p, nth, pt->x), y = scale_at(&p->y, pt->q.median);

		if (pt->q.n)
			marks_rect(p->m, ink, x - DOT / 2.0, y - DOT / 2.0, DOT, DOT, pt->note);
		if (pt->failed)
			failed(p, pt, x);
	}
}

/* The metric's name above its plot, with the legend next to it. */
static void heading(const struct plot *p)
{
	const struct view_sweep_panel *panel = p->panel;
	double y = p->f.plot.y - p->c->line / 2 - 2, x = p->f.plot.x;
	const char **full;
	char text[160], **names;

	snprintf(text, sizeof(text), "%.100s%s%.40s%s", panel->title,
		 is_time(panel) || !*panel->unit ? "" : " (", is_time(panel) ? "" : panel->unit,
		 is_time(panel) || !*panel->unit ? "" : ")");
	marks_text(p->m, text_ink, MARK_STRONG, MARK_START, x, y, text);
	x += canvas_text(p->c, text, MARK_STRONG) + 3 * p->c->gap_x;
	full = calloc(panel->n + 1, sizeof(*full));
	for (size_t i = 0; full && i < panel->n; i++)
		full[i] = panel->series[i].name ? panel->series[i].name : "";
	names = full ? names_fit(full, panel->n, canvas_font(p->c, MARK_SMALL), 220) : NULL;
	for (size_t i = 0; names && i < panel->n; i++) {
		if (panel->series[i].name &&
		    frame_swatch(NULL, p->c, ink_of(i), x, y, names[i]) < p->f.plot.x + p->f.plot.w)
			x = frame_swatch(p->m, p->c, ink_of(i), x, y, names[i]);
	}
	p->m->failed |= !names;
	names_free(names, panel->n);
	free(full);
}

static struct ink mark_ink(const struct view_sweep_mark *mark)
{
	return mark->ink.kind ? mark->ink : dim;
}

/* Dashed, unlike all other lines. */
static void dashes(struct marks *m, struct ink ink, double x, double from, double to)
{
	for (double y = from; y < to; y += 8)
		marks_line(m, ink, x, y, x, fmin(y + 5, to));
}

static void draw_marks(const struct plot *p, const struct view_sweep *v)
{
	for (size_t i = 0; i < v->n_marks; i++) {
		const struct view_sweep_mark *mark = &v->marks[i];
		double x = nearbyint(scale_at(&p->x, mark->x)) + 0.5;

		for (int k = 0; k < (mark->ink.kind ? 2 : 1); k++) /* coloured ones are wider */
			dashes(p->m, mark_ink(mark), x + k, p->f.plot.y, p->f.plot.y + p->f.plot.h);
	}
}

/* The marks' legend, from @x to @end in lines up from the plots' top; returns their number. @m NULL: only counts them. */
static unsigned mark_legend(struct marks *m, const struct canvas *c, const struct view_sweep *v,
			    double x, double end, double y)
{
	unsigned lines = v->n_marks > 0;
	double at = x;

	for (size_t i = 0; i < v->n_marks; i++) {
		const struct view_sweep_mark *mark = &v->marks[i];
		double w = 12 + canvas_text(c, mark->label, MARK_SMALL) + 2 * c->gap_x;

		if (at > x && at + w > end) {
			at = x;
			y += c->line;
			lines++;
		}
		for (int k = 0; m && k < (mark->ink.kind ? 2 : 1); k++)
			dashes(m, mark_ink(mark), at + 3.5 + k, y - 6, y + 7);
		if (m)
			marks_text(m, text_ink, MARK_SMALL, MARK_START, at + 12, y, mark->label);
		at += w;
	}
	return lines;
}

static void draw_panel(const struct plot *p, const struct view_sweep *v, bool last)
{
	struct scale_tick ticks[SCALE_TICKS];
	size_t n;

	marks_rect(p->m, plot_ink, p->f.plot.x, p->f.plot.y, p->f.plot.w, p->f.plot.h, NULL);
	n = x_ticks(v, ticks, last);
	if (v->categories && last)
		fit_labels(p->m, p->c, &p->x, ticks, n);
	frame_axis_x(p->m, p->c, &p->f, &p->x, ticks, n, last ? v->x_title : "");
	n = y_ticks(p->panel, &p->y, p->f.plot.h, p->c, ticks);
	frame_axis_y(p->m, p->c, &p->f, &p->y, ticks, n);
	draw_marks(p, v);
	heading(p);
	for (size_t i = 0; i < p->panel->n; i++)
		draw_series(p, i, !v->categories);
	for (size_t i = 0; i < v->n_ticks; i++)
		count_failed(p, &v->ticks[i]);
	if (!p->panel->n)
		rows_nothing(p->m, &p->f, "no data");
}

/* Room for the longest number on a y axis. */
static double left_margin(const struct canvas *c, const struct view_sweep *v, double h)
{
	struct scale_tick ticks[SCALE_TICKS];
	double widest = 0;

	for (size_t i = 0; i < v->n_panels; i++) {
		struct scale y = y_scale(&v->panels[i]);
		size_t n = y_ticks(&v->panels[i], &y, h, c, ticks);

		for (size_t k = 0; k < n; k++)
			widest = fmax(widest, canvas_text(c, ticks[k].label, MARK_SMALL));
	}
	return 2 * c->gap_x + widest + c->gap_x + 6;
}

int view_sweep_draw(struct marks *m, const struct canvas *c, const struct view_sweep *v)
{
	double head = c->line + (v->n_panels > 1 ? c->gap_y : 0),
	       each = c->height / (double)v->n_panels;
	struct frame_caption caption = { .title = v->title, .subtitle = v->subtitle };
	double left = left_margin(c, v, each / 2), right = 3 * c->gap_x;
	unsigned legend = mark_legend(NULL, c, v, left, c->width - right, 0);
	struct frame_shape shape = {
		.left = left, .right = right, .above = 1 + legend, .foot = v->foot, .axis = true
	};
	struct frame whole = frame_begin(m, c, &caption, &shape);
	double h = floor((whole.plot.h + head) / (double)v->n_panels - head), gap;

	/* many plots make the picture taller instead of flattening each plot */
	if (h < 6 * c->line) {
		struct canvas taller = *c;

		if (m->failed)
			return -ENOMEM;
		taller.height += (6 * c->line - h + 1) * (double)v->n_panels;
		marks_fini(m);
		whole = frame_begin(m, &taller, &caption, &shape);
		h = floor((whole.plot.h + head) / (double)v->n_panels - head);
	}
	mark_legend(m, c, v, left, c->width - right, whole.plot.y - (legend + 0.5) * c->line - 2);
	for (size_t i = 0; i < v->n_panels && !m->failed; i++) {
		struct plot p = { .m = m, .c = c, .panel = &v->panels[i] };

		p.f.plot = (struct box){ whole.plot.x, whole.plot.y + (double)i * (h + head),
					 whole.plot.w, h };
		p.x = x_scale(v, &p.f.plot);
		p.y = y_scale(p.panel);
		p.y.from = p.f.plot.y + h;
		p.y.to = p.f.plot.y;
		gap = (p.x.to - p.x.from) /
		      (double)(v->n_ticks > 1 ? v->n_ticks - !v->categories : 1);
		p.apart = fmin(APART, gap / ((double)p.panel->n + 1));
		draw_panel(&p, v, i + 1 == v->n_panels);
	}
	return m->failed ? -ENOMEM : 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The frame of every picture. */
#include "render/draw/frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/sink.h"
#include "base/text/wrap.h"
#include "cdict/event.h"
#include "render/draw/text.h"

static const struct ink text_ink = { INK_TEXT, 0 }, dim = { INK_DIM, 0 }, axis = { INK_AXIS, 0 },
			grid = { INK_GRID, 0 };

double frame_snap(const struct canvas *c, double v)
{
	double unit = c->cells ? c->cell_y : 1;

	return nearbyint(v / unit) * unit;
}

/* Bytes of @text that fit on one line of at most @room, broken at a blank. */
static size_t one_line(struct marks *m, const struct canvas *c, const char *text,
		       enum mark_size size, double room)
{
	size_t len = strlen(text), best = 0;
	char *part = strdup(text);

	if (!part) {
		m->failed = true;
		return len;
	}
	for (size_t i = 1; i <= len; i++) {
		if (i < len && (text[i] != ' ' || wrap_unit(text, len, i)))
			continue;
		part[i] = '\0';
		if (best && canvas_text(c, part, size) > room)
			break;
		best = i;
		if (i < len)
			part[i] = ' ';
	}
	free(part);
	return best;
}

/* Draws a text in as many lines as it needs, if @draws; returns their number. */
static unsigned paragraph(struct marks *m, const struct canvas *c, bool draws, struct ink ink,
			  enum mark_size size, double x, double y, double room, const char *text)
{
	unsigned lines = 0;

	while (*text) {
		size_t n = one_line(m, c, text, size, room);

		if (draws) {
			char *line = strndup(text, n), *fit;

			fit = line ? text_fit(line, canvas_font(c, size), room * 1.02) : NULL;
			if (fit)
				marks_text(m, ink, size, MARK_START, x, y + lines * c->line, fit);
			else
				m->failed = true;
			free(fit);
			free(line);
		}
		lines++;
		text += n;
		text += *text == ' ';
	}
	return lines;
}

/* "staging · compute-01 · 5.02 s from 544.816702906 s · all tasks but IDLE" */
static char *subtitle(const struct frame_caption *cap)
{
	char span[TEXT_ROOM], from[TEXT_ROOM];
	struct sink s;

	if (cap->subtitle)
		return strdup(cap->subtitle);
	sink_to_memory(&s);
	if (cap->label)
		sink_printf(&s, "%s · ", cap->label);
	if (cap->host)
		sink_printf(&s, "%s · ", cap->host);
	sink_printf(&s, "%s from %s s", text_duration(span, (double)(cap->to_ns - cap->from_ns)),
		    number_ns(from, cap->from_ns));
	if (cap->selection)
		sink_printf(&s, " · %s", cap->selection);
	return sink_take(&s, NULL);
}

static char *foot_text(const struct frame_caption *cap, const struct frame_shape *shape)
{
	char begins[TEXT_ROOM];
	struct sink s;

	sink_to_memory(&s);
	if (shape->foot)
		sink_puts(&s, shape->foot);
	if (cap->loss)
		sink_printf(&s, "%s%s", shape->foot ? "; " : "", cap->loss);
	if (cap->begins_ns > cap->from_ns)
		sink_printf(&s, "; not all CPUs were recorded before %s",
			    text_duration(begins, (double)(cap->begins_ns - cap->from_ns)));
	return sink_take(&s, NULL);
}

struct frame frame_begin(struct marks *m, const struct canvas *c, const struct frame_caption *cap,
			 const struct frame_shape *shape)
{
	double x = c->cells ? 0 : 2 * c->gap_x, room = c->width - 2 * x;
	double y = c->gap_y + c->line * (c->cells ? 0.5 : 0.75), below;
	char *sub = subtitle(cap), *foot = foot_text(cap, shape);
	struct frame f = { 0 };
	unsigned foot_lines;

	if (!sub || !foot) {
		m->failed = true;
		free(sub);
		free(foot);
		return f;
	}
	m->width = c->width;
	m->made_at_s = cap->made_at_s;
	m->title = marks_keep(m, cap->title);
	y += paragraph(m, c, true, text_ink, MARK_TITLE, x, y, room, cap->title) * c->line +
	     c->gap_y / 2;
	y += paragraph(m, c, true, dim, MARK_NORMAL, x, y, room, sub) * c->line;
	y += c->gap_y / 2;
	f.above = y;
	foot_lines = paragraph(m, c, false, dim, MARK_SMALL, x, y, room, foot);
	below = (shape->axis ? 2 * c->line : 0) + foot_lines * c->line + 2 * c->gap_y;

	f.plot.x = shape->left;
	f.plot.y = frame_snap(c, y + shape->above * c->line - c->line / 2 + c->gap_y);
	f.plot.w = c->width - shape->left - shape->right;
	f.plot.h = shape->plot_h > 0 ? shape->plot_h : floor(c->height - f.plot.y - below);
	if (f.plot.h < 4 * c->line)
		f.plot.h = shape->plot_h > 0 ? shape->plot_h : 4 * c->line;
	m->height = ceil(f.plot.y + f.plot.h + below);
	paragraph(m, c, true, dim, MARK_SMALL, x,
		  m->height - c->gap_y - (foot_lines - 0.5) * c->line, room, foot);
	free(sub);
	free(foot);
	return f;
}

void frame_axis_x(struct marks *m, const struct canvas *c, const struct frame *f,
		  const struct scale *s, const struct scale_tick *ticks, size_t n,
		  const char *title)
{
	double bottom = f->plot.y + f->plot.h, last = -1e9;

	for (size_t i = 0; i < n; i++) {
		double x = frame_snap(c, scale_at(s, ticks[i].at)) + (c->cells ? 0 : 0.5);

		marks_line(m, grid, x, f->plot.y, x, bottom);
	}
	for (size_t i = 0; i < n; i++) {
		double x = frame_snap(c, scale_at(s, ticks[i].at)) + (c->cells ? 0 : 0.5);
		double half = canvas_text(c, ticks[i].label, MARK_SMALL) / 2;

		if (ticks[i].minor || x - half < last + c->gap_x || x + half > c->width)
			continue;
		marks_line(m, axis, x, bottom, x, bottom + c->gap_y / 2);
		marks_text(m, dim, MARK_SMALL, MARK_MIDDLE, x, bottom + c->gap_y / 2 + c->line / 2,
			   ticks[i].label);
		last = x + half;
	}
	marks_line(m, axis, f->plot.x, bottom + (c->cells ? 0 : 0.5), f->plot.x + f->plot.w,
		   bottom + (c->cells ? 0 : 0.5));
	marks_text(m, dim, MARK_SMALL, MARK_MIDDLE, f->plot.x + f->plot.w / 2,
		   bottom + c->gap_y / 2 + 1.5 * c->line, title);
}

void frame_axis_y(struct marks *m, const struct canvas *c, const struct frame *f,
		  const struct scale *s, const struct scale_tick *ticks, size_t n)
{
	double right = f->plot.x + f->plot.w, used = 1e9;

	for (size_t i = 0; i < n; i++) {
		double y = frame_snap(c, scale_at(s, ticks[i].at)) + (c->cells ? 0 : 0.5);
		double mid = c->cells && y >= f->plot.y + f->plot.h ? y - c->line / 2 : y;

		if (ticks[i].minor) {
			marks_line(m, axis, f->plot.x - 3, y, f->plot.x, y);
			continue;
		}
		marks_line(m, grid, f->plot.x, y, right, y);
		if (fabs(used - mid) < c->line * 0.9)
			continue;
		marks_line(m, axis, f->plot.x - 6, y, f->plot.x, y);
		marks_text(m, dim, MARK_SMALL, MARK_END, f->plot.x - (c->cells ? 1 : c->gap_x + 3),
			   mid, ticks[i].label);
		used = mid;
	}
}

void frame_time(struct marks *m, const struct canvas *c, const struct frame *f,
		const struct frame_caption *cap, struct scale *s)
{
	double span = (double)(cap->to_ns - cap->from_ns);
	struct scale_tick ticks[SCALE_TICKS];
	char title[2 * TEXT_ROOM], from[TEXT_ROOM];
	size_t n;

	*s = (struct scale){
		.lo = 0, .hi = span > 0 ? span : 1, .from = f->plot.x, .to = f->plot.x + f->plot.w
	};
	n = scale_ticks_time(ticks, 0, s->hi, (unsigned)(f->plot.w / (c->cells ? 10 : 90)));
	snprintf(title, sizeof(title), "time since %s s", number_ns(from, cap->from_ns));
	frame_axis_x(m, c, f, s, ticks, n, title);
}

void frame_loss(struct marks *m, const struct canvas *c, const struct box *plot,
		const struct frame_caption *cap, uint32_t cpu)
{
	double unit = c->cells ? 1 : 2, span = (double)(cap->to_ns - cap->from_ns);
	size_t n = (size_t)(plot->w / unit);
	bool begins = cpu == CDICT_CPU_UNKNOWN && cap->begins_ns > cap->from_ns && span > 0;
	bool *lost = cap->n_losses && span > 0 ? calloc(n + 1, sizeof(*lost)) : NULL;

	/* much was recorded then: only a band at the top */
	if (begins)
		marks_hatch(m, plot->x, plot->y,
			    plot->w * fmin(1, (double)(cap->begins_ns - cap->from_ns) / span),
			    c->cells ? 1 : 8, "not all CPUs were recorded yet");
	m->failed |= cap->n_losses && span > 0 && !lost;
	if (!lost)
		return;
	for (size_t i = 0; i < cap->n_losses; i++) {
		const struct cdict_loss *l = &cap->losses[i];
		double from = l->from_ns > cap->from_ns ? (double)(l->from_ns - cap->from_ns) : 0;
		double to = l->to_ns > cap->from_ns ? (double)(l->to_ns - cap->from_ns) : 0;
		size_t a = (size_t)(from / span * (double)n), b;

		if (cpu != CDICT_CPU_UNKNOWN && l->cpu != CDICT_CPU_UNKNOWN && l->cpu != cpu)
			continue;
		b = to < span ? (size_t)ceil(to / span * (double)n) : n;
		for (size_t x = a < n ? a : n - 1; x < b || x == a; x++)
			lost[x < n ? x : n - 1] = true;
	}
	for (size_t a = 0, b; a < n; a = b) {
		b = a + 1;
		if (!lost[a])
			continue;
		while (b < n && lost[b])
			b++;
		marks_hatch(m, plot->x + (double)a * unit, plot->y, (double)(b - a) * unit, plot->h,
			    "events lost");
	}
	free(lost);
}

double frame_ramp(struct marks *m, const struct canvas *c, double x, double y, const char *lo,
		  const char *hi, double from)
{
	double step = c->cells ? 1 : 8, tall = c->cells ? 1 : 12, start;
	unsigned steps = 16;

	marks_text(m, dim, MARK_SMALL, MARK_END, x, y, hi);
	start = x;
	x -= canvas_text(c, hi, MARK_SMALL) + c->gap_x + steps * step;
	for (unsigned i = 0; i < steps; i++)
		marks_rect(m, palette_ramp(from + (1 - from) * i / (steps - 1)),
			   frame_snap(c, x) + i * step, y - tall / 2, step, tall, NULL);
	x -= c->gap_x;
	marks_text(m, dim, MARK_SMALL, MARK_END, x, y, lo);
	return start - x + canvas_text(c, lo, MARK_SMALL);
}

double frame_swatch(struct marks *m, const struct canvas *c, struct ink ink, double x, double y,
		    const char *text)
{
	double size = c->cells ? 1 : 12;

	if (m) {
		if (ink.kind == INK_LOSS)
			marks_hatch(m, x, y - size / 2, c->cells ? 2 : size, size, NULL);
		else
			marks_rect(m, ink, x, y - size / 2, c->cells ? 2 : size, size, NULL);
		marks_text(m, text_ink, MARK_SMALL, MARK_START, x + (c->cells ? 3 : size + 6), y,
			   text);
	}
	return x + (c->cells ? 3 : size + 6) + canvas_text(c, text, MARK_SMALL) + 2 * c->gap_x;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* Hosts by time. */
#include "render/views/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/draw/names.h"
#include "render/draw/rows.h"
#include "render/draw/text.h"

#define NAME_ROOM 170 /* of a host's name */
#define HEIGHT 420    /* approximate, of all rows */

static const struct ink text_ink = { INK_TEXT, 0 }, plot_ink = { INK_PLOT, 0 };

static bool ends(const char *key, const char *end)
{
	size_t n = strlen(key), len = strlen(end);

	return n >= len && !strcmp(key + n - len, end);
}

/* Durations and rates have a logarithmic scale, from the smallest to the largest; shares begin at 0. */
struct shades {
	double lo, hi;
	bool log, any;
};

static struct shades shades_of(const struct view_fleet *v)
{
	struct shades s = { .log = !ends(v->key, "_percent") };

	for (size_t i = 0; i < v->rows * v->columns; i++) {
		double x = v->values[i];

		if (isnan(x) || (s.log && x <= 0))
			continue;
		s.lo = s.any ? fmin(s.lo, x) : x;
		s.hi = s.any ? fmax(s.hi, x) : x;
		s.any = true;
	}
	if (!s.log)
		s.lo = 0;
	return s;
}

enum { UNKNOWN = PALETTE_LEVELS + 1 };

/* 0: no data. */
static unsigned level_of(const struct view_fleet *v, const struct shades *s, size_t i)
{
	double x = v->values[i];

	if (!v->seen[i])
		return 0;
	if (isnan(x))
		return UNKNOWN;
	if (x <= s->lo)
		return palette_ramp(s->hi > s->lo || x <= 0 ? 0 : 1).level;
	return palette_ramp(s->log ? log(x / s->lo) / log(s->hi / s->lo)
				   : (x - s->lo) / (s->hi - s->lo))
		.level;
}

static double row_height(const struct view_fleet *v)
{
	double h = floor(HEIGHT / (double)(v->rows ? v->rows : 1));

	return h < 2 ? 2 : h > 22 ? 22 : h;
}

/* Draws the cells level by level, so that they make few paths. */
static void cells(struct marks *m, const struct box *plot, const struct view_fleet *v)
{
	struct shades shades = shades_of(v);
	double h = row_height(v), gap = h > 5 ? 1 : 0;

	for (unsigned level = 1; level <= UNKNOWN; level++) {
		struct ink ink = { INK_RAMP, (uint8_t)level };

		for (size_t row = 0; row < v->rows; row++) {
			const size_t at = row * v->columns;
			double y = plot->y + (double)row * h;

			for (size_t a = 0, b; a < v->columns; a = b) {
				double x, w;

				b = a + 1;
				if (level_of(v, &shades, at + a) != level)
					continue;
				while (b < v->columns && level_of(v, &shades, at + b) == level)
					b++;
				x = nearbyint(plot->w * (double)a / (double)v->columns);
				w = nearbyint(plot->w * (double)b / (double)v->columns) - x;
				if (level == UNKNOWN)
					marks_hatch(m, plot->x + x, y, w, h - gap, NULL);
				else
					marks_rect(m, ink, plot->x + x, y, w, h - gap, NULL);
			}
		}
	}
}

/* Draws as many names as have room. */
static void names(struct marks *m, const struct canvas *c, const struct box *plot,
		  const struct view_fleet *v)
{
	double h = row_height(v);
	size_t every = h >= 12 ? 1 : (size_t)ceil(12 / h);
	char **names = names_fit(v->names, v->rows, canvas_font(c, MARK_SMALL), NAME_ROOM);

	for (size_t i = 0; names && i < v->rows; i += every)
		marks_text(m, text_ink, MARK_SMALL, MARK_END, plot->x - c->gap_x,
			   plot->y + ((double)i + 0.5) * h, names[i]);
	m->failed |= !names;
	names_free(names, v->rows);
}

static char *number(char out[TEXT_ROOM], const char *key, double v)
{
	if (ends(key, "_ns"))
		return text_duration(out, v);
	if (ends(key, "_percent"))
		snprintf(out, TEXT_ROOM, v < 9.95 ? "%.2g %%" : "%.0f %%", v);
	else
		text_short(out, v);
	return out;
}

static void legend(struct marks *m, const struct canvas *c, const struct frame *f,
		   const struct view_fleet *v)
{
	struct shades s = shades_of(v);
	char lo[TEXT_ROOM], hi[TEXT_ROOM];

	if (s.any)
		frame_ramp(m, c, f->plot.x + f->plot.w, f->above, number(lo, v->key, s.lo),
			   number(hi, v->key, s.hi), 0);
}

int view_fleet_draw(struct marks *m, const struct canvas *c, const struct view_fleet *v,
		    struct box *plot)
{
	struct frame_caption caption = { .title = v->title, .subtitle = v->subtitle };
	struct frame_shape shape = { .right = 24, .above = 1, .foot = v->foot, .axis = true };
	struct scale_tick ticks[SCALE_TICKS];
	struct scale time = { .lo = 0, .hi = (double)v->column_ns * (double)v->columns };
	double widest = 40;
	struct frame f;
	size_t n;

	for (size_t i = 0; i < v->rows; i++)
		widest = fmax(widest, canvas_text(c, v->names[i], MARK_SMALL));
	shape.left = ceil(fmin(widest, NAME_ROOM)) + 3 * c->gap_x;
	shape.plot_h = row_height(v) * (double)(v->rows > 2 ? v->rows : 2);
	f = frame_begin(m, c, &caption, &shape);
	marks_rect(m, plot_ink, f.plot.x, f.plot.y, f.plot.w, f.plot.h, NULL);
	time.from = f.plot.x;
	time.to = f.plot.x + f.plot.w;
	n = scale_ticks_time(ticks, 0, time.hi, 12);
	frame_axis_x(m, c, &f, &time, ticks, n, v->x_title);
	cells(m, &f.plot, v);
	names(m, c, &f.plot, v);
	legend(m, c, &f, v);
	if (!shades_of(v).any)
		rows_nothing(
			m, &f,
			v->rows ? "no host recorded the events for this figure, or it is 0 everywhere"
				: "no host has pushed anything yet");
	*plot = (struct box){ f.plot.x, f.plot.y, f.plot.w, row_height(v) * (double)v->rows };
	return m->failed ? -ENOMEM : 0;
}

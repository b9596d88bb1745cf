/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.h - the frame of every picture: title, where and when it was recorded, axes,
 * and at the foot what was counted and what was lost.
 *
 * From the top: title, subtitle, room for the view's legend, the plot, ticks, the axis'
 * title, foot.
 */
#ifndef RENDER_DRAW_FRAME_H
#define RENDER_DRAW_FRAME_H

#include "cdict/loss.h"
#include "render/draw/marks.h"
#include "render/draw/scale.h"

/* Texts are clean (text_clean()), or NULL. */
struct frame_caption {
	const char *title;
	const char *subtitle; /* complete; NULL: made of label, host, window and selection */
	const char *label, *host;
	const char *selection;           /* "all tasks but IDLE" */
	uint64_t from_ns, to_ns;         /* the window */
	uint64_t begins_ns;              /* before it not all CPUs were recorded (scope.h) */
	const char *loss;                /* one sentence */
	const struct cdict_loss *losses; /* those that overlap the window */
	size_t n_losses;
	uint64_t made_at_s;
};

struct box {
	double x, y, w, h;
};

struct frame_shape {
	double left, right; /* margins */
	unsigned above;     /* lines between subtitle and plot */
	double plot_h;      /* 0: the rest of the canvas */
	const char *foot;   /* counts; may take several lines */
	bool axis;          /* room for ticks and title under the plot */
};

struct frame {
	struct box plot;
	double above; /* y of the first line above the plot, its middle */
};

/* frame_begin - draws everything around the plot and returns the plot's place. */
struct frame frame_begin(struct marks *m, const struct canvas *c,
			 const struct frame_caption *caption, const struct frame_shape *shape);

/* frame_axis_x - draws ticks with grid lines and labels under the plot, and a title. */
void frame_axis_x(struct marks *m, const struct canvas *c, const struct frame *f,
		  const struct scale *s, const struct scale_tick *ticks, size_t n,
		  const char *title);
/* frame_axis_y - the same on the left; the title is above the plot. */
void frame_axis_y(struct marks *m, const struct canvas *c, const struct frame *f,
		  const struct scale *s, const struct scale_tick *ticks, size_t n);

/* frame_time - draws the x axis for the window and sets @s from the caption. */
void frame_time(struct marks *m, const struct canvas *c, const struct frame *f,
		const struct frame_caption *caption, struct scale *s);
/* frame_loss - hatches times in which events of @cpu are missing (CDICT_CPU_UNKNOWN: of any CPU), then also a band at
 * the top while not all CPUs were recorded yet. */
void frame_loss(struct marks *m, const struct canvas *c, const struct box *plot,
		const struct frame_caption *caption, uint32_t cpu);

/* frame_ramp - draws the scale of a heat map, its right end at @x: "1 [ramp] 345", from @from (0..1).
 * Returns its width. */
double frame_ramp(struct marks *m, const struct canvas *c, double x, double y, const char *lo,
		  const char *hi, double from);

/* frame_swatch - draws a legend's entry at @x; returns the x after it. With @m NULL nothing
 * is drawn. */
double frame_swatch(struct marks *m, const struct canvas *c, struct ink ink, double x, double y,
		    const char *text);

/* frame_snap - @v rounded to a boundary of pixels or (half) cells. */
double frame_snap(const struct canvas *c, double v);

#endif

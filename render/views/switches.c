/* SPDX-License-Identifier: GPL-2.0-only */
/* The heat map of intervals. */
#include "render/views/switches.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/sink.h"
#include "render/draw/rows.h"
#include "render/draw/text.h"

/* The texts of each picture. */
static const struct words {
	const char *title, *axis, *many, *one, *unplaced;
} words[] = {
	[ANALYZE_SLICE_RUN] = {
		"Context switches: how long tasks ran",
		"length of each run, drawn where it ended",
		"runs", "run", "whose start was not seen",
	},
	[ANALYZE_SLICE_SLEEP] = {
		"Context switches: how long tasks were off the CPU",
		"time off the CPU, drawn where it ended",
		"returns to a CPU", "return to a CPU", "whose switch-out was not seen",
	},
	[ANALYZE_SLICE_WAKEUP] = {
		"Wake-up latency: how long tasks waited for a CPU",
		"from wake-up to running, drawn where it ended",
		"wake-ups", "wake-up", "whose start was not seen",
	},
	[ANALYZE_SLICE_GUEST] = {
		"KVM: how long guests ran between exits",
		"time in the guest, kvm_entry to kvm_exit, drawn where it ended",
		"exits", "exit", "whose entry was not seen",
	},
	[ANALYZE_SLICE_EXIT] = {
		"KVM: how long exits took",
		"time of each exit, kvm_exit to kvm_entry, drawn where it ended",
		"entries", "entry", "whose exit was not seen",
	},
};

static double left(const struct canvas *c)
{
	return c->cells ? 8 : 76;
}

static double right(const struct canvas *c)
{
	return c->cells ? 2 : 28;
}

unsigned view_switches_columns(const struct canvas *c)
{
	double n = floor((c->width - left(c) - right(c)) / c->cell_x);

	return n < 1 ? 1 : n > 65535 ? 65535 : (unsigned)n;
}

const char *view_switches_title(enum analyze_slice_kind what)
{
	return words[what].title;
}

static void add_part(struct sink *s, bool *any, uint64_t count, const char *text)
{
	char n[TEXT_ROOM];

	if (!count)
		return;
	sink_printf(s, "%s%s %s", *any ? ", " : ": ", number_grouped(n, count), text);
	*any = true;
}

/* "12,345 runs: 12,340 drawn, 5 whose start was not seen" */
static char *foot(const struct bins_grid *g, const struct words *w)
{
	char n[TEXT_ROOM];
	bool any = false;
	struct sink s;

	sink_to_memory(&s);
	sink_printf(&s, "%s %s", number_grouped(n, g->events), g->events == 1 ? w->one : w->many);
	if (g->in_cells != g->events) {
		add_part(&s, &any, g->in_cells, "drawn");
		add_part(&s, &any, g->unplaced, w->unplaced);
		add_part(&s, &any, g->shorter, "of less than 1 ns");
		add_part(&s, &any, g->longer, "longer than 1000 s");
		add_part(&s, &any, g->outside, "outside the window");
	} else if (g->events) {
		sink_puts(&s, ", all drawn");
	}
	return sink_take(&s, NULL);
}

/* The most rows per decade that still leave a cell its height. */
static unsigned per_decade(const struct canvas *c, double plot_h, unsigned decades)
{
	static const unsigned divisors[] = { 24, 12, 8, 6, 4, 3, 2, 1 };

	for (size_t i = 0; i < sizeof(divisors) / sizeof(divisors[0]); i++) {
		if (divisors[i] * decades * c->cell_y <= plot_h + 1e-9)
			return divisors[i];
	}
	return 1;
}

/* In a terminal rows of unequal height would look like data: makes the plot's height a
 * multiple of the rows; returns whether that changed it. */
static bool whole_cells(const struct canvas *c, struct frame_shape *shape, double plot_h,
			unsigned rows)
{
	double each = floor(plot_h / (rows * c->cell_y) + 1e-9);

	if (!c->cells || each < 1)
		return false;
	shape->plot_h = ceil(each * rows * c->cell_y);
	return true;
}

static unsigned level_of(const struct bins_grid *g, unsigned row, unsigned column)
{
	uint64_t n = g->cells[(size_t)row * g->columns + column];

	if (!n)
		return 0;
	if (g->max == 1)
		return palette_ramp(1).level;
	/* 1 is the faintest, the fullest cell the strongest */
	return palette_ramp(PALETTE_ONE + (1 - PALETTE_ONE) * log((double)n) / log((double)g->max))
		.level;
}

/* Draws the cells level by level, so that they make few paths. */
static void cells(struct marks *m, const struct canvas *c, const struct box *plot,
		  const struct bins_grid *g)
{
	for (unsigned level = 1; level <= PALETTE_LEVELS; level++) {
		struct ink ink = { INK_RAMP, (uint8_t)level };

		for (unsigned row = 0; row < g->rows; row++) {
			double lo = frame_snap(c, plot->h * row / g->rows);
			double hi = frame_snap(c, plot->h * (row + 1) / g->rows);

			for (unsigned a = 0, b; a < g->columns; a = b) {
				b = a + 1;
				if (level_of(g, row, a) != level)
					continue;
				while (b < g->columns && level_of(g, row, b) == level)
					b++;
				marks_rect(m, ink, plot->x + a * c->cell_x, plot->y + plot->h - hi,
					   (b - a) * c->cell_x, hi - lo, NULL);
			}
		}
	}
}

static void legend(struct marks *m, const struct canvas *c, const struct frame *f,
		   const struct bins_grid *g, const struct words *w)
{
	char hi[2 * TEXT_ROOM], n[TEXT_ROOM];
	double x = c->cells ? 0 : 2 * c->gap_x, wide;
	char *fit;

	snprintf(hi, sizeof(hi), "%s per cell", number_grouped(n, g->max));
	wide = g->max ? frame_ramp(m, c, f->plot.x + f->plot.w, f->above, "1", hi, PALETTE_ONE) : 0;
	fit = text_fit(w->axis, canvas_font(c, MARK_SMALL),
		       f->plot.x + f->plot.w - wide - x - 2 * c->gap_x);
	if (fit)
		marks_text(m, (struct ink){ INK_TEXT, 0 }, MARK_SMALL, MARK_START, x, f->above,
			   fit);
	else
		m->failed = true;
	free(fit);
}

static void draw(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
		 const struct frame *f, const struct bins_grid *g)
{
	struct scale_tick ticks[SCALE_TICKS];
	struct scale time, dur;
	size_t n;

	marks_rect(m, (struct ink){ INK_PLOT, 0 }, f->plot.x, f->plot.y, f->plot.w, f->plot.h,
		   NULL);
	dur = (struct scale){ .lo = pow(10, g->lo_decade),
			      .log = true,
			      .from = f->plot.y + f->plot.h,
			      .to = f->plot.y };
	dur.hi = pow(10, g->lo_decade + (double)g->rows / g->per_decade);
	n = scale_ticks_log(ticks, dur.lo, dur.hi, (unsigned)(f->plot.h / (c->cells ? 2 : 24)) + 1);
	frame_axis_y(m, c, f, &dur, ticks, n);
	frame_time(m, c, f, caption, &time);
	frame_loss(m, c, &f->plot, caption, CDICT_CPU_UNKNOWN);
	cells(m, c, &f->plot, g);
	if (!g->in_cells)
		rows_nothing(m, f, "nothing to draw in this window for these tasks");
}

int view_switches(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
		  enum analyze_slice_kind what, const struct bins *bins,
		  bool (*wanted)(void *ctx, uint32_t task), void *ctx)
{
	const struct words *w = &words[what];
	struct frame_shape shape = { .left = left(c), .above = 1, .axis = true };
	struct bins_grid g;
	struct frame f;
	unsigned fine;
	char *text;

	/* the number of decades determines the rows of each */
	if (bins_sum(bins, wanted, ctx, 1, &g))
		return -ENOMEM;
	text = foot(&g, w);
	if (!text) {
		bins_grid_fini(&g);
		return -ENOMEM;
	}
	shape.foot = text;
	shape.right = c->width - shape.left - g.columns * c->cell_x;
	f = frame_begin(m, c, caption, &shape);
	fine = per_decade(c, f.plot.h, g.rows);
	if (whole_cells(c, &shape, f.plot.h, fine * g.rows)) {
		marks_fini(m);
		f = frame_begin(m, c, caption, &shape);
	}
	free(text);
	bins_grid_fini(&g);
	if (bins_sum(bins, wanted, ctx, fine, &g))
		return -ENOMEM;
	draw(m, c, caption, &f, &g);
	legend(m, c, &f, &g, w);
	bins_grid_fini(&g);
	return m->failed ? -ENOMEM : 0;
}

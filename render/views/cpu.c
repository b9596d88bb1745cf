/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU % against context switches, per task. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "render/draw/rows.h"
#include "render/draw/text.h"
#include "render/views/tasks.h"

static const struct ink bar_ink = { INK_STATE, ANALYZE_VCPU_GUEST },
			dot_ink = { INK_STATE, ANALYZE_VCPU_PREEMPTED };

static double percent(const struct task_bar *b, const struct frame_caption *cap)
{
	double window = (double)(cap->to_ns - cap->from_ns);

	return window > 0 ? 100 * (double)b->all.run_ns / window : 0;
}

static char *bar_note(const struct task_bar *b, const struct frame_caption *cap)
{
	char n[TEXT_ROOM], share[TEXT_ROOM], *text;

	if (asprintf(&text, "%s · %s", text_percent(share, percent(b, cap), 100),
		     number_grouped(n, b->all.switches)) < 0)
		return NULL;
	return text;
}

/* The second axis, above the plot. */
static void axis_top(struct marks *m, const struct canvas *c, const struct frame *f,
		     const struct scale *s, const struct scale_tick *ticks, size_t n)
{
	double last = -1e9;

	for (size_t i = 0; i < n; i++) {
		double x = scale_at(s, ticks[i].at);
		double half = canvas_text(c, ticks[i].label, MARK_SMALL) / 2;

		if (x - half < last + c->gap_x)
			continue;
		marks_line(m, dot_ink, frame_snap(c, x) + 0.5, f->plot.y - 4,
			   frame_snap(c, x) + 0.5, f->plot.y);
		marks_text(m, dot_ink, MARK_SMALL, MARK_MIDDLE, x,
			   f->plot.y - c->line / 2 - (c->cells ? 0 : 2), ticks[i].label);
		last = x + half;
	}
}

static void draw(struct marks *m, const struct canvas *c, const struct frame_caption *cap,
		 const struct task_bar *bars, size_t n, struct row_label *rows)
{
	static const struct row_swatch swatches[] = {
		{ { INK_STATE, ANALYZE_VCPU_GUEST }, "CPU time, % of one CPU (axis below)" },
		{ { INK_STATE, ANALYZE_VCPU_PREEMPTED }, "context switches (axis above)" },
	};
	struct frame_shape shape = { .axis = true };
	struct scale cpu = { .lo = 0, .hi = 1 }, sw = { .lo = 0, .hi = 1 };
	struct scale_tick ticks[SCALE_TICKS];
	double size = c->cells ? 1 : 8;
	unsigned most;
	struct frame f;

	for (size_t i = 0; i < n; i++) {
		cpu.hi = fmax(cpu.hi, percent(&bars[i], cap));
		sw.hi = fmax(sw.hi, (double)bars[i].all.switches);
	}
	shape.above = 1 + rows_legend(NULL, c, swatches, 2, 0);
	rows_margins(c, rows, n, &shape);
	shape.right += c->cells ? 0 : 4;
	f = frame_begin(m, c, cap, &shape);
	cpu.from = sw.from = f.plot.x;
	cpu.to = sw.to = f.plot.x + f.plot.w;
	most = (unsigned)(f.plot.w / (c->cells ? 10 : 90));
	rows_legend(m, c, swatches, 2, f.above);
	frame_axis_x(m, c, &f, &cpu, ticks, scale_ticks_count(ticks, 0, cpu.hi, most, " %"),
		     "CPU time, % of one CPU");
	axis_top(m, c, &f, &sw, ticks,
		 scale_ticks_count(ticks, 0, sw.hi, sw.hi < most ? (unsigned)sw.hi : most, ""));
	for (size_t i = 0; i < n; i++) {
		double y = rows_middle(c, &f, i), x = scale_at(&sw, (double)bars[i].all.switches);

		marks_rect(m, bar_ink, f.plot.x, y - c->bar / 2,
			   scale_at(&cpu, percent(&bars[i], cap)) - f.plot.x, c->bar, rows[i].note);
		if (!c->cells)
			marks_rect(m, (struct ink){ INK_PAPER, 0 }, x - size / 2 - 1.5,
				   y - size / 2 - 1.5, size + 3, size + 3, NULL);
		marks_rect(m, dot_ink,
			   c->cells ? fmin(floor(x), f.plot.x + f.plot.w - 1) : x - size / 2,
			   y - size / 2, size, size, rows[i].note);
		rows[i].end = f.plot.x + f.plot.w + (c->cells ? 0 : 4);
	}
	rows_labels(m, c, &f, rows, n);
	if (!n)
		rows_nothing(m, &f, "no task ran in this window");
}

int view_cpu(struct marks *m, const struct canvas *c, const struct frame_caption *cap,
	     const struct task_bar *bars, size_t n)
{
	struct row_label *rows = calloc(n + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		rows[i].name = bars[i].name;
		rows[i].note = bar_note(&bars[i], cap);
		m->failed |= !rows[i].note;
	}
	draw(m, c, cap, bars, n, rows);
	for (size_t i = 0; i < n; i++)
		free(rows[i].note);
	free(rows);
	return m->failed ? -ENOMEM : 0;
}

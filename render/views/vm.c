/* SPDX-License-Identifier: GPL-2.0-only */
/* One VM over time. */
#include "render/views/vm.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/plural.h"
#include "render/draw/rows.h"
#include "render/draw/text.h"

#define TICKS 5   /* pixels, of a bar's height */
#define REASONS 6 /* in the legend */

static const struct {
	struct ink ink;
	const char *text;
} doings[ANALYZE_DOINGS] = {
	[ANALYZE_DOING_GUEST] = { { INK_STATE, ANALYZE_VCPU_GUEST }, "in the guest" },
	[ANALYZE_DOING_EXIT] = { { INK_STATE, ANALYZE_VCPU_EXIT }, "handling an exit" },
	[ANALYZE_DOING_QEMU] = { { INK_STATE, ANALYZE_VCPU_QEMU }, "in the VMM" },
	[ANALYZE_DOING_RUNNING] = { { INK_TASK, 6 }, "running" }, /* as in the page */
	[ANALYZE_DOING_PREEMPTED] = { { INK_STATE, ANALYZE_VCPU_PREEMPTED }, "preempted" },
	[ANALYZE_DOING_WAITING] = { { INK_STATE, ANALYZE_VCPU_WAITING }, "waiting" },
	[ANALYZE_DOING_HALTED] = { { INK_STATE, ANALYZE_VCPU_HALTED }, "halted, asleep" },
	[ANALYZE_DOING_ASLEEP] = { { INK_STATE, ANALYZE_VCPU_HALTED }, "halted, asleep" },
	[ANALYZE_DOING_BLOCKED] = { { INK_STATE, ANALYZE_VCPU_BLOCKED }, "blocked" },
	[ANALYZE_DOING_UNKNOWN] = { { INK_LOSS, 0 }, "unknown" },
};

/* In a terminal a vCPU's ticks have a row of their own. */
static size_t row_count(const struct canvas *c, const struct vm_lanes *lanes)
{
	size_t n = lanes->n;

	for (size_t i = 0; i < lanes->n; i++)
		n += c->cells && lanes->at[i].vcpu;
	return n;
}

/* The rows' labels: @rows has room for them. */
static void fill_labels(const struct canvas *c, const struct vm_lanes *lanes,
			struct row_label *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < lanes->n; i++) {
		rows[n++] = (struct row_label){ .name = lanes->at[i].name,
						.note = c->cells ? NULL : lanes->at[i].note };
		if (c->cells && lanes->at[i].vcpu)
			rows[n++] = (struct row_label){ .name = "exits" };
	}
}

/* Sets the margins; returns the columns between them. */
static unsigned lay_out(const struct canvas *c, const struct row_label *rows, size_t n,
			struct frame_shape *shape)
{
	double columns;

	rows_margins(c, rows, n, shape);
	columns = floor(c->width - shape->left - shape->right);
	columns = columns < 1 ? 1 : columns > 65535 ? 65535 : columns;
	shape->right = c->width - shape->left - columns;
	return (unsigned)columns;
}

unsigned view_vm_columns(const struct canvas *c, const struct vm_lanes *lanes)
{
	struct row_label *rows = calloc(row_count(c, lanes) + 1, sizeof(*rows));
	struct frame_shape shape = { .axis = true };
	unsigned columns;

	if (!rows)
		return 0;
	fill_labels(c, lanes, rows);
	columns = lay_out(c, rows, row_count(c, lanes), &shape);
	free(rows);
	return columns;
}

/* Rectangles of @values equal to @wanted, each in one piece, over @columns. */
static void stripes(struct marks *m, const struct frame *f, const uint32_t *values,
		    unsigned columns, uint32_t wanted, struct ink ink, double y, double h)
{
	double unit = f->plot.w / columns;

	for (unsigned a = 0, b; a < columns; a = b) {
		for (b = a + 1; b < columns && values[b] == values[a]; b++)
			;
		if (values[a] != wanted)
			continue;
		if (ink.kind == INK_LOSS)
			marks_hatch(m, f->plot.x + a * unit, y, (b - a) * unit, h, "unknown");
		else
			marks_rect(m, ink, f->plot.x + a * unit, y, (b - a) * unit, h, NULL);
	}
}

static void name_waits(struct marks *m, const struct canvas *c, const struct frame *f,
		       const struct frame_caption *cap, const struct vm_lane *lane, double y)
{
	double per_ns = f->plot.w / (double)(cap->to_ns - cap->from_ns);

	for (size_t i = 0; i < lane->waits.n; i++) {
		const struct vm_wait *w = &lane->waits.at[i];
		double from = f->plot.x + (double)(w->from_ns - cap->from_ns) * per_ns;
		double room = (double)(w->to_ns - w->from_ns) * per_ns - 2 * c->gap_x;
		uint8_t state = w->doing == ANALYZE_DOING_WAITING ? ANALYZE_VCPU_WAITING
								  : ANALYZE_VCPU_PREEMPTED;

		if (canvas_text(c, w->behind, MARK_SMALL) <= room)
			marks_text(m, (struct ink){ INK_OVER_STATE, state }, MARK_SMALL, MARK_START,
				   from + c->gap_x, y, w->behind);
	}
}

/* How many columns of all vCPUs have @reason as their most frequent one. */
static size_t columns_of(const struct vm_lanes *lanes, unsigned columns, uint32_t reason)
{
	size_t n = 0;

	for (size_t i = 0; i < lanes->n; i++)
		for (unsigned x = 0; lanes->at[i].vcpu && x < columns; x++)
			n += lanes->at[i].reason[x] == reason;
	return n;
}

static bool is_taken(const struct ink *inks, size_t n, struct ink ink)
{
	for (size_t i = 0; i < n; i++)
		if (inks[i].level == ink.level)
			return true;
	return false;
}

/* An ink for each reason; equal ones only if there are too many. */
static void ink_reasons(const struct vm_lanes *lanes, struct ink *inks)
{
	for (size_t i = 0; i < lanes->n_reasons; i++) {
		inks[i] = palette_reason(lanes->reasons[i]);
		for (unsigned n = 0; n < 4 && is_taken(inks, i, inks[i]); n++)
			inks[i] = palette_reason_spare(lanes->reasons[i], n);
	}
}

static bool has(const struct vm_lanes *lanes, unsigned columns, uint32_t doing)
{
	for (size_t i = 0; i < lanes->n; i++)
		for (unsigned x = 0; x < columns; x++)
			if (lanes->at[i].doing[x] == doing)
				return true;
	return false;
}

/* The legend: states, then the most frequent reasons, whose texts are given. */
static size_t make_swatches(const struct vm_lanes *lanes, unsigned columns, const struct ink *inks,
			    struct row_swatch *out, size_t *n_states)
{
	bool *done = calloc(lanes->n_reasons + 1, sizeof(*done));
	size_t n = 0;

	for (uint32_t k = 0; k < ANALYZE_DOINGS; k++) {
		if (!has(lanes, columns, k) ||
		    (k == ANALYZE_DOING_ASLEEP && has(lanes, columns, ANALYZE_DOING_HALTED)))
			continue;
		out[n++] = (struct row_swatch){ doings[k].ink, doings[k].text };
	}
	*n_states = n;
	for (unsigned shown = 0; done && shown < REASONS; shown++) {
		size_t best = SIZE_MAX, most = 0;
		char *text;

		for (uint32_t i = 0; i < lanes->n_reasons; i++) {
			size_t count = done[i] ? 0 : columns_of(lanes, columns, i);

			if (count > most) {
				most = count;
				best = i;
			}
		}
		if (best == SIZE_MAX)
			break;
		done[best] = true;
		if (asprintf(&text, "exit: %s", lanes->reasons[best]) < 0)
			break;
		out[n++] = (struct row_swatch){ inks[best], text };
	}
	free(done);
	return n;
}

static void draw_lanes(struct marks *m, const struct canvas *c, const struct frame *f,
		       const struct frame_caption *cap, const struct vm_lanes *lanes,
		       const struct ink *inks, unsigned columns)
{
	size_t row = 0;

	for (size_t i = 0; i < lanes->n; i++) {
		const struct vm_lane *lane = &lanes->at[i];
		double top = rows_middle(c, f, row++) - c->bar / 2, h = c->bar;

		if (lane->vcpu && !c->cells)
			h -= TICKS + 1;
		marks_rect(m, (struct ink){ INK_PLOT, 0 }, f->plot.x, top, f->plot.w, h, NULL);
		for (uint32_t k = 0; k < ANALYZE_DOINGS; k++)
			stripes(m, f, lane->doing, columns, k, doings[k].ink, top, h);
		if (!c->cells)
			name_waits(m, c, f, cap, lane, top + h / 2);
		if (!lane->vcpu)
			continue;
		top = c->cells ? rows_middle(c, f, row++) - c->bar / 2 : top + h + 1;
		for (uint32_t k = 0; k < lanes->n_reasons; k++)
			stripes(m, f, lane->reason, columns, k, inks[k], top,
				c->cells ? c->bar : TICKS);
	}
}

static void draw(struct marks *m, const struct canvas *c, const struct frame_caption *cap,
		 const struct vm_lanes *lanes, struct row_label *rows, size_t n,
		 const struct ink *inks)
{
	struct row_swatch swatches[ANALYZE_DOINGS + REASONS];
	struct frame_shape shape = { .axis = true };
	unsigned columns = lay_out(c, rows, n, &shape);
	size_t n_states, n_swatches = make_swatches(lanes, columns, inks, swatches, &n_states);
	char foot[8 * TEXT_ROOM], ms[TEXT_ROOM], more[TEXT_ROOM] = "";
	struct scale time;
	struct frame f;

	if (lanes->more)
		snprintf(more, sizeof(more), "; %s more thread%s", GROUPED(lanes->more),
			 lanes->more == 1 ? "" : "s");
	snprintf(foot, sizeof(foot), "each column is what took most of its %s, and %s%s",
		 text_duration(ms, round((double)(cap->to_ns - cap->from_ns) / columns)),
		 c->cells ? "in the row below the most frequent exit"
			  : "under a vCPU the most frequent exit; a name in a wait: the task that "
			    "had the CPU",
		 more);
	shape.foot = foot;
	shape.above = rows_legend(NULL, c, swatches, n_swatches, 0);
	f = frame_begin(m, c, cap, &shape);
	rows_legend(m, c, swatches, n_swatches, f.above);
	frame_time(m, c, &f, cap, &time);
	draw_lanes(m, c, &f, cap, lanes, inks, columns);
	frame_loss(m, c, &f.plot, cap, CDICT_CPU_UNKNOWN);
	for (size_t i = 0; i < n; i++)
		rows[i].end = f.plot.x + f.plot.w;
	rows_labels(m, c, &f, rows, n);
	if (!lanes->n)
		rows_nothing(m, &f, "no VM with vCPUs in this window");
	for (size_t i = n_states; i < n_swatches; i++)
		free((char *)swatches[i].text);
}

int view_vm(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	    const struct vm_lanes *lanes)
{
	size_t n = row_count(c, lanes);
	struct row_label *rows = calloc(n + 1, sizeof(*rows));
	struct ink *inks = calloc(lanes->n_reasons + 1, sizeof(*inks));
	bool ok = rows && inks;

	if (ok) {
		fill_labels(c, lanes, rows);
		ink_reasons(lanes, inks);
		draw(m, c, caption, lanes, rows, n, inks);
	}
	free(rows);
	free(inks);
	return ok && !m->failed ? 0 : -ENOMEM;
}

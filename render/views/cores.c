/* SPDX-License-Identifier: GPL-2.0-only */
/* Which task ran where. */
#include "render/views/cores.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "render/draw/rows.h"
#include "render/draw/text.h"

static double left(const struct canvas *c)
{
	return c->cells ? 9 : 80;
}

unsigned view_cores_columns(const struct canvas *c)
{
	double n = c->width - left(c) - (c->cells ? 2 : 28);

	return n < 1 ? 1 : n > 65535 ? 65535 : (unsigned)n;
}

static unsigned colour_at(const struct cores *cores, const uint32_t *majority, unsigned column)
{
	uint32_t task = majority[column];

	return task == LANES_NONE ? CORES_UNKNOWN : cores->colour(cores->ctx, task, column);
}

static struct ink ink_of(const struct cores *cores, size_t part)
{
	return part < cores->n_parts ? cores->parts[part].ink
				     : (struct ink){ INK_TASK, PALETTE_TASKS };
}

/* Draws one CPU: adjacent columns of one colour are one rectangle. */
static void lane(struct marks *m, const struct canvas *c, const struct frame *f,
		 const struct cores *cores, uint32_t cpu, double y, unsigned wanted)
{
	unsigned n = lanes_columns(cores->lanes);
	const uint32_t *majority = cores->majority + (size_t)cpu * n;
	double unit = f->plot.w / n;

	for (unsigned a = 0, b; a < n; a = b) {
		unsigned colour = colour_at(cores, majority, a);

		for (b = a + 1; b < n && colour_at(cores, majority, b) == colour; b++)
			;
		if (colour != wanted)
			continue;
		if (colour == CORES_UNKNOWN)
			marks_hatch(m, f->plot.x + a * unit, y - c->bar / 2, (b - a) * unit, c->bar,
				    "which task ran is unknown");
		else
			marks_rect(m, ink_of(cores, colour), f->plot.x + a * unit, y - c->bar / 2,
				   (b - a) * unit, c->bar, NULL);
	}
}

static void lanes(struct marks *m, const struct canvas *c, const struct frame *f,
		  const struct cores *cores)
{
	double unit_h = rows_height(c);

	for (size_t i = 0; i < cores->n_cpus; i++)
		marks_rect(m, (struct ink){ INK_PLOT, 0 }, f->plot.x,
			   f->plot.y + (double)i * unit_h + (unit_h - c->bar) / 2, f->plot.w,
			   c->bar, NULL);
	/* colour by colour, for few paths */
	for (unsigned colour = 0; colour <= PALETTE_TASKS; colour++) {
		for (size_t i = 0; i < cores->n_cpus; i++)
			lane(m, c, f, cores, cores->cpus[i], rows_middle(c, f, i), colour);
	}
	for (size_t i = 0; i < cores->n_cpus; i++)
		lane(m, c, f, cores, cores->cpus[i], rows_middle(c, f, i), CORES_UNKNOWN);
}

/* Makes the legend of tasks that ran: its texts are given. */
static size_t make_swatches(const struct cores *cores, struct row_swatch *out)
{
	size_t n = 0;

	for (size_t i = 0; i <= cores->n_parts; i++) {
		bool others = i == cores->n_parts;
		uint64_t run_ns = others ? cores->others_ns : cores->parts[i].run_ns;
		char ms[TEXT_ROOM], *text;

		if (!run_ns)
			continue;
		text_duration(ms, (double)run_ns);
		if (asprintf(&text, "%s  %s", others ? "others" : cores->parts[i].name, ms) < 0)
			text = NULL;
		out[n++] = (struct row_swatch){ ink_of(cores, i), text };
	}
	return n;
}

static void draw(struct marks *m, const struct canvas *c, const struct frame_caption *cap,
		 const struct cores *cores, const struct row_swatch *swatches, size_t n,
		 struct row_label *rows)
{
	unsigned columns = lanes_columns(cores->lanes);
	struct frame_shape shape = { .left = left(c), .axis = true };
	char foot[4 * TEXT_ROOM], ms[TEXT_ROOM];
	struct scale time;
	struct frame f;

	snprintf(foot, sizeof(foot),
		 "each column is %s in its %s; empty: mostly idle, hatched: unknown", cores->each,
		 text_duration(ms, round((double)(cap->to_ns - cap->from_ns) / columns)));
	shape.foot = foot;
	shape.right = c->width - shape.left - columns;
	shape.plot_h = (double)(cores->n_cpus ? cores->n_cpus : 2) * rows_height(c);
	shape.above = rows_legend(NULL, c, swatches, n, 0);
	f = frame_begin(m, c, cap, &shape);
	rows_legend(m, c, swatches, n, f.above);
	frame_time(m, c, &f, cap, &time);
	lanes(m, c, &f, cores);
	for (size_t i = 0; i < cores->n_cpus; i++) {
		struct box box = { f.plot.x, rows_middle(c, &f, i) - c->bar / 2, f.plot.w, c->bar };

		frame_loss(m, c, &box, cap, cores->cpus[i]);
	}
	rows_labels(m, c, &f, rows, cores->n_cpus);
}

int view_cores(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	       const struct cores *cores)
{
	struct row_label *rows = calloc(cores->n_cpus + 1, sizeof(*rows));
	char(*names)[TEXT_ROOM] = calloc(cores->n_cpus + 1, sizeof(*names));
	struct row_swatch swatches[PALETTE_TASKS + 1];
	size_t n = make_swatches(cores, swatches);
	bool ok = rows && names;

	for (size_t i = 0; i < n; i++)
		ok = ok && swatches[i].text;
	for (size_t i = 0; ok && i < cores->n_cpus; i++) {
		snprintf(names[i], TEXT_ROOM, "CPU %u", cores->cpus[i]);
		rows[i].name = names[i];
	}
	if (ok)
		draw(m, c, caption, cores, swatches, n, rows);
	for (size_t i = 0; i < n; i++)
		free((char *)swatches[i].text);
	free(names);
	free(rows);
	return ok && !m->failed ? 0 : -ENOMEM;
}

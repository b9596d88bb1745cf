/* SPDX-License-Identifier: GPL-2.0-only */
/* The map of tasks and CPUs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "render/draw/names.h"
#include "render/draw/rows.h"
#include "render/draw/text.h"
#include "render/views/tasks.h"

/* The layout of columns: CPUs in groups, then the total. */
struct grid {
	const struct coremap *map;
	const struct frame_caption *cap;
	double x, y, wide, gap; /* of the first cell; a column; between NUMA nodes */
	double tall, total;     /* a row; the width of the last column */
	uint64_t max;           /* of the fullest cell of a task: the end of the scale */
	uint32_t *columns;      /* by CPU; n_cpus: no column */
	uint64_t *totals;       /* by column: sum of all tasks */
	size_t n_columns;       /* elements of columns */
	uint32_t *nodes_before; /* by column: number of other NUMA nodes left of it */
};

/* The column of the CPU, or map->n_cpus. */
static size_t column_of(const struct grid *g, uint32_t cpu)
{
	return cpu < g->n_columns ? g->columns[cpu] : g->map->n_cpus;
}

static uint64_t value(const struct coremap *map, const struct task_use *use)
{
	return map->by_switches ? use->switches : use->run_ns;
}

static double column_x(const struct grid *g, size_t column)
{
	double x = g->x + (double)column * g->wide + g->nodes_before[column] * g->gap;

	return column == g->map->n_cpus ? x + g->gap : x;
}

static double share(const struct grid *g, uint64_t v)
{
	if (g->map->by_switches)
		return g->max > 1 ? log((double)v) / log((double)g->max) : 1;
	return g->max ? (double)v / (double)g->max : 0;
}

static char *figure(const struct grid *g, char out[TEXT_ROOM], uint64_t v)
{
	double window = (double)(g->cap->to_ns - g->cap->from_ns), percent;

	if (g->map->by_switches)
		return text_short(out, (double)v);
	percent = window > 0 ? 100 * (double)v / window : 0;
	snprintf(out, TEXT_ROOM,
		 percent < 0.05   ? "<.1"
		 : percent < 9.95 ? "%.1f"
				  : "%.0f",
		 percent);
	return out;
}

static void cell(struct marks *m, const struct canvas *c, const struct grid *g, size_t column,
		 double y, uint64_t v, const char *name, bool plain)
{
	bool last = column == g->map->n_cpus;
	double x = column_x(g, column), pad = c->cells ? 0 : 1, part = share(g, v);
	double wide = last ? g->total : g->wide;
	struct ink ink = palette_ramp(part), over = { INK_OVER, ink.level };
	char text[TEXT_ROOM], note[4 * TEXT_ROOM];
	bool fits;

	if (!v)
		return;
	figure(g, text, v);
	fits = canvas_text(c, text, MARK_SMALL) + (c->cells ? 0 : 4) <= wide;
	/* almost nothing must not look like something */
	if (!g->map->by_switches && part < 0.002) {
		ink = (struct ink){ INK_PLOT, 0 };
		over = (struct ink){ INK_DIM, 0 };
	}
	if (plain && (fits || last)) {
		over = (struct ink){ INK_TEXT, 0 };
	} else {
		snprintf(note, sizeof(note), "%.120s on CPU %u: %s%s", name,
			 last ? 0 : g->map->cpus[column], text, g->map->by_switches ? "" : " %");
		marks_rect(m, ink, x, y - g->tall / 2, wide - pad, g->tall - pad, note);
	}
	if (fits || last)
		marks_text(m, over, MARK_SMALL, c->cells ? MARK_END : MARK_MIDDLE,
			   c->cells ? x + wide : x + (wide - pad) / 2, y, text);
}

/* Draws CPU numbers over the columns, as many as have room, and NUMA nodes over them. */
static void heads(struct marks *m, const struct canvas *c, const struct grid *g, double y)
{
	const struct ink dim = { INK_DIM, 0 };
	double last = -1e9;

	for (size_t i = 0; i < g->map->n_cpus; i++) {
		double mid = column_x(g, i) + g->wide / 2, w;
		char text[TEXT_ROOM];

		snprintf(text, sizeof(text), "%s%u", g->wide > 60 ? "CPU " : "", g->map->cpus[i]);
		w = canvas_text(c, text, MARK_SMALL);
		if (mid - w / 2 >= last + c->gap_x / 2) {
			marks_text(m, dim, MARK_SMALL, c->cells ? MARK_END : MARK_MIDDLE,
				   c->cells ? column_x(g, i) + g->wide : mid, y, text);
			last = mid + w / 2;
		}
		if (g->map->nodes && (!i || g->map->nodes[i] != g->map->nodes[i - 1]))
			marks_textf(m, dim, MARK_SMALL, MARK_START, column_x(g, i), y - c->line,
				    "node %d", g->map->nodes[i]);
	}
	marks_text(m, dim, MARK_SMALL, c->cells ? MARK_END : MARK_MIDDLE,
		   column_x(g, g->map->n_cpus) + g->total / (c->cells ? 1 : 2), y, "all");
}

static void total_row(struct marks *m, const struct canvas *c, const struct grid *g, double y)
{
	uint64_t all = 0;

	for (size_t i = 0; i < g->map->n_cpus; i++) {
		all += g->totals[i];
		cell(m, c, g, i, y, g->totals[i], "total", true);
	}
	cell(m, c, g, g->map->n_cpus, y, all, "total", true);
}

static void draw_rows(struct marks *m, const struct canvas *c, struct grid *g,
		      const struct frame *f, struct row_label *rows)
{
	const struct coremap *map = g->map;
	size_t row = 0;

	for (size_t i = 0; i <= map->n; i++) {
		double y = f->plot.y + ((double)row + 0.5) * g->tall;

		/* the total comes before IDLE */
		if (row == i && (i == map->n || map->bars[i].idle)) {
			total_row(m, c, g, y);
			marks_text(m, (struct ink){ INK_TEXT, 0 }, MARK_STRONG, MARK_END,
				   f->plot.x - c->gap_x, y, "total");
			row++;
			y += g->tall;
		}
		if (i == map->n)
			break;
		for (size_t k = 0; k < map->bars[i].n_cells; k++) {
			const struct task_cell *at = &map->bars[i].cells[k];
			size_t column = column_of(g, at->cpu);

			if (column < map->n_cpus)
				cell(m, c, g, column, y, value(map, &at->use), map->bars[i].name,
				     map->bars[i].idle);
		}
		cell(m, c, g, map->n_cpus, y, value(map, &map->bars[i].all), "", true);
		marks_text(m, (struct ink){ INK_TEXT, 0 }, MARK_NORMAL, MARK_END,
			   f->plot.x - c->gap_x, y, rows[i].name);
		row++;
	}
}

/* Makes columns as wide as there is room, in a terminal no wider than its numbers need; if there is not enough room for
 * all CPUs, the picture gets wider: none is left out. */
static void place_columns(struct grid *g, struct canvas *c, const struct frame_shape *shape)
{
	const struct coremap *map = g->map;
	double gaps = (g->nodes_before[map->n_cpus] + 1) * g->gap;
	double least = c->cells ? 1 : 4, room = c->width - shape->left - shape->right - gaps;

	g->total = c->cells ? 6 : 56;
	/* the total's column is as wide as the others, but never too narrow for its number */
	g->wide = floor(room / (double)(map->n_cpus + 1));
	if (g->wide > g->total)
		g->total = g->wide = c->cells ? g->total : g->wide;
	else if (map->n_cpus)
		g->wide = floor((room - g->total) / (double)map->n_cpus);
	g->wide = g->wide < least ? least : g->wide;
	room -= g->wide * (double)map->n_cpus + g->total;
	if (room < 0)
		c->width -= room;
}

/* Assigns columns to CPUs, sums them up, and finds the fullest cell; 0 or -ENOMEM. */
static int lay_out(struct grid *g)
{
	const struct coremap *map = g->map;

	for (size_t i = 0; i < map->n_cpus; i++)
		g->n_columns = map->cpus[i] >= g->n_columns ? (size_t)map->cpus[i] + 1
							    : g->n_columns;
	g->columns = malloc((g->n_columns + 1) * sizeof(*g->columns));
	g->totals = calloc(map->n_cpus + 1, sizeof(*g->totals));
	g->nodes_before = calloc(map->n_cpus + 1, sizeof(*g->nodes_before));
	if (!g->columns || !g->totals || !g->nodes_before)
		return -ENOMEM;
	for (size_t i = 1; i <= map->n_cpus; i++)
		g->nodes_before[i] = g->nodes_before[i - 1] + (map->nodes && i < map->n_cpus &&
							       map->nodes[i] != map->nodes[i - 1]);
	for (size_t i = 0; i < g->n_columns; i++)
		g->columns[i] = (uint32_t)map->n_cpus;
	for (size_t i = 0; i < map->n_cpus; i++)
		g->columns[map->cpus[i]] = (uint32_t)i;
	for (size_t i = 0; i < map->n; i++) {
		const struct task_bar *bar = &map->bars[i];

		for (size_t k = 0; k < bar->n_cells; k++) {
			uint64_t v = value(map, &bar->cells[k].use);
			size_t column = column_of(g, bar->cells[k].cpu);

			if (column == map->n_cpus)
				continue;
			if (bar->idle)
				continue;
			g->totals[column] += v;
			g->max = v > g->max ? v : g->max;
		}
	}
	return 0;
}

static void draw(struct marks *m, const struct canvas *c, struct grid *g, struct row_label *rows)
{
	const struct coremap *map = g->map;
	struct frame_shape shape = { .above = map->nodes ? 3 : 2 };
	char hi[2 * TEXT_ROOM], n[TEXT_ROOM];
	struct canvas wider = *c;
	struct frame f;

	rows_margins(c, rows, map->n, &shape);
	shape.right = c->cells ? 0 : 2 * c->gap_x;
	shape.plot_h = (double)(map->n + 1) * g->tall;
	shape.foot = map->by_switches ? "context switches away from the task, per CPU"
				      : "% of the window that the task ran, per CPU";
	place_columns(g, &wider, &shape);
	c = &wider;
	f = frame_begin(m, c, g->cap, &shape);
	g->x = f.plot.x;
	if (map->by_switches)
		snprintf(hi, sizeof(hi), "%s switch%s", number_grouped(n, g->max),
			 g->max == 1 ? "" : "es");
	else
		text_percent(hi, (double)g->max, (double)(g->cap->to_ns - g->cap->from_ns));
	frame_ramp(m, c, column_x(g, map->n_cpus) + g->total, f.above, map->by_switches ? "1" : "0",
		   hi, 0);
	heads(m, c, g, f.plot.y - c->line / 2);
	draw_rows(m, c, g, &f, rows);
}

int view_coremap(struct marks *m, const struct canvas *c, const struct frame_caption *cap,
		 const struct coremap *map)
{
	struct grid g = {
		.map = map, .cap = cap, .tall = c->cells ? 1 : 22, .gap = c->cells ? 1 : 10
	};
	struct row_label *rows = calloc(map->n + 1, sizeof(*rows));
	const char **full = calloc(map->n + 1, sizeof(*full));
	bool ok = rows && full && !lay_out(&g);
	char **names;

	for (size_t i = 0; full && i < map->n; i++)
		full[i] = map->bars[i].name;
	names = full ? names_fit(full, map->n, canvas_font(c, MARK_NORMAL), c->width * 0.35) : NULL;
	ok = ok && names;
	for (size_t i = 0; ok && i < map->n; i++)
		rows[i].name = names[i];
	if (ok)
		draw(m, c, &g, rows);
	names_free(names, map->n);
	free(full);
	free(rows);
	free(g.columns);
	free(g.totals);
	free(g.nodes_before);
	return ok && !m->failed ? 0 : -ENOMEM;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The matrix of delayed VMs and antagonists. */
#include "render/views/delays.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/plural.h"
#include "render/draw/names.h"
#include "render/draw/rows.h"
#include "render/draw/text.h"

struct plan {
	const struct delays *d;
	uint32_t *order;        /* columns in drawing order */
	size_t n_order, n_self; /* n_self of them are also rows: they come first */
	size_t more;            /* columns without room */
	uint32_t *at;           /* by column: its place, n_order: among the rest */
	uint64_t *total;        /* by column: of the drawn rows */
	size_t n_rows, more_rows;
	uint64_t *ns; /* [row][place], the last place is the rest */
	uint64_t max;
	double wide, sum_w, gap;
};

static int by_ns(const void *a, const void *b, void *ctx)
{
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const uint64_t *total = ((const struct plan *)ctx)->total;

	return total[i] != total[k] ? (total[i] < total[k]) - (total[i] > total[k])
				    : (i > k) - (i < k);
}

/* The rows' own columns in the order of rows, then the longest antagonists. */
static int by_place(const void *a, const void *b, void *ctx)
{
	const struct delays *d = ((const struct plan *)ctx)->d;
	uint32_t x = d->columns[*(const uint32_t *)a].row, y = d->columns[*(const uint32_t *)b].row;

	return x != y ? (x < y ? -1 : 1) : by_ns(a, b, ctx);
}

static size_t less(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Chooses the longest antagonists, as many as have room. */
static int choose_columns(struct plan *p, size_t room)
{
	const struct delays *d = p->d;

	p->order = calloc(d->n_columns + 1, sizeof(*p->order));
	p->at = calloc(d->n_columns + 1, sizeof(*p->at));
	p->total = calloc(d->n_columns + 1, sizeof(*p->total));
	if (!p->order || !p->at || !p->total)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_cells; i++) {
		if (d->cells[i].row < p->n_rows)
			p->total[d->cells[i].column] += d->cells[i].ns;
	}
	for (uint32_t i = 0; i < d->n_columns; i++)
		p->order[i] = i;
	p->n_order = d->n_columns > room ? room - 1 : d->n_columns;
	p->more = d->n_columns - p->n_order;
	if (d->n_columns)
		qsort_r(p->order, d->n_columns, sizeof(*p->order), by_ns, p);
	if (p->n_order)
		qsort_r(p->order, p->n_order, sizeof(*p->order), by_place, p);
	for (size_t i = 0; i < d->n_columns; i++)
		p->at[i] = (uint32_t)p->n_order;
	for (size_t i = 0; i < p->n_order; i++) {
		p->at[p->order[i]] = (uint32_t)i;
		p->n_self += d->columns[p->order[i]].row < p->n_rows;
	}
	return 0;
}

static int fill_plan(struct plan *p)
{
	const struct delays *d = p->d;
	size_t columns = p->n_order + 1;

	p->ns = calloc((p->n_rows + 1) * columns, sizeof(*p->ns));
	if (!p->ns)
		return -ENOMEM;
	for (size_t i = 0; i < d->n_cells; i++) {
		size_t row = less(d->cells[i].row, p->n_rows);

		p->ns[row * columns + p->at[d->cells[i].column]] += d->cells[i].ns;
	}
	/* the maximum is that of single cells, not of sums of the others */
	for (size_t i = 0; i < p->n_rows * columns; i++) {
		if (i % columns < p->n_order && p->ns[i] > p->max)
			p->max = p->ns[i];
	}
	return 0;
}

static double column_x(const struct plan *p, const struct frame *f, size_t i)
{
	double x = f->plot.x + p->sum_w + p->gap + (double)i * p->wide;

	return x + (i >= p->n_self && p->n_self ? p->gap : 0);
}

static double middle(const struct canvas *c, double x, double wide)
{
	return c->cells ? x + wide - 1 : x + wide - c->gap_x;
}

/* The room for a text in a column @wide. */
static double text_room(const struct canvas *c, double wide)
{
	return wide - (c->cells ? 1 : 1.5 * c->gap_x);
}

/* Draws a text of a column, at its right end. */
static void put_text(struct marks *m, const struct canvas *c, struct ink ink, enum mark_size size,
		     double x, double wide, double y, const char *text)
{
	char *fit = text_fit(text, canvas_font(c, size), text_room(c, wide));

	m->failed |= !fit;
	if (fit)
		marks_text(m, ink, size, MARK_END, middle(c, x, wide), y, fit);
	free(fit);
}

static void heads(struct marks *m, const struct canvas *c, const struct plan *p,
		  const struct frame *f, double y)
{
	const struct ink dim = { INK_DIM, 0 };
	char more[TEXT_ROOM];

	const char **full = calloc(p->n_order + 1, sizeof(*full));
	char **names;

	for (size_t i = 0; full && i < p->n_order; i++)
		full[i] = p->d->columns[p->order[i]].name;
	names = full ? names_fit(full, p->n_order, canvas_font(c, MARK_SMALL),
				 text_room(c, p->wide))
		     : NULL;
	m->failed |= !names;
	put_text(m, c, dim, MARK_SMALL, f->plot.x, p->sum_w, y, p->d->sum);
	for (size_t i = 0; names && i < p->n_order; i++)
		put_text(m, c, dim, MARK_SMALL, column_x(p, f, i), p->wide, y, names[i]);
	names_free(names, p->n_order);
	free(full);
	snprintf(more, sizeof(more), "%s more", GROUPED(p->more));
	if (p->more)
		put_text(m, c, dim, MARK_SMALL, column_x(p, f, p->n_order), p->wide, y, more);
}

static void draw_row(struct marks *m, const struct canvas *c, const struct plan *p,
		     const struct frame *f, size_t row, uint64_t sum, const char *name)
{
	const uint64_t *ns = p->ns + row * (p->n_order + 1);
	double y = rows_middle(c, f, row), pad = c->cells ? 0 : 1;
	char ms[TEXT_ROOM], share[TEXT_ROOM], note[8 * TEXT_ROOM];

	put_text(m, c, (struct ink){ INK_TEXT, 0 }, MARK_STRONG, f->plot.x, p->sum_w, y,
		 text_duration(ms, (double)sum));
	for (size_t i = 0; i < p->n_order + (p->more > 0); i++) {
		bool others = i == p->n_order || row == p->n_rows;
		double x = column_x(p, f, i);
		struct ink ink;

		if (!ns[i])
			continue;
		text_duration(ms, (double)ns[i]);
		if (others) {
			put_text(m, c, (struct ink){ INK_DIM, 0 }, MARK_NORMAL, x, p->wide, y, ms);
			continue;
		}
		ink = palette_ramp((double)ns[i] / (double)p->max);
		snprintf(note, sizeof(note), "%.60s, %.60s: %s, %s", name,
			 p->d->columns[p->order[i]].name, ms,
			 text_percent(share, (double)ns[i], (double)sum));
		marks_rect(m, ink, x, y - rows_height(c) / 2, p->wide - pad, rows_height(c) - pad,
			   note);
		put_text(m, c, (struct ink){ INK_OVER, ink.level }, MARK_NORMAL, x, p->wide, y, ms);
	}
}

static void draw(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
		 struct plan *p, struct row_label *rows, size_t n, double left)
{
	const struct delays *d = p->d;
	struct frame_shape shape = { .left = left,
				     .right = c->cells ? 0 : 2 * c->gap_x,
				     .above = 2,
				     .foot = d->foot,
				     .plot_h = (double)(n ? n : 2) * rows_height(c) };
	struct frame f = frame_begin(m, c, caption, &shape);
	char hi[TEXT_ROOM];

	if (!n) {
		rows_nothing(m, &f, d->lacks);
		return;
	}
	frame_ramp(m, c, f.plot.x + f.plot.w, f.above, "0", text_duration(hi, (double)p->max), 0);
	heads(m, c, p, &f, f.plot.y - c->line / 2);
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = i < p->n_rows ? d->rows[i].ns : 0;

		for (size_t k = i; i == p->n_rows && k < d->n_rows; k++)
			sum += d->rows[k].ns;
		draw_row(m, c, p, &f, i, sum, rows[i].name);
	}
	rows_labels(m, c, &f, rows, n);
}

/* Computes widths and, from them, the columns. */
static int lay_out(struct plan *p, const struct canvas *c, const struct row_label *rows, size_t n,
		   double *left)
{
	double least = c->cells ? 10 : 84, most = c->cells ? 14 : 132, room;
	struct frame_shape shape = { 0 };
	size_t fit, columns;
	int rc;

	rows_margins(c, rows, n, &shape);
	*left = shape.left;
	p->sum_w = c->cells ? 9 : 76;
	p->gap = c->cells ? 1 : 10;
	room = c->width - *left - p->sum_w - 2 * p->gap - (c->cells ? 0 : 2 * c->gap_x);
	fit = room > 2 * least ? (size_t)(room / least) : 2;
	rc = choose_columns(p, fit);
	columns = p->n_order + (p->more > 0);
	p->wide = columns ? room / (double)columns : least;
	p->wide = p->wide > most ? most : p->wide < least ? least : p->wide;
	if (c->cells)
		p->wide = (double)(int)p->wide;
	return rc ? rc : fill_plan(p);
}

int view_delays(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
		const struct delays *d)
{
	/* a single remaining row is shown instead of a row "1 other" */
	bool all = !d->top || d->n_rows <= d->top + 1;
	struct plan p = { .d = d, .n_rows = all ? d->n_rows : d->top };
	size_t n = p.n_rows + !all;
	struct row_label *rows = calloc(n + 1, sizeof(*rows));
	char others[TEXT_ROOM];
	double left = 0;
	int rc = rows ? 0 : -ENOMEM;

	p.more_rows = d->n_rows - p.n_rows;
	snprintf(others, sizeof(others), "%s other VM%s", GROUPED(p.more_rows),
		 plural(p.more_rows));
	for (size_t i = 0; !rc && i < n; i++)
		rows[i].name = i < p.n_rows ? d->rows[i].name : others;
	if (!rc)
		rc = lay_out(&p, c, rows, n, &left);
	if (!rc)
		draw(m, c, caption, &p, rows, n, left);
	free(p.order);
	free(p.at);
	free(p.total);
	free(p.ns);
	free(rows);
	return !rc && !m->failed ? 0 : -ENOMEM;
}

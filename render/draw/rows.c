/* SPDX-License-Identifier: GPL-2.0-only */
/* Pictures with one row per task, vCPU or CPU. */
#include "render/draw/rows.h"

#include <math.h>
#include <stdlib.h>

#include "render/draw/names.h"

double rows_height(const struct canvas *c)
{
	return c->cells ? 1 : c->bar + c->gap_y;
}

double rows_middle(const struct canvas *c, const struct frame *f, size_t i)
{
	return f->plot.y + ((double)i + 0.5) * rows_height(c);
}

static double edge(const struct canvas *c)
{
	return c->cells ? 0 : 2 * c->gap_x;
}

void rows_margins(const struct canvas *c, const struct row_label *rows, size_t n,
		  struct frame_shape *shape)
{
	for (size_t i = 0; i < n; i++) {
		double w = canvas_text(c, rows[i].name, MARK_NORMAL);

		shape->left = w > shape->left ? w : shape->left;
		w = rows[i].note ? canvas_text(c, rows[i].note, MARK_SMALL) : 0;
		shape->right = w > shape->right ? w : shape->right;
	}
	if (shape->left > c->width * 0.35)
		shape->left = c->width * 0.35;
	if (shape->right > c->width * ROWS_NOTES)
		shape->right = c->width * ROWS_NOTES;
	shape->left = ceil(shape->left + edge(c) + c->gap_x);
	shape->right = ceil(shape->right + edge(c) + c->gap_x);
	shape->plot_h = (double)(n ? n : 2) * rows_height(c);
}

void rows_labels(struct marks *m, const struct canvas *c, const struct frame *f,
		 const struct row_label *rows, size_t n)
{
	const char **full = calloc(n + 1, sizeof(*full));
	char **names;

	for (size_t i = 0; full && i < n; i++)
		full[i] = rows[i].name;
	names = full ? names_fit(full, n, canvas_font(c, MARK_NORMAL),
				 f->plot.x - edge(c) - c->gap_x + !c->cells)
		     : NULL;
	m->failed |= !names;
	for (size_t i = 0; i < n; i++) {
		/* in cells tiny parts may have widened the bar */
		double x = c->cells ? ceil(rows[i].end) + 1 : rows[i].end + c->gap_x;
		char *note = rows[i].note ? text_fit(rows[i].note, canvas_font(c, MARK_SMALL),
						     c->width - edge(c) - x + !c->cells)
					  : NULL;

		m->failed |= rows[i].note && !note;
		if (names)
			marks_text(m, (struct ink){ INK_TEXT, 0 }, MARK_NORMAL, MARK_END,
				   f->plot.x - c->gap_x, rows_middle(c, f, i), names[i]);
		if (note)
			marks_text(m, (struct ink){ INK_DIM, 0 }, MARK_SMALL, MARK_START, x,
				   rows_middle(c, f, i), note);
		free(note);
	}
	names_free(names, n);
	free(full);
}

void rows_nothing(struct marks *m, const struct frame *f, const char *text)
{
	marks_text(m, (struct ink){ INK_DIM, 0 }, MARK_NORMAL, MARK_MIDDLE,
		   f->plot.x + f->plot.w / 2, f->plot.y + f->plot.h / 2, text);
}

unsigned rows_legend(struct marks *m, const struct canvas *c, const struct row_swatch *entries,
		     size_t n, double y)
{
	double x = edge(c);
	unsigned lines = n ? 1 : 0;

	for (size_t i = 0; i < n; i++) {
		double next = frame_swatch(NULL, c, entries[i].ink, x, y, entries[i].text);

		if (next - 2 * c->gap_x > c->width - edge(c) && x > edge(c)) {
			next += edge(c) - x;
			x = edge(c);
			lines++;
		}
		if (m)
			frame_swatch(m, c, entries[i].ink, x, y + (lines - 1) * c->line,
				     entries[i].text);
		x = next;
	}
	return lines;
}

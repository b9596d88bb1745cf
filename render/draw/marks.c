/* SPDX-License-Identifier: GPL-2.0-only */
/* The elements of a picture. */
#include "render/draw/marks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/draw/text.h"

struct canvas canvas_pixels(double width, double height)
{
	return (struct canvas){ .width = width,
				.height = height,
				.line = 20,
				.gap_x = 8,
				.gap_y = 8,
				.cell_x = 4,
				.cell_y = 4,
				.bar = 18 };
}

struct canvas canvas_cells(unsigned columns, unsigned lines, bool half)
{
	return (struct canvas){ .width = columns,
				.height = lines,
				.cells = true,
				.line = 1,
				.gap_x = 1,
				.cell_x = 1,
				.cell_y = half ? 0.5 : 1,
				.bar = 1 };
}

double canvas_font(const struct canvas *c, enum mark_size size)
{
	static const double pixels[] = {
		[MARK_NORMAL] = 13,
		[MARK_SMALL] = 12,
		[MARK_TITLE] = 18,
		[MARK_STRONG] = 13,
	};

	return c->cells ? 0 : pixels[size];
}

double canvas_text(const struct canvas *c, const char *text, enum mark_size size)
{
	double bold = size == MARK_TITLE || size == MARK_STRONG ? 1.1 : 1;

	return text_width(text, canvas_font(c, size)) * (c->cells ? 1 : bold);
}

void marks_fini(struct marks *m)
{
	for (size_t i = 0; i < m->texts.n; i++)
		free(m->texts.at[i]);
	array_fini(&m->texts);
	array_fini(&m->all);
	*m = (struct marks){ 0 };
}

const char *marks_keep(struct marks *m, const char *text)
{
	char *copy = strdup(text);

	if (copy && !array_push(&m->texts, copy))
		return copy;
	free(copy);
	m->failed = true;
	return "";
}

static void add_mark(struct marks *m, const struct mark *mark)
{
	struct mark new = *mark;

	if (mark->text)
		new.text = marks_keep(m, mark->text);
	m->failed |= array_push(&m->all, new) != 0;
}

void marks_rect(struct marks *m, struct ink ink, double x, double y, double w, double h,
		const char *note)
{
	if (w > 0 && h > 0)
		add_mark(m, &(struct mark){ .kind = MARK_RECT,
					    .ink = ink,
					    .x = x,
					    .y = y,
					    .w = w,
					    .h = h,
					    .text = note });
}

void marks_hatch(struct marks *m, double x, double y, double w, double h, const char *note)
{
	add_mark(m, &(struct mark){ .kind = MARK_HATCH,
				    .ink = { INK_LOSS, 0 },
				    .x = x,
				    .y = y,
				    .w = w,
				    .h = h,
				    .text = note });
}

void marks_line(struct marks *m, struct ink ink, double x1, double y1, double x2, double y2)
{
	add_mark(m, &(struct mark){ .kind = MARK_LINE,
				    .ink = ink,
				    .x = x1,
				    .y = y1,
				    .w = x2 - x1,
				    .h = y2 - y1 });
}

void marks_text(struct marks *m, struct ink ink, enum mark_size size, enum mark_anchor anchor,
		double x, double y, const char *text)
{
	if (*text)
		add_mark(m, &(struct mark){ .kind = MARK_TEXT,
					    .ink = ink,
					    .size = size,
					    .anchor = anchor,
					    .x = x,
					    .y = y,
					    .text = text });
}

void marks_textf(struct marks *m, struct ink ink, enum mark_size size, enum mark_anchor anchor,
		 double x, double y, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (text)
		marks_text(m, ink, size, anchor, x, y, text);
	else
		m->failed = true;
	free(text);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * marks.h - the elements of a picture: rectangles, lines and texts, each with an ink
 * (palette.h) instead of a colour, in drawing order.
 *
 * Views make marks from numbers, back-ends (backend.h) draw them; neither depends on the
 * other.  The canvas has the sizes of things, in pixels or in a terminal's cells.
 *
 * Units      the canvas': pixels, y downwards; in a terminal columns and lines
 * Failure    a failed allocation sets @failed, later marks do nothing
 * Ownership  caller's storage; texts given to marks are copied; marks_fini() frees
 */
#ifndef RENDER_DRAW_MARKS_H
#define RENDER_DRAW_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/array.h"
#include "render/draw/palette.h"

enum mark_size { MARK_NORMAL = 0, MARK_SMALL, MARK_TITLE, MARK_STRONG };
enum mark_anchor { MARK_START = 0, MARK_MIDDLE, MARK_END };

struct canvas {
	double width, height;
	bool cells;            /* a terminal: 1 is a column or a line */
	double line;           /* from one line of text to the next */
	double gap_x, gap_y;   /* a small space */
	double cell_x, cell_y; /* smallest useful rectangle */
	double bar;            /* height of a bar */
};

/* canvas_pixels, canvas_cells - @height 0: the view chooses. @half: a cell holds two
 * rectangles, one above the other. */
struct canvas canvas_pixels(double width, double height);
struct canvas canvas_cells(unsigned columns, unsigned lines, bool half);
/* canvas_font - size in pixels of @size; 0 in a terminal, as text_width() expects. */
double canvas_font(const struct canvas *c, enum mark_size size);
double canvas_text(const struct canvas *c, const char *text, enum mark_size size);

enum mark_kind { MARK_RECT, MARK_LINE, MARK_TEXT, MARK_HATCH };

struct mark {
	enum mark_kind kind;
	struct ink ink;
	enum mark_size size;     /* TEXT */
	enum mark_anchor anchor; /* TEXT */
	double x, y;             /* TEXT: its anchor, in the middle of the line */
	double w, h;             /* LINE: to the other end */
	const char *text;        /* TEXT; RECT: its tooltip, or NULL */
};

struct marks {
	ARRAY(struct mark) all;
	ARRAY(char *) texts;
	bool failed;
	double width, height; /* of the picture */
	const char *title;    /* of the document, one of texts */
	uint64_t made_at_s;   /* date of the document, seconds since 1970 */
};

void marks_fini(struct marks *m);

/* Texts must be clean (text_clean()). */
void marks_rect(struct marks *m, struct ink ink, double x, double y, double w, double h,
		const char *note);
void marks_line(struct marks *m, struct ink ink, double x1, double y1, double x2, double y2);
void marks_hatch(struct marks *m, double x, double y, double w, double h, const char *note);
void marks_text(struct marks *m, struct ink ink, enum mark_size size, enum mark_anchor anchor,
		double x, double y, const char *text);
void marks_textf(struct marks *m, struct ink ink, enum mark_size size, enum mark_anchor anchor,
		 double x, double y, const char *fmt, ...) __attribute__((format(printf, 7, 8)));

/* marks_keep - a copy of @text that lives as long as the marks, "" when out of memory. */
const char *marks_keep(struct marks *m, const char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rows.h - pictures with one row per task, vCPU or CPU: its name at the left, its
 * data at the right.
 */
#ifndef RENDER_DRAW_ROWS_H
#define RENDER_DRAW_ROWS_H

#include "render/draw/frame.h"

struct row_label {
	const char *name; /* clean */
	char *note;       /* at the right end, or NULL; given by the view, freed by it */
	double end;       /* the note starts after this position */
};

double rows_height(const struct canvas *c);
/* rows_middle - the middle of row @i of the plot. */
double rows_middle(const struct canvas *c, const struct frame *f, size_t i);

/* Of the canvas's width, at most this is for the notes. */
#define ROWS_NOTES 0.4

/* rows_margins - makes room in @shape for names, notes and @n rows. */
void rows_margins(const struct canvas *c, const struct row_label *rows, size_t n,
		  struct frame_shape *shape);
void rows_labels(struct marks *m, const struct canvas *c, const struct frame *f,
		 const struct row_label *rows, size_t n);

/* rows_nothing - writes @text in the middle of an empty plot. */
void rows_nothing(struct marks *m, const struct frame *f, const char *text);

/* A legend's entry. */
struct row_swatch {
	struct ink ink;
	const char *text;
};

/* rows_legend - draws entries from @y on, in as many lines as they need; returns their
 * number.  With @m NULL nothing is drawn. */
unsigned rows_legend(struct marks *m, const struct canvas *c, const struct row_swatch *entries,
		     size_t n, double y);

#endif

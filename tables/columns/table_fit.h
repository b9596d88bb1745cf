/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * table_fit.h - columns of text that fit a terminal: each row is one line. The least important go, then texts are cut.
 */
#ifndef TABLES_TABLE_FIT_H
#define TABLES_TABLE_FIT_H

#include <stdbool.h>

#include "base/text/sink.h"

/* A column: numbers stand to the right, marks in a place of their own. */
struct table_room {
	size_t width; /* with the mark */
	bool mark, hidden;
	bool text;          /* can be cut */
	unsigned char rank; /* the highest go first, of equals the last; 0 stay */
};

/* table_fit - how many columns had to go. Texts wider than @readable are cut before any goes. */
size_t table_fit(struct table_room *rooms, size_t n, size_t columns, size_t readable);
/* table_fit_width - of the rows, two blanks between columns. */
size_t table_fit_width(const struct table_room *rooms, size_t n);
/* table_fit_text - as much of @text as @width columns hold: all, or its begin and ".."; how wide that is. */
size_t table_fit_text(struct sink *s, const char *text, size_t width);
/* table_fit_safe - the same of a text that is escaped already. */
size_t table_fit_safe(struct sink *s, const char *text, size_t width);
/* table_fit_tell - the line below. */
void table_fit_tell(struct sink *s, size_t gone);

#endif

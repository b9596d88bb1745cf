/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * table_fit.h - fits columns of text to a terminal: each row is one line. The least important
 * columns are dropped, then texts are cut.
 */
#ifndef TABLES_COLUMNS_TABLE_FIT_H
#define TABLES_COLUMNS_TABLE_FIT_H

#include <stdbool.h>

#include "base/text/shorten.h"
#include "base/text/sink.h"

/* A column: numbers are right-aligned, marks have their own place. */
struct table_room {
	size_t width; /* including the mark */
	bool mark, hidden;
	bool text;             /* can be cut */
	unsigned char rank;    /* the highest is dropped first, of equal ones the last; 0: stays */
	size_t full;           /* width before table_fit() */
	struct shorten *names; /* the shortened texts of table_fit_add() */
};

/* table_fit - returns the number of dropped columns. Texts wider than @readable are cut before any
 * column is dropped. */
size_t table_fit(struct table_room *rooms, size_t n, size_t columns, size_t readable);
/* table_fit_width - the width of the rows, with two blanks between columns. */
size_t table_fit_width(const struct table_room *rooms, size_t n);
/* table_fit_add - After table_fit(): adds a text of the column to those that are shortened such that
 * different ones stay different. Returns 0 or -ENOMEM. */
int table_fit_add(struct table_room *room, const char *text);
/* table_fit_name - @text, or as shortened among the texts of table_fit_add() and those before. */
const char *table_fit_name(struct table_room *room, const char *text);
/* table_fit_fini - frees the memory of table_fit_add(). */
void table_fit_fini(struct table_room *rooms, size_t n);
/* table_fit_text - writes as much of @text as fits in @width columns: all, or its begin and "..";
 * returns its width. */
size_t table_fit_text(struct sink *s, const char *text, size_t width);
/* table_fit_safe - like table_fit_text(), but for a text that is already escaped. */
size_t table_fit_safe(struct sink *s, const char *text, size_t width);
/* table_fit_note - writes the line below the table about @gone dropped columns. */
void table_fit_note(struct sink *s, size_t gone);

#endif

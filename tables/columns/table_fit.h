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
	bool text;          /* can be cut */
	size_t least;       /* but not below this, for its title */
	unsigned char rank; /* the highest is dropped first, of equal ones the last; 0: stays */
	size_t full;        /* width before table_fit() */
};

/* The texts of columns that are cut, of one or several tables that are read together: different ones
 * stay different, and one text is shortened alike everywhere. */
struct table_names {
	struct shorten texts;
	size_t width; /* of the narrowest such column */
	bool fitted;
};

/* table_fit - returns the number of dropped columns. Texts wider than @readable are cut before any
 * column is dropped. */
size_t table_fit(struct table_room *rooms, size_t n, size_t columns, size_t readable);
/* table_fit_width - the width of the rows, with two blanks between columns. */
size_t table_fit_width(const struct table_room *rooms, size_t n);
/* table_fit_add - after table_fit(), adds a text of the column. Returns 0 or -ENOMEM. */
int table_fit_add(struct table_names *names, const struct table_room *room, const char *text);
/* table_fit_name - after all table_fit_add(): @text, shortened if the column is cut. */
const char *table_fit_name(struct table_names *names, const struct table_room *room,
			   const char *text);
/* table_fit_title - the title @text of the column, shortened to its width such that @titles, those of
 * the table, stay different. */
const char *table_fit_title(struct shorten *titles, const struct table_room *room,
			    const char *text);
void table_names_fini(struct table_names *names);
/* table_fit_text - writes as much of @text as fits in @width columns: all, or its begin and "..";
 * returns its width. */
size_t table_fit_text(struct sink *s, const char *text, size_t width);
/* table_fit_safe - like table_fit_text(), but for a text that is already escaped. */
size_t table_fit_safe(struct sink *s, const char *text, size_t width);
/* table_fit_note - writes the line below the table about @gone dropped columns. */
void table_fit_note(struct sink *s, size_t gone);

#endif

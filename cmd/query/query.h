/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * query.h - what SQL statements give, printed as it comes: cmd/query/query.c runs them, cmd/query/query_print.c prints.
 *
 * Rows are not kept: of text alone the first ones are, which tell how wide its columns are.
 */
#ifndef CMD_QUERY_H
#define CMD_QUERY_H

#include "base/memory/texts.h"
#include "base/text/json.h"
#include "query/sql/query.h"
#include "tables/columns/table.h"
#include "tables/columns/table_fit.h"

struct query_printer {
	struct sink *sink;
	enum table_format format;
	const struct table_frame *frame; /* of JSON: the captures */
	struct json json;
	size_t results;     /* statements that gave columns */
	size_t rows;        /* of this one */
	size_t n;           /* its columns */
	struct texts names; /* of the columns, each another one */
	/* Text: the rows that wait until it is known how wide they are. */
	bool settled;
	bool cut;                 /* texts, to the width that is there */
	struct table_room *rooms; /* of the columns; what is no text stands to the right */
	size_t gone;              /* of them, for which the terminal has no room */
	struct texts cells;       /* escaped */
};

void query_printer_init(struct query_printer *p, struct sink *s, enum table_format format,
			const struct table_frame *frame);
/* As struct query_out has them, with a struct query_printer. */
int query_print_columns(void *printer, const char *const *names, size_t n);
int query_print_row(void *printer, const struct query_value *values, size_t n);
/* query_printer_end - what is left; 0 or -ENOMEM. */
int query_printer_end(struct query_printer *p);
void query_printer_fini(struct query_printer *p);

#endif
